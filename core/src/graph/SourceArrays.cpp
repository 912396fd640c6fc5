// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/LaunchShape.hpp>
#include <kindred/core/graph/SourceArrays.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>

namespace Kindred {

namespace {

/// One team per query. Sources are taken in chunks: in a chunk, the first source of a node adds all
/// of that node, in input order.
template <class ExecutionSpace>
struct ArraySources {
  using member_type = Launch::Member<ExecutionSpace>;
  using shape = Arch::LaunchShape<ExecutionSpace>;
  static constexpr int chunk = 256;
  static constexpr int scratch = chunk * static_cast<int>(sizeof(std::uint32_t) + sizeof(float));
  static constexpr std::uint32_t no_node = 0xFFFFFFFFU;

  SpreadState<ExecutionSpace> state;
  SourceArrays<ExecutionSpace> sources;
  ArrayView<std::uint32_t, ExecutionSpace> faults;
  std::size_t nodes;
  std::size_t first_query;
  bool is_engine;

  KOKKOS_INLINE_FUNCTION std::int64_t offset(std::size_t i) const {
    return sources.offsets.extent(0) > 0 ? sources.offsets(i) : sources.short_offsets(i);
  }
  KOKKOS_INLINE_FUNCTION bool is_valid(std::uint32_t node, float value) const {
    if (node >= nodes) return false;
    if (node / 64 < sources.removed.extent(0) &&
        (sources.removed(node / 64) >> node % 64 & 1U) != 0)
      return false;
    // Comparisons with NaN are false.
    if (is_engine) return value >= 0.0F && value <= 1.0F;
    constexpr float most = 3.402823466e+38F;
    return value >= -most && value <= most;
  }
  KOKKOS_INLINE_FUNCTION std::size_t place(std::uint32_t node, std::size_t query) const {
    return std::size_t{node} * static_cast<std::size_t>(state.width) + query;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const auto query = static_cast<std::size_t>(team.league_rank());
    const auto count = static_cast<std::int64_t>(sources.nodes.extent(0));
    const std::int64_t begin = offset(first_query + query);
    const std::int64_t end = offset(first_query + query + 1);
    if (begin < 0 || end < begin || end > count) {
      Kokkos::single(Kokkos::PerTeam(team), [&]() { faults(first_query + query) = 1; });
      return;
    }
    auto* own_nodes = static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem(int{chunk * 4}));
    auto* own_values = static_cast<float*>(team.team_scratch(0).get_shmem(int{chunk * 4}));
    for (std::int64_t first = begin; first < end; first += chunk) {
      const int some = static_cast<int>(end - first < chunk ? end - first : std::int64_t{chunk});
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, some), [&](int i) {
        const auto at = static_cast<std::size_t>(first + i);
        const std::uint32_t node = sources.nodes(at);
        const float value = sources.values(at);
        const bool is_used = is_valid(node, value);
        if (!is_used) faults(first_query + query) = 1;
        own_nodes[i] = is_used ? node : no_node;
        own_values[i] = value;
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, some), [&](int i) {
        const std::uint32_t node = own_nodes[i];
        if (node == no_node) return;
        for (int j = 0; j < i; ++j) {
          if (own_nodes[j] == node) return;
        }
        const std::size_t to = place(node, query);
        float sum = state.value(to);
        for (int j = i; j < some; ++j) {
          if (own_nodes[j] == node) sum += own_values[j];
        }
        state.value(to) = sum;
      });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, end - begin), [&](std::int64_t i) {
      const std::uint32_t node = sources.nodes(begin + i);
      if (is_valid(node, sources.values(begin + i))) finish(place(node, query));
    });
  }

  /// Several threads may finish the same place: each writes the same.
  KOKKOS_INLINE_FUNCTION void finish(std::size_t to) const {
    float value = state.value(to);
    if (is_engine && !(value < 1.0F)) value = 1.0F;
    Impl::set_source(state, to, value);
  }
};

template <class ExecutionSpace>
struct PutRanks {
  ArrayView<const Rank, ExecutionSpace> ranks;
  ArrayView<const std::uint32_t, ExecutionSpace> faults;
  ArrayView<std::uint32_t, ExecutionSpace> nodes;
  ArrayView<float, ExecutionSpace> values;
  std::size_t found;
  std::size_t first_query;
  std::size_t top;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    const std::size_t query = index / top;
    const std::size_t i = index % top;
    const bool is_faulty = faults(first_query + query) != 0;
    const Rank rank = i < found && !is_faulty ? ranks(query * found + i) : rank_none;
    const std::size_t to = first_query * top + index;
    const bool is_found = rank != rank_none;
    nodes(to) = is_found ? rank_index(rank) : 0xFFFFFFFFU;
    if (is_faulty)
      values(to) = canonical_nan<float>();
    else
      values(to) = is_found ? score_descending(rank) : 0.0F;
  }
};

}  // namespace

template <class ExecutionSpace>
void start_from_arrays(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                       const SourceArrays<ExecutionSpace>& sources, std::size_t nodes,
                       std::size_t first_query, std::size_t queries, SpreadMode mode,
                       const ArrayView<std::uint32_t, ExecutionSpace>& faults) {
  const Impl::ArgumentCheck check("start_from_arrays");
  const auto columns = static_cast<std::uint64_t>(state.width);
  const std::uint64_t end = Impl::extent_sum(first_query, queries);
  check.is_at_most("queries", queries, columns);
  check.has("state.value", state.value, Impl::extent_of(nodes, columns));
  if (queries != 0 && sources.offsets.size() == 0) {
    check.has("sources.short_offsets", sources.short_offsets, Impl::extent_sum(end, 1));
  } else if (queries != 0) {
    check.has("sources.offsets", sources.offsets, Impl::extent_sum(end, 1));
  }
  check.has("sources.values", sources.values, sources.nodes.size());
  check.is_aligned("sources.nodes", sources.nodes);
  check.is_aligned("sources.removed", sources.removed);
  check.has("faults", faults, queries == 0 ? 0 : end);
  start_spreading(exec_space, state, ArrayView<const std::uint64_t, ExecutionSpace>(),
                  ArrayView<const float, ExecutionSpace>());
  if (queries == 0) return;
  using kernel = ArraySources<ExecutionSpace>;
  Launch::for_each_team(
      exec_space, "Kindred::Graph::spread::array_sources",
      {.count = queries, .scratch_bytes = kernel::scratch},
      kernel{state, sources, faults, nodes, first_query, mode == SpreadMode::engine});
}

template <class ExecutionSpace>
void put_ranks(const ExecutionSpace& exec_space, const ArrayView<const Rank, ExecutionSpace>& ranks,
               std::size_t found, std::size_t first_query, std::size_t queries, std::size_t top,
               const ArrayView<const std::uint32_t, ExecutionSpace>& faults,
               const ArrayView<std::uint32_t, ExecutionSpace>& nodes,
               const ArrayView<float, ExecutionSpace>& values) {
  const Impl::ArgumentCheck check("put_ranks");
  const std::uint64_t end = Impl::extent_sum(first_query, queries);
  check.is_at_most("found", found, top);
  check.has("ranks", ranks, Impl::extent_of(queries, found));
  check.has("faults", faults, queries == 0 || top == 0 ? 0 : end);
  check.has("nodes", nodes, Impl::extent_of(end, top));
  check.has("values", values, Impl::extent_of(end, top));
  Launch::for_each_index(
      exec_space, "Kindred::Graph::spread::put_ranks", queries * top,
      PutRanks<ExecutionSpace>{ranks, faults, nodes, values, found, first_query, top});
}

KINDRED_INSTANTIATE_FOR_SPACES(start_from_arrays);
KINDRED_INSTANTIATE_FOR_SPACES(put_ranks);

}  // namespace Kindred
