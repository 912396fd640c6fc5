// SPDX-License-Identifier: Apache-2.0
#include "StoredGraph.hpp"

#include "storage/SectionChecks.hpp"
#include "symbols/StoredVocabulary.hpp"

#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/graph/Adjacency.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred {

namespace Impl {

namespace {

constexpr const char* graph_kind = "graph";
constexpr std::size_t piece = std::size_t{1} << 20U;

/// The numbers of the section `head`.
enum Head : std::size_t {
  head_weights,
  head_nodes,
  head_edges,
  head_edge_kinds,
  head_node_kinds,
  head_names,
  head_count
};

/// A graph without rows, of the form and the sizes in the head.
StoredGraph read_head(const SectionNumbers& head) {
  StoredGraph graph;
  head.require(head[head_weights] <= static_cast<std::uint64_t>(EdgeWeights::none), head_weights,
               "is not a valid storage of weights; it must be 0 to 2");
  head.require(head[head_nodes] <= nodes_max, head_nodes,
               "nodes; at most " + std::to_string(nodes_max) + " are supported");
  for (const std::size_t at : {head_edge_kinds, head_node_kinds, head_names})
    head.require(head[at] <= 1, at, "is neither 0 nor 1");
  graph.form = {static_cast<EdgeWeights>(head[head_weights]), head[head_edge_kinds] == 1};
  graph.nodes = head[head_nodes];
  graph.edges = head[head_edges];
  graph.has_node_kinds = head[head_node_kinds] == 1;
  return graph;
}

template <class T>
void write_column(SectionWriter& writer, const std::string& name, const StoredColumn<T>& column) {
  writer.begin<T>(name);
  for (const std::span<const T> piece_of : column) writer.put<T>(piece_of);
}

void write_side(SectionWriter& writer, const std::string& name, const StoredRows& rows,
                EdgeForm form) {
  writer.write<std::uint64_t>(name + ".offsets", rows.offsets);
  write_column(writer, name + ".ends", rows.ends);
  if (form.weights == EdgeWeights::float32) write_column(writer, name + ".weights", rows.weights);
  if (form.weights == EdgeWeights::bfloat16)
    write_column(writer, name + ".weights", rows.short_weights);
  if (form.kinds) write_column(writer, name + ".kinds", rows.kinds);
}

/// The weights of one direction, which must be finite, as `value(weight)`. Adds those outside [0,
/// 1] to \p outside.
template <class T, class Value>
StoredColumn<T> read_weights(const SectionChecks& checks, const std::string& name,
                             std::uint64_t edges, int threads, const Value& value,
                             std::atomic<std::uint64_t>& outside) {
  const std::span<const T> weights = checks.section<T>(name, edges);
  for_each_piece(edges, piece, threads, [&](std::size_t begin, std::size_t end) {
    std::uint64_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const float weight = value(weights[i]);
      if (!std::isfinite(weight)) checks.refuse<T>(name, i, "the weight is not finite");
      count += is_in_unit_interval(weight) ? 0 : 1;
    }
    outside += count;
  });
  return {weights};
}

/// The rows of one direction of \p graph, whose sizes are known. \param outside receives the edges
/// with a weight outside [0, 1]
StoredRows read_side(const SectionChecks& checks, const std::string& name, const StoredGraph& graph,
                     int threads, std::uint64_t& outside) {
  StoredRows rows;
  const auto offsets = checks.section<std::uint64_t>(name + ".offsets", graph.nodes + 1);
  if (offsets[0] != 0) checks.refuse<std::uint64_t>(name + ".offsets", 0, "is not 0");
  checks.ends(name + ".offsets", offsets, graph.edges);
  const auto ends = checks.section<std::uint32_t>(name + ".ends", graph.edges);
  checks.below<std::uint32_t>(name + ".ends", ends, graph.nodes);
  rows.offsets = offsets;
  rows.ends = {ends};
  std::atomic<std::uint64_t> beyond{0};
  if (graph.form.weights == EdgeWeights::float32)
    rows.weights = read_weights<float>(checks, name + ".weights", graph.edges, threads,
                                       std::identity(), beyond);
  if (graph.form.weights == EdgeWeights::bfloat16)
    rows.short_weights = read_weights<std::uint16_t>(checks, name + ".weights", graph.edges,
                                                     threads, widen_weight, beyond);
  if (graph.form.kinds) rows.kinds = {checks.section<std::uint8_t>(name + ".kinds", graph.edges)};
  outside = beyond;
  return rows;
}

void read_nodes(const SectionChecks& checks, StoredGraph& graph) {
  if (graph.has_node_kinds)
    graph.node_kinds = checks.section<std::uint8_t>("node.kinds", graph.nodes);
  if (!checks.has("node.removed")) return;
  graph.removed = checks.section<std::uint64_t>("node.removed", (graph.nodes + 63) / 64);
  if (graph.nodes % 64 != 0 && (graph.removed.back() >> graph.nodes % 64) != 0)
    checks.refuse<std::uint64_t>("node.removed", graph.removed.size() - 1,
                                 "refers to a node that does not exist");
  for (std::uint64_t node = 0; node < graph.nodes; ++node) {
    if ((graph.removed[node / 64] >> node % 64 & 1U) == 0) continue;
    for (const StoredRows* side : {&graph.out, &graph.in}) {
      if (side->offsets[node] != side->offsets[node + 1])
        checks.refuse<std::uint64_t>("node.removed", node / 64,
                                     "node " + std::to_string(node) + " has edges");
    }
  }
}

/// Element \p i of a column of a file, which is one piece; 0 if the column is not stored.
template <class T>
std::uint64_t bits_at(const StoredColumn<T>& column, std::uint64_t i) {
  if (column.empty()) return 0;
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(column.front()[i]);
  return column.front()[i];
}

/// The weight and the kind of an edge, as one number.
std::uint64_t attributes_at(const StoredRows& rows, std::uint64_t i) {
  return bits_at(rows.weights, i) | bits_at(rows.short_weights, i) | bits_at(rows.kinds, i) << 32U;
}

/// \brief Refuses the first edge that the two directions do not both contain at its place.
/// \throws CorruptFile
void check_same_edges(const StoredGraph& graph, const SectionChecks& checks) {
  const StoredRows& out = graph.out;
  const StoredRows& in = graph.in;
  std::vector<std::uint64_t> next(in.offsets.begin(), in.offsets.end() - 1);
  for (std::uint64_t source = 0; source < graph.nodes; ++source) {
    for (std::uint64_t i = out.offsets[source]; i < out.offsets[source + 1]; ++i) {
      const std::size_t target = out.ends.front()[i];
      const std::uint64_t j = next[target]++;
      const auto refuse = [&](const char* why) {
        checks.refuse<std::uint32_t>("out.ends", i,
                                     "the edge from node " + std::to_string(source) + " to node " +
                                         std::to_string(target) + why);
      };
      if (j >= in.offsets[target + 1] || in.ends.front()[j] != source)
        refuse(" is missing in the other direction");
      if (attributes_at(out, i) != attributes_at(in, j))
        refuse(" has another weight or kind in the other direction");
    }
  }
}

/// What two directions with the same edges have in common, whatever the order of their rows.
struct DirectionSummary {
  std::uint64_t fingerprint = 0;  ///< of other edges the same with a probability of 2⁻⁶⁴
  bool ascending = true;          ///< whether the other ends of each row ascend
};

/// Reads every number once. \param of_sources whether the node of a row is the source of its edges
DirectionSummary summary_of(const StoredRows& rows, std::uint64_t edges, bool of_sources,
                            int threads) {
  const auto mixed = [](std::uint64_t x) {
    x = (x ^ x >> 32U) * 0x9E3779B97F4A7C15U;
    x = (x ^ x >> 29U) * 0xBF58476D1CE4E5B9U;
    return x ^ x >> 32U;
  };
  const std::span<const std::uint32_t> others = rows.ends.front();
  std::atomic<std::uint64_t> sum{0};
  std::atomic<bool> ascending{true};
  for_each_piece(edges, piece, threads, [&](std::size_t begin, std::size_t end) {
    std::uint64_t part = 0;
    bool is_ascending = true;
    auto after = std::upper_bound(rows.offsets.begin(), rows.offsets.end(), begin);
    for (std::uint64_t i = begin; i < end; ++i) {
      while (*after <= i) ++after;
      const auto node = static_cast<std::uint64_t>(after - rows.offsets.begin()) - 1;
      const std::uint64_t other = others[i];
      is_ascending &= i == rows.offsets[node] || others[i - 1] <= other;
      const std::uint64_t ends = of_sources ? node << 32U | other : other << 32U | node;
      part += mixed(mixed(ends) + attributes_at(rows, i));
    }
    sum += part;
    if (!is_ascending) ascending = false;
  });
  return {sum, ascending};
}

/// \throws CorruptFile if the two directions do not contain the same edges
void compare_directions(const StoredGraph& graph, const SectionChecks& checks, int threads) {
  const DirectionSummary out = summary_of(graph.out, graph.edges, true, threads);
  const DirectionSummary in = summary_of(graph.in, graph.edges, false, threads);
  if (out.fingerprint != in.fingerprint || !in.ascending) check_same_edges(graph, checks);
}

}  // namespace

void save_graph(FileTarget target, const StoredGraph& graph) {
  SectionWriter writer(std::move(target), graph_kind);
  const std::array<std::uint64_t, head_count> head{static_cast<std::uint64_t>(graph.form.weights),
                                                   graph.nodes,
                                                   graph.edges,
                                                   graph.form.kinds ? 1U : 0U,
                                                   graph.has_node_kinds ? 1U : 0U,
                                                   graph.names ? 1U : 0U};
  writer.write<std::uint64_t>("head", head);
  write_side(writer, "out", graph.out, graph.form);
  write_side(writer, "in", graph.in, graph.form);
  if (graph.has_node_kinds) writer.write<std::uint8_t>("node.kinds", graph.node_kinds);
  if (!graph.removed.empty()) writer.write<std::uint64_t>("node.removed", graph.removed);
  if (graph.names) writer.write_rows("vocabulary.text", "vocabulary.ends", *graph.names);
  writer.commit();
}

StoredGraph load_graph(const FileSource& source, int threads) {
  threads = threads_or_all(threads);
  const auto file = std::make_shared<const SectionFile>(source, graph_kind, threads);
  const SectionChecks checks(*file, threads);
  const SectionNumbers head(checks, "head", head_count);
  StoredGraph graph = read_head(head);
  std::uint64_t same = 0;
  graph.out = read_side(checks, "out", graph, threads, graph.outside_unit);
  graph.in = read_side(checks, "in", graph, threads, same);
  compare_directions(graph, checks, threads);
  read_nodes(checks, graph);
  if (head[head_names] == 1) {
    graph.texts = checks.rows<char>("vocabulary.text", "vocabulary.ends", graph.nodes);
    graph.names = graph.texts;
  }
  graph.owner = file;
  return graph;
}

std::optional<Vocabulary> names_of(const StoredGraph& graph) {
  if (!graph.names) return {};
  return vocabulary_of(*graph.names, *graph.owner, "the names");
}

}  // namespace Impl

GraphFileInfo SpreadingEngine::inspect(const FileSource& source, int threads) try {
  const Impl::StoredGraph graph = Impl::load_graph(source, threads);
  const Impl::SectionChecks checks(*graph.owner, 1);
  Impl::check_same_edges(graph, checks);
  (void)Impl::names_of(graph);
  const auto bytes = [&](const char* name) {
    std::uint64_t sum = 0;
    for (const Impl::SectionFile::Section& section : graph.owner->sections(0)) {
      if (section.name == std::string("out.") + name || section.name == std::string("in.") + name)
        sum += section.bytes;
    }
    return sum;
  };
  GraphFileInfo info;
  info.nodes = graph.nodes;
  for (const std::uint64_t word : graph.removed)
    info.removed_nodes += static_cast<std::uint64_t>(std::popcount(word));
  info.edges = graph.edges;
  info.weights = graph.form.weights;
  info.edge_kinds = graph.form.kinds;
  info.node_kinds = graph.has_node_kinds;
  info.names = graph.names.has_value();
  info.outside_unit = graph.outside_unit;
  info.edge_bytes = bytes("ends") + bytes("weights") + bytes("kinds");
  info.offset_bytes = bytes("offsets");
  if (graph.names) info.name_bytes = graph.texts.values.size() + 8 * graph.texts.rows();
  info.bytes = graph.owner->revision().bytes;
  return info;
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::inspect");
}

}  // namespace Kindred
