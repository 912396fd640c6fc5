// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/graph/FillAdjacency.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

#include <algorithm>
#include <vector>

namespace Kindred {

namespace {

constexpr std::size_t part_edges = std::size_t{1} << 16U;  // fewer are not worth a thread

/// Converts counts at `offsets[v + 1]` into the start of row v there. Placing an edge of v
/// increments it, so that after the last edge the array holds the offsets of the rows.
void starts_from_counts(std::span<std::uint64_t> offsets) {
  std::uint64_t start = 0;
  offsets[0] = 0;
  for (std::size_t v = 1; v < offsets.size(); ++v) {
    const std::uint64_t count = offsets[v];
    offsets[v] = start;
    start += count;
  }
}

/// Nodes `first[part] … first[part + 1]`.
struct NodeRange {
  std::uint64_t begin;
  std::uint64_t size;

  NodeRange(std::span<const std::uint64_t> first, std::size_t part)
      : begin(first[part]), size(first[part + 1] - begin) {}
  bool has(std::uint32_t node) const { return node - begin < size; }
  /// The counts of these nodes, \see starts_from_counts.
  std::span<std::uint64_t> counts(std::span<std::uint64_t> offsets) const {
    return offsets.subspan(begin + 1, size);
  }
};

/// First nodes of parts at which about equally many edges end, followed by the number of nodes.
/// \param end_of the node at the end of an edge
template <class EndOf>
std::vector<std::uint64_t> part_nodes(std::size_t edges, const EndOf& end_of, std::size_t nodes,
                                      std::size_t parts) {
  std::vector<std::uint64_t> first{0};
  if (parts > 1) {
    constexpr std::size_t samples = 256;  // per part
    std::vector<std::uint32_t> ends(parts * samples);
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = end_of(edges / ends.size() * i);
    std::ranges::sort(ends);
    for (std::size_t part = 1; part < parts; ++part) first.push_back(ends[part * samples]);
  }
  first.push_back(nodes);
  return first;
}

std::size_t parts_for(const HostSpace& exec_space, std::size_t edges) {
  return std::clamp<std::size_t>(edges / part_edges, 1,
                                 static_cast<std::size_t>(Arch::concurrency(exec_space)));
}

/// Whether a loop over many edges ends at item \p i since the call was cancelled.
bool ends_at(std::size_t i, const Impl::CancelPoint& point) {
  return i % 65536 == 0 && point.is_cancelled();
}

/// Counts the edges that end at the nodes of a part, \see starts_from_counts.
/// \tparam EndOf gives the node at the end of an edge
template <class EndOf>
struct CountEnds {
  std::size_t edges;
  EndOf end_of;
  std::span<std::uint64_t> offsets;
  std::span<const std::uint64_t> first;
  Impl::CancelPoint point = {};

  void operator()(std::size_t part) const {
    const NodeRange nodes(first, part);
    std::ranges::fill(nodes.counts(offsets), 0);
    for (std::size_t i = 0; i < edges; ++i) {
      if (ends_at(i, point)) return;
      const std::uint32_t end = end_of(i);
      if (nodes.has(end)) ++offsets[std::size_t{end} + 1];
    }
  }
};

struct PlaceOutEdges {
  std::span<const Edge> edges;
  std::span<const std::uint8_t> kinds;
  AdjacencySpan out;
  std::span<const std::uint64_t> sources;
  Impl::CancelPoint point = {};

  void operator()(std::size_t part) const {
    const NodeRange from(sources, part);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (ends_at(i, point)) return;
      const Edge& edge = edges[i];
      if (!from.has(edge.from)) continue;
      const std::uint64_t place = out.offsets[std::size_t{edge.from} + 1]++;
      out.ends[place] = edge.to;
      if (!out.weights.empty()) out.weights[place] = edge.weight;
      if (!out.short_weights.empty()) out.short_weights[place] = short_weight(edge.weight);
      if (!out.kinds.empty()) out.kinds[place] = kinds[i];
    }
  }
};

struct PlaceInEdges {
  ConstAdjacencySpan out;
  AdjacencySpan in;
  std::span<const std::uint64_t> targets;
  Impl::CancelPoint point = {};

  void operator()(std::size_t part) const {
    const NodeRange to(targets, part);
    for (std::size_t source = 0; source + 1 < out.offsets.size(); ++source) {
      if (ends_at(source, point)) return;
      for (std::uint64_t i = out.offsets[source]; i < out.offsets[source + 1]; ++i) {
        if (!to.has(out.ends[i])) continue;
        const std::uint64_t place = in.offsets[std::size_t{out.ends[i]} + 1]++;
        in.ends[place] = static_cast<std::uint32_t>(source);
        if (!in.weights.empty()) in.weights[place] = out.weights[i];
        if (!in.short_weights.empty()) in.short_weights[place] = out.short_weights[i];
        if (!in.kinds.empty()) in.kinds[place] = out.kinds[i];
      }
    }
  }
};

template <class Body>
void for_each_part(const HostSpace& exec_space, const char* label, std::size_t parts,
                   const Body& body) {
  Launch::for_each_index<Launch::Coarse>(exec_space, label, parts, body);
  Arch::fence(exec_space, label);
}

/// Sets \p offsets to the starts of rows in which every edge is placed at one of its ends. Returns
/// the first nodes of the parts that place them.
template <class EndOf>
std::vector<std::uint64_t> start_rows(const HostSpace& exec_space, const char* label,
                                      std::size_t edges, const EndOf& end_of,
                                      std::span<std::uint64_t> offsets) {
  const std::size_t parts = parts_for(exec_space, edges);
  std::vector<std::uint64_t> first = part_nodes(edges, end_of, offsets.size() - 1, parts);
  for_each_part(exec_space, label, parts, CountEnds<EndOf>{edges, end_of, offsets, first});
  starts_from_counts(offsets);
  return first;
}

/// The rows \p in of the edges in \p out.
void place_in_edges(const HostSpace& exec_space, const ConstAdjacencySpan& out,
                    const AdjacencySpan& in) {
  const auto end_of = [ends = out.ends](std::size_t i) { return ends[i]; };
  const std::vector<std::uint64_t> targets = start_rows(
      exec_space, "Kindred::Graph::build::count_in", out.ends.size(), end_of, in.offsets);
  for_each_part(exec_space, "Kindred::Graph::build::in", targets.size() - 1,
                PlaceInEdges{out, in, targets});
}

/// Both directions have the same columns of \p edges elements.
void check_columns(const Impl::ArgumentCheck& check, const ConstAdjacencySpan& out,
                   const AdjacencySpan& in, std::uint64_t edges) {
  check.has("out.ends", out.ends, edges);
  check.has("in.ends", in.ends, edges);
  check.has_if_given("in.weights", in.weights, edges);
  check.has_if_given("in.short_weights", in.short_weights, edges);
  check.has_if_given("in.kinds", in.kinds, edges);
  check.has("out.weights", out.weights, in.weights.empty() && out.weights.empty() ? 0 : edges);
  check.has("out.short_weights", out.short_weights,
            in.short_weights.empty() && out.short_weights.empty() ? 0 : edges);
  check.has("out.kinds", out.kinds, in.kinds.empty() && out.kinds.empty() ? 0 : edges);
}

}  // namespace

void fill_adjacency(const HostSpace& exec_space, std::span<const Edge> edges,
                    const AdjacencySpan& out, const AdjacencySpan& in,
                    std::span<const std::uint8_t> kinds) {
  const Impl::ArgumentCheck check("fill_adjacency");
  check.has("out.offsets", out.offsets, 1);
  check.has_exactly("in.offsets", in.offsets, out.offsets.size());
  check_columns(check, out, in, edges.size());
  check.has("kinds", kinds, out.kinds.empty() ? 0 : edges.size());
  const auto from_of = [edges](std::size_t i) { return edges[i].from; };
  const std::vector<std::uint64_t> sources =
      start_rows(exec_space, "Kindred::Graph::build::count", edges.size(), from_of, out.offsets);
  for_each_part(exec_space, "Kindred::Graph::build::out", sources.size() - 1,
                PlaceOutEdges{edges, kinds, out, sources});
  place_in_edges(exec_space, out, in);
}

void fill_transpose(const HostSpace& exec_space, const ConstAdjacencySpan& out,
                    const AdjacencySpan& in) {
  const Impl::ArgumentCheck check("fill_transpose");
  check.has("out.offsets", out.offsets, 1);
  check.has_exactly("in.offsets", in.offsets, out.offsets.size());
  check_columns(check, out, in, out.ends.size());
  place_in_edges(exec_space, out, in);
}

}  // namespace Kindred
