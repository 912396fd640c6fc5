// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/RelaxedAccess.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/graph/impl/Hop.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// What an iteration does with the sum of a node's in-edges.
template <class ExecutionSpace, class Value, int Width>
struct PageRankUpdate {
  PageRankState<ExecutionSpace, Value> state;
  double damping;
  std::uint32_t iteration;

  KOKKOS_INLINE_FUNCTION double* partial() const { return state.partial.data(); }
  KOKKOS_INLINE_FUNCTION bool is_needed() const {
    return Arch::relaxed_load(&state.last(0)) + 1 >= iteration;
  }
  /// Nothing is loaded early, and nothing is recorded: `PageRankFinish` decides who goes on.
  struct Held {};
  KOKKOS_INLINE_FUNCTION Held ask(std::size_t) const { return {}; }
  KOKKOS_INLINE_FUNCTION void note(bool, std::size_t) const {}

  KOKKOS_INLINE_FUNCTION bool operator()(std::size_t place, double sum, Held) const {
    const std::size_t node = place / Width;
    const std::size_t query = place % Width;
    const PageRankProgress& progress = state.progress(query);
    if (progress.is_done != 0) {
      state.next(place) = state.current(place);
      return false;
    }
    const double p =
        Arch::rounded_product(damping, sum) +
        Arch::rounded_product(progress.restart, state.restart.share(node, query, Width));
    state.next(place) = static_cast<Value>(p * state.inverses(node));
    return false;
  }
  /// All queries of a node, on the host: for most nodes no query restarts there, and all queries
  /// are then treated in the same way.
  template <int Count>
  bool row(std::size_t place, const double* sums) const {
    const std::size_t node = place / Width;
    if (state.restart.is_named(node)) {
      for (int query = 0; query < Count; ++query) (*this)(place + query, sums[query], {});
      return false;
    }
    const double inverse = state.inverses(node);
    const Value* current = state.current.data() + place;
    Value* next = state.next.data() + place;
    std::uint32_t is_any_done = 0;
    for (int query = 0; query < Count; ++query) {
      is_any_done |= state.progress(query).is_done;
      next[query] = static_cast<Value>(damping * sums[query] * inverse);
    }
    // This includes columns without a query.
    for (int query = 0; is_any_done != 0 && query < Count; ++query)
      if (state.progress(query).is_done != 0) next[query] = current[query];
    return false;
  }
};

/// The first iterate, and the progress of every column; those without a query are done immediately.
template <class ExecutionSpace, class Value>
struct PageRankStart {
  PageRankState<ExecutionSpace, Value> state;
  std::size_t queries;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t place) const {
    const auto width = static_cast<std::size_t>(state.width);
    const std::size_t node = place / width;
    const std::size_t query = place % width;
    if (node < state.nodes)
      state.current(place) =
          static_cast<Value>(state.restart.share(node, query, width) * state.inverses(node));
    if (node > 0) return;
    PageRankProgress start;
    start.is_done = query < queries ? 0 : 1;
    state.progress(query) = start;
    if (query == 0) state.last(0) = 0;
  }
};

/// \brief One reproducible block of nodes per team: Σ |p' − p| and the sum of p' over dangling
/// nodes, for every query.
///
/// A device uses one thread per lane of each query, in the order of the values, so that adjacent
/// threads read adjacent values. A host thread carries all lanes.
template <class ExecutionSpace, class Value, int Width>
struct PageRankBlocks {
  using member_type = Launch::Member<ExecutionSpace>;
  static constexpr int team_size = Arch::is_device<ExecutionSpace> ? Width : 1;
  static constexpr int lanes = 32 * Width;
  static constexpr int scratch = 2 * lanes * static_cast<int>(sizeof(double));

  PageRankState<ExecutionSpace, Value> state;
  const Value* before;
  const Value* after;
  std::size_t blocks;
  std::uint32_t iteration;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    if (Arch::relaxed_load(&state.last(0)) + 1 < iteration) return;
    const std::size_t block = team.league_rank();
    const std::size_t begin = block * reproducible_block;
    const int places = static_cast<int>(block_length(begin, state.nodes)) * Width;
    auto* differences = static_cast<double*>(team.team_scratch(0).get_shmem(int{scratch}));
    double* dangling = differences + lanes;
    if constexpr (Arch::is_device<ExecutionSpace>) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int{lanes}), [&](int lane) {
        double difference_sum = 0;
        double dangling_sum = 0;
        for (int place = lane; place < places; place += lanes)
          add(begin * Width + place, difference_sum, dangling_sum);
        differences[lane] = difference_sum;
        dangling[lane] = dangling_sum;
      });
    } else {
      for (int lane = 0; lane < 2 * lanes; ++lane) differences[lane] = 0;
      int first = 0;
      for (; first + lanes <= places; first += lanes) {
        for (int lane = 0; lane < lanes; ++lane)
          add(begin * Width + first + lane, differences[lane], dangling[lane]);
      }
      for (int lane = 0; first + lane < places; ++lane)
        add(begin * Width + first + lane, differences[lane], dangling[lane]);
    }
    team.team_barrier();
    for (int half = lanes / 2; half >= Width; half /= 2) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, half), [&](int lane) {
        differences[lane] += differences[lane + half];
        dangling[lane] += dangling[lane + half];
      });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Width), [&](int query) {
      state.sums((2 * query) * blocks + block) = differences[query];
      state.sums((2 * query + 1) * blocks + block) = dangling[query];
    });
  }

 private:
  KOKKOS_INLINE_FUNCTION void add(std::size_t place, double& difference, double& dangling) const {
    const double out_weight = state.out_weights(place / Width);
    const double weight = out_weight > 0.0 ? out_weight : 1.0;
    const double p = Arch::rounded_product(static_cast<double>(after[place]), weight);
    difference +=
        Kokkos::abs(p - Arch::rounded_product(static_cast<double>(before[place]), weight));
    dangling += out_weight > 0.0 ? 0.0 : p;
  }
};

/// The trees over the blocks of a query, one team per query, and the resulting progress.
template <class ExecutionSpace, class Value>
struct PageRankFinish {
  using member_type = Launch::Member<ExecutionSpace>;

  PageRankState<ExecutionSpace, Value> state;
  std::size_t blocks;
  PageRankParameters parameters;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const std::uint32_t iteration = parameters.iteration;
    if (Arch::relaxed_load(&state.last(0)) + 1 < iteration) return;
    const std::size_t query = team.league_rank();
    PageRankProgress& progress = state.progress(query);
    if (progress.is_done != 0) return;
    double* differences = state.sums.data() + 2 * query * blocks;
    double* dangling = differences + blocks;
    std::size_t half = 1;
    while (half < blocks) half *= 2;
    for (std::size_t left = blocks; half > 1;) {
      half /= 2;
      const std::size_t pairs = left > half ? left - half : 0;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, pairs), [&](std::size_t i) {
        differences[i] += differences[i + half];
        dangling[i] += dangling[i + half];
      });
      team.team_barrier();
      if (left > half) left = half;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      progress.restart =
          Arch::rounded_product(parameters.damping, dangling[0]) + (1.0 - parameters.damping);
      progress.iterations = iteration;
      if (iteration > 0) {
        progress.residual = differences[0];
        progress.is_done = progress.residual <= parameters.tolerance ? 1 : 0;
      }
      if (progress.is_done == 0) Arch::relaxed_store(&state.last(0), iteration);
    });
  }
};

/// Values of the columns that are kept.
template <class ExecutionSpace, class Value>
struct PageRankKept {
  ArrayView<const Value, ExecutionSpace> from;
  std::size_t from_width;
  ArrayView<const std::uint32_t, ExecutionSpace> columns;
  PageRankState<ExecutionSpace, Value> state;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t place) const {
    const auto width = static_cast<std::size_t>(state.width);
    const std::size_t column = place % width;
    state.current(place) =
        column < columns.extent(0) ? from(place / width * from_width + columns(column)) : Value(0);
  }
};

template <class ExecutionSpace, class Value, int Width>
void launch_page_rank_sums(const ExecutionSpace& exec_space,
                           const PageRankState<ExecutionSpace, Value>& state, const Value* before,
                           const Value* after, const PageRankParameters& parameters) {
  using blocks_type = PageRankBlocks<ExecutionSpace, Value, Width>;
  const std::size_t blocks = reproducible_blocks(state.nodes);
  Launch::for_each_team(
      exec_space, "Kindred::Graph::page_rank::blocks",
      {.count = blocks, .scratch_bytes = blocks_type::scratch, .size = blocks_type::team_size},
      blocks_type{state, before, after, blocks, parameters.iteration});
  Launch::for_each_team(exec_space, "Kindred::Graph::page_rank::finish",
                        {.count = static_cast<std::uint64_t>(state.width)},
                        PageRankFinish<ExecutionSpace, Value>{state, blocks, parameters});
}

}  // namespace Kindred::Impl

namespace Kindred {

std::size_t page_rank_sums(std::size_t nodes, HopWidth width) {
  return reproducible_blocks(nodes) * 2 * static_cast<std::size_t>(width);
}

namespace {

/// \p state has what every iteration reads and writes.
template <class ExecutionSpace, class Value>
void check_state(const Impl::ArgumentCheck& check,
                 const PageRankState<ExecutionSpace, Value>& state) {
  const auto columns = static_cast<std::uint64_t>(state.width);
  check.has("state.current", state.current, Impl::extent_of(state.nodes, columns));
  check.has("state.out_weights", state.out_weights, state.nodes);
  check.has("state.inverses", state.inverses, state.nodes);
  check.has("state.restart.named", state.restart.named, Impl::bit_words(state.nodes));
  check.has("state.restart.before", state.restart.before, Impl::bit_words(state.nodes));
  check.is_multiple("the size of state.restart.shares", state.restart.shares.size(), columns);
  check.is_aligned("state.restart.shares", state.restart.shares);
  check.has("state.sums", state.sums, page_rank_sums(state.nodes, state.width));
  check.has("state.progress", state.progress, columns);
  check.has("state.last", state.last, 1);
}

}  // namespace

template <class ExecutionSpace, class Value>
void start_page_rank(const ExecutionSpace& exec_space,
                     const PageRankState<ExecutionSpace, Value>& state, std::size_t queries,
                     const PageRankParameters& parameters) {
  const Impl::ArgumentCheck check("start_page_rank");
  check_state(check, state);
  check.is_at_most("queries", queries, static_cast<std::uint64_t>(state.width));
  // A graph without nodes has progress, too.
  const std::size_t rows = std::max<std::size_t>(state.nodes, 1);
  Launch::for_each_index(exec_space, "Kindred::Graph::page_rank::start",
                         rows * static_cast<std::size_t>(state.width),
                         Impl::PageRankStart<ExecutionSpace, Value>{state, queries});
  PageRankParameters start = parameters;
  start.iteration = 0;
  Impl::with_width(state.width, [&]<class Width>(Width) {
    Impl::launch_page_rank_sums<ExecutionSpace, Value, Width::value>(
        exec_space, state, state.current.data(), state.current.data(), start);
  });
}

template <class ExecutionSpace, class Value>
void page_rank_step(const ExecutionSpace& exec_space,
                    const GraphSide<typename ExecutionSpace::memory_space>& graph,
                    const PageRankState<ExecutionSpace, Value>& state,
                    const PageRankParameters& parameters) {
  const Impl::ArgumentCheck check("page_rank_step");
  const auto columns = static_cast<std::uint64_t>(state.width);
  Impl::check_graph(check, graph);
  check.is_at_most("graph.nodes", graph.nodes, state.nodes);
  check_state(check, state);
  check.has("state.next", state.next, Impl::extent_of(state.nodes, columns));
  check.has("state.partial", state.partial, Impl::extent_of(graph.blocks(), columns));
  Impl::with_width(state.width, [&]<class Width>(Width) {
    Impl::launch_hop<ExecutionSpace, Width::value>(
        exec_space, graph, state.current.data(),
        Impl::PageRankUpdate<ExecutionSpace, Value, Width::value>{state, parameters.damping,
                                                                  parameters.iteration});
    Impl::launch_page_rank_sums<ExecutionSpace, Value, Width::value>(
        exec_space, state, state.current.data(), state.next.data(), parameters);
  });
}

template <class ExecutionSpace, class Value>
void take_page_rank_columns(const ExecutionSpace& exec_space,
                            const ArrayView<const Value, ExecutionSpace>& from, HopWidth from_width,
                            const ArrayView<const std::uint32_t, ExecutionSpace>& columns,
                            const PageRankState<ExecutionSpace, Value>& state) {
  const Impl::ArgumentCheck check("take_page_rank_columns");
  check.has("from", from, Impl::extent_of(state.nodes, static_cast<std::uint64_t>(from_width)));
  check.is_at_most("the size of columns", columns.size(), static_cast<std::uint64_t>(state.width));
  check.is_aligned("columns", columns);
  check.has("state.current", state.current,
            Impl::extent_of(state.nodes, static_cast<std::uint64_t>(state.width)));
  Launch::for_each_index(exec_space, "Kindred::Graph::page_rank::take_columns",
                         state.nodes * static_cast<std::size_t>(state.width),
                         Impl::PageRankKept<ExecutionSpace, Value>{
                             from, static_cast<std::size_t>(from_width), columns, state});
}

KINDRED_INSTANTIATE_FOR_SPACES(start_page_rank, float);
KINDRED_INSTANTIATE_FOR_SPACES(page_rank_step, float);
KINDRED_INSTANTIATE_FOR_SPACES(take_page_rank_columns, float);
KINDRED_INSTANTIATE_FOR_SPACES(start_page_rank, double);
KINDRED_INSTANTIATE_FOR_SPACES(page_rank_step, double);
KINDRED_INSTANTIATE_FOR_SPACES(take_page_rank_columns, double);

}  // namespace Kindred
