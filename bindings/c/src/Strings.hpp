// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_STRINGS_HPP
#define KINDRED_C_STRINGS_HPP

#include "Handle.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::C {

struct String {
  std::string text;
  std::string_view get() const noexcept { return text; }
};
KINDRED_C_HANDLE(string, String);
inline const String& string_of(const kindred_string* string) { return object_of(string, "string"); }

/// A handle of bytes.
kindred_string* make_string(std::span<const std::byte> bytes);

/// Writes views of texts. \param out of the same number
void write_texts(std::span<const std::string_view> texts, std::span<kindred_text> out);

/// \brief Texts, some of which may not exist, with their views for C.
class Strings {
 public:
  explicit Strings(std::vector<std::optional<std::string>> texts);
  std::span<const kindred_text> views() const noexcept { return m_views; }

 private:
  std::vector<std::optional<std::string>> m_texts;
  std::vector<kindred_text> m_views;
};
KINDRED_C_HANDLE(strings, Strings);
inline const Strings& strings_of(const kindred_strings* strings) {
  return object_of(strings, "strings");
}

}  // namespace Kindred::C

#endif  // KINDRED_C_STRINGS_HPP
