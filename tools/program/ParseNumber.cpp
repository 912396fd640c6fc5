// SPDX-License-Identifier: Apache-2.0
#include "program/ParseNumber.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>

namespace Kindred::Tools {

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  // from_chars does not accept a plus sign; here it must be followed by a digit or a point.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ptr != end) return {};
  // from_chars does not distinguish too small from too large.
  if (result.ec == std::errc::result_out_of_range)
    number = std::strtod(std::string(text).c_str(), nullptr);
  else if (result.ec != std::errc())
    return {};
  if (!std::isfinite(number)) return {};
  return number;
}

std::optional<std::uint64_t> parse_count(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return {};
  return number;
}

}  // namespace Kindred::Tools
