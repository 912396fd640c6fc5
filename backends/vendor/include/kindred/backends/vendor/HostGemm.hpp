// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_HOST_GEMM_HPP
#define KINDRED_BACKENDS_VENDOR_HOST_GEMM_HPP

#include <kindred/backends/VendorLibraries.hpp>
#include <kindred/backends/vendor/Gemm.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Impl {

enum class HostGemmLibrary : std::uint8_t {
  onednn,   ///< x86 with AVX2 and beyond; bfloat16 where the processor multiplies it
  openblas  ///< float32 on any processor
};

/// Empty if \p library multiplies \p input well on this processor, else why not.
std::string host_gemm_why_not(HostGemmLibrary library, GemmType input);

/// What multiplies fastest here.
struct HostGemmChoice {
  HostGemmLibrary library;
  GemmType input;
};
HostGemmChoice fastest_host_gemm();

/// \brief One shape of GEMM on the host: B is packed once, then every `run` multiplies with it.
///
/// A `run` computes on the calling thread alone; threads may run at once, each with its scratch.
class HostGemm {
 public:
  /// \throws InvalidArgument for a shape without elements or a stride that is too short, an output
  /// that is not float32, or float16 input; SpaceUnavailable with `host_gemm_why_not`
  HostGemm(HostGemmLibrary library, const GemmShape& shape);
  ~HostGemm();
  HostGemm(HostGemm&&) noexcept;
  HostGemm& operator=(HostGemm&&) noexcept;

  const GemmShape& shape() const noexcept { return m_shape; }
  /// Bytes of a packed B.
  std::size_t packed_bytes() const noexcept;
  /// Bytes of scratch of one thread.
  std::size_t scratch_bytes() const noexcept;

  /// \param b of the shape \param packed `packed_bytes()`, aligned to 64
  void pack(const void* b, void* packed) const;
  /// \param a, c of the shape \param packed of `pack` \param scratch `scratch_bytes()`, aligned to
  /// 64
  void run(const void* a, const void* packed, float* c, void* scratch) const;

 private:
  struct OneDnn;
  struct OpenBlas;
  GemmShape m_shape;
  std::unique_ptr<OneDnn> m_onednn;
  std::unique_ptr<OpenBlas> m_openblas;
};

/// \brief C = A · B of row-major matrices on the calling thread, by oneDNN where it is fast for
/// float32, else by OpenBLAS, whose own threads are off while this lives: they would wait in loops
/// for what ours give them. Threads may call at once.
class HostMultiply {
 public:
  /// While it lives, products of the thread that made it stay on that thread.
  class OnThisThread {
   public:
    OnThisThread();
    ~OnThisThread();
    OnThisThread(const OnThisThread&) = delete;
    OnThisThread& operator=(const OnThisThread&) = delete;

   private:
    int m_threads;
  };

  /// \param type float32 or float64: what it multiplies
  explicit HostMultiply(GemmType type);
  ~HostMultiply();
  HostMultiply(const HostMultiply&) = delete;
  HostMultiply& operator=(const HostMultiply&) = delete;

  /// \brief Whether a product of float32 of \p shape is faster with a copy of B whose stride is
  /// another one. oneDNN reads a B that it multiplies few rows with where it lies, and columns of
  /// it whose rows are whole KiB apart share few sets of the first cache: a half of its rate is
  /// lost (measured on Zen 3).
  bool wants_other_stride(const GemmShape& shape) const noexcept;

  /// Called beside an `OnThisThread`. \param shape m, n, k ≥ 1 and strides, of a plain B; below
  /// 2³¹ each \param adds the product is added to C
  void run(const GemmShape& shape, const float* a, const float* b, float* c,
           bool adds = false) const;
  void run(const GemmShape& shape, const double* a, const double* b, double* c) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// oneDNN and OpenBLAS, as loaded.
std::vector<VendorLibrary> host_gemm_libraries();

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_HOST_GEMM_HPP
