// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/CodePoints.hpp>

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Utf8.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <cstddef>
#include <string>

namespace KINDRED_PUBLIC Kindred {

namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

std::string not_utf8(std::string_view text, std::size_t at) {
  constexpr std::string_view digits = "0123456789abcdef";
  const unsigned byte = byte_at(text, at);
  return std::string("not UTF-8: byte 0x") + digits[byte >> 4U] + digits[byte & 15U] + " at " +
         std::to_string(at) + " of the text";
}

/// Appends the code points of text \p t. \throws InvalidArgument naming it
void append_text(std::span<const std::string_view> texts, std::size_t t, std::vector<Symbol>& out) {
  try {
    append_code_points(texts[t], out);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("text " + std::to_string(t) + ": " + error.what());
  }
}

}  // namespace

void append_code_points(std::string_view text, std::vector<Symbol>& out, BadBytes bad) try {
  const std::size_t size_before = out.size();
  for (std::size_t i = 0; i < text.size();) {
    const auto [length, is_valid] = Impl::first_utf8_character(text.substr(i));
    const unsigned lead = byte_at(text, i);
    if (!is_valid) {
      if (bad == BadBytes::refuse) {
        out.resize(size_before);
        throw InvalidArgument(not_utf8(text, i));
      }
      out.push_back(code_point_limit + lead);
      ++i;
      continue;
    }
    Symbol point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      point = point << 6U | (byte_at(text, i + k) & 0x3FU);
    }
    out.push_back(point);
    i += length;
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::append_code_points");
}

Ragged<Symbol> code_points(std::span<const std::string_view> texts) try {
  Ragged<Symbol> rows;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    append_text(texts, t, rows.values);
    rows.close_row();
  }
  return rows;
} catch (...) {
  Impl::rethrow_translated("Kindred::code_points");
}

std::vector<Symbol> joined_code_points(std::span<const std::string_view> texts) try {
  std::vector<Symbol> points;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    if (t > 0) points.push_back(U' ');
    append_text(texts, t, points);
  }
  return points;
} catch (...) {
  Impl::rethrow_translated("Kindred::joined_code_points");
}

}  // namespace Kindred
