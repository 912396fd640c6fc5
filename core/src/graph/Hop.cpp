// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/StartCopy.hpp>
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

template <class ExecutionSpace>
struct CopyColumns {
  Columns<const float, ExecutionSpace> from;
  Columns<float, ExecutionSpace> to;
  std::size_t count;
  std::size_t filled;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t index) const {
    const std::size_t row = index / filled;
    const std::size_t i = index % filled;
    to.values(row * to.width + to.first + i) =
        i < count ? from.values(row * from.width + from.first + i) : 0.0F;
  }
};

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
void copy_columns(const ExecutionSpace& exec_space,
                  const Columns<const float, ExecutionSpace>& from,
                  const Columns<float, ExecutionSpace>& to, std::size_t count,
                  std::size_t cleared) {
  const Impl::ArgumentCheck check("copy_columns");
  const std::uint64_t filled = Impl::extent_sum(count, cleared);
  check.is_at_least("from.width", from.width, 1);
  check.is_at_least("to.width", to.width, 1);
  check.is_at_most("from.first + count", Impl::extent_sum(from.first, count), from.width);
  check.is_at_most("to.first + count + cleared", Impl::extent_sum(to.first, filled), to.width);
  check.is_multiple("the size of to.values", to.values.size(), to.width);
  check.is_aligned("to.values", to.values);
  const std::size_t rows = to.values.size() / to.width;
  check.has("from.values", from.values, Impl::extent_of(rows, from.width));
  Launch::for_each_index(exec_space, "Kindred::Graph::hop::columns", rows * filled,
                         CopyColumns<ExecutionSpace>{from, to, count, filled});
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
  Arch::start_fill(exec_space, state.value, 0.0F);
  Arch::start_fill(exec_space, state.passed, 0.0F);
  Arch::start_fill(exec_space, state.short_passed, Arch::BFloat16{0});
  Arch::start_fill(exec_space, state.tier, Impl::tier_untouched);
  Arch::start_fill(exec_space, state.last, 0U);
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

KINDRED_INSTANTIATE_FOR_SPACES(short_row_max);
KINDRED_INSTANTIATE_FOR_SPACES(hop);
KINDRED_INSTANTIATE_FOR_SPACES(copy_columns);
KINDRED_INSTANTIATE_FOR_SPACES(start_spreading);
KINDRED_INSTANTIATE_FOR_SPACES(spread_hop);

}  // namespace Kindred
