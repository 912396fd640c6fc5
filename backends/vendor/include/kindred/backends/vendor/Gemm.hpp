// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_GEMM_HPP
#define KINDRED_BACKENDS_VENDOR_GEMM_HPP

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Element type of a matrix passed to a vendor's GEMM.
enum class GemmType : std::uint8_t { float32, float16, bfloat16, float64 };

constexpr std::size_t size_of(GemmType type) noexcept {
  return type == GemmType::float64 ? 8 : type == GemmType::float32 ? 4 : 2;
}

/// Epilogue that the library applies before it rounds and writes the product.
enum class GemmEpilogue : std::uint8_t { none, bias, relu, bias_relu };

/// How one of the library's algorithms is selected.
enum class GemmChoice : std::uint8_t {
  timed,  ///< the fastest candidate, timed when a shape is first used
  fixed   ///< the first candidate: the same on every run of a program
};

/// \brief C = alpha · A · Bᵀ of row-major matrices: A is m × k, B is n × k, C is m × n.
///
/// Elementary products are exact in float32 or better; sums are in float32, in an order that the
/// vendor chooses. For float64 input, everything is in float64.
struct GemmShape {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  std::uint64_t lda = 0;  ///< row stride in elements, as ldb and ldc
  std::uint64_t ldb = 0;
  std::uint64_t ldc = 0;
  GemmType input = GemmType::float32;   ///< type of A and B
  GemmType output = GemmType::float32;  ///< type of C
  float alpha = 1;
  /// Device only: C = act(alpha · A · Bᵀ + bias), with one bias per column.
  GemmEpilogue epilogue = GemmEpilogue::none;
  GemmChoice choice = GemmChoice::timed;
  std::uint32_t alignment = 256;  ///< alignment of A, B and C in bytes
  bool plain_b = false;           ///< device only: B is k × n, and C = alpha · A · B
  std::uint64_t batch = 1;        ///< device only: number of products, each with its own A, B and C
  std::uint64_t a_step = 0;  ///< elements from one A of a batch to the next, as b_step and c_step
  std::uint64_t b_step = 0;
  std::uint64_t c_step = 0;

  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

/// \brief Bound of the rounding error of the sums: |computed − Σ a·b| ≤ gemm_error(k) · ‖a‖ · ‖b‖,
/// before the output is rounded. Derived in docs/internals/vectors.md.
constexpr double gemm_error(std::uint64_t k) noexcept {
  return (static_cast<double>(k) + 64) * 0x1p-22;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_GEMM_HPP
