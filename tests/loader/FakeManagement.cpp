// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so.1 that reports what environment variables say: FAKE_MANAGED (the number of
// devices; without it, nothing works), FAKE_CUDA (the version of CUDA), FAKE_ARCHITECTURE (10 × the
// compute capability), FAKE_OTHER (the same of the last device) and FAKE_MIG (that devices are
// divided).
#include "FakeNumber.hpp"

#include <cstdio>

namespace {
char devices[16];
}  // namespace

extern "C" {

int nvmlInit_v2() { return number("FAKE_MANAGED", -1) < 0 ? 9 : 0; }
int nvmlShutdown() { return 0; }

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = number("FAKE_CUDA", 13000);
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(number("FAKE_MANAGED", 0));
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = devices + index;
  return 0;
}

int nvmlDeviceGetName(void*, char* name, unsigned length) {
  std::snprintf(name, length, "Managed GPU");
  return 0;
}

int nvmlDeviceGetMigMode(void*, unsigned* now, unsigned* next) {
  *now = *next = static_cast<unsigned>(number("FAKE_MIG", 0));
  return number("FAKE_MIG", -1) < 0 ? 3 : 0;
}

int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  const bool is_last = device == devices + number("FAKE_MANAGED", 1) - 1;
  int architecture = number("FAKE_ARCHITECTURE", 90);
  if (is_last) architecture = number("FAKE_OTHER", architecture);
  *major = architecture / 10;
  *minor = architecture % 10;
  return 0;
}
}
