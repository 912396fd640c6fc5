// SPDX-License-Identifier: Apache-2.0
#include "io/EdgeList.hpp"

#include "io/Errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

namespace Kindred::Tools {

namespace {

/// The first fields of a line, and the number of fields.
struct Fields {
  std::array<std::string_view, 4> text;
  std::size_t count = 0;

  void add(std::string_view field) {
    if (count < text.size()) text[count] = field;
    ++count;
  }
};

Fields split_at(std::string_view line, char separator) {
  Fields fields;
  while (true) {
    const auto end = line.find(separator);
    fields.add(line.substr(0, end));
    if (end == line.npos) return fields;
    line.remove_prefix(end + 1);
  }
}

/// Splits a line into fields, which refer to the line or to \p unquoted.
class Splitter {
 public:
  explicit Splitter(bool csv) : m_csv(csv) {}

  Fields operator()(std::string_view line, const LineReader& lines) {
    if (m_csv) return line.find('"') == line.npos ? split_at(line, ',') : quoted(line, lines);
    if (line.find('\t') != line.npos) return split_at(line, '\t');
    Fields fields;
    while (true) {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      if (line.empty()) return fields;
      const auto end = std::min(line.find(' '), line.size());
      fields.add(line.substr(0, end));
      line.remove_prefix(end);
    }
  }

 private:
  Fields quoted(std::string_view line, const LineReader& lines) {
    m_texts.clear();
    Fields fields;
    while (true) {
      if (!line.starts_with('"')) {
        const auto end = line.find(',');
        fields.add(line.substr(0, end));
        if (end == line.npos) return fields;
        line.remove_prefix(end + 1);
        continue;
      }
      std::string& text = m_texts.emplace_back();
      std::size_t at = 1;
      for (;; ++at) {
        if (at == line.size()) lines.fail("a double quote is not closed on its line");
        if (line[at] == '"' && (at + 1 == line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;  // a doubled quote is one quote
        text += line[at];
      }
      fields.add(text);
      if (++at == line.size()) return fields;
      if (line[at] != ',') lines.fail("text follows a closing double quote");
      line.remove_prefix(at + 1);
    }
  }

  bool m_csv;
  std::deque<std::string> m_texts;
};

bool is_comment(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  return begin == line.npos || line[begin] == '#';
}

std::string expected(const EdgeListForm& form) {
  return form.kinds     ? "an edge has four, from, to, weight and kind"
         : form.weights ? "an edge has three, from, to and weight"
                        : "an edge has two, from and to, and may have a weight";
}

}  // namespace

Graph read_edge_list(const std::string& path, WeightRange range, const ReadProgress& progress,
                     const EdgeListForm& form, Graph graph) {
  LineReader lines(path, progress);
  Splitter split(form.csv);
  while (const auto line = lines.next()) {
    if (is_comment(*line)) continue;
    const Fields fields = split(*line, lines);
    const std::size_t most = form.kinds ? 4 : 3;
    const std::size_t least = form.kinds ? 4 : form.weights ? 3 : 2;
    if (fields.count < least || fields.count > most) {
      lines.fail(fmt::format("{} fields; {}: {}", fields.count, expected(form), in_quotes(*line)));
    }
    const std::uint32_t from = node_of(fields.text[0], graph.nodes, lines);
    const std::uint32_t to = node_of(fields.text[1], graph.nodes, lines);
    float weight = fields.count > 2 ? parse_weight(fields.text[2], range, lines) : 1.0F;
    if (!form.weights) weight = 1;
    graph.edges.push_back({from, to, weight});
    if (form.kinds) graph.edge_kinds.push_back(parse_kind(fields.text[3], lines));
  }
  if (!graph.node_kinds.empty()) graph.node_kinds.resize(graph.nodes.size());
  return graph;
}

void read_node_list(const std::string& path, bool csv, Graph& graph, const ReadProgress& progress) {
  LineReader lines(path, progress);
  Splitter split(csv);
  while (const auto line = lines.next()) {
    if (is_comment(*line)) continue;
    const Fields fields = split(*line, lines);
    if (fields.count < 1 || fields.count > 2) {
      lines.fail(fmt::format("{} fields; a node has its name, and may have a kind: {}",
                             fields.count, in_quotes(*line)));
    }
    const std::uint64_t before = graph.nodes.size();
    if (node_of(fields.text[0], graph.nodes, lines) != before)
      lines.fail(fmt::format("the node {} is given twice", in_quotes(fields.text[0])));
    if (fields.count == 2) {
      graph.node_kinds.resize(before + 1);
      graph.node_kinds[before] = parse_kind(fields.text[1], lines);
    }
  }
}

}  // namespace Kindred::Tools
