// SPDX-License-Identifier: Apache-2.0
#include "StoredGraph.hpp"

#include "storage/SectionChecks.hpp"
#include "storage/SectionWriter.hpp"

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
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred {

namespace Impl {

namespace {

constexpr const char* graph_kind = "graph";
constexpr std::size_t piece = std::size_t{1} << 20U;

/// The section `head`.
struct GraphHead {
  std::uint64_t weights = 0;  ///< an EdgeWeights
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint64_t edge_kinds = 0;  ///< 1: kinds are stored
  std::uint64_t node_kinds = 0;
  std::uint64_t names = 0;
};

GraphHead read_head(const SectionChecks& checks, std::size_t commits) {
  const auto numbers = checks.section<std::uint64_t>("head");
  checks.count<std::uint64_t>("head", numbers, 6);
  const GraphHead head{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
  const auto refuse = [&](std::uint64_t at, const std::string& why) {
    checks.refuse<std::uint64_t>("head", at, std::to_string(numbers[at]) + " " + why);
  };
  if (commits != 1) refuse(2, "edges, and more than one commit; a graph has only one");
  if (head.weights > static_cast<std::uint64_t>(EdgeWeights::none))
    refuse(0, "is not a valid storage of weights; it must be 0 to 2");
  if (head.nodes > nodes_max)
    refuse(1, "nodes; at most " + std::to_string(nodes_max) + " are supported");
  for (const std::uint64_t at : {3, 4, 5})
    if (numbers[at] > 1) refuse(at, "is neither 0 nor 1");
  return head;
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

/// The rows of one direction. \param outside receives the edges with a weight outside [0, 1]
StoredRows read_side(const SectionChecks& checks, const std::string& name, const GraphHead& head,
                     int threads, std::uint64_t& outside) {
  StoredRows rows;
  const auto offsets = checks.section<std::uint64_t>(name + ".offsets");
  checks.count<std::uint64_t>(name + ".offsets", offsets, head.nodes + 1);
  if (offsets[0] != 0) checks.refuse<std::uint64_t>(name + ".offsets", 0, "is not 0");
  checks.ends(name + ".offsets", offsets, head.edges);
  const auto ends = checks.section<std::uint32_t>(name + ".ends");
  checks.count<std::uint32_t>(name + ".ends", ends, head.edges);
  checks.below<std::uint32_t>(name + ".ends", ends, head.nodes);
  rows.offsets = offsets;
  rows.ends = {ends};
  std::atomic<std::uint64_t> beyond{0};
  const auto check_weights = [&](auto weights, const auto& value) {
    using T = typename decltype(weights)::value_type;
    checks.count<T>(name + ".weights", weights, head.edges);
    for_each_piece(weights.size(), piece, threads, [&](std::size_t begin, std::size_t end) {
      std::uint64_t count = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const float weight = value(weights[i]);
        if (!std::isfinite(weight))
          checks.refuse<T>(name + ".weights", i, "the weight is not finite");
        count += is_in_unit_interval(weight) ? 0 : 1;
      }
      beyond += count;
    });
  };
  if (head.weights == static_cast<std::uint64_t>(EdgeWeights::float32)) {
    const auto weights = checks.section<float>(name + ".weights");
    check_weights(weights, [](float weight) { return weight; });
    rows.weights = {weights};
  } else if (head.weights == static_cast<std::uint64_t>(EdgeWeights::bfloat16)) {
    const auto weights = checks.section<std::uint16_t>(name + ".weights");
    check_weights(weights, widen_weight);
    rows.short_weights = {weights};
  }
  if (head.edge_kinds == 1) {
    const auto kinds = checks.section<std::uint8_t>(name + ".kinds");
    checks.count<std::uint8_t>(name + ".kinds", kinds, head.edges);
    rows.kinds = {kinds};
  }
  outside = beyond;
  return rows;
}

void read_nodes(const SectionChecks& checks, const GraphHead& head, StoredGraph& graph) {
  graph.has_node_kinds = head.node_kinds == 1;
  if (graph.has_node_kinds) {
    graph.node_kinds = checks.section<std::uint8_t>("node.kinds");
    checks.count<std::uint8_t>("node.kinds", graph.node_kinds, head.nodes);
  }
  if (!checks.has("node.removed")) return;
  graph.removed = checks.section<std::uint64_t>("node.removed");
  checks.count<std::uint64_t>("node.removed", graph.removed, (head.nodes + 63) / 64);
  if (head.nodes % 64 != 0 && (graph.removed.back() >> head.nodes % 64) != 0)
    checks.refuse<std::uint64_t>("node.removed", graph.removed.size() - 1,
                                 "refers to a node that does not exist");
  for (std::uint64_t node = 0; node < head.nodes; ++node) {
    if ((graph.removed[node / 64] >> node % 64 & 1U) == 0) continue;
    for (const StoredRows* side : {&graph.out, &graph.in}) {
      if (side->offsets[node] != side->offsets[node + 1])
        checks.refuse<std::uint64_t>("node.removed", node / 64,
                                     "node " + std::to_string(node) + " has edges");
    }
  }
}

void read_names(const SectionChecks& checks, StoredGraph& graph) {
  const auto text = checks.section<std::uint8_t>("vocabulary.text");
  const auto ends = checks.section<std::uint64_t>("vocabulary.ends");
  checks.count<std::uint64_t>("vocabulary.ends", ends, graph.nodes);
  checks.ends("vocabulary.ends", ends, text.size());
  graph.texts.values.assign(text.begin(), text.end());
  graph.texts.offsets.insert(graph.texts.offsets.end(), ends.begin(), ends.end());
  graph.names = graph.texts;
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

void write(SectionWriter& writer, const StoredGraph& graph) {
  const std::array<std::uint64_t, 6> head{static_cast<std::uint64_t>(graph.form.weights),
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
  if (graph.names) {
    const std::span<const char> text = graph.names->values;
    writer.write<std::uint8_t>("vocabulary.text",
                               {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    writer.write<std::uint64_t>("vocabulary.ends", graph.names->offsets.subspan(1));
  }
  writer.commit();
}

StoredGraph graph_of(const std::shared_ptr<const SectionFile>& file, int threads) {
  const SectionChecks checks(*file, 0, threads);
  const GraphHead head = read_head(checks, file->commits());
  StoredGraph graph;
  graph.form = {static_cast<EdgeWeights>(head.weights), head.edge_kinds == 1};
  graph.nodes = head.nodes;
  graph.edges = head.edges;
  std::uint64_t same = 0;
  graph.out = read_side(checks, "out", head, threads, graph.outside_unit);
  graph.in = read_side(checks, "in", head, threads, same);
  compare_directions(graph, checks, threads);
  read_nodes(checks, head, graph);
  if (head.names == 1) read_names(checks, graph);
  graph.owner = file;
  return graph;
}

}  // namespace

void save_graph(const std::string& path, const StoredGraph& graph) {
  SectionWriter writer(path, graph_kind);
  write(writer, graph);
}

std::vector<std::byte> graph_bytes(const StoredGraph& graph) {
  std::vector<std::byte> bytes;
  SectionWriter writer(bytes, graph_kind);
  write(writer, graph);
  return bytes;
}

StoredGraph load_graph(const std::string& path, int threads) {
  threads = threads_or_all(threads);
  return graph_of(std::make_shared<const SectionFile>(path, graph_kind, threads), threads);
}

StoredGraph load_graph(std::span<const std::byte> bytes, int threads) {
  threads = threads_or_all(threads);
  return graph_of(std::make_shared<const SectionFile>(bytes, graph_kind, threads), threads);
}

std::optional<Vocabulary> names_of(const StoredGraph& graph) {
  if (!graph.names) return {};
  try {
    return std::optional<Vocabulary>(std::in_place, *graph.names);
  } catch (const InvalidArgument& error) {
    graph.owner->fail(graph.owner->offset(0, "vocabulary.text"),
                      std::string("the names: ") + error.what());
  }
}

}  // namespace Impl

GraphFileInfo SpreadingEngine::inspect(const std::string& path, int threads) try {
  const Impl::StoredGraph graph = Impl::load_graph(path, threads);
  const Impl::SectionChecks checks(*graph.owner, 0, 1);
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
