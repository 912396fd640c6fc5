// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <kindred/core/math/Exp.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "Canonical.hpp"

namespace Kindred::Reference {

namespace {

template <class T>
T changed(ElementWise op, T a, T b) {
  if (op == ElementWise::add) return canonical(a + b);
  if (op == ElementWise::multiply) return canonical(a * b);
  if (op == ElementWise::square) return canonical(a * a);
  if (op == ElementWise::square_root) return canonical(std::sqrt(a));
  // The only function whose bits are defined by its implementation; its error has its own test.
  return canonical(static_cast<T>(portable_exp(static_cast<double>(a))));
}

/// The minimum of IEEE 754: −0 is less than +0.
double lesser(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
double greater(double a, double b) { return -lesser(-a, -b); }

__extension__ using Integer128 = __int128;

template <class T>
T reduced_integer(Reduction reduction, std::span<const T> x) {
  if (reduction == Reduction::min) return *std::min_element(x.begin(), x.end());
  if (reduction == Reduction::max) return *std::max_element(x.begin(), x.end());
  return static_cast<T>(std::accumulate(x.begin(), x.end(), std::uint64_t{0}));
}

/// Compares the exact distances of neighbouring doubles.
template <class T>
double mean_of(std::span<const T> x) {
  const Integer128 sum = std::accumulate(x.begin(), x.end(), Integer128{0});
  const auto count = static_cast<Integer128>(x.size());
  const double guess = static_cast<double>(sum) / static_cast<double>(count);
  const double infinity = std::numeric_limits<double>::infinity();
  const double candidates[] = {guess, std::nextafter(guess, -infinity),
                               std::nextafter(guess, infinity)};
  if (sum == 0) return 0;
  // All candidates are multiples of 2^unit.
  int unit = 0;
  for (const double candidate : candidates) unit = std::min(unit, std::ilogb(candidate) - 52);
  double best = guess;
  Integer128 least = -1;
  for (const double candidate : candidates) {
    int exponent = 0;
    const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(candidate, &exponent), 53));
    const int shift = exponent - 53 - unit;
    const Integer128 there = static_cast<Integer128>(digits) * count * (Integer128{1} << shift);
    Integer128 distance = there - sum * (Integer128{1} << -unit);
    if (distance < 0) distance = -distance;
    if (least >= 0 && (distance > least || (distance == least && digits % 2 != 0))) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

template <class T>
std::vector<T> normalised_as(std::span<const T> x) {
  const std::vector<double> wide(x.begin(), x.end());
  const double mean = reduced(Reduction::mean, wide);
  const double by = 1.0 / (reduced(Reduction::deviation, wide) + 1e-8);
  std::vector<T> y;
  for (const double value : wide) y.push_back(canonical(static_cast<T>((value - mean) * by)));
  return y;
}

template <class T>
std::vector<T> product_as(std::span<const T> a, std::span<const T> b, std::size_t m, std::size_t n,
                          std::size_t k) {
  constexpr std::size_t block_size = 4096;
  std::vector<T> c;
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      std::vector<double> blocks;
      for (std::size_t begin = 0; begin < k; begin += block_size) {
        std::vector<double> lanes(32, 0.0);
        for (std::size_t i = begin; i < std::min(begin + block_size, k); ++i)
          lanes[i % 32] = std::fma(static_cast<double>(a[row * k + i]),
                                   static_cast<double>(b[i * n + column]), lanes[i % 32]);
        blocks.push_back(pairwise_tree_sum(lanes));
      }
      c.push_back(canonical(static_cast<T>(pairwise_tree_sum(blocks))));
    }
  }
  return c;
}

std::uint32_t random_word(std::uint64_t seed, std::uint64_t place) {
  const std::uint64_t counter = place / 4;
  return philox(
      {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U), 0, 0},
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)})[place % 4];
}

}  // namespace

float element_wise(ElementWise op, float a, float b) { return changed(op, a, b); }
double element_wise(ElementWise op, double a, double b) { return changed(op, a, b); }

std::uint64_t element_wise(ElementWise op, std::uint64_t a, std::uint64_t b) {
  return op == ElementWise::add ? a + b : op == ElementWise::multiply ? a * b : a * a;
}
std::int64_t reduced(Reduction reduction, std::span<const std::int64_t> x) {
  return reduced_integer(reduction, x);
}
std::uint64_t reduced(Reduction reduction, Numbers x) { return reduced_integer(reduction, x); }
double integer_mean(std::span<const std::int64_t> x) { return mean_of(x); }
double integer_mean(Numbers x) { return mean_of(x); }
double reduced(Reduction reduction, Doubles x) {
  const auto folded = [&](auto f) { return std::accumulate(x.begin(), x.end(), x[0], f); };
  if (reduction == Reduction::min) return canonical(folded(lesser));
  if (reduction == Reduction::max) return canonical(folded(greater));
  const double sum = reproducible_sum(x);
  if (reduction == Reduction::sum) return canonical(sum);
  const auto count = static_cast<double>(x.size());
  if (reduction == Reduction::mean) return canonical(sum / count);
  std::vector<double> squares;
  for (const double value : x) squares.push_back((value - sum / count) * (value - sum / count));
  return canonical(std::sqrt(reproducible_sum(squares) / count));
}

std::vector<float> normalised(Floats x) { return normalised_as(x); }
std::vector<double> normalised(Doubles x) { return normalised_as(x); }

std::vector<float> matrix_product(Floats a, Floats b, std::size_t m, std::size_t n, std::size_t k) {
  return product_as(a, b, m, n, k);
}
std::vector<double> matrix_product(Doubles a, Doubles b, std::size_t m, std::size_t n,
                                   std::size_t k) {
  return product_as(a, b, m, n, k);
}

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32U); };
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

std::uint8_t random_byte(std::uint64_t seed, std::uint64_t place) {
  return static_cast<std::uint8_t>(random_word(seed, place / 4) >> (place % 4 * 8));
}
float random_float(std::uint64_t seed, std::uint64_t place) {
  return std::ldexp(static_cast<float>(random_word(seed, place) >> 8U), -24);
}
double random_double(std::uint64_t seed, std::uint64_t place) {
  const std::uint64_t low = random_word(seed, 2 * place);
  const std::uint64_t high = random_word(seed, 2 * place + 1);
  return std::ldexp(static_cast<double>((high << 32U | low) >> 11U), -53);
}

}  // namespace Kindred::Reference
