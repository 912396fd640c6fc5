// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_KERNEL_CODE_HPP
#define KINDRED_CORE_ARCH_LAUNCH_KERNEL_CODE_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/Specialized.hpp>

namespace Kindred::Arch {

/// \brief The machine code of one kernel on the current device, and which specialised forms it may
/// use: the only place where this is decided.
///
/// The decision follows the architecture that the body was compiled for, since that determined its
/// instructions; a driver that compiles PTX for a newer device adds none. Architectures are ten
/// times the compute capability: 75, 80, 90, 120.
struct KernelCode {
  int compiled_for = 0;  ///< `__CUDA_ARCH__ / 10` of the body; 0: the device cannot run it
  int device = 0;        ///< architecture of the device
  /// Architecture of the machine code; that of the device if the driver compiled it.
  int machine_code = 0;
  bool is_for_90a = false;  ///< compiled for sm_90a, as its source file declares

  constexpr bool exists() const { return compiled_for != 0; }
  /// Thread block clusters, whose blocks can read each other's shared memory.
  constexpr bool has_clusters() const {
    return KINDRED_ENABLE_SPECIALIZED != 0 && compiled_for >= 90;
  }
  /// Programmatic dependent launch: the kernel may begin before the preceding one has ended.
  constexpr bool waits_for_previous_launch() const { return has_clusters(); }
  /// Hopper's wgmma. Code for sm_90a runs only on that architecture, not on newer ones.
  constexpr bool has_warpgroup_products() const {
    return has_clusters() && is_for_90a && compiled_for == 90 && device == 90;
  }
  /// Whether the driver compiled PTX for this device when the kernel was loaded, or took it from
  /// its cache.
  constexpr bool is_from_ptx() const {
    return exists() && compiled_for < device && machine_code == device;
  }
};

#if KINDRED_HAS_DEVICE
/// \brief The code of \p kernel on the current device. Loads the kernel; callers should cache the
/// result.
template <class Kernel>
KernelCode code_of(Kernel* kernel, bool is_for_90a = false) {
  KernelCode code;
  int device = 0;
  int major = 0;
  int minor = 0;
  cudaFuncAttributes attributes{};
  if (cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess &&
      cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess) {
    code = {attributes.ptxVersion, 10 * major + minor, attributes.binaryVersion, is_for_90a};
  } else {
    (void)cudaGetLastError();
    code.device = 10 * major + minor;
  }
  return code;
}
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_KERNEL_CODE_HPP
