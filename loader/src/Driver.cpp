// SPDX-License-Identifier: Apache-2.0
#include <kindred/loader/Driver.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

namespace Kindred::Loader {

namespace {

// Of cuda.h and nvml.h, which are not needed: the interfaces of the driver are stable.
constexpr int success = 0;
constexpr int no_device = 100;
constexpr int compute_capability_major = 75;
constexpr int compute_capability_minor = 76;

/// The functions of CUDA that are called.
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

/// The functions of the management library (NVML) that are called.
struct ManagementFunctions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*version)(int* version) = nullptr;
  int (*device_count)(unsigned* count) = nullptr;
  int (*device)(unsigned index, void** device) = nullptr;
  int (*device_name)(void* device, char* name, unsigned length) = nullptr;
  int (*capability)(void* device, int* major, int* minor) = nullptr;
  int (*mig_mode)(void* device, unsigned* now, unsigned* next) = nullptr;

  bool find_in(void* library) {
    return find(library, "nvmlInit_v2", init) && find(library, "nvmlShutdown", shutdown) &&
           find(library, "nvmlSystemGetCudaDriverVersion_v2", version) &&
           find(library, "nvmlDeviceGetCount_v2", device_count) &&
           find(library, "nvmlDeviceGetHandleByIndex_v2", device) &&
           find(library, "nvmlDeviceGetName", device_name) &&
           find(library, "nvmlDeviceGetCudaComputeCapability", capability) &&
           find(library, "nvmlDeviceGetMigMode", mig_mode);
  }
};

/// What both libraries report of one device.
struct Device {
  std::string name;
  int architecture = 0;
  bool operator==(const Device&) const = default;
};

std::optional<Device> managed_device(const ManagementFunctions& management, unsigned index) {
  void* device = nullptr;
  std::array<char, 96> name{};
  int major = 0;
  int minor = 0;
  if (management.device(index, &device) != success ||
      management.device_name(device, name.data(), static_cast<unsigned>(name.size()) - 1) !=
          success ||
      management.capability(device, &major, &minor) != success)
    return {};
  unsigned is_divided = 0;
  unsigned later = 0;
  // Of a divided device (MIG), CUDA sees the parts, of which there may be none.
  if (management.mig_mode(device, &is_divided, &later) == success && is_divided != 0) return {};
  return Device{name.data(), 10 * major + minor};
}

/// Whether CUDA_VISIBLE_DEVICES shows a device of \p count; empty if only CUDA knows.
std::optional<bool> shows_device(unsigned count) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return count > 0;
  char* end = nullptr;
  const long first = std::strtol(visible, &end, 10);
  if (end == visible || (*end != '\0' && *end != ',')) return {};
  return first >= 0 && static_cast<unsigned long>(first) < count;
}

/// Whether the module of the kernel that CUDA needs besides the management library can be used.
bool can_open(const char* file) {
  const int opened = open(file, O_RDWR | O_CLOEXEC);
  return opened >= 0 && close(opened) == 0;
}

/// \brief The answer of the management library, which initialises nothing in this process. Empty
/// where CUDA must be asked: the library is missing or fails, no device is visible or one is
/// divided, or the devices differ, of which CUDA chooses the order.
std::optional<Driver> ask_management(const char* file) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  ManagementFunctions management;
  if (library == nullptr || !management.find_in(library) || management.init() != success) return {};
  Driver found;
  unsigned count = 0;
  std::optional<Device> device;
  if (management.version(&found.cuda) == success && management.device_count(&count) == success &&
      shows_device(count).value_or(false)) {
    device = managed_device(management, 0);
    for (unsigned i = 1; i < count && device; ++i)
      if (managed_device(management, i) != device) device.reset();
  }
  management.shutdown();
  if (!device) return {};
  found.device = device->name;
  found.architecture = device->architecture;
  return found;
}

}  // namespace

Driver query_driver(const char* file, const char* management, const char* memory_device) {
  Driver found;
  // It stays open: the library of Kindred needs it, and a driver that was closed may leave threads.
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    found.why_not = std::string("there is no NVIDIA driver: ") + dlerror();
    return found;
  }
  if (can_open(memory_device))
    if (std::optional<Driver> answer = ask_management(management)) return *std::move(answer);
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
