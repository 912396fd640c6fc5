// SPDX-License-Identifier: Apache-2.0
#include "io/SpreadText.hpp"

#include "program/Errors.hpp"
#include "program/ParseNumber.hpp"

#include <kindred/core/common/Quotes.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>

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

namespace {

std::optional<std::uint64_t> parse_below(std::string_view text, std::uint64_t limit) {
  const auto number = parse_count(text);
  return number && *number < limit ? number : std::nullopt;
}

std::size_t parse_node_kind(std::string_view kind, std::string_view whole) {
  const auto number = parse_below(kind, SpreadModifiers::kinds);
  if (number) return *number;
  throw RecordError(fmt::format("{}: the kind of node {} is not a whole number up to {}",
                                in_quotes(whole), in_quotes(kind), SpreadModifiers::kinds - 1));
}

double parse_factor(std::string_view factor, std::string_view whole, const char* what) {
  const auto number = parse_number(factor);
  if (number && std::isfinite(static_cast<float>(*number))) return *number;
  throw RecordError(fmt::format("{}: {} is {}", in_quotes(whole), in_quotes(factor), what));
}

}  // namespace

EdgeKinds parse_kinds(std::string_view text) {
  EdgeKinds kinds;
  if (text == "all") return kinds.set();
  std::string_view left = text;
  while (true) {
    const std::size_t comma = left.find(',');
    const std::string_view part = left.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = parse_below(part.substr(0, dash), kinds.size());
    const auto last = dash == part.npos ? first : parse_below(part.substr(dash + 1), kinds.size());
    if (!first || !last || *first > *last) {
      throw RecordError(
          fmt::format("{} is neither all nor kinds of edges, 0 to 255, like 0,3,7-9: {}",
                      in_quotes(text), in_quotes(part)));
    }
    for (std::uint64_t kind = *first; kind <= *last; ++kind) kinds.set(kind);
    if (comma == left.npos) return kinds;
    left.remove_prefix(comma + 1);
  }
}

SpreadModifiers parse_modifiers(std::string_view text) {
  if (text == "none") return {};
  if (text == "engram") return SpreadModifiers::engram();
  throw RecordError(fmt::format("{} is not one of none, engram", in_quotes(text)));
}

void set_strength(SpreadModifiers& modifiers, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::size_t equals = text.find('=');
  if (colon == text.npos || equals == text.npos || equals < colon)
    throw RecordError(fmt::format("{} is not FROM:TO=X", in_quotes(text)));
  const std::size_t from = parse_node_kind(text.substr(0, colon), text);
  const std::size_t to = parse_node_kind(text.substr(colon + 1, equals - colon - 1), text);
  modifiers.strengths[from][to] = parse_factor(text.substr(equals + 1), text, "no finite number");
}

void set_fan(SpreadModifiers& modifiers, std::string_view text) {
  using Fan = SpreadModifiers::Fan;
  const std::size_t equals = text.find('=');
  if (equals == text.npos) throw RecordError(fmt::format("{} is not KIND=X", in_quotes(text)));
  Fan& fan = modifiers.fans[parse_node_kind(text.substr(0, equals), text)];
  const std::string_view effect = text.substr(equals + 1);
  if (effect == "inverse") {
    fan = {Fan::Kind::inverse, 1};
  } else if (effect == "inverse-root") {
    fan = {Fan::Kind::inverse_root, 1};
  } else {
    fan = {Fan::Kind::constant,
           parse_factor(effect, text, "none of inverse, inverse-root and a finite number")};
  }
}

}  // namespace Kindred::Tools
