// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_GRAPH_GRAPH_SUPPORT_HPP
#define KINDRED_TESTS_GRAPH_GRAPH_SUPPORT_HPP

#include <kindred/core/graph/Hop.hpp>

#include <numeric>

#include "OnSpaces.hpp"
#include "SpaceArrays.hpp"
#include "SpreadingSupport.hpp"
#include "ToHost.hpp"

namespace Kindred::Testing::Graphs {

inline constexpr HopWidth widths[] = {HopWidth::one, HopWidth::eight, HopWidth::thirty_two};

/// Where rows of the given lengths begin and end.
inline std::vector<std::uint64_t> offsets_of(const std::vector<std::uint64_t>& lengths) {
  std::vector<std::uint64_t> offsets{0};
  for (const std::uint64_t length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// How weights are stored.
enum class Stored { floats, halves, ones };

/// Rows on the host.
struct Rows {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> sources;
  std::vector<float> weights;
  std::vector<std::uint8_t> kinds;
  std::vector<std::uint32_t> row_nodes;
  std::vector<std::uint64_t> replaced;

  void add_edge(std::uint32_t source, float weight, std::uint8_t kind) {
    sources.push_back(source);
    weights.push_back(weight);
    kinds.push_back(kind);
  }
  void close_row() { offsets.push_back(sources.size()); }
};

/// The rows of \p graph, sorted by target and then by source (along), or by source (against).
inline Rows rows_of(const Graph& graph, HopDirection direction) {
  std::vector<Reference::Link> links = links_of(graph);
  std::ranges::stable_sort(links, {}, &Reference::Link::from);
  const bool is_along = direction == HopDirection::along;
  if (is_along) std::ranges::stable_sort(links, {}, &Reference::Link::to);
  Rows rows;
  auto next = links.begin();
  for (std::uint32_t node = 0; node < graph.nodes; ++node) {
    for (; next != links.end() && (is_along ? next->to : next->from) == node; ++next)
      rows.add_edge(is_along ? next->from : next->to, next->weight, next->kind);
    rows.close_row();
  }
  return rows;
}

/// One direction of a graph on the host, possibly with changes.
struct Parts {
  Rows built;
  Rows delta;
  std::size_t nodes = 0;

  /// Without changes.
  explicit Parts(const Graph& graph, HopDirection direction = HopDirection::along)
      : built(rows_of(graph, direction)), nodes(graph.nodes) {}
  /// With changes: some rows of \p graph are in the delta, and the base was built with other edges
  /// for them; the last nodes were added later.
  static Parts changed(const Graph& graph, HopDirection direction = HopDirection::along) {
    Parts parts;
    parts.nodes = graph.nodes;
    Rows& built = parts.built;
    Rows& delta = parts.delta;
    const Rows whole = rows_of(graph, direction);
    const std::size_t first_added = graph.nodes - graph.nodes / 5;
    built.replaced.resize((first_added + 63) / 64);
    for (std::uint32_t node = 0; node < graph.nodes; ++node) {
      const bool is_added = node >= first_added;
      const std::size_t count = whole.offsets[node + 1] - whole.offsets[node];
      const bool is_listed = is_added ? count > 0 || random_below(2) == 0 : random_below(3) == 0;
      if (!is_added) {
        if (is_listed) {
          built.replaced[node / 64] |= std::uint64_t{1} << node % 64;
          for (std::size_t i = random_below(2) == 0 ? count : random_below(6000); i > 0; --i)
            built.add_edge(random_node(first_added), 0.75F, 0);
        } else {
          copy_row(whole, node, built);
        }
        built.close_row();
      }
      if (is_listed) {
        copy_row(whole, node, delta);
        delta.close_row();
        delta.row_nodes.push_back(node);
      }
    }
    return parts;
  }

 private:
  Parts() = default;
  static void copy_row(const Rows& from, std::uint32_t node, Rows& to) {
    for (std::uint64_t i = from.offsets[node]; i < from.offsets[node + 1]; ++i)
      to.add_edge(from.sources[i], from.weights[i], from.kinds[i]);
  }
};

/// Rows in memory that a space can access.
template <class ExecutionSpace>
auto placed(SpaceArrays<ExecutionSpace>& arrays, const Rows& rows, Stored stored) {
  const RowPlan plan = plan_rows(rows.offsets, short_row_max<ExecutionSpace>(), 2048);
  GraphRows<typename ExecutionSpace::memory_space> out;
  out.offsets = arrays.copy(rows.offsets);
  out.sources = arrays.copy(rows.sources);
  if (stored == Stored::floats) out.weights = arrays.copy(rows.weights);
  if (stored == Stored::halves) {
    std::vector<std::uint16_t> halves;
    for (const std::uint32_t word : bits(rows.weights))
      halves.push_back(static_cast<std::uint16_t>(word >> 16U));
    out.short_weights = arrays.copy(halves);
  }
  if (std::ranges::any_of(rows.kinds, [](std::uint8_t kind) { return kind != 0; }))
    out.kinds = arrays.copy(rows.kinds);
  out.tiles = arrays.copy(plan.tiles);
  out.long_rows = arrays.copy(plan.long_rows);
  out.long_first = arrays.copy(plan.long_first);
  out.block_long_row = arrays.copy(plan.block_long_row);
  out.row_nodes = arrays.copy(rows.row_nodes);
  out.replaced = arrays.copy(rows.replaced);
  return out;
}
template <class ExecutionSpace>
auto placed(SpaceArrays<ExecutionSpace>& arrays, const Parts& parts,
            Stored stored = Stored::floats) {
  GraphSide<typename ExecutionSpace::memory_space> side;
  side.built = placed(arrays, parts.built, stored);
  side.delta = placed(arrays, parts.delta, stored);
  side.nodes = parts.nodes;
  return side;
}

/// A hop of columns [nodes, width].
template <class ExecutionSpace, class Side>
std::vector<float> hopped(const ExecutionSpace& exec_space, const Side& side, HopWidth width,
                          const std::vector<float>& x,
                          const std::vector<std::uint32_t>& kind_queries = {}) {
  SpaceArrays<ExecutionSpace> arrays(exec_space);
  const auto y = arrays.copy(std::vector<float>(x.size(), INFINITY));
  const std::size_t partial = side.blocks() * static_cast<std::size_t>(width);
  hop<ExecutionSpace>(exec_space, side, width, arrays.copy(x), y,
                      arrays.template zeros<double>(partial), arrays.copy(kind_queries));
  return to_host(exec_space, y);
}
/// Random values, of which a quarter is −0.
inline std::vector<float> values_and_zeros(std::size_t count) {
  std::vector<float> x = random_values(count);
  for (float& v : x)
    if (random_below(4) == 0) v = -0.0F;
  return x;
}

inline HopParameters parameters_of(const SpreadOptions& options) {
  HopParameters parameters;
  parameters.mode = options.mode;
  parameters.hops = options.hops;
  std::ranges::copy(default_tier_thresholds, parameters.thresholds);
  return parameters;
}

/// The state of a spread that starts: zeros. \param tiers whether nodes have tiers
template <class ExecutionSpace>
SpreadState<ExecutionSpace> empty_state(SpaceArrays<ExecutionSpace>& arrays, std::size_t nodes,
                                        HopWidth width, bool tiers = true) {
  const std::size_t places = nodes * static_cast<std::size_t>(width);
  SpreadState<ExecutionSpace> state;
  state.width = width;
  state.value = arrays.template zeros<float>(places);
  state.passed = arrays.template zeros<float>(places);
  state.tier = arrays.template zeros<std::uint8_t>(tiers ? places : 0);
  state.last = arrays.template zeros<std::uint32_t>(hop_marks);
  return state;
}

/// Whole hops: the values of all nodes after spreading, one list per query.
template <class ExecutionSpace>
std::vector<std::vector<float>> spread_whole(const ExecutionSpace& exec_space, const Parts& graph,
                                             const Queries& queries, HopWidth hop_width,
                                             const SpreadOptions& options) {
  SpaceArrays<ExecutionSpace> arrays(exec_space);
  const auto side = placed(arrays, graph);
  const auto width = static_cast<std::size_t>(hop_width);
  const std::size_t places = graph.nodes * width;
  SpreadState<ExecutionSpace> state = empty_state(arrays, graph.nodes, hop_width);
  state.next = arrays.template zeros<float>(places);
  state.partial = arrays.template zeros<double>(side.blocks() * width);
  if (options.activations == ActivationPrecision::bfloat16) {
    state.short_passed = arrays.template zeros<Arch::BFloat16>(places);
    state.short_next = arrays.template zeros<Arch::BFloat16>(places);
  }
  std::vector<std::uint64_t> where;
  std::vector<float> values;
  for (std::size_t query = 0; query < queries.size(); ++query) {
    for (const Activation& source : queries[query]) {
      where.push_back(source.node * width + query);
      values.push_back(source.value);
    }
  }
  start_spreading<ExecutionSpace>(exec_space, state, arrays.copy(where), arrays.copy(values));
  HopParameters parameters = parameters_of(options);
  for (std::uint32_t hop = 1; hop <= options.hops; ++hop) {
    parameters.hop = hop;
    parameters.decay = decay_at(options.decay, hop);
    spread_hop(exec_space, side, state, parameters);
    std::swap(state.passed, state.next);
    std::swap(state.short_passed, state.short_next);
  }
  const auto all = to_host(exec_space, state.value);
  std::vector<std::vector<float>> rows(queries.size(), std::vector<float>(graph.nodes));
  for (std::size_t query = 0; query < queries.size(); ++query) {
    for (std::size_t node = 0; node < graph.nodes; ++node)
      rows[query][node] = all[node * width + query];
  }
  return rows;
}

/// Expects that whole hops on every space give the values of the reference.
inline void expect_reference_of(const Parts& parts, const Graph& graph, const Queries& queries,
                                HopWidth width, const SpreadOptions& options) {
  std::vector<std::vector<float>> expected;
  for (const Sources& query : queries) expected.push_back(reference_values(graph, query, options));
  on_spaces([&](const auto& exec_space) {
    EXPECT_EQ(spread_whole(exec_space, parts, queries, width, options), expected)
        << "width " << static_cast<int>(width);
  });
}

/// A graph for the mode, with rows of every length, then rows with a skewed distribution.
inline Graph graph_for(SpreadMode mode, std::size_t nodes) {
  const float low = mode == SpreadMode::engine ? 0.0F : -1.0F;
  return random_graph(nodes, row_lengths, 4 * nodes, low);
}
/// Queries for the mode, each of which has fewer sources than the one before, and each node once.
inline Queries queries_for(SpreadMode mode, std::size_t nodes, std::size_t count) {
  std::uniform_real_distribution<float> value(mode == SpreadMode::engine ? 0.0F : -1.0F, 1.0F);
  Queries queries(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (random_below(1 + i * 40) == 0) queries[i].push_back({node, value(generator())});
    }
  }
  return queries;
}

using Ranks = std::vector<Rank>;

/// The ranks of the best \p top values that are not 0, one per node; padded.
inline Ranks ranked(const std::vector<float>& values, std::size_t top) {
  Ranks ranks;
  for (std::uint32_t node = 0; node < values.size(); ++node) {
    if (values[node] != 0.0F) ranks.push_back(rank_descending(values[node], node));
  }
  std::ranges::sort(ranks);
  ranks.resize(top, rank_none);
  return ranks;
}

inline constexpr SpreadMode spread_modes[] = {SpreadMode::engine, SpreadMode::linear};
inline SpreadOptions spread_options(SpreadMode mode, std::uint32_t hops, const Decay& decay) {
  return {.mode = mode, .hops = hops, .decay = decay};
}

}  // namespace Kindred::Testing::Graphs

#endif  // KINDRED_TESTS_GRAPH_GRAPH_SUPPORT_HPP
