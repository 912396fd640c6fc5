// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_REFERENCE_REFERENCE_SUPPORT_HPP
#define KINDRED_TESTS_REFERENCE_REFERENCE_SUPPORT_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/reference/Reference.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>

#include "Support.hpp"

namespace Kindred::Testing {

inline constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float infinity = std::numeric_limits<float>::infinity();

inline std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

/// One symbol per letter; `?` is unknown.
inline std::vector<Symbol> letters(std::string_view text) {
  std::vector<Symbol> symbols;
  for (const char c : text)
    symbols.push_back(c == '?' ? unknown_symbol : static_cast<unsigned char>(c));
  return symbols;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_REFERENCE_REFERENCE_SUPPORT_HPP
