// SPDX-License-Identifier: Apache-2.0
#include "io/LatticeBlocks.hpp"

#include "program/Errors.hpp"
#include "program/ParseNumber.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace Kindred::Tools {

namespace {

/// Takes the first field from the front of \p text and returns it. The field ends at the first of
/// \p dividers, which is removed as well.
std::string_view take_field(std::string_view& text, std::string_view dividers) {
  const std::size_t end = std::min(text.find_first_of(dividers), text.size());
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return field;
}

}  // namespace

std::optional<std::uint64_t> parse_lattice_node(std::string_view text, const LatticeShape& shape) {
  if (text.find(',') == std::string_view::npos) {
    const auto node = parse_count(text);
    return node && *node < shape.nodes() ? node : std::nullopt;
  }
  if (static_cast<std::uint64_t>(std::ranges::count(text, ',')) + 1 != shape.dimensions())
    return {};
  std::uint64_t node = 0;
  for (std::uint32_t i = 0; i < shape.dimensions(); ++i) {
    const auto coordinate = parse_count(take_field(text, ","));
    if (!coordinate || *coordinate >= shape.size()) return {};
    node = node * shape.size() + *coordinate;
  }
  return node;
}

std::string no_lattice_node(std::string_view text, const LatticeShape& shape) {
  return fmt::format(
      "{} is not a node: a node is an index in 0 … {} or {} coordinates below {} separated by "
      "commas",
      in_quotes(text), shape.nodes() - 1, shape.dimensions(), shape.size());
}

BlockLists read_blocks(const std::string& path, const LatticeShape& shape,
                       const ReadProgress& progress) {
  constexpr std::string_view spaces = " \t";
  BlockLists blocks;
  LineReader lines(path, progress);
  while (auto line = lines.next()) {
    std::vector<std::uint64_t> nodes;
    if (line->starts_with('#')) continue;
    while (!line->empty()) {
      const std::string_view field = take_field(*line, spaces);
      if (field.empty()) continue;
      const auto node = parse_lattice_node(field, shape);
      if (!node) lines.fail(no_lattice_node(field, shape));
      nodes.push_back(*node);
    }
    if (nodes.empty()) continue;
    if (nodes.size() > 2)
      lines.fail(
          fmt::format("{} fields; expected a node or the two ends of an edge", nodes.size()));
    if (nodes.size() == 1) {
      blocks.nodes.push_back(nodes[0]);
    } else if (shape.are_neighbours(nodes[0], nodes[1])) {
      blocks.edges.push_back({nodes[0], nodes[1]});
    } else {
      lines.fail(
          fmt::format("{} and {} are not neighbours: there is no such edge", nodes[0], nodes[1]));
    }
  }
  return blocks;
}

}  // namespace Kindred::Tools
