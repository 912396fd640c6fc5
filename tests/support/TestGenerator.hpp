// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_TEST_GENERATOR_HPP
#define KINDRED_TESTS_SUPPORT_TEST_GENERATOR_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "Support.hpp"
#include "VectorValues.hpp"

namespace Kindred::Testing {

/// The generator of the running test, from `seed()` and the name of the test. Only for the thread
/// of the test.
inline std::mt19937_64& generator() {
  static const ::testing::TestInfo* of = nullptr;
  static std::mt19937_64 own;
  const auto* running = ::testing::UnitTest::GetInstance()->current_test_info();
  if (running != of) own = generator(std::string(running->test_suite_name()) + running->name());
  of = running;
  return own;
}

inline std::uint64_t random_below(std::uint64_t end) { return generator()() % end; }
inline std::vector<float> normal_values(std::size_t size) {
  return normal_values(generator(), size);
}
/// \p count random numbers below \p end.
inline std::vector<std::uint64_t> random_numbers(std::size_t count, std::uint64_t end) {
  std::vector<std::uint64_t> out(count);
  for (std::uint64_t& number : out) number = random_below(end);
  return out;
}
/// The \p count numbers from \p first on.
inline std::vector<std::uint64_t> numbers_from(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_TEST_GENERATOR_HPP
