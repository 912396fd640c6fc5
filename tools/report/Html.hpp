// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_REPORT_HTML_HPP
#define KINDRED_TOOLS_REPORT_HTML_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace Kindred::Tools::Html {

/// \brief \p text as the content of an element or of a quoted attribute.
///
/// Markup is escaped; control characters and bytes that are not UTF-8 become U+FFFD.
std::string text(std::string_view text);

/// The first characters of \p text that fit into \p bytes, with an ellipsis if it has more.
std::string clipped(std::string_view text, std::size_t bytes);

/// Three significant digits with a unit: `1.23 ms`; `–` for NaN.
std::string time(double seconds);
/// A whole number in groups of three digits; `–` for NaN.
std::string count(double value);
/// A count with its noun: `1 query`, `20 queries`.
std::string counted(std::uint64_t count, std::string_view singular, std::string_view plural);
/// Three significant digits with the prefix k, M or G: `4.19M`.
std::string brief(double value);
/// A size in bytes with a unit: `12.3 MB`.
std::string bytes(double value);
/// Four significant digits, for scores.
std::string score(double value);

}  // namespace Kindred::Tools::Html

#endif  // KINDRED_TOOLS_REPORT_HTML_HPP
