// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/impl/GraphChecks.hpp>
#include <kindred/core/graph/impl/Hop.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

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
  Launch::for_each_index(exec_space, "Kindred::Graph::hop::columns", rows * move.fill, move);
}

}  // namespace

template <class ExecutionSpace>
void hop(const ExecutionSpace& exec_space,
         const GraphSide<typename ExecutionSpace::memory_space>& graph, HopWidth width,
         const ArrayView<const float, ExecutionSpace>& x, const ArrayView<float, ExecutionSpace>& y,
         const ArrayView<double, ExecutionSpace>& partial,
         const ArrayView<const std::uint32_t, ExecutionSpace>& kind_queries) {
  const Impl::ArgumentCheck check("hop");
  const auto columns = static_cast<std::uint64_t>(width);
  const std::uint64_t places = Impl::extent_of(graph.nodes, columns);
  Impl::check_graph(check, graph);
  check.has("x", x, places);
  check.is_aligned("x", x.data(), hop_alignment<ExecutionSpace>);
  check.has("y", y, places);
  check.has("partial", partial, Impl::extent_of(graph.blocks(), columns));
  Impl::check_kind_queries(check, kind_queries);
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
  const Impl::ArgumentCheck check("take_columns");
  check.is_at_least("columns", columns, 1);
  check.is_at_most("first + count", Impl::extent_sum(first, count), columns);
  check.is_at_most("count", count, static_cast<std::uint64_t>(width));
  check.is_multiple("the size of from", from.size(), columns);
  check.is_aligned("from", from);
  check.has("to", to, Impl::extent_of(from.size() / columns, static_cast<std::uint64_t>(width)));
  const auto wide = static_cast<std::size_t>(width);
  move_columns<ExecutionSpace>(exec_space, from.extent(0) / columns,
                               {from.data(), columns, first, to.data(), wide, 0, count, wide});
}
template <class ExecutionSpace>
void put_columns(const ExecutionSpace& exec_space,
                 const ArrayView<const float, ExecutionSpace>& from, HopWidth width,
                 std::size_t columns, std::size_t first, std::size_t count,
                 const ArrayView<float, ExecutionSpace>& to) {
  const Impl::ArgumentCheck check("put_columns");
  check.is_at_least("columns", columns, 1);
  check.is_at_most("first + count", Impl::extent_sum(first, count), columns);
  check.is_at_most("count", count, static_cast<std::uint64_t>(width));
  check.is_multiple("the size of to", to.size(), columns);
  check.is_aligned("to", to);
  check.has("from", from, Impl::extent_of(to.size() / columns, static_cast<std::uint64_t>(width)));
  move_columns<ExecutionSpace>(
      exec_space, to.extent(0) / columns,
      {from.data(), static_cast<std::size_t>(width), 0, to.data(), columns, first, count, count});
}

namespace {

template <class ExecutionSpace>
struct Sources {
  SpreadState<ExecutionSpace> state;
  ArrayView<const std::uint64_t, ExecutionSpace> places;
  ArrayView<const float, ExecutionSpace> values;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    Impl::set_source(state, places(i), values(i));
  }
};

/// \p state has what is set before the first hop.
template <class ExecutionSpace>
void check_start(const Impl::ArgumentCheck& check, const SpreadState<ExecutionSpace>& state) {
  const std::uint64_t values = state.value.size();
  check.is_multiple("the size of state.value", values, static_cast<std::uint64_t>(state.width));
  if (state.short_passed.size() != 0) {
    check.has("state.short_passed", state.short_passed, values);
  } else {
    check.has("state.passed", state.passed, values);
  }
  check.has_if_given("state.tier", state.tier, values);
  check.has("state.last", state.last, hop_marks);
}

}  // namespace

template <class ExecutionSpace>
void start_spreading(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                     const ArrayView<const std::uint64_t, ExecutionSpace>& places,
                     const ArrayView<const float, ExecutionSpace>& values) {
  const Impl::ArgumentCheck check("start_spreading");
  check_start(check, state);
  check.has("values", values, places.size());
  check.is_aligned("places", places);
  Kokkos::deep_copy(exec_space, state.value, 0.0F);
  Kokkos::deep_copy(exec_space, state.passed, 0.0F);
  Kokkos::deep_copy(exec_space, state.short_passed, Arch::BFloat16{0});
  Kokkos::deep_copy(exec_space, state.tier, Impl::tier_untouched);
  Kokkos::deep_copy(exec_space, state.last, 0U);
  Launch::for_each_index(exec_space, "Kindred::Graph::spread::sources", places.extent(0),
                         Sources<ExecutionSpace>{state, places, values});
}

template <class ExecutionSpace>
void spread_hop(const ExecutionSpace& exec_space,
                const GraphSide<typename ExecutionSpace::memory_space>& graph,
                const SpreadState<ExecutionSpace>& state, const HopParameters& parameters) {
  const Impl::ArgumentCheck check("spread_hop");
  const auto columns = static_cast<std::uint64_t>(state.width);
  const std::uint64_t values = Impl::extent_of(graph.nodes, columns);
  Impl::check_graph(check, graph);
  check.has("state.value", state.value, values);
  if (state.short_passed.size() != 0) {
    check.is_at_least("state.width", columns, 32);
    check.has("state.short_passed", state.short_passed, values);
    check.has("state.short_next", state.short_next, values);
  } else {
    check.has("state.passed", state.passed, values);
    check.has("state.next", state.next, values);
  }
  if (parameters.mode == SpreadMode::engine) check.has("state.tier", state.tier, values);
  check.has("state.partial", state.partial, Impl::extent_of(graph.blocks(), columns));
  check.has("state.last", state.last, hop_marks);
  Impl::check_kind_queries(check, state.kind_queries);
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

#define KINDRED_INSTANTIATE(SPACE)                                  \
  template decltype(short_row_max<SPACE>) short_row_max<SPACE>;     \
  template decltype(hop<SPACE>) hop<SPACE>;                         \
  template decltype(take_columns<SPACE>) take_columns<SPACE>;       \
  template decltype(put_columns<SPACE>) put_columns<SPACE>;         \
  template decltype(start_spreading<SPACE>) start_spreading<SPACE>; \
  template decltype(spread_hop<SPACE>) spread_hop<SPACE>;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
