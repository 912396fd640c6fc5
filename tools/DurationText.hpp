// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_DURATION_TEXT_HPP
#define KINDRED_TOOLS_DURATION_TEXT_HPP

#include <string>
#include <string_view>

namespace Kindred::Tools {

/// A time for people: `113 µs`, `3 ms`, `2.1 s`, `3 min 12 s` or `2 h 5 min`.
std::string duration_text(double seconds);

/// A number of units per second for people: `1.2 GB/s` for the unit `B`, otherwise `3.4 M rows/s`.
std::string rate_text(double per_second, std::string_view unit);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_DURATION_TEXT_HPP
