// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_DEVICE_GEMM_HPP
#define KINDRED_BACKENDS_VENDOR_DEVICE_GEMM_HPP

#include <kindred/backends/VendorLibraries.hpp>
#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/arch/Spaces.hpp>

#include <memory>
#include <optional>

namespace Kindred::Impl {

/// \brief GEMMs on a device through cuBLASLt, on the stream of the instance that is passed. Owns
/// its handle; calls at once need one each.
class DeviceGemm {
 public:
  /// \throws SpaceUnavailable with why cuBLASLt cannot be used, in a host build too
  DeviceGemm();
  ~DeviceGemm();
  DeviceGemm(DeviceGemm&&) noexcept;
  DeviceGemm& operator=(DeviceGemm&&) noexcept;

#if KINDRED_HAS_DEVICE
  /// \brief What `run` needs of a shape whose choice is fixed: such a `run` never fences.
  /// \throws as `run`
  void prepare(const GemmShape& shape);
  /// \brief Does not fence, but for the first call of a shape whose choice is timed: it times what
  /// the library proposes and keeps the fastest.
  /// \param shape its extents and strides times the element size are multiples of 16 bytes where
  /// the input is of 16 bits \param a, b, c on the device \param
  /// bias n floats on the device, where the shape's end takes one \throws InvalidArgument for
  /// extents of 0 or strides that are too short; SpaceUnavailable where the library has no such
  /// GEMM
  void run(const DeviceSpace& exec_space, const GemmShape& shape, const void* a, const void* b,
           void* c, const float* bias = nullptr);
#endif

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// cuBLASLt as loaded; nothing in a host build.
std::optional<VendorLibrary> device_gemm_library();

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_DEVICE_GEMM_HPP
