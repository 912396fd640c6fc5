// SPDX-License-Identifier: Apache-2.0
#include "DurationText.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace Kindred::Tools {

std::string duration_text(double seconds) {
  if (seconds < 0.9995e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string rate_text(double per_second, std::string_view unit) {
  const char* const prefix = per_second >= 1e9   ? "G"
                             : per_second >= 1e6 ? "M"
                             : per_second >= 1e3 ? "k"
                                                 : "";
  const double scaled = per_second >= 1e9   ? per_second / 1e9
                        : per_second >= 1e6 ? per_second / 1e6
                        : per_second >= 1e3 ? per_second / 1e3
                                            : per_second;
  const int digits = scaled < 10 ? 1 : 0;
  const bool spaced = unit != "B" && *prefix != '\0';
  return fmt::format("{:.{}f} {}{}{}/s", scaled, digits, prefix, spaced ? " " : "", unit);
}

}  // namespace Kindred::Tools
