// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_PARSE_NUMBER_HPP
#define KINDRED_TOOLS_PROGRAM_PARSE_NUMBER_HPP

#include <cstdint>
#include <optional>
#include <string_view>

namespace Kindred::Tools {

/// \brief Parses all of \p text as a finite decimal number; empty on failure.
///
/// Rounds to nearest. Numbers too small for a double are rounded as well; numbers too large are a
/// failure.
std::optional<double> parse_number(std::string_view text);

/// Parses all of \p text as a decimal whole number without a sign; empty on failure.
std::optional<std::uint64_t> parse_count(std::string_view text) noexcept;

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_PARSE_NUMBER_HPP
