// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_PROPERTIES_HPP
#define KINDRED_TESTS_SUPPORT_PROPERTIES_HPP

#include <kindred/core/common/Ragged.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "Support.hpp"

namespace Kindred::Testing {

/// Checks \p property on generated input, from `seed()` unless RC_PARAMS says otherwise; a failure
/// tells the smallest input found and the RC_PARAMS that repeats it.
template <class Property>
void expect_property(const std::string& claim, const Property& property) {
  ::setenv("RC_PARAMS", ("max_success=200 seed=" + std::to_string(seed())).c_str(), 0);
  EXPECT_TRUE(rc::check(claim, property));
}

template <class T>
Ragged<T> ragged(const std::vector<std::vector<T>>& rows) {
  Ragged<T> packed;
  for (const std::vector<T>& row : rows) packed.push_row(row);
  return packed;
}

template <class T>
std::vector<T> to_vector(std::span<const T> row) {
  return {row.begin(), row.end()};
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_PROPERTIES_HPP
