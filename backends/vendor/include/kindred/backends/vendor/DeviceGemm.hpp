// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_DEVICE_GEMM_HPP
#define KINDRED_BACKENDS_VENDOR_DEVICE_GEMM_HPP

#include <kindred/backends/VendorLibraries.hpp>
#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/arch/Spaces.hpp>

#include <memory>
#include <vector>

namespace Kindred::Impl {

/// \brief GEMMs on a device through cuBLASLt, on the stream of the instance passed to each call;
/// in a build without it, in plain Kokkos. Owns its cuBLASLt handle. Not thread-safe:
/// concurrent calls need one object each.
class DeviceGemm {
 public:
  /// \throws SpaceUnavailable with the reason why cuBLASLt cannot be used; always in a host build
  DeviceGemm();
  ~DeviceGemm();
  DeviceGemm(DeviceGemm&&) noexcept;
  DeviceGemm& operator=(DeviceGemm&&) noexcept;

#if KINDRED_HAS_DEVICE
  /// \brief Prepares `run` for a shape whose choice is fixed; such a `run` never fences.
  /// \throws InvalidArgument, SpaceUnavailable as `run`
  void prepare(const GemmShape& shape);
  /// \brief Multiplies. Does not fence, except in the first call of a shape whose choice is timed:
  /// it times the algorithms that the library proposes and keeps the fastest.
  /// \param exec_space stream of the product
  /// \param shape for 16-bit input, extents and strides times the element size must be multiples of
  /// 16 bytes
  /// \param a device memory
  /// \param b device memory
  /// \param c device memory
  /// \param bias n floats in device memory if the shape's epilogue has a bias
  /// \throws InvalidArgument for extents of 0 or strides that are too short
  /// \throws SpaceUnavailable if the library has no such GEMM
  void run(const DeviceSpace& exec_space, const GemmShape& shape, const void* a, const void* b,
           void* c, const float* bias = nullptr);
#endif

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// cuBLASLt, or our own products on a device; empty in a host build.
std::vector<VendorLibrary> device_gemm_libraries();

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_DEVICE_GEMM_HPP
