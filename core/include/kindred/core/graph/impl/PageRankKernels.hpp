// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_PAGE_RANK_KERNELS_HPP
#define KINDRED_CORE_GRAPH_IMPL_PAGE_RANK_KERNELS_HPP

#include <kindred/core/arch/Flag.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/launch/CancellableFor.hpp>
#include <kindred/core/arch/launch/LaunchShape.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/graph/PageRank.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

namespace Kindred::Impl {

/// What an iteration does with the sum of a node's in-edges.
template <class ExecutionSpace, class Value, int Width>
struct PageRankUpdate {
  PageRankState<ExecutionSpace, Value> state;
  double damping;
  std::uint32_t iteration;

  KOKKOS_INLINE_FUNCTION double* partial() const { return state.partial.data(); }
  KOKKOS_INLINE_FUNCTION bool is_needed() const {
    return Arch::flag_load(&state.last(0)) + 1 >= iteration;
  }
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t place, double sum) const {
    const std::size_t node = place / Width;
    const std::size_t query = place % Width;
    const PageRankProgress& progress = state.progress(query);
    if (progress.is_done != 0) {
      state.next(place) = state.current(place);
      return;
    }
    const double p =
        Arch::rounded_product(damping, sum) +
        Arch::rounded_product(progress.restart, state.restart.share(node, query, Width));
    state.next(place) = static_cast<Value>(p * state.inverses(node));
  }
  /// All queries of a node, on the host: for most nodes no query restarts there, and all queries
  /// are then treated in the same way.
  template <int Count>
  void row(std::size_t place, const double* sums) const {
    const std::size_t node = place / Width;
    if (state.restart.is_named(node)) {
      for (int query = 0; query < Count; ++query) (*this)(place + query, sums[query]);
      return;
    }
    const double inverse = state.inverses(node);
    const Value* current = state.current.data() + place;
    Value* next = state.next.data() + place;
    std::uint32_t is_any_done = 0;
    for (int query = 0; query < Count; ++query) {
      is_any_done |= state.progress(query).is_done;
      next[query] = static_cast<Value>(damping * sums[query] * inverse);
    }
    if (is_any_done == 0) return;
    // This includes columns without a query.
    for (int query = 0; query < Count; ++query)
      if (state.progress(query).is_done != 0) next[query] = current[query];
  }
};

/// The first iterate.
template <class ExecutionSpace, class Value>
struct PageRankStart {
  PageRankState<ExecutionSpace, Value> state;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t place) const {
    const auto width = static_cast<std::size_t>(state.width);
    const std::size_t node = place / width;
    state.current(place) =
        static_cast<Value>(state.restart.share(node, place % width, width) * state.inverses(node));
  }
};

/// \brief One reproducible block of nodes per team: Σ |p' − p| and the sum of p' over dangling
/// nodes, for every query.
///
/// A device uses one thread per lane of each query, in the order of the values, so that adjacent
/// threads read adjacent values. A host thread carries all lanes.
template <class ExecutionSpace, class Value, int Width>
struct PageRankBlocks {
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int team_size = Arch::is_device<ExecutionSpace> ? Width : 1;
  static constexpr int lanes = 32 * Width;
  static constexpr int scratch = 2 * lanes * static_cast<int>(sizeof(double));

  PageRankState<ExecutionSpace, Value> state;
  const Value* before;
  const Value* after;
  std::size_t blocks;
  std::uint32_t iteration;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    if (Arch::flag_load(&state.last(0)) + 1 < iteration) return;
    const std::size_t block = team.league_rank();
    const std::size_t begin = block * reproducible_block;
    const std::size_t left = state.nodes - begin;
    const auto places =
        static_cast<int>(left < reproducible_block ? left : reproducible_block) * Width;
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
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  PageRankState<ExecutionSpace, Value> state;
  std::size_t blocks;
  PageRankParameters parameters;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const std::uint32_t iteration = parameters.iteration;
    if (Arch::flag_load(&state.last(0)) + 1 < iteration) return;
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
      if (progress.is_done == 0) Arch::flag_store(&state.last(0), iteration);
    });
  }
};

/// Starts the columns of queries; those without a query are done immediately.
template <class ExecutionSpace>
struct PageRankColumns {
  ArrayView<PageRankProgress, ExecutionSpace> progress;
  ArrayView<std::uint32_t, ExecutionSpace> last;
  std::size_t queries;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t query) const {
    PageRankProgress start;
    start.is_done = query < queries ? 0 : 1;
    progress(query) = start;
    if (query == 0) last(0) = 0;
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

/// The key of a node for a query, from p rounded to float32.
template <class ExecutionSpace, class Value>
struct PageRankKey {
  const Value* current;
  std::size_t width;
  const double* out_weights;

  KOKKOS_INLINE_FUNCTION Rank operator()(std::size_t node, std::size_t query) const {
    const double out_weight = out_weights[node];
    const double weight = out_weight > 0.0 ? out_weight : 1.0;
    const auto value =
        static_cast<float>(static_cast<double>(current[node * width + query]) * weight);
    return value != 0.0F ? rank_descending(value, static_cast<std::uint32_t>(node)) : rank_none;
  }
};

template <class ExecutionSpace, class Value, int Width>
void launch_page_rank_sums(const ExecutionSpace& exec_space,
                           const PageRankState<ExecutionSpace, Value>& state, const Value* before,
                           const Value* after, const PageRankParameters& parameters) {
  using policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using shape = Arch::LaunchShape<ExecutionSpace>;
  using blocks_type = PageRankBlocks<ExecutionSpace, Value, Width>;
  const std::size_t blocks = (state.nodes + reproducible_block - 1) / reproducible_block;
  const char* label = "Kindred::SpreadingEngine::page_rank::blocks";
  const policy teams(exec_space, Arch::league_size(blocks), blocks_type::team_size,
                     shape::vector_length);
  Arch::cancellable_for(label, Arch::with_scratch(label, teams, blocks_type::scratch),
                        blocks_type{state, before, after, blocks, parameters.iteration});
  Kokkos::parallel_for(
      "Kindred::SpreadingEngine::page_rank::finish",
      policy(exec_space, Arch::league_size(static_cast<std::uint64_t>(state.width)),
             shape::team_size, shape::vector_length),
      PageRankFinish<ExecutionSpace, Value>{state, blocks, parameters});
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_PAGE_RANK_KERNELS_HPP
