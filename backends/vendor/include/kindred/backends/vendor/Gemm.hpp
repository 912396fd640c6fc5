// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_GEMM_HPP
#define KINDRED_BACKENDS_VENDOR_GEMM_HPP

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Elements of a matrix that a vendor's GEMM takes.
enum class GemmType : std::uint8_t { float32, float16, bfloat16, float64 };

constexpr std::size_t size_of(GemmType type) noexcept {
  return type == GemmType::float64 ? 8 : type == GemmType::float32 ? 4 : 2;
}

/// What a library does with a product before it rounds and writes it.
enum class GemmEnd : std::uint8_t { none, bias, relu, bias_relu };

/// How one of a library's ways is chosen.
enum class GemmChoice : std::uint8_t {
  timed,  ///< the fastest of those proposed, when a shape is first seen
  fixed   ///< the one proposed first: the same on every run of a program
};

/// \brief C = alpha · A · Bᵀ of row-major matrices: A is m × k, B is n × k, C is m × n.
///
/// Products are exact in float32 or better, sums are in float32 in an order of the vendor's choice.
/// Of float64 all is in float64.
struct GemmShape {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  std::uint64_t lda = 0;  ///< elements from a row to the next, as ldb and ldc
  std::uint64_t ldb = 0;
  std::uint64_t ldc = 0;
  GemmType input = GemmType::float32;   ///< of A and B
  GemmType output = GemmType::float32;  ///< of C
  float alpha = 1;
  GemmEnd end = GemmEnd::none;  ///< of a device: C = act(alpha · A · Bᵀ + bias), a bias a column
  GemmChoice choice = GemmChoice::timed;
  std::uint32_t alignment = 256;  ///< bytes that A, B and C are aligned to
  bool plain_b = false;           ///< of a device: B is k × n, and C = alpha · A · B
  std::uint64_t batch = 1;        ///< of a device: products at once, each with its A, B and C
  std::uint64_t a_step = 0;       ///< elements from one A of a batch to the next, as the others
  std::uint64_t b_step = 0;
  std::uint64_t c_step = 0;

  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

/// \brief Bound of the sums' rounding: |computed − Σ a·b| ≤ gemm_error(k) · ‖a‖ · ‖b‖, before the
/// output is rounded. Derived in docs/internals/vector-gemm.md.
constexpr double gemm_error(std::uint64_t k) noexcept {
  return (static_cast<double>(k) + 64) * 0x1p-22;
}

/// \brief The same of sums in float64.
constexpr double gemm_error_float64(std::uint64_t k) noexcept {
  return (static_cast<double>(k) + 64) * 0x1p-51;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_VENDOR_GEMM_HPP
