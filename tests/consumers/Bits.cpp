// SPDX-License-Identifier: Apache-2.0
// Prints a sum of the result bits for each inline function that guarantees reproducible bits.
// Compiled with the options of consumers of the headers, it must print the same lines as a build
// with Kindred's own options.
#include <kindred/core/graph/impl/AddTerm.hpp>
#include <kindred/core/layers/impl/NormRow.hpp>
#include <kindred/core/math/Exp.hpp>
#include <kindred/core/math/Gelu.hpp>
#include <kindred/core/math/Log.hpp>
#include <kindred/core/math/Pow.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/seed/impl/MergeMoments.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using namespace Kindred;

constexpr int count = 200000;

/// A number in [0, 1) from a linear congruential generator (Knuth's MMIX constants).
double next(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<double>(state >> 11U) * 0x1p-53;
}

class Digest {
 public:
  explicit Digest(const char* name) : m_name(name) {}
  ~Digest() { std::printf("%s %016llx\n", m_name, static_cast<unsigned long long>(m_sum)); }
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(float value) { add(std::uint64_t{std::bit_cast<std::uint32_t>(value)}); }

 private:
  void add(std::uint64_t bits) { m_sum = (m_sum ^ bits) * 0x9E3779B97F4A7C15U + (m_sum >> 29U); }

  const char* m_name;
  std::uint64_t m_sum = 0;
};

/// Applies \p function to \p count values in [low, high), in a loop that may be vectorized.
template <class Value, class Function>
void print(const char* name, Value low, Value high, const Function& function) {
  Digest digest(name);
  std::uint64_t state = 17;
  std::vector<Value> values(count);
  // A division, because a product would itself be contracted.
  for (Value& value : values) value = low + static_cast<Value>(next(state)) / (1 / (high - low));
  for (Value& value : values) value = function(value);
  for (const Value value : values) digest.add(value);
}

/// The reproducible sums of rows of up to 5000 terms.
template <class Lanes>
void print_sums(const char* name, const Lanes& lanes) {
  Digest digest(name);
  std::uint64_t state = 5;
  std::vector<float> a(5000);
  std::vector<float> b(5000);
  for (float& value : a) value = static_cast<float>(next(state) - 0.5);
  for (float& value : b) value = static_cast<float>(next(state) - 0.5);
  for (std::uint64_t length = 0; length <= a.size(); length += 7) {
    const auto sum_of = [&](const auto& add) {
      digest.add(reproducible_sum(lanes, length, [&](std::uint64_t i, int size, const auto& sum) {
        return add(lanes.load(a.data() + i, size), lanes.load(b.data() + i, size), sum);
      }));
    };
    sum_of([&](const auto& x, const auto& y, const auto& sum) {
      return lanes.multiply_add(x, y, sum);
    });
    sum_of([&](const auto& x, const auto& y, const auto& sum) {
      return lanes.add_difference(x, y, sum);
    });
    sum_of([&](const auto& x, const auto& y, const auto& sum) {
      return lanes.add_squared_difference(x, y, sum);
    });
  }
}

void print_merged() {
  Digest means("merge_moments");
  Digest norms("norm_moments");
  Digest terms("add_term");
  std::uint64_t state = 9;
  SeedMoments all{};
  for (int i = 0; i < count; ++i) {
    const double mean = next(state) / 0.3 - 1;
    const double m2 = next(state) * 100;
    Impl::merge_moments(all, {static_cast<std::uint64_t>(1 + i % 97), 0, mean, m2, -1.0F, 1.0F});
    means.add(all.mean);
    means.add(all.m2);
    const auto first = static_cast<float>(next(state));
    const Impl::NormMoments norm = Impl::norm_moments({mean * 100, m2 * 700}, first, 768, 1e-5F);
    norms.add(norm.mean);
    norms.add(norm.variance);
    norms.add(Impl::normalised(norm.scale, first, 0.7F, 0.1F));
    double sum = m2;
    Impl::add_term(sum, mean, first);
    terms.add(sum);
  }
}

}  // namespace

int main() {
  print("portable_exp", -50.0, 50.0, [](double x) { return portable_exp(x); });
  print("portable_sigmoid", -40.0, 40.0, [](double x) { return portable_sigmoid(x); });
  print("portable_gelu", -10.0F, 10.0F, [](float x) { return portable_gelu(x); });
  print("portable_log", 0.0, 3.0, [](double x) { return portable_log(x); });
  print("portable_log2", 0.0, 3.0, [](double x) { return portable_log2(x); });
  print("portable_pow", 0.0, 300.0, [](double x) { return portable_pow(x, -0.7); });
  print("next to a sum", 0.0, 3.0,
        [](double x) { return 1.0 - portable_exp(x) + portable_pow(x, 1.5); });
  print_sums("reproducible_sum", Arch::Lanes<HostSpace>(0));
  print_sums("reproducible_sum of plain loops", Arch::ScalarLanes());
  print_merged();
}
