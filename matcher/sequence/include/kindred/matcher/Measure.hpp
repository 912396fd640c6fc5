// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_MEASURE_HPP
#define KINDRED_MATCHER_MEASURE_HPP

#include <cstdint>
#include <string_view>

namespace Kindred {

/// \brief How alike a pattern and a query are: `similarity = 2·matched / (pattern length + query
/// length)`, in double.
enum class Measure : std::uint8_t {
  lcs,     ///< matched = length of the longest common subsequence; two empty sequences: 0
  difflib  ///< matched = Ratcliff-Obershelp, as Python's difflib with autojunk=False unless it is
           ///< asked for, a = pattern, b = query; two empty: 1
};
std::string_view to_string(Measure measure) noexcept;

}  // namespace Kindred

#endif  // KINDRED_MATCHER_MEASURE_HPP
