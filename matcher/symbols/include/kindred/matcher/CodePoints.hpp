// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CODE_POINTS_HPP
#define KINDRED_MATCHER_CODE_POINTS_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// The unit that one symbol of a sequence stands for.
enum class Level : std::uint8_t {
  token,     ///< a string of an event, identified by its number in a vocabulary
  character  ///< a Unicode code point of the strings of an event, joined by one space
};

/// One more than the greatest Unicode code point. Symbols of the character level are code points.
inline constexpr Symbol code_point_limit = 0x110000;

/// Treatment of bytes that are not valid UTF-8.
enum class BadBytes : std::uint8_t {
  refuse,  ///< throw InvalidArgument
  keep     ///< map the byte to the symbol `code_point_limit` + byte
};

/// \brief Appends the code points of \p text to \p out.
///
/// Strict validation by Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above
/// U+10FFFF. Complexity O(bytes). Thread-safe.
/// \throws InvalidArgument with the byte offset (from 0) if \p text is not valid UTF-8; \p out is
/// then unchanged
void append_code_points(std::string_view text, std::vector<Symbol>& out,
                        BadBytes bad = BadBytes::refuse);

/// \brief Sequences at character level: the code points of each of \p texts, one row per text.
/// Thread-safe.
/// \throws InvalidArgument with the index of the text and the byte offset if a text is not valid
/// UTF-8
Ragged<Symbol> code_points(std::span<const std::string_view> texts);

/// \brief A sequence at character level: the code points of \p texts, joined by one space.
/// Thread-safe.
/// \throws InvalidArgument with the index of the text and the byte offset if a text is not valid
/// UTF-8
std::vector<Symbol> joined_code_points(std::span<const std::string_view> texts);
}  // namespace Kindred

#endif  // KINDRED_MATCHER_CODE_POINTS_HPP
