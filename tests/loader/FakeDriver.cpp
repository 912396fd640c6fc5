// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 that reports what environment variables say: FAKE_INIT (an error of cuInit),
// FAKE_CUDA (its version), FAKE_DEVICES (their number), FAKE_ARCHITECTURE (10 × the compute
// capability) and FAKE_ATTRIBUTE (an error of cuDeviceGetAttribute).
#include "FakeNumber.hpp"

#include <cstdio>

extern "C" {

int cuInit(unsigned) { return number("FAKE_INIT", 0); }

int cuDriverGetVersion(int* version) {
  *version = number("FAKE_CUDA", 13000);
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = number("FAKE_DEVICES", 1);
  return 0;
}

int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}

int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU");
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  const int architecture = number("FAKE_ARCHITECTURE", 90);
  *value = attribute == 75 ? architecture / 10 : architecture % 10;
  return number("FAKE_ATTRIBUTE", 0);
}

int cuGetErrorName(int error, const char** name) {
  *name = error == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" : nullptr;
  return 0;
}
}
