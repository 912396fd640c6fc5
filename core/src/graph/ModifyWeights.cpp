// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/ModifyWeights.hpp>
#include <kindred/core/graph/impl/EdgeAccessors.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>

namespace Kindred {

namespace {

using Fan = SpreadModifiers::Fan;

template <class ExecutionSpace>
struct ModifyWeights {
  using member_type = Launch::Member<ExecutionSpace>;
  static constexpr std::size_t rows_per_team = 32;

  Impl::GeneralEdges edges;
  GraphRows<typename ExecutionSpace::memory_space> out;
  GraphRows<typename ExecutionSpace::memory_space> out_delta;
  const std::uint8_t* node_kinds;
  bool rows_are_targets;
  float* weights;
  double strengths[SpreadModifiers::kinds * SpreadModifiers::kinds];
  double factors[SpreadModifiers::kinds];
  Fan::Kind fans[SpreadModifiers::kinds];

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const std::size_t first = static_cast<std::size_t>(team.league_rank()) * rows_per_team;
    for (std::size_t row = first; row < first + rows_per_team && row < edges.rows; ++row) {
      const std::uint32_t node = edges.node_of(row);
      const std::uint64_t begin = edges.offsets[row];
      const auto count = static_cast<std::int64_t>(edges.offsets[row + 1] - begin);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::int64_t i) {
        const std::uint64_t edge = begin + static_cast<std::uint64_t>(i);
        const std::uint32_t other = edges.sources[edge];
        weights[edge] = rows_are_targets ? weight(edge, other, node) : weight(edge, node, other);
      });
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION std::size_t kind_of(std::uint32_t node) const {
    return node_kinds == nullptr ? 0 : node_kinds[node];
  }
  KOKKOS_INLINE_FUNCTION float weight(std::uint64_t edge, std::uint32_t from,
                                      std::uint32_t to) const {
    constexpr std::size_t kinds = SpreadModifiers::kinds;
    const std::size_t from_kind = kind_of(from);
    const std::size_t to_kind = kind_of(to);
    auto product = static_cast<double>(edges.weight(edge));
    if (from_kind < kinds) {
      if (to_kind < kinds) product *= strengths[from_kind * kinds + to_kind];
      product *= fan(from_kind, from);
    }
    // Finite, so that the weight of an edge that carries 0 adds 0.
    constexpr double largest = 3.4028234663852886e38;
    product = product > largest ? largest : product < -largest ? -largest : product;
    return static_cast<float>(product);
  }
  KOKKOS_INLINE_FUNCTION double fan(std::size_t kind, std::uint32_t node) const {
    if (fans[kind] == Fan::Kind::constant) return factors[kind];
    // Replaced rows may still contain sources that no longer have edges.
    const std::uint64_t edges_out = row_of(out, out_delta, node).count;
    const auto degree = static_cast<double>(edges_out == 0 ? 1 : edges_out);
    return fans[kind] == Fan::Kind::inverse ? 1.0 / degree : 1.0 / Kokkos::sqrt(degree);
  }
};

}  // namespace

template <class ExecutionSpace>
void modify_weights(const ExecutionSpace& exec_space,
                    const GraphRows<typename ExecutionSpace::memory_space>& rows,
                    HopDirection direction,
                    const GraphSide<typename ExecutionSpace::memory_space>& out,
                    const ArrayView<const std::uint8_t, ExecutionSpace>& node_kinds,
                    const SpreadModifiers& modifiers,
                    const ArrayView<float, ExecutionSpace>& weights) {
  const Impl::ArgumentCheck check("modify_weights");
  Impl::check_graph_rows(check, rows);
  Impl::check_graph(check, out);
  check.has_if_given("node_kinds", node_kinds, out.nodes);
  check.has("weights", weights, rows.sources.size());
  if (rows.rows() == 0) return;
  ModifyWeights<ExecutionSpace> modify;
  modify.edges = Impl::general_edges<ExecutionSpace>(rows, {});
  modify.out = out.built;
  modify.out_delta = out.delta;
  modify.node_kinds = Impl::data_or_null(node_kinds);
  modify.rows_are_targets = direction == HopDirection::along;
  modify.weights = weights.data();
  for (std::size_t from = 0; from < SpreadModifiers::kinds; ++from) {
    for (std::size_t to = 0; to < SpreadModifiers::kinds; ++to)
      modify.strengths[from * SpreadModifiers::kinds + to] = modifiers.strengths[from][to];
    modify.factors[from] = modifiers.fans[from].factor;
    modify.fans[from] = modifiers.fans[from].kind;
  }
  constexpr std::size_t rows_per_team = ModifyWeights<ExecutionSpace>::rows_per_team;
  Launch::for_each_team<Launch::Finishing>(
      exec_space, "Kindred::Graph::modify_weights",
      {.count = quotient_up(rows.rows(), rows_per_team), .size = 1}, modify);
}

KINDRED_INSTANTIATE_FOR_SPACES(modify_weights);

}  // namespace Kindred
