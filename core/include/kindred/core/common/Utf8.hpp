// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_UTF8_HPP
#define KINDRED_CORE_COMMON_UTF8_HPP

#include <cstddef>
#include <string_view>

namespace Kindred::Impl {

struct Utf8Character {
  std::size_t bytes;  ///< if it is not valid, those that one U+FFFD replaces
  bool is_valid;
};

/// \brief The first character of \p text, which is not empty. Overlong forms, surrogates and code
/// points above U+10FFFF are not valid (The Unicode Standard, section 3.9, table 3-7).
constexpr Utf8Character first_utf8_character(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < bytes; ++i) {
    if (i == text.size() || byte(i) < least || byte(i) > most) return {i, false};
    least = 0x80;
    most = 0xBF;
  }
  return {bytes, true};
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_UTF8_HPP
