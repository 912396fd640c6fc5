// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_GRAPH_HPP
#define KINDRED_TOOLS_IO_GRAPH_HPP

#include "io/LineReader.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// \brief The names of the nodes of a graph.
class NodeNames {
 public:
  /// Names in order of first appearance.
  NodeNames() = default;
  /// The names "1" … "count", node i − 1 each.
  static NodeNames numbers(std::uint64_t count);

  std::uint32_t insert(std::string_view name) { return m_names.insert(name); }
  std::optional<std::uint32_t> find(std::string_view name) const;
  void append(std::string& out, std::uint32_t node) const;
  std::uint64_t size() const noexcept { return m_numbered ? m_count : m_names.size(); }

 private:
  Vocabulary m_names;
  bool m_numbered = false;
  std::uint64_t m_count = 0;
};

/// \brief A graph as read from a file.
struct Graph {
  NodeNames nodes;
  std::vector<Edge> edges;  ///< in the order of the file
};

/// What the weights of a graph may be.
enum class WeightRange : std::uint8_t {
  unit,        ///< [0, 1]
  finite,      ///< any finite float32
  nonnegative  ///< ≥ 0 and finite
};

/// The float32 nearest to the number that \p text is. \throws InputError at the line of \p lines
float parse_weight(std::string_view text, WeightRange range, const LineReader& lines);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_GRAPH_HPP
