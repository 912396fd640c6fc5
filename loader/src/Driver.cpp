// SPDX-License-Identifier: Apache-2.0
#include <kindred/loader/Driver.hpp>

#include <dlfcn.h>

#include <array>

namespace Kindred::Loader {

namespace {

// Of cuda.h, which is not needed: the driver's interface is stable.
constexpr int success = 0;
constexpr int no_device = 100;
constexpr int compute_capability_major = 75;
constexpr int compute_capability_minor = 76;

/// The functions of the driver that are called.
struct Functions {
  int (*init)(unsigned flags) = nullptr;
  int (*version)(int* version) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device)(int* device, int index) = nullptr;
  int (*device_name)(char* name, int length, int device) = nullptr;
  int (*attribute)(int* value, int attribute, int device) = nullptr;
  int (*error_name)(int error, const char** name) = nullptr;  ///< null: an old driver has none
};

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

std::string error_text(const Functions& driver, const char* call, int error) {
  const char* name = nullptr;
  std::string text = std::string(call) + " returns " + std::to_string(error);
  if (driver.error_name != nullptr && driver.error_name(error, &name) == success && name != nullptr)
    text += std::string(" (") + name + ")";
  return text;
}

}  // namespace

Driver query_driver(const char* file) {
  Driver found;
  // It stays open: the library of Kindred needs it, and a driver that was closed may leave threads.
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    found.why_not = std::string("there is no NVIDIA driver: ") + dlerror();
    return found;
  }
  Functions driver;
  if (!find(library, "cuInit", driver.init) ||
      !find(library, "cuDriverGetVersion", driver.version) ||
      !find(library, "cuDeviceGetCount", driver.device_count) ||
      !find(library, "cuDeviceGet", driver.device) ||
      !find(library, "cuDeviceGetName", driver.device_name) ||
      !find(library, "cuDeviceGetAttribute", driver.attribute)) {
    found.why_not = std::string(file) + " is not a usable NVIDIA driver: " + dlerror();
    return found;
  }
  find(library, "cuGetErrorName", driver.error_name);
  int count = 0;
  int device = 0;
  int major = 0;
  int minor = 0;
  std::array<char, 256> name{};
  const char* call = "cuInit";
  int error = driver.init(0);
  if (error == success) {
    call = "cuDriverGetVersion";
    error = driver.version(&found.cuda);
  }
  if (error == success) {
    call = "cuDeviceGetCount";
    error = driver.device_count(&count);
  }
  if (error == no_device || (error == success && count == 0)) {
    found.why_not = "the NVIDIA driver finds no device (CUDA_VISIBLE_DEVICES can hide devices)";
    return found;
  }
  if (error == success) {
    call = "cuDeviceGet";
    error = driver.device(&device, 0);
  }
  if (error == success) {
    call = "cuDeviceGetName";
    error = driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
  }
  if (error == success) {
    call = "cuDeviceGetAttribute";
    error = driver.attribute(&major, compute_capability_major, device);
  }
  if (error == success) error = driver.attribute(&minor, compute_capability_minor, device);
  if (error != success) {
    found.why_not =
        "the NVIDIA driver does not work: " + error_text(driver, call, error) +
        "; `nvidia-smi` shows whether the module of the kernel is loaded and of the same version";
    return found;
  }
  found.device = name.data();
  found.architecture = 10 * major + minor;
  return found;
}

}  // namespace Kindred::Loader
