// SPDX-License-Identifier: Apache-2.0
#include "io/AppendJson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace Kindred::Tools {

namespace {

template <class Float>
void append_number(std::string& out, Float number) {
  if (std::isnan(number)) {
    out += "null";
    return;
  }
  if (std::isinf(number)) {
    out += number > 0 ? "1e999" : "-1e999";
    return;
  }
  // The digits come from the shortest scientific form; the layout is computed here.
  std::array<char, 32> buffer{};
  const auto end =
      std::to_chars(buffer.begin(), buffer.end(), number, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const auto e = text.find('e');
  int exponent = 0;
  const char* const sign = text.data() + e + 1;
  std::from_chars(sign + (*sign == '+' ? 1 : 0), end.ptr, exponent);
  if (exponent < -4 || exponent >= 16) {
    out += text;
    return;
  }
  const bool is_negative = text.front() == '-';
  if (is_negative) out += '-';
  std::string digits(text.substr(is_negative ? 1 : 0, e - (is_negative ? 1 : 0)));
  std::erase(digits, '.');
  if (exponent < 0) digits.insert(0, static_cast<std::size_t>(-exponent), '0');
  const auto whole = static_cast<std::size_t>(std::max(exponent, 0)) + 1;
  if (digits.size() <= whole) digits.append(whole + 1 - digits.size(), '0');
  out.append(digits, 0, whole).append(1, '.').append(digits, whole);
}

}  // namespace

void append_json(std::string& out, double number) { append_number(out, number); }
void append_json(std::string& out, float number) { append_number(out, number); }

void append_json(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    constexpr std::string_view special = "\"\\\n\r\t\b\f";
    if (const auto at = special.find(c); at != special.npos) {
      out.append(1, '\\').append(1, "\"\\nrtbf"[at]);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_name(std::string& out, std::optional<std::string_view> name) {
  if (name) return append_json(out, *name);
  out += "null";
}

void append_key(std::string& out, std::string_view key) {
  if (!out.ends_with('{')) out += ", ";
  out.append(1, '"').append(key).append("\": ");
}

void append_query(std::string& out, std::optional<std::string_view> name, std::size_t index,
                  const char* what) {
  out += '{';
  if (name) return append_field(out, what, *name);
  append_field(out, what, index);
}

}  // namespace Kindred::Tools
