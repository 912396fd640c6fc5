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

/// Whether \p byte is one of a character of several bytes, but not its first.
constexpr bool continues_utf8_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// The longest prefix of at most \p bytes_max bytes that ends between two characters.
constexpr std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) noexcept {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && continues_utf8_character(text[bytes_max])) --bytes_max;
  return text.substr(0, bytes_max);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_UTF8_HPP
