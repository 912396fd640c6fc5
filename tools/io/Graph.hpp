// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_GRAPH_HPP
#define KINDRED_TOOLS_IO_GRAPH_HPP

#include "io/LineReader.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Kindred::Tools {

/// \brief The names of the nodes of a graph.
class NodeNames {
 public:
  /// Names in order of first appearance.
  NodeNames() = default;
  /// The names "1" … "count" of the nodes 0 … count − 1. \param has_node whether a node exists;
  /// empty: all do
  static NodeNames numbers(std::uint64_t count, std::function<bool(std::uint32_t)> has_node = {});

  /// The names of \p count nodes, which are stored elsewhere.
  NodeNames(std::uint64_t count, std::function<std::optional<std::uint32_t>(std::string_view)> find,
            std::function<std::string_view(std::uint32_t)> text)
      : m_count(count), m_find(std::move(find)), m_text(std::move(text)) {}

  std::uint32_t add(std::string_view name) { return m_names.add(name); }
  bool is_numbered() const noexcept { return m_numbered; }
  /// The stored names, unless the names are numbers.
  Ragged<char> texts() const { return m_names.texts(); }
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// The name of \p node.
  std::string text(std::uint32_t node) const;
  /// Appends the name of \p node as a JSON string.
  void append(std::string& out, std::uint32_t node) const;
  std::uint64_t size() const noexcept { return m_numbered || m_find ? m_count : m_names.size(); }

 private:
  Vocabulary m_names;
  bool m_numbered = false;
  std::uint64_t m_count = 0;
  std::function<bool(std::uint32_t)> m_has_node;
  std::function<std::optional<std::uint32_t>(std::string_view)> m_find;
  std::function<std::string_view(std::uint32_t)> m_text;
};

/// \brief A graph as read from a file.
struct Graph {
  NodeNames nodes;
  std::vector<Edge> edges;               ///< in the order of the file
  std::vector<std::uint8_t> edge_kinds;  ///< one per edge, if kinds are read
  std::vector<std::uint8_t> node_kinds;  ///< one per node, or empty
};

/// Allowed weights of a graph.
enum class WeightRange : std::uint8_t {
  unit,        ///< [0, 1]
  finite,      ///< any finite float32
  nonnegative  ///< ≥ 0 and finite
};

/// \brief The index of a node, which is added if its name is new. Names must be UTF-8, since
/// answers are JSON. \throws InputError at the current line of \p lines
std::uint32_t node_of(std::string_view name, NodeNames& nodes, const LineReader& lines);
/// Parses a kind, 0 … 255. \throws InputError at the current line of \p lines
std::uint8_t parse_kind(std::string_view text, const LineReader& lines);

/// \p number as float32, to nearest. \param shown the number, and \p what it is, for messages
/// \throws RecordError if it is not in \p range
float float_in(WeightRange range, double number, std::string_view shown, const char* what);
/// Parses a number and rounds it to the nearest float32. \throws InputError at the current line of
/// \p lines
float parse_weight(std::string_view text, WeightRange range, const LineReader& lines);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_GRAPH_HPP
