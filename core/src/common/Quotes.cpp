// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Quotes.hpp>
#include <kindred/core/common/Utf8.hpp>

#include <cstddef>

namespace KINDRED_PUBLIC Kindred {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown_max = 60;
  constexpr const char* digits = "0123456789abcdef";
  std::string out = "'";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // Truncates before a code point, never inside one.
    if (i >= shown_max && !Impl::continues_utf8_character(text[i])) {
      out += "…";
      break;
    }
    if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += digits[byte >> 4U];
      out += digits[byte & 0xFU];
    } else {
      out += text[i];
    }
  }
  return out + "'";
}

}  // namespace Kindred
