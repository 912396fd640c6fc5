// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_TEST_GENERATOR_HPP
#define KINDRED_TESTS_SUPPORT_TEST_GENERATOR_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
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

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_TEST_GENERATOR_HPP
