// SPDX-License-Identifier: Apache-2.0
#include "io/EdgeList.hpp"

#include "program/ParseNumber.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>

namespace Kindred::Tools {

namespace {

using Fields = std::vector<std::string_view>;

/// Splits a line into fields, which refer to the line or to texts of this object.
class Splitter {
 public:
  explicit Splitter(bool csv) : m_csv(csv) {}

  /// Valid until the next call.
  const Fields& operator()(std::string_view line, const LineReader& lines) {
    const bool has_tab = line.find('\t') != line.npos;
    if (!m_csv && !has_tab) return split_words(line, " ", m_fields);
    const char separator = m_csv ? ',' : '\t';
    m_fields.clear();
    m_texts.clear();
    while (true) {
      if (m_csv && line.starts_with('"')) {
        m_fields.push_back(unquoted(line, lines));
        if (line.empty()) return m_fields;
      } else {
        const auto end = line.find(separator);
        m_fields.push_back(line.substr(0, end));
        if (end == line.npos) return m_fields;
        line.remove_prefix(end);
      }
      line.remove_prefix(1);  // the separator
    }
  }

 private:
  /// Takes a field in quotes from the beginning of \p line; what is left begins with a comma.
  std::string_view unquoted(std::string_view& line, const LineReader& lines) {
    std::string& text = m_texts.emplace_back();
    std::size_t at = 1;
    for (;; ++at) {
      if (at >= line.size()) lines.fail("a double quote is not closed on its line");
      if (line[at] == '"' && (at + 1 == line.size() || line[at + 1] != '"')) break;
      if (line[at] == '"') ++at;  // a doubled quote is one quote
      text += line[at];
    }
    line.remove_prefix(at + 1);
    if (!line.empty() && line.front() != ',') lines.fail("text follows a closing double quote");
    return text;
  }

  bool m_csv;
  Fields m_fields;
  std::deque<std::string> m_texts;
};

bool is_comment(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  return begin == line.npos || line[begin] == '#';
}

/// Whether \p text begins like a word, and is not the name of a number.
bool is_word(std::string_view text) {
  if (text.empty()) return false;
  const auto first = static_cast<unsigned char>(text.front());
  if (std::isalpha(first) == 0 && first != '_' && first < 0x80) return false;
  const std::string lower = lower_case(text.substr(0, 9));
  return lower != "nan" && lower != "inf" && lower != "infinity";
}

/// Whether these are usual titles of the two columns of an edge list.
bool are_titles(std::string_view from, std::string_view to) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> titles{
      {{"from", "to"},
       {"source", "target"},
       {"src", "dst"},
       {"source", "destination"},
       {"head", "tail"},
       {"tail", "head"},
       {"parent", "child"},
       {"node1", "node2"},
       {"u", "v"}}};
  const auto begins_with = [](std::string_view text, std::string_view title) {
    return lower_case(text.substr(0, title.size())) == title;
  };
  return std::any_of(titles.begin(), titles.end(), [&](const auto& title) {
    return title.first.size() > 1 ? begins_with(from, title.first) && begins_with(to, title.second)
                                  : from == title.first && to == title.second;
  });
}

/// \brief Reads the edges of a list, line by line.
class EdgeLines {
 public:
  EdgeLines(const EdgeListForm& form, WeightRange range, LineReader& lines, Graph& graph)
      : m_form(form), m_range(range), m_lines(lines), m_graph(graph), m_split(form.csv) {}

  void read() {
    std::optional<std::string> header;
    std::uint64_t header_line = 0;
    std::uint64_t line_count = 0;
    while (const auto line = m_lines.next()) {
      if (is_comment(*line)) continue;
      const Fields& fields = m_split(*line, m_lines);
      if (line_count++ == 0 && is_header(fields)) {
        header = *line;
        header_line = m_lines.line();
        continue;
      }
      add(fields, *line);
    }
    if (!header) return;
    if (m_first_line == 0 && m_form.header == HeaderLine::automatic) {
      throw InputError(fmt::format(
          "{}:{}: the weight {} is not a finite number, and no edge follows; if the line is a "
          "header, give --header",
          m_lines.name(), header_line, in_quotes(m_weight_title)));
    }
    if (m_form.note && m_form.header == HeaderLine::automatic) {
      m_form.note(fmt::format("{}:{}: skipped as a header: {} (--no-header reads it as an edge)",
                              m_lines.name(), header_line, in_quotes(*header)));
    }
  }

 private:
  bool is_header(const Fields& fields) {
    if (m_form.header != HeaderLine::automatic) return m_form.header == HeaderLine::present;
    if (fields.size() == 2 && are_titles(fields[0], fields[1])) {
      m_lines.fail(
          fmt::format("{} and {} may be a header or an edge; give --header to skip the line, or "
                      "--no-header to read it",
                      in_quotes(fields[0]), in_quotes(fields[1])));
    }
    if (fields.size() < 3 || !is_word(fields[2])) return false;
    if (parse_number(fields[0]) && parse_number(fields[1])) {
      m_lines.fail(
          fmt::format("the weight {} is not a finite number; if the line is a header, give "
                      "--header",
                      in_quotes(fields[2])));
    }
    m_weight_title = fields[2];
    return true;
  }

  void add(const Fields& fields, std::string_view line) {
    check_count(fields, line);
    const std::uint32_t from = node_of(fields[0], m_graph.nodes, m_lines);
    const std::uint32_t to = node_of(fields[1], m_graph.nodes, m_lines);
    float weight = fields.size() > 2 ? parse_weight(fields[2], m_range, m_lines) : 1.0F;
    if (!m_form.weights) weight = 1;
    const bool both = m_form.undirected && from != to;
    m_graph.edges.push_back({from, to, weight});
    if (both) m_graph.edges.push_back({to, from, weight});
    if (m_form.kinds)
      m_graph.edge_kinds.insert(m_graph.edge_kinds.end(), both ? 2 : 1,
                                parse_kind(fields[3], m_lines));
  }

  /// Whether a line has the right number of fields, which the first edge decides.
  void check_count(const Fields& fields, std::string_view line) {
    const bool first = m_first_line == 0;
    if (first) {
      m_first_line = m_lines.line();
      m_count = fields.size();
    }
    if (m_form.kinds ? fields.size() == 4
                     : fields.size() >= 2 && fields.size() <= 3 &&
                           (fields.size() == m_count || !m_form.weights))
      return;
    std::string why;
    if (m_form.kinds) {
      why = "an edge has four, from, to, weight and kind";
    } else if (!first && fields.size() >= 2 && fields.size() <= 3) {
      why = fmt::format("the edge on line {} has {}; either all edges have a weight or none",
                        m_first_line, m_count);
    } else {
      why = "an edge has three, from, to and weight, or two, from and to";
    }
    if (fields.size() == 1 && !m_form.csv && line.find(',') != line.npos)
      why += "; name a file with commas *.csv";
    if (fields.size() == 1 && m_form.csv) why += "; in a *.csv file, commas separate them";
    if (fields.size() == 4 && !m_form.kinds)
      why += "; a fourth, the kind of the edge, needs --edge-kinds (spread: --kinds)";
    if (fields.size() > 3 && !m_form.csv && line.find('\t') == line.npos)
      why += "; separate fields by tabs if names contain spaces";
    m_lines.fail(fmt::format("{} fields; {}: {}", fields.size(), why, in_quotes(line)));
  }

  const EdgeListForm& m_form;
  WeightRange m_range;
  LineReader& m_lines;
  Graph& m_graph;
  Splitter m_split;
  std::string m_weight_title;
  std::uint64_t m_first_line = 0;  // of the first edge; 0: none yet
  std::size_t m_count = 0;         // fields of the first edge
};

}  // namespace

Graph read_edge_list(const std::string& path, WeightRange range, const ReadProgress& progress,
                     const EdgeListForm& form, Graph graph) {
  LineReader lines(path, progress);
  EdgeLines(form, range, lines, graph).read();
  if (!graph.node_kinds.empty()) graph.node_kinds.resize(graph.nodes.size());
  return graph;
}

void read_node_list(const std::string& path, bool csv, Graph& graph, const ReadProgress& progress) {
  LineReader lines(path, progress);
  Splitter split(csv);
  while (const auto line = lines.next()) {
    if (is_comment(*line)) continue;
    const Fields& fields = split(*line, lines);
    if (fields.size() < 1 || fields.size() > 2) {
      lines.fail(fmt::format("{} fields; a node has its name, and may have a kind: {}",
                             fields.size(), in_quotes(*line)));
    }
    const std::uint64_t before = graph.nodes.size();
    if (node_of(fields[0], graph.nodes, lines) != before)
      lines.fail(fmt::format("the node {} is given twice", in_quotes(fields[0])));
    if (fields.size() == 2) {
      graph.node_kinds.resize(before + 1);
      graph.node_kinds[before] = parse_kind(fields[1], lines);
    }
  }
}

}  // namespace Kindred::Tools
