// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_TEXT_HPP
#define KINDRED_MATCHER_TEXT_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred {

/// What one symbol of a sequence is.
enum class Level : std::uint8_t {
  token,     ///< a string of an event, by its number in a vocabulary
  character  ///< a code point of the strings joined by one space, as itself
};

/// One more than the greatest Unicode code point. Symbols of the character level are code points.
inline constexpr Symbol code_point_limit = 0x110000;

/// What becomes of a byte that is no UTF-8.
enum class BadBytes : std::uint8_t {
  refuse,  ///< an error
  keep     ///< the symbol `code_point_limit` + byte
};

/// \brief Appends the code points of \p text to \p out.
///
/// Strict as Unicode 15 table 3-7: no overlong form, no surrogate, nothing above U+10FFFF.
/// \throws InvalidArgument with the byte (from 0) where \p text is no UTF-8; \p out is then as it
/// was
void append_code_points(std::string_view text, std::vector<Symbol>& out,
                        BadBytes bad = BadBytes::refuse);

/// \brief A sequence at character level: the code points of \p texts, joined by one space.
/// \throws InvalidArgument with the number of the text and the byte where one is no UTF-8
std::vector<Symbol> joined_code_points(std::span<const std::string_view> texts);
/// As above, of all texts of \p events, a row an event. \throws InvalidArgument also for offsets
/// that are none
std::vector<Symbol> joined_code_points(RaggedSpan<std::string_view> events);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_TEXT_HPP
