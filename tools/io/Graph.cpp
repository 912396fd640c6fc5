// SPDX-License-Identifier: Apache-2.0
#include "io/Graph.hpp"

#include "io/AppendJson.hpp"
#include "program/ParseNumber.hpp"

#include <kindred/matcher/CodePoints.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace Kindred::Tools {

NodeNames NodeNames::numbers(std::uint64_t count, std::function<bool(std::uint32_t)> has_node) {
  NodeNames names;
  names.m_has_node = std::move(has_node);
  names.m_numbered = true;
  names.m_count = count;
  return names;
}

std::optional<std::uint32_t> NodeNames::find(std::string_view name) const {
  if (m_numbered) {
    const auto number = parse_count(name);
    if (!number || *number < 1 || *number > m_count || name.front() == '0') return {};
    const auto node = static_cast<std::uint32_t>(*number - 1);
    if (m_has_node && !m_has_node(node)) return {};
    return node;
  }
  if (m_find) return m_find(name);
  const Symbol node = m_names.find(name);
  if (node == unknown_symbol) return {};
  return node;
}

std::string NodeNames::text(std::uint32_t node) const {
  if (m_numbered) return fmt::format("{}", std::uint64_t{node} + 1);
  return std::string(m_text ? m_text(node) : m_names.text(node));
}

void NodeNames::append(std::string& out, std::uint32_t node) const { append_json(out, text(node)); }

std::uint32_t node_of(std::string_view name, NodeNames& nodes, const LineReader& lines) {
  const bool ascii = std::none_of(name.begin(), name.end(), [](char c) { return (c & 0x80) != 0; });
  if (!ascii) {
    try {
      std::vector<Symbol> points;
      append_code_points(name, points);
    } catch (const InvalidArgument& error) {
      lines.fail(error.what());
    }
  }
  if (name.empty()) lines.fail("a node has an empty name");
  return nodes.add(name);
}

std::uint8_t parse_kind(std::string_view text, const LineReader& lines) {
  const auto kind = parse_count(text);
  if (!kind || *kind > 255)
    lines.fail(fmt::format("the kind {} is not a whole number up to 255", in_quotes(text)));
  return static_cast<std::uint8_t>(*kind);
}

float float_in(WeightRange range, double number, std::string_view shown, const char* what) {
  const auto rounded = static_cast<float>(number);
  const char* const wrong =
      range == WeightRange::unit && !(number >= 0 && number <= 1)
          ? "outside [0, 1], the limits of the mode engine (--mode linear takes any)"
      : range == WeightRange::nonnegative && !(number >= 0)
          ? "below 0, the limit of the mode pagerank"
      : !std::isfinite(rounded) ? "beyond float32, whose limit is 3.4e38"
                                : nullptr;
  if (wrong != nullptr) throw RecordError(fmt::format("the {} {} is {}", what, shown, wrong));
  return rounded;
}

float parse_weight(std::string_view text, WeightRange range, const LineReader& lines) {
  const auto number = parse_number(text);
  if (!number) lines.fail(fmt::format("the weight {} is not a finite number", in_quotes(text)));
  return lines.located([&] { return float_in(range, *number, text, "weight"); });
}

}  // namespace Kindred::Tools
