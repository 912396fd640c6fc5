// SPDX-License-Identifier: Apache-2.0
#include "io/DecayText.hpp"

#include "program/Errors.hpp"
#include "program/ParseNumber.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace Kindred::Tools {

Decay parse_decay(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Decay::Kind>, 4> names{
      {{"exponential", Decay::Kind::exponential},
       {"power", Decay::Kind::power},
       {"linear", Decay::Kind::linear},
       {"constant", Decay::Kind::constant}}};
  const auto colon = text.find(':');
  for (const auto& [name, kind] : names) {
    if (text.substr(0, colon) != name || colon == text.npos) continue;
    const auto parameter = parse_number(text.substr(colon + 1));
    if (parameter && *parameter >= 0) return {kind, *parameter};
    throw RecordError(fmt::format("{} has no finite parameter ≥ 0", in_quotes(text)));
  }
  throw RecordError(
      fmt::format("{} is not one of exponential:RATE, power:EXPONENT, linear:SLOPE, constant:C",
                  in_quotes(text)));
}

}  // namespace Kindred::Tools
