// SPDX-License-Identifier: Apache-2.0
#include "io/EdgeList.hpp"

#include "io/InputError.hpp"

#include <kindred/matcher/Text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

namespace {

/// The first three fields of a line and how many it has.
struct Fields {
  std::array<std::string_view, 3> text;
  std::size_t count = 0;

  void add(std::string_view field) {
    if (count < text.size()) text[count] = field;
    ++count;
  }
};

Fields split(std::string_view line) {
  Fields fields;
  if (line.find('\t') != line.npos) {
    while (true) {
      const auto end = line.find('\t');
      fields.add(line.substr(0, end));
      if (end == line.npos) return fields;
      line.remove_prefix(end + 1);
    }
  }
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return fields;
    const auto end = std::min(line.find(' '), line.size());
    fields.add(line.substr(0, end));
    line.remove_prefix(end);
  }
}

/// The node of that name; its text must be UTF-8, since answers are JSON.
std::uint32_t node_of(std::string_view name, NodeNames& nodes, const LineReader& lines) {
  const bool ascii = std::none_of(name.begin(), name.end(), [](char c) { return (c & 0x80) != 0; });
  if (!ascii) {
    try {
      std::vector<Symbol> points;
      append_code_points(name, points);
    } catch (const InvalidArgument& error) {
      lines.fail(reason_of(error));
    }
  }
  if (name.empty()) lines.fail("a node has an empty name");
  return nodes.insert(name);
}

}  // namespace

Graph read_edge_list(const std::string& path, WeightRange range, const ReadProgress& progress) {
  LineReader lines(path, progress);
  Graph graph;
  while (const auto line = lines.next()) {
    const auto begin = line->find_first_not_of(" \t");
    if (begin == line->npos || (*line)[begin] == '#') continue;
    const Fields fields = split(*line);
    if (fields.count != 3) {
      lines.fail(fmt::format("{} fields; an edge has three, from, to and weight: {}", fields.count,
                             in_quotes(*line)));
    }
    const std::uint32_t from = node_of(fields.text[0], graph.nodes, lines);
    const std::uint32_t to = node_of(fields.text[1], graph.nodes, lines);
    graph.edges.push_back({from, to, parse_weight(fields.text[2], range, lines)});
  }
  return graph;
}

}  // namespace Kindred::Tools
