// SPDX-License-Identifier: Apache-2.0
#include "io/TextFolding.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/CodePoints.hpp>

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

namespace Kindred::Tools {

namespace {

static_assert(sizeof(Symbol) == sizeof(utf8proc_int32_t));

utf8proc_option_t options_of(const TextFolding& folding) {
  int options = 0;
  if (folding.normalization != Normalization::none) options |= UTF8PROC_COMPOSE | UTF8PROC_STABLE;
  if (folding.normalization == Normalization::nfkc) options |= UTF8PROC_COMPAT;
  if (folding.ignore_case) options |= UTF8PROC_CASEFOLD;
  return static_cast<utf8proc_option_t>(options);
}

/// \throws std::exception for an error of utf8proc, which valid UTF-8 does not cause
std::size_t checked(utf8proc_ssize_t count) {
  if (count == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  if (count < 0) throw std::runtime_error(utf8proc_errmsg(count));
  return static_cast<std::size_t>(count);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

void append_folded(std::string_view text, const TextFolding& folding, std::vector<Symbol>& out) {
  if (folding.active() && is_ascii(text)) {  // is normalised
    for (const char c : text) {
      const bool upper = folding.ignore_case && c >= 'A' && c <= 'Z';
      out.push_back(static_cast<unsigned char>(upper ? c - 'A' + 'a' : c));
    }
    return;
  }
  const std::size_t first = out.size();
  append_code_points(text, out);
  if (!folding.active()) return;
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_option_t options = options_of(folding);
  const auto decompose = [&] {
    return checked(utf8proc_decompose(bytes, static_cast<utf8proc_ssize_t>(text.size()),
                                      reinterpret_cast<utf8proc_int32_t*>(out.data() + first),
                                      static_cast<utf8proc_ssize_t>(out.size() - first), options));
  };
  const std::size_t count = decompose();
  const bool fits = count <= out.size() - first;
  out.resize(first + count);
  if (!fits) decompose();
  if (folding.normalization == Normalization::none) return;
  out.resize(first + checked(utf8proc_normalize_utf32(
                         reinterpret_cast<utf8proc_int32_t*>(out.data() + first),
                         static_cast<utf8proc_ssize_t>(count), options)));
}

std::string valid_utf8(std::string_view text) {
  std::vector<Symbol> points;
  append_code_points(text, points, BadBytes::keep);
  std::string out;
  for (const Symbol point : points) {
    constexpr Symbol replacement = 0xFFFD;
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto count = utf8proc_encode_char(
        static_cast<utf8proc_int32_t>(point < code_point_limit ? point : replacement),
        bytes.data());
    out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(count));
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  if (is_ascii(text)) return text.size();
  std::vector<Symbol> points;
  append_code_points(text, points, BadBytes::keep);
  std::size_t width = 0;
  for (const Symbol point : points) {
    width += point < code_point_limit
                 ? static_cast<std::size_t>(
                       std::max(utf8proc_charwidth(static_cast<utf8proc_int32_t>(point)), 0))
                 : 1;
  }
  return width;
}

}  // namespace Kindred::Tools
