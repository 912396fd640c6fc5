// SPDX-License-Identifier: Apache-2.0
#include "io/LatticeBlocks.hpp"

#include "program/ParseNumber.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace Kindred::Tools {

namespace {

/// The node, or nothing for a text that is none.
std::optional<std::uint64_t> parsed_node(std::string_view text, const LatticeShape& shape) {
  const auto parts = words(text, ",");
  const bool is_index = text.find(',') == text.npos;
  if (!is_index && static_cast<std::uint64_t>(std::ranges::count(text, ',')) + 1 != parts.size())
    return {};  // with an empty coordinate
  if (!is_index && parts.size() != shape.dimensions()) return {};
  std::uint64_t node = 0;
  for (const std::string_view part : parts) {
    const auto number = parse_count(part);
    if (!number || *number >= (is_index ? shape.nodes() : shape.size())) return {};
    node = node * shape.size() + *number;
  }
  return parts.empty() ? std::nullopt : std::optional(node);
}

}  // namespace

std::uint64_t lattice_node(std::string_view text, const LatticeShape& shape) {
  if (const auto node = parsed_node(text, shape)) return *node;
  throw RecordError(fmt::format(
      "{} is not a node: a node is an index in 0 … {} or {} coordinates below {} separated by "
      "commas",
      in_quotes(text), shape.nodes() - 1, shape.dimensions(), shape.size()));
}

void BlockLists::add(const std::vector<std::uint64_t>& block, const LatticeShape& shape) {
  if (block.size() == 1) return nodes.push_back(block[0]);
  if (!shape.are_neighbours(block[0], block[1]))
    throw RecordError(
        fmt::format("{} and {} are not neighbours: there is no such edge", block[0], block[1]));
  edges.push_back({block[0], block[1]});
}

BlockLists read_blocks(const std::string& path, const LatticeShape& shape,
                       const ReadProgress& progress) {
  BlockLists blocks;
  LineReader lines(path, progress);
  while (const auto line = lines.next()) {
    if (line->starts_with('#')) continue;
    lines.located([&] {
      std::vector<std::uint64_t> nodes;
      for (const std::string_view field : words(*line, " \t"))
        nodes.push_back(lattice_node(field, shape));
      if (nodes.size() > 2)
        throw RecordError(
            fmt::format("{} fields; expected a node or the two ends of an edge", nodes.size()));
      if (!nodes.empty()) blocks.add(nodes, shape);
    });
  }
  return blocks;
}

}  // namespace Kindred::Tools
