// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/RelaxedAccess.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/graph/impl/Hop.hpp>
#include <kindred/core/graph/impl/PageRankParts.hpp>

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

template <class ExecutionSpace, class Value>
void hop_page_rank(const ExecutionSpace& exec_space,
                   const GraphSide<typename ExecutionSpace::memory_space>& graph,
                   const PageRankState<ExecutionSpace, Value>& state,
                   const PageRankParameters& parameters) {
  with_width(state.width, [&]<class Width>(Width) {
    launch_hop<ExecutionSpace, Width::value>(exec_space, graph, state.current.data(),
                                             PageRankUpdate<ExecutionSpace, Value, Width::value>{
                                                 state, parameters.damping, parameters.iteration});
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(hop_page_rank, float);
KINDRED_INSTANTIATE_FOR_SPACES(hop_page_rank, double);

}  // namespace Kindred::Impl
