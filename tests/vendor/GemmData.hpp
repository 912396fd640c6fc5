// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GEMM_GEMM_DATA_HPP
#define KINDRED_TESTS_GEMM_GEMM_DATA_HPP

#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/core/arch/RoundElement.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace Kindred::Testing {

/// The distribution of the numbers of a GEMM.
enum class GemmKind : std::uint8_t {
  normal,
  cancelling,  ///< neighbors of opposite sign and similar magnitude
  spread,      ///< exponents far apart
  denormal,    ///< near the smallest numbers of the type
  growing,     ///< one large product, then many that a short accumulator loses
};
inline constexpr std::array all_gemm_kinds{GemmKind::normal, GemmKind::cancelling, GemmKind::spread,
                                           GemmKind::denormal, GemmKind::growing};

inline std::string name_of(GemmKind kind) {
  static constexpr std::array names{"normal", "cancelling", "spread", "denormal", "growing"};
  return names[static_cast<std::size_t>(kind)];
}

/// Two matrices, and the error that the model allows for their product.
struct GemmData {
  GemmData(std::mt19937_64& generator, const Impl::GemmShape& shape_, GemmKind kind)
      : shape(shape_) {
    fill(generator, kind, shape.m, shape.lda, a, wide_a);
    fill(generator, kind, shape.n, shape.ldb, b, wide_b);
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
  void fill(std::mt19937_64& generator, GemmKind kind, std::size_t rows, std::size_t stride,
            std::vector<std::byte>& stored, std::vector<float>& wide) {
    std::normal_distribution<float> normal;
    std::uniform_int_distribution<int> exponent(-12, 12);
    const bool half = shape.input == Impl::GemmType::float16;
    stored.resize(rows * stride * Impl::size_of(shape.input));
    wide.resize(rows * stride);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      float value = normal(generator);
      const std::size_t d = i % stride;
      if (kind == GemmKind::cancelling) value = (d % 2 == 0 ? 1.0F : -1.0F) * (8 + 0x1p-6F * value);
      if (kind == GemmKind::spread)
        value = std::ldexp(value, half ? exponent(generator) / 2 : exponent(generator));
      if (kind == GemmKind::denormal) value = std::ldexp(value, half ? -16 : -70);
      if (kind == GemmKind::growing) value = d == 0 ? 200.0F : 0x1p-5F * std::abs(value);
      wide[i] = store(stored, i, value);
    }
  }
  float store(std::vector<std::byte>& stored, std::size_t i, float value) const {
    const auto put = [&](auto element) {
      std::memcpy(stored.data() + i * sizeof(element), &element, sizeof(element));
      return Arch::to_float(element);
    };
    switch (shape.input) {
      case Impl::GemmType::float16:
        return put(Arch::round_to<Arch::Float16>(value));
      case Impl::GemmType::bfloat16:
        return put(Arch::round_to<Arch::BFloat16>(value));
      case Impl::GemmType::float64:
      case Impl::GemmType::float32:
        break;
    }
    return put(value);
  }
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_GEMM_GEMM_DATA_HPP
