// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_MEASURE_HPP
#define KINDRED_MATCHER_MEASURE_HPP

#include <cstdint>
#include <string_view>

namespace Kindred {

/// \brief Similarity measure of a pattern and a query: `similarity = 2·matched / (pattern length +
/// query length)`, in double.
enum class Measure : std::uint8_t {
  lcs,     ///< matched = length of the longest common subsequence; two empty sequences: 0
  difflib  ///< matched = Ratcliff-Obershelp, as Python's difflib with a = pattern, b = query and,
           ///< by default, autojunk=False; two empty sequences: 1
};
std::string_view to_string(Measure measure) noexcept;

}  // namespace Kindred

#endif  // KINDRED_MATCHER_MEASURE_HPP
