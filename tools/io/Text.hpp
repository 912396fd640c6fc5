// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_TEXT_HPP
#define KINDRED_TOOLS_IO_TEXT_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// \brief The finite number that all of \p text is, in decimal, or nothing.
///
/// Rounded to nearest; too small for a double is rounded too, too large is nothing.
std::optional<double> parse_number(std::string_view text);

/// The whole number that all of \p text is, in decimal without a sign, or nothing.
std::optional<std::uint64_t> parse_count(std::string_view text) noexcept;

/// \brief Appends \p number as JSON: the fewest digits that give it back, laid out as Python's
/// `repr`.
///
/// Depends on the bits alone, not on a library's version. NaN is `null`; infinities are `1e999` and
/// `-1e999`, which readers of JSON take as such.
void append_json(std::string& out, double number);
/// The fewest digits that give this float32 back.
void append_json(std::string& out, float number);

/// Appends \p text, valid UTF-8, as a JSON string.
void append_json(std::string& out, std::string_view text);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_TEXT_HPP
