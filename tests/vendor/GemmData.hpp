// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GEMM_GEMM_DATA_HPP
#define KINDRED_TESTS_GEMM_GEMM_DATA_HPP

#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/arch/RoundElement.hpp>

#include <cmath>
#include <cstring>

#include "TestGenerator.hpp"

namespace Kindred::Testing {

/// A distribution of the numbers of a GEMM: element \p d of a row from a normal one, with an
/// exponent from −12 to 12 or, for float16, from −6 to 6.
struct GemmKind {
  const char* name;
  float (*number)(std::size_t d, float normal, int exponent, bool is_half);
};
inline constexpr GemmKind normal_numbers{
    "normal", [](std::size_t, float normal, int, bool) { return normal; }};
inline constexpr GemmKind all_gemm_kinds[] = {
    normal_numbers,
    {"neighbors of opposite sign and similar magnitude",
     [](std::size_t d, float normal, int, bool) {
       return (d % 2 == 0 ? 1.0F : -1.0F) * (8 + 0x1p-6F * normal);
     }},
    {"exponents far apart",
     [](std::size_t, float normal, int exponent, bool) { return std::ldexp(normal, exponent); }},
    {"near the smallest numbers of the type",
     [](std::size_t, float normal, int, bool is_half) {
       return std::ldexp(normal, is_half ? -16 : -70);
     }},
    {"one large product, then many that a short accumulator loses",
     [](std::size_t d, float normal, int, bool) {
       return d == 0 ? 200.0F : 0x1p-5F * std::abs(normal);
     }}};

/// Two matrices, and the error that the model allows for their product.
struct GemmData {
  GemmData(const Impl::GemmShape& shape_, const GemmKind& kind = normal_numbers) : shape(shape_) {
    fill(kind, shape.m, shape.lda, a, wide_a);
    fill(kind, shape.n, shape.ldb, b, wide_b);
  }

  /// Describes the first element of \p c (float32) that the model does not allow; empty if there is
  /// none.
  std::string outside_model(const std::vector<float>& c) const {
    for (std::size_t i = 0; i < shape.m; ++i) {
      for (std::size_t j = 0; j < shape.n; ++j) {
        long double sum = 0;
        long double a_square = 0;
        long double b_square = 0;
        for (std::size_t d = 0; d < shape.k; ++d) {
          const long double x = wide_a[i * shape.lda + d];
          const long double y = wide_b[j * shape.ldb + d];
          sum += x * y;
          a_square += x * x;
          b_square += y * y;
        }
        const long double alpha = shape.alpha;
        long double allowed = Impl::gemm_error(shape.k) * std::sqrt(a_square * b_square) * alpha;
        const float got = c[i * shape.ldc + j];
        if (shape.output == Impl::GemmType::float16)
          allowed += 0x1p-11L * std::abs(static_cast<long double>(got)) + 0x1p-25L;
        // Allows for results that are flushed to zero.
        allowed += 0x1p-100L;
        if (!(std::abs(static_cast<long double>(got) - alpha * sum) <= allowed)) {
          return "element " + std::to_string(i) + ", " + std::to_string(j) + " is " +
                 std::to_string(got) + ", exactly " + std::to_string(alpha * sum) + ", allowed " +
                 std::to_string(allowed);
        }
      }
    }
    return {};
  }

  Impl::GemmShape shape;
  std::vector<std::byte> a;
  std::vector<std::byte> b;
  std::vector<float> wide_a;
  std::vector<float> wide_b;

 private:
  void fill(const GemmKind& kind, std::size_t rows, std::size_t stride,
            std::vector<std::byte>& stored, std::vector<float>& wide) {
    std::normal_distribution<float> normal;
    std::uniform_int_distribution<int> exponent(-12, 12);
    const bool half = shape.input == Impl::GemmType::float16;
    stored.resize(rows * stride * Impl::size_of(shape.input));
    wide.resize(rows * stride);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const float value = kind.number(i % stride, normal(generator()),
                                      exponent(generator()) / (half ? 2 : 1), half);
      const auto put = [&](auto element) {
        std::memcpy(stored.data() + i * sizeof(element), &element, sizeof(element));
        wide[i] = Arch::to_float(element);
      };
      if (half) {
        put(Arch::round_to<Arch::Float16>(value));
      } else if (shape.input == Impl::GemmType::bfloat16) {
        put(Arch::round_to<Arch::BFloat16>(value));
      } else {
        put(value);
      }
    }
  }
};

/// A product of rows that follow one another without gaps.
inline Impl::GemmShape dense_shape(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                                   Impl::GemmType input,
                                   Impl::GemmType output = Impl::GemmType::float32,
                                   float alpha = 1) {
  return {m, n, k, k, k, n, input, output, alpha};
}

/// Expects that `multiplied(data)` stays within the model for numbers of every kind.
template <class Multiplied>
void expect_within_model(const Impl::GemmShape& shape, const Multiplied& multiplied) {
  for (const GemmKind& kind : all_gemm_kinds) {
    const GemmData data(shape, kind);
    ASSERT_EQ(data.outside_model(multiplied(data)), "")
        << kind.name << ", " << shape.m << " × " << shape.n << " × " << shape.k;
  }
}

/// C of a prepared product of the host, −7 between its rows.
template <class Product>
std::vector<float> multiplied_by(const Product& product, const GemmData& data) {
  std::vector<std::byte> packed(product.packed_bytes() + 64);
  std::vector<std::byte> scratch(product.scratch_bytes() + 64);
  const auto aligned = [](std::vector<std::byte>& bytes) {
    std::byte* begin = bytes.data();
    return begin + (64 - reinterpret_cast<std::uintptr_t>(begin) % 64) % 64;
  };
  std::vector<float> c(data.shape.m * data.shape.ldc, -7.0F);
  product.pack(data.b.data(), aligned(packed));
  product.run(data.a.data(), aligned(packed), c.data(), aligned(scratch));
  return c;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_GEMM_GEMM_DATA_HPP
