// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_UTF8_HPP
#define KINDRED_TOOLS_IO_UTF8_HPP

#include <cstddef>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// One more than the greatest Unicode code point.
inline constexpr char32_t code_point_limit = 0x110000;

/// \brief Appends the code points of \p text to \p out.
///
/// Strict as Unicode 15 table 3-7: no overlong form, no surrogate, nothing above U+10FFFF.
/// \throws RecordError with the byte (from 0) where \p text is no UTF-8
void decode_utf8(std::string_view text, std::vector<char32_t>& out);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_UTF8_HPP
