// SPDX-License-Identifier: Apache-2.0
#include "io/AppendJson.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>

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
  std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  if (text.front() == '-') {
    out += '-';
    text.remove_prefix(1);
  }
  const auto e = text.find('e');
  int exponent = 0;
  const char* const sign = text.data() + e + 1;
  std::from_chars(sign + (*sign == '+' ? 1 : 0), end.ptr, exponent);
  std::string digits(1, text[0]);
  if (e > 1) digits += text.substr(2, e - 2);

  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1) out.append(1, '.').append(digits, 1);
    fmt::format_to(std::back_inserter(out), "e{}{:02}", exponent < 0 ? '-' : '+',
                   std::abs(exponent));
  } else if (exponent < 0) {
    out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  } else if (count <= exponent + 1) {
    out.append(digits).append(static_cast<std::size_t>(exponent + 1 - count), '0').append(".0");
  } else {
    out.append(digits, 0, static_cast<std::size_t>(exponent) + 1)
        .append(1, '.')
        .append(digits, static_cast<std::size_t>(exponent) + 1);
  }
}

}  // namespace

void append_json(std::string& out, double number) { append_number(out, number); }
void append_json(std::string& out, float number) { append_number(out, number); }

void append_json(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

}  // namespace Kindred::Tools
