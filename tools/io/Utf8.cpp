// SPDX-License-Identifier: Apache-2.0
#include "io/Utf8.hpp"

#include "io/InputError.hpp"

#include <fmt/format.h>

namespace Kindred::Tools {

void decode_utf8(std::string_view text, std::vector<char32_t>& out) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto fail = [&](std::size_t at) {
    throw RecordError(fmt::format("not UTF-8: byte 0x{:02x} at {} of the text", byte(at), at));
  };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = byte(i);
    if (lead < 0x80) {
      out.push_back(lead);
      ++i;
      continue;
    }
    if (lead < 0xC2 || lead > 0xF4) fail(i);
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (text.size() - i < length) fail(i);
    // The second byte's range keeps out overlong forms, surrogates and what is above U+10FFFF.
    const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(i + 1) < least || byte(i + 1) > most) fail(i);
    char32_t point = lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0U) != 0x80U) fail(i);
      point = point << 6U | (byte(i + k) & 0x3FU);
    }
    out.push_back(point);
    i += length;
  }
}

}  // namespace Kindred::Tools
