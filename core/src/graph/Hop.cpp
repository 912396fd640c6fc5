// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/impl/Hop.hpp>

#include <string>

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t short_row_max() {
  return Impl::RowSums<ExecutionSpace>::short_max;
}

namespace {

/// `to[row * to_width + to_first + i] = from[row * from_width + from_first + i]` for i < count, and
/// 0 for count ≤ i < fill.
template <class ExecutionSpace>
struct MoveColumns {
  const float* from;
  std::size_t from_width;
  std::size_t from_first;
  float* to;
  std::size_t to_width;
  std::size_t to_first;
  std::size_t count;
  std::size_t fill;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    const std::size_t row = index / fill;
    const std::size_t i = index % fill;
    to[row * to_width + to_first + i] = i < count ? from[row * from_width + from_first + i] : 0.0F;
  }
};

template <class ExecutionSpace>
void move_columns(const ExecutionSpace& exec_space, std::size_t rows,
                  const MoveColumns<ExecutionSpace>& move) {
  Kokkos::parallel_for("Kindred::SpreadingEngine::hop::columns",
                       Arch::range<std::size_t>(exec_space, rows * move.fill), move);
}

}  // namespace

template <class ExecutionSpace>
void hop(const ExecutionSpace& exec_space,
         const GraphSide<typename ExecutionSpace::memory_space>& graph, HopWidth width,
         const ArrayView<const float, ExecutionSpace>& x, const ArrayView<float, ExecutionSpace>& y,
         const ArrayView<double, ExecutionSpace>& partial,
         const ArrayView<const std::uint32_t, ExecutionSpace>& kind_queries) {
  KINDRED_THROW_IF(
      !begin_at(hop_alignment<ExecutionSpace>, x.data()),
      "x is not aligned to " + std::to_string(hop_alignment<ExecutionSpace>) + " bytes; copy it");
  Impl::HopUpdate<ExecutionSpace> update;
  update.next = y.data();
  update.partials = partial.data();
  Impl::with_width(width, [&]<class Width>(Width) {
    Impl::launch_hop<ExecutionSpace, Width::value>(exec_space, graph, x.data(), update,
                                                   kind_queries);
  });
}

template <class ExecutionSpace>
void take_columns(const ExecutionSpace& exec_space,
                  const ArrayView<const float, ExecutionSpace>& from, std::size_t columns,
                  std::size_t first, std::size_t count, HopWidth width,
                  const ArrayView<float, ExecutionSpace>& to) {
  const auto wide = static_cast<std::size_t>(width);
  move_columns<ExecutionSpace>(exec_space, from.extent(0) / columns,
                               {from.data(), columns, first, to.data(), wide, 0, count, wide});
}
template <class ExecutionSpace>
void put_columns(const ExecutionSpace& exec_space,
                 const ArrayView<const float, ExecutionSpace>& from, HopWidth width,
                 std::size_t columns, std::size_t first, std::size_t count,
                 const ArrayView<float, ExecutionSpace>& to) {
  move_columns<ExecutionSpace>(
      exec_space, to.extent(0) / columns,
      {from.data(), static_cast<std::size_t>(width), 0, to.data(), columns, first, count, count});
}

template <class ExecutionSpace>
void start_spreading(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                     const ArrayView<const std::uint64_t, ExecutionSpace>& places,
                     const ArrayView<const float, ExecutionSpace>& values) {
  Kokkos::deep_copy(exec_space, state.value, 0.0F);
  Kokkos::deep_copy(exec_space, state.passed, 0.0F);
  Kokkos::deep_copy(exec_space, state.short_passed, Arch::BFloat16{0});
  Kokkos::deep_copy(exec_space, state.tier, Impl::tier_untouched);
  Kokkos::deep_copy(exec_space, state.last, 0U);
  Kokkos::parallel_for("Kindred::SpreadingEngine::spread::sources",
                       Arch::range<std::size_t>(exec_space, places.extent(0)),
                       Impl::Sources<ExecutionSpace>{state, places, values});
}

template <class ExecutionSpace>
void spread_hop(const ExecutionSpace& exec_space,
                const GraphSide<typename ExecutionSpace::memory_space>& graph,
                const SpreadState<ExecutionSpace>& state, const HopParameters& parameters) {
  const Impl::HopUpdate<ExecutionSpace> update(state, parameters);
  if (state.short_passed.extent(0) > 0) {
    return Impl::launch_hop<ExecutionSpace, 32>(exec_space, graph, state.short_passed.data(),
                                                update, state.kind_queries);
  }
  Impl::with_width(state.width, [&]<class Width>(Width) {
    Impl::launch_hop<ExecutionSpace, Width::value>(exec_space, graph,
                                                   static_cast<const float*>(state.passed.data()),
                                                   update, state.kind_queries);
  });
}

namespace {

template <class ExecutionSpace>
Impl::SpreadKey key_of(const SpreadState<ExecutionSpace>& state) {
  return {state.value.data(), static_cast<std::size_t>(state.width)};
}
template <class ExecutionSpace>
std::size_t nodes_of(const SpreadState<ExecutionSpace>& state) {
  return state.value.extent(0) / static_cast<std::size_t>(state.width);
}

}  // namespace

template <class ExecutionSpace>
void rank_nodes(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                std::size_t first_query, std::size_t queries,
                const ArrayView<Rank, ExecutionSpace>& keys) {
  Impl::launch_node_keys(exec_space, key_of(state), nodes_of(state), first_query, queries, keys);
}
template <class ExecutionSpace>
void rank_groups(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                 std::size_t first_query, std::size_t queries, std::size_t groups,
                 const ArrayView<Rank, ExecutionSpace>& keys) {
  Impl::launch_group_keys(exec_space, key_of(state), nodes_of(state), first_query, queries, groups,
                          keys);
}
template <class ExecutionSpace>
void rank_members(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                  std::size_t first_query, std::size_t groups, std::size_t top,
                  const ArrayView<const Rank, ExecutionSpace>& best,
                  const ArrayView<Rank, ExecutionSpace>& keys) {
  Impl::launch_member_keys(exec_space, key_of(state), nodes_of(state), first_query, groups, top,
                           best, keys);
}

#define KINDRED_INSTANTIATE(SPACE)                                                                 \
  template std::uint64_t short_row_max<SPACE>();                                                   \
  template void hop<SPACE>(const SPACE&, const GraphSide<typename SPACE::memory_space>&, HopWidth, \
                           const ArrayView<const float, SPACE>&, const ArrayView<float, SPACE>&,   \
                           const ArrayView<double, SPACE>&,                                        \
                           const ArrayView<const std::uint32_t, SPACE>&);                          \
  template void take_columns<SPACE>(const SPACE&, const ArrayView<const float, SPACE>&,            \
                                    std::size_t, std::size_t, std::size_t, HopWidth,               \
                                    const ArrayView<float, SPACE>&);                               \
  template void put_columns<SPACE>(const SPACE&, const ArrayView<const float, SPACE>&, HopWidth,   \
                                   std::size_t, std::size_t, std::size_t,                          \
                                   const ArrayView<float, SPACE>&);                                \
  template void start_spreading<SPACE>(const SPACE&, const SpreadState<SPACE>&,                    \
                                       const ArrayView<const std::uint64_t, SPACE>&,               \
                                       const ArrayView<const float, SPACE>&);                      \
  template void spread_hop<SPACE>(const SPACE&, const GraphSide<typename SPACE::memory_space>&,    \
                                  const SpreadState<SPACE>&, const HopParameters&);                \
  template void rank_nodes<SPACE>(const SPACE&, const SpreadState<SPACE>&, std::size_t,            \
                                  std::size_t, const ArrayView<Rank, SPACE>&);                     \
  template void rank_groups<SPACE>(const SPACE&, const SpreadState<SPACE>&, std::size_t,           \
                                   std::size_t, std::size_t, const ArrayView<Rank, SPACE>&);       \
  template void rank_members<SPACE>(const SPACE&, const SpreadState<SPACE>&, std::size_t,          \
                                    std::size_t, std::size_t, const ArrayView<const Rank, SPACE>&, \
                                    const ArrayView<Rank, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
