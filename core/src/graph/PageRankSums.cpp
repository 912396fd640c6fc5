// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/RelaxedAccess.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/graph/impl/Hop.hpp>
#include <kindred/core/graph/impl/PageRankParts.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

namespace Kindred::Impl {

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

template <class ExecutionSpace, class Value>
void sum_page_rank(const ExecutionSpace& exec_space,
                   const PageRankState<ExecutionSpace, Value>& state, const Value* after,
                   const PageRankParameters& parameters) {
  const std::size_t blocks = reproducible_blocks(state.nodes);
  with_width(state.width, [&]<class Width>(Width) {
    using blocks_type = PageRankBlocks<ExecutionSpace, Value, Width::value>;
    Launch::for_each_team(
        exec_space, "Kindred::Graph::page_rank::blocks",
        {.count = blocks, .scratch_bytes = blocks_type::scratch, .size = blocks_type::team_size},
        blocks_type{state, state.current.data(), after, blocks, parameters.iteration});
  });
  Launch::for_each_team(exec_space, "Kindred::Graph::page_rank::finish",
                        {.count = static_cast<std::uint64_t>(state.width)},
                        PageRankFinish<ExecutionSpace, Value>{state, blocks, parameters});
}

KINDRED_INSTANTIATE_FOR_SPACES(sum_page_rank, float);
KINDRED_INSTANTIATE_FOR_SPACES(sum_page_rank, double);

}  // namespace Kindred::Impl
