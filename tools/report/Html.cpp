// SPDX-License-Identifier: Apache-2.0
#include "Html.hpp"

#include <kindred/core/common/Utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace Kindred::Tools::Html {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

std::string significant(double value, int digits) {
  if (value == 0) return "0";
  const int whole = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, digits - whole));
}

std::string scaled(double value, const std::array<std::pair<double, const char*>, 4>& units) {
  for (const auto& [size, name] : units) {
    if (value >= size * 0.9995) return significant(value / size, 3) + name;
  }
  return significant(value / units.back().first, 3) + units.back().second;
}

}  // namespace

std::string text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [length, is_valid] = Impl::first_utf8_character(text.substr(at));
    const char c = text[at];
    const bool is_control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    if (!is_valid || is_control) {
      out += replacement;
      at += length;
      continue;
    }
    constexpr std::string_view special = "&<>\"";
    constexpr std::array<const char*, 4> entities{"&amp;", "&lt;", "&gt;", "&quot;"};
    if (const auto place = special.find(c); place != special.npos) {
      out += entities[place];
    } else {
      out.append(text, at, length);
    }
    at += length;
  }
  return out;
}

std::string clipped(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  return std::string(Impl::utf8_prefix(text, bytes)) + " …";
}

std::string time(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  if (seconds == 0) return "0";
  return scaled(seconds, {{{1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}}});
}

std::string count(double value) {
  if (!std::isfinite(value)) return "–";
  const std::string digits = fmt::format("{:.0f}", std::round(value));
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') out += "\u202f";
    out += digits[i];
  }
  return out;
}

std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count(static_cast<double>(number)), number == 1 ? singular : plural);
}

std::string brief(double value) {
  for (const auto& [size, name] : {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")}) {
    if (std::fabs(value) >= size) return fmt::format("{:.3g}{}", value / size, name);
  }
  return fmt::format("{:.3g}", value);
}

std::string bytes(double value) {
  if (value < 1000) return fmt::format("{:.0f} B", value);
  return scaled(value, {{{1e12, " TB"}, {1e9, " GB"}, {1e6, " MB"}, {1e3, " kB"}}});
}

std::string score(double value) {
  if (std::isnan(value)) return "NaN";
  return fmt::format("{:.4g}", value);
}

}  // namespace Kindred::Tools::Html
