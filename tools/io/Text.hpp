// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_TEXT_HPP
#define KINDRED_TOOLS_IO_TEXT_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// \brief Parses all of \p text as a finite decimal number; empty on failure.
///
/// Rounds to nearest. Numbers too small for a double are rounded as well; numbers too large are a
/// failure.
std::optional<double> parse_number(std::string_view text);

/// Parses all of \p text as a decimal whole number without a sign; empty on failure.
std::optional<std::uint64_t> parse_count(std::string_view text) noexcept;

/// \brief Appends \p number as JSON with the fewest digits that restore it, in the format of
/// Python's `repr`.
///
/// The text depends only on the bits of the number, not on the version of a library. NaN is written
/// as `null`, infinities as `1e999` and `-1e999`, which JSON parsers read as infinities.
void append_json(std::string& out, double number);
/// Appends a float32 with the fewest digits that restore it.
void append_json(std::string& out, float number);

/// Appends \p text, valid UTF-8, as a JSON string.
void append_json(std::string& out, std::string_view text);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_TEXT_HPP
