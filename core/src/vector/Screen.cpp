// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/Screen.hpp>

#include <kindred/core/vector/impl/ScreenKernels.hpp>

#include <cmath>
#include <type_traits>

namespace Kindred {

namespace {

template <class ExecutionSpace>
Impl::ScreenFill fill_of(const ScreenState<ExecutionSpace>& state, bool slots) {
  return {state.slots.data(),  slots ? state.slots.size() : 0,
          state.counts.data(), state.counts.size(),
          state.rows.data(),   state.rows.size()};
}

/// The largest of 16, 4 and 1 that every row is aligned to.
template <class ExecutionSpace>
std::uint64_t row_alignment(const ShadowRows<ExecutionSpace>& shadow) {
  const auto bits = reinterpret_cast<std::uintptr_t>(shadow.values.data()) | shadow.stride;
  return bits % 16 == 0 ? 16 : bits % 4 == 0 ? 4 : 1;
}

template <class ExecutionSpace, class Functor>
void for_each_item(const ExecutionSpace& exec_space, const char* label, std::uint64_t items,
                   const Functor& functor) {
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint64_t>>(exec_space, 0, items),
      functor);
}

}  // namespace

template <class ExecutionSpace>
void prepare_screen(const ExecutionSpace& exec_space, const VectorQueries<ExecutionSpace>& queries,
                    std::uint64_t dimension, const ArrayView<std::int8_t, ExecutionSpace>& planes,
                    const ArrayView<ScreenQuery, ExecutionSpace>& bounds,
                    const ScreenState<ExecutionSpace>& state) {
  const Impl::PrepareKernel<ExecutionSpace> kernel{
      queries.floats.data(),          queries.norms.data(), queries.count, dimension,
      screen_plane_stride(dimension), planes.data(),        bounds.data(), fill_of(state, true)};
  Impl::for_each_unit(exec_space, "Kindred::Vector::prepare_screen::split", kernel.units(), kernel);
}

template <class ExecutionSpace>
void clear_survivors(const ExecutionSpace& exec_space, const ScreenState<ExecutionSpace>& state) {
  const Impl::ScreenFill fill = fill_of(state, false);
  for_each_item(exec_space, "Kindred::Vector::clear_survivors::fill", fill.size(), fill);
}

template <class ExecutionSpace>
void list_owners(const ExecutionSpace& exec_space, std::uint64_t units,
                 const ArrayView<std::uint32_t, ExecutionSpace>& owners) {
  for_each_item(exec_space, "Kindred::Vector::list_owners::fill", owners.size(),
                Impl::OwnerKernel{units, owners.data()});
}

template <class ExecutionSpace>
void screen_rows(const ExecutionSpace& exec_space, Metric metric,
                 const ShadowRows<ExecutionSpace>& shadow, std::uint64_t dimension,
                 const ArrayView<const double, ExecutionSpace>& norms, std::uint64_t begin,
                 std::uint64_t count, const RowFilter<ExecutionSpace>& filter,
                 const ScreenQueries<ExecutionSpace>& queries,
                 const ScreenState<ExecutionSpace>& state) {
  if (count == 0) return;
  const bool own = shadow.is_own();
  const std::uint64_t alignment = row_alignment(shadow);
  const Arch::Int8Operands operands{
      shadow.values.data(),  shadow.stride,  own ? dimension : shadow.stride,
      queries.planes.data(), queries.stride, alignment};
  const double root = std::sqrt(static_cast<double>(dimension)) * (1 + 0x1p-50);
  const bool by_batch = state.groups != 0 && shadow.count() >= Arch::screen_batch * state.groups;
  const auto run = [&](auto aligned, auto tile) {
    const Impl::ScanScreenKernel<ExecutionSpace, aligned(), tile()> kernel{
        metric,
        operands,
        shadow.scales.data(),
        own ? nullptr : shadow.errors.data(),
        shadow.norms.data(),
        norms.data(),
        root,
        begin,
        count,
        filter,
        queries.bounds.data(),
        queries.count(),
        state.uppers.data(),
        state.chunk,
        state.slots.data(),
        state.groups,
        by_batch};
    Impl::for_each_unit(exec_space, "Kindred::Vector::screen_rows::scan", kernel.units(), kernel);
  };
  const auto run_tile = [&](auto aligned) {
    constexpr int tile = Arch::Int8Dots<ExecutionSpace>::query_tile;
    if (queries.count() == 1) return run(aligned, std::integral_constant<int, 1>{});
    run(aligned, std::integral_constant<int, tile>{});
  };
  if constexpr (Arch::is_device<ExecutionSpace>) {
    if (alignment != 16) return run_tile(std::false_type{});
  }
  run_tile(std::true_type{});
}

template <class ExecutionSpace>
void screen_thresholds(const ExecutionSpace& exec_space, std::uint64_t k,
                       const ScreenState<ExecutionSpace>& state) {
  using kernel_type = Impl::ThresholdKernel<ExecutionSpace>;
  constexpr int team_size = Arch::is_device<ExecutionSpace> ? 16 : 1;
  Kokkos::parallel_for(
      "Kindred::Vector::screen_thresholds::select",
      typename kernel_type::policy_type(exec_space, static_cast<int>(state.thresholds.size()),
                                        team_size, Arch::LaunchShape<ExecutionSpace>::vector_length)
          .set_scratch_size(0, Kokkos::PerTeam(kernel_type::scratch_bytes)),
      kernel_type{state.slots.data(), state.groups, k, state.thresholds.data()});
}

template <class ExecutionSpace>
void screen_survivors(const ExecutionSpace& exec_space, std::uint64_t begin, std::uint64_t count,
                      const ScreenState<ExecutionSpace>& state) {
  using kernel_type = Impl::SurvivorKernel<ExecutionSpace>;
  const std::uint64_t items = (count + kernel_type::item_rows - 1) / kernel_type::item_rows;
  for_each_item(
      exec_space, "Kindred::Vector::screen_survivors::collect", items * state.thresholds.size(),
      kernel_type{state.uppers.data(), state.chunk, begin, count, items, state.thresholds.data(),
                  state.rows.data(), state.room, state.counts.data()});
}

#define KINDRED_INSTANTIATE(SPACE)                                                                \
  template void prepare_screen<SPACE>(const SPACE&, const VectorQueries<SPACE>&, std::uint64_t,   \
                                      const ArrayView<std::int8_t, SPACE>&,                       \
                                      const ArrayView<ScreenQuery, SPACE>&,                       \
                                      const ScreenState<SPACE>&);                                 \
  template void clear_survivors<SPACE>(const SPACE&, const ScreenState<SPACE>&);                  \
  template void list_owners<SPACE>(const SPACE&, std::uint64_t,                                   \
                                   const ArrayView<std::uint32_t, SPACE>&);                       \
  template void screen_rows<SPACE>(const SPACE&, Metric, const ShadowRows<SPACE>&, std::uint64_t, \
                                   const ArrayView<const double, SPACE>&, std::uint64_t,          \
                                   std::uint64_t, const RowFilter<SPACE>&,                        \
                                   const ScreenQueries<SPACE>&, const ScreenState<SPACE>&);       \
  template void screen_thresholds<SPACE>(const SPACE&, std::uint64_t, const ScreenState<SPACE>&); \
  template void screen_survivors<SPACE>(const SPACE&, std::uint64_t, std::uint64_t,               \
                                        const ScreenState<SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
