// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_PROPERTIES_HPP
#define KINDRED_TESTS_SUPPORT_PROPERTIES_HPP

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>

#include "Support.hpp"

namespace Kindred::Testing {

/// The number of inputs that a property is checked on: `KINDRED_TEST_CASES`, else 200. Their sizes
/// grow from the first to the last, whatever the number.
inline std::string property_cases() {
  const char* text = std::getenv("KINDRED_TEST_CASES");
  return text != nullptr ? text : "200";
}

/// Checks \p property on generated input, from `seed()` unless RC_PARAMS says otherwise. A failure
/// prints the smallest input found and the RC_PARAMS that reproduces it.
template <class Property>
void expect_property(const std::string& claim, const Property& property) {
  const std::string parameters =
      "max_success=" + property_cases() + " seed=" + std::to_string(seed());
  ::setenv("RC_PARAMS", parameters.c_str(), 0);
  EXPECT_TRUE(rc::check(claim, property));
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_PROPERTIES_HPP
