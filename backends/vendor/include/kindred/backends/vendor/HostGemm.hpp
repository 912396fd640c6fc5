// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_HOST_GEMM_HPP
#define KINDRED_BACKENDS_VENDOR_HOST_GEMM_HPP

#include <kindred/backends/VendorLibraries.hpp>
#include <kindred/backends/vendor/Gemm.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Impl {

class HostLibrary;
class PackedProduct;

enum class HostGemmLibrary : std::uint8_t {
  onednn,    ///< x86 with AVX2 or later; bfloat16 if the processor has instructions for it
  openblas,  ///< float32 on any processor
  own        ///< Kindred's, in plain C++: float32 on any processor, in every build
};
inline constexpr std::array<HostGemmLibrary, 3> host_gemm_libraries_by_speed{
    HostGemmLibrary::onednn, HostGemmLibrary::openblas, HostGemmLibrary::own};

/// The reason why \p library does not support \p input well on this processor, is not compiled in
/// or was not found; empty if it does.
std::string host_gemm_why_not(HostGemmLibrary library, GemmType input);

/// The fastest library on this processor for \p input; `own` if none supports it.
HostGemmLibrary fastest_host_library(GemmType input);

/// The fastest library and input type on this processor.
struct HostGemmChoice {
  HostGemmLibrary library;
  GemmType input;
};
HostGemmChoice fastest_host_gemm();

/// \brief A GEMM of one shape on the host: B is packed once, and every `run` multiplies with it.
///
/// A `run` uses only the calling thread. Thread-safe if each thread has its own scratch.
class HostGemm {
 public:
  /// \throws InvalidArgument for a shape without elements, a stride that is too short, an output
  /// that is not float32, or float16 input
  /// \throws SpaceUnavailable with the text of `host_gemm_why_not`
  HostGemm(HostGemmLibrary library, const GemmShape& shape);

  const GemmShape& shape() const noexcept { return m_shape; }
  /// Bytes of a packed B.
  std::size_t packed_bytes() const noexcept;
  /// Bytes of scratch memory per thread.
  std::size_t scratch_bytes() const noexcept;

  /// \param b matrix of the shape
  /// \param packed `packed_bytes()` bytes, aligned to 64
  void pack(const void* b, void* packed) const;
  /// \param a matrix of the shape
  /// \param packed written by `pack`
  /// \param c matrix of the shape
  /// \param scratch `scratch_bytes()` bytes, aligned to 64
  void run(const void* a, const void* packed, float* c, void* scratch) const;

 private:
  GemmShape m_shape;
  std::shared_ptr<const PackedProduct> m_product;
};

/// \brief C = A · B of row-major matrices on the calling thread, by oneDNN where it is fast for
/// float32, otherwise by OpenBLAS, and without them by our own product. OpenBLAS' own
/// threads are disabled during the object's lifetime: they would busy-wait for work from our
/// threads. Thread-safe.
class HostMultiply {
 public:
  /// During its lifetime, products started by the thread that created it stay on that thread.
  class OnThisThread {
   public:
    OnThisThread();
    ~OnThisThread();
    OnThisThread(const OnThisThread&) = delete;
    OnThisThread& operator=(const OnThisThread&) = delete;

   private:
    int m_threads;
  };

  /// \param type element type, float32 or float64
  explicit HostMultiply(GemmType type);
  /// With \p library, or the fastest if that does not multiply such matrices.
  HostMultiply(GemmType type, HostGemmLibrary library);
  HostMultiply(const HostMultiply&) = delete;
  HostMultiply& operator=(const HostMultiply&) = delete;

  /// \brief Whether a float32 product of \p shape is faster with a copy of B that has another
  /// stride. oneDNN reads B in place; if its rows are a multiple of 2 KiB apart, its columns
  /// compete for few sets of the L1 cache, which halves the rate (measured on Zen 3). With fewer
  /// than 64 rows of A or of B, the copy costs more than it gains.
  bool wants_other_stride(const GemmShape& shape) const noexcept;

  /// \brief Requires an `OnThisThread` on the calling thread.
  /// \param shape m, n, k ≥ 1 and strides for a B of k × n, each below 2³¹
  /// \param a first matrix
  /// \param b second matrix
  /// \param c result
  /// \param adds the product is added to C
  void run(const GemmShape& shape, const float* a, const float* b, float* c,
           bool adds = false) const;
  void run(const GemmShape& shape, const double* a, const double* b, double* c) const;

 private:
  explicit HostMultiply(const HostLibrary& library);

  const HostLibrary& m_library;
  std::shared_ptr<void> m_settings;  ///< of the library
};

/// oneDNN, OpenBLAS and our own products on the host.
std::vector<VendorLibrary> host_gemm_libraries();

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_HOST_GEMM_HPP
