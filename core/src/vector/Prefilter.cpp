// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/Prefilter.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>

#include <kindred/core/vector/impl/PrefilterKernels.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace Kindred {

namespace {

template <class ExecutionSpace>
Impl::PrefilterFill fill_of(const PrefilterState<ExecutionSpace>& state, bool slots) {
  return {state.slots.data(),  slots ? state.slots.size() : 0,
          state.counts.data(), state.counts.size(),
          state.rows.data(),   state.rows.size()};
}

template <class ExecutionSpace>
Impl::SurvivorLists lists_of(const PrefilterState<ExecutionSpace>& state) {
  return {state.rows.data(), state.capacity, state.counts.data()};
}

/// \p state has the lists of \p queries queries.
template <class ExecutionSpace>
void check_survivors(const Impl::ArgumentCheck& check, const PrefilterState<ExecutionSpace>& state,
                     std::uint64_t queries) {
  check.has("state.counts", state.counts, queries);
  check.has("state.rows", state.rows, Impl::extent_of(queries, state.capacity));
}

/// The largest of 16, 4 and 1 that every row is aligned to.
template <class ExecutionSpace>
std::uint64_t row_alignment(const QuantizedRows<ExecutionSpace>& quantized) {
  const auto bits = reinterpret_cast<std::uintptr_t>(quantized.values.data()) | quantized.stride;
  return bits % 16 == 0 ? 16 : bits % 4 == 0 ? 4 : 1;
}

}  // namespace

template <class ExecutionSpace>
void prepare_prefilter(const ExecutionSpace& exec_space,
                       const VectorQueries<ExecutionSpace>& queries, std::uint64_t dimension,
                       const ArrayView<std::int8_t, ExecutionSpace>& planes,
                       const ArrayView<PrefilterQuery, ExecutionSpace>& bounds,
                       const PrefilterState<ExecutionSpace>& state) {
  const Impl::ArgumentCheck check("prepare_prefilter");
  const std::uint64_t plane_bytes = query_plane_stride(dimension);
  Impl::check_float_queries(check, queries, dimension);
  check.has("planes", planes, Impl::extent_of(queries.count, 2, plane_bytes));
  check.has("bounds", bounds, queries.count);
  check_survivors(check, state, state.counts.size());
  check.has("state.slots", state.slots, Impl::extent_of(state.counts.size(), state.groups));
  const Impl::PrepareKernel<ExecutionSpace> kernel{
      queries.floats.data(),         queries.norms.data(), queries.count, dimension,
      query_plane_stride(dimension), planes.data(),        bounds.data(), fill_of(state, true)};
  Launch::for_each_team(exec_space, "Kindred::Vector::prepare_prefilter::split",
                        {.count = kernel.teams()}, kernel);
}

template <class ExecutionSpace>
void clear_survivors(const ExecutionSpace& exec_space,
                     const PrefilterState<ExecutionSpace>& state) {
  const Impl::ArgumentCheck check("clear_survivors");
  check_survivors(check, state, state.counts.size());
  const Impl::PrefilterFill fill = fill_of(state, false);
  Launch::for_each_index(exec_space, "Kindred::Vector::clear_survivors::fill", fill.size(), fill);
}

template <class ExecutionSpace>
void prefilter_rows(const ExecutionSpace& exec_space, Metric metric,
                    const QuantizedRows<ExecutionSpace>& quantized, std::uint64_t dimension,
                    const ArrayView<const double, ExecutionSpace>& norms, std::uint64_t begin,
                    std::uint64_t count, const RowFilter<ExecutionSpace>& filter,
                    const PrefilterQueries<ExecutionSpace>& queries, bool append,
                    const PrefilterState<ExecutionSpace>& state) {
  const Impl::ArgumentCheck check("prefilter_rows");
  const bool own = quantized.is_own();
  const std::uint64_t rows = quantized.count();
  const std::uint64_t query_count = queries.count();
  check.is_at_most("begin + count", Impl::extent_sum(begin, count), rows);
  check.has("quantized.values", quantized.values,
            Impl::extent_of_rows(rows, own ? dimension : quantized.stride, quantized.stride));
  check.is_at_least("quantized.stride", quantized.stride, dimension);
  check.is_aligned("quantized.scales", quantized.scales);
  check.is_aligned("queries.bounds", queries.bounds);
  if (!own) {
    check.has("quantized.errors", quantized.errors, rows);
    check.has("quantized.norms", quantized.norms, rows);
  }
  if (metric != Metric::ip) check.has("norms", norms, Impl::extent_sum(begin, count));
  Impl::check_filter(check, filter, query_count, Impl::extent_sum(begin, count));
  check.is_at_least("queries.stride", queries.stride, own ? dimension : quantized.stride);
  check.is_multiple("queries.stride", queries.stride, 64);
  check.has("queries.planes", queries.planes, Impl::extent_of(query_count, 2, queries.stride));
  if (Arch::is_device<ExecutionSpace>)
    check.is_aligned("queries.planes", queries.planes.data(), 16);
  check.has("state.slots", state.slots, Impl::extent_of(query_count, state.groups));
  if (append) {
    check.has("state.thresholds", state.thresholds, query_count);
    check_survivors(check, state, query_count);
  } else {
    check.is_at_most("count", count, state.chunk);
    check.has("state.uppers", state.uppers, Impl::extent_of(query_count, state.chunk));
  }
  if (count == 0) return;
  const std::uint64_t alignment = row_alignment(quantized);
  const Impl::Int8Operands operands{
      quantized.values.data(), quantized.stride, own ? dimension : quantized.stride,
      queries.planes.data(),   queries.stride,   alignment};
  const double root = std::sqrt(static_cast<double>(dimension)) * (1 + 0x1p-50);
  const bool by_batch =
      state.groups != 0 && quantized.count() >= Impl::prefilter_batch * state.groups;
  const auto run = [&](auto aligned, auto tile) {
    using kernel_type = Impl::PrefilterScanKernel<ExecutionSpace, aligned(), tile()>;
    constexpr auto team_size = static_cast<std::uint64_t>(Launch::Teams{}.size);
    const std::uint64_t batches = (count + Impl::prefilter_batch - 1) / Impl::prefilter_batch;
    // As many teams as are resident on a device; host threads receive 32 batches at a time.
    const std::uint64_t teams =
        Arch::is_device<ExecutionSpace>
            ? std::min<std::uint64_t>(static_cast<std::uint64_t>(Arch::concurrency(exec_space)) /
                                          2048 * Impl::Int8Dots<ExecutionSpace, tile()>::teams,
                                      (batches + team_size - 1) / team_size)
            : (batches + 31) / 32;
    Launch::for_each_team(
        exec_space, "Kindred::Vector::prefilter_rows::scan", {.count = teams},
        kernel_type{metric, operands, quantized.scales.data(),
                    own ? nullptr : quantized.errors.data(), quantized.norms.data(), norms.data(),
                    root, begin, count, filter, queries.bounds.data(), queries.count(),
                    state.uppers.data(), state.chunk, append ? state.thresholds.data() : nullptr,
                    lists_of(state), state.slots.data(), state.groups, by_batch});
  };
  const auto run_tile = [&](auto aligned) {
    if (queries.count() == 1) return run(aligned, std::integral_constant<int, 1>{});
    run(aligned, std::integral_constant<int, Impl::int8_tile>{});
  };
  if constexpr (Arch::is_device<ExecutionSpace>) {
    if (alignment != 16) return run_tile(std::false_type{});
  }
  run_tile(std::true_type{});
}

template <class ExecutionSpace>
void prefilter_thresholds(const ExecutionSpace& exec_space, std::uint64_t k,
                          const PrefilterState<ExecutionSpace>& state) {
  const Impl::ArgumentCheck check("prefilter_thresholds");
  check.is_aligned("state.thresholds", state.thresholds);
  check.has("state.slots", state.slots, Impl::extent_of(state.thresholds.size(), state.groups));
  using kernel_type = Impl::ThresholdKernel<ExecutionSpace>;
  Launch::for_each_team(
      exec_space, "Kindred::Vector::prefilter_thresholds::select",
      {.count = state.thresholds.size(), .scratch_bytes = kernel_type::scratch_bytes, .size = 16},
      kernel_type{state.slots.data(), state.groups, k, state.thresholds.data()});
}

template <class ExecutionSpace>
void prefilter_survivors(const ExecutionSpace& exec_space, std::uint64_t begin, std::uint64_t count,
                         const PrefilterState<ExecutionSpace>& state) {
  const Impl::ArgumentCheck check("prefilter_survivors");
  check.is_aligned("state.thresholds", state.thresholds);
  const std::uint64_t queries = state.thresholds.size();
  check.is_at_most("count", count, state.chunk);
  check.has("state.uppers", state.uppers, Impl::extent_of(queries, state.chunk));
  check_survivors(check, state, queries);
  using kernel_type = Impl::SurvivorKernel<ExecutionSpace>;
  const std::uint64_t items = (count + kernel_type::item_rows - 1) / kernel_type::item_rows;
  Launch::for_each_index(
      exec_space, "Kindred::Vector::prefilter_survivors::collect", items * state.thresholds.size(),
      kernel_type{state.uppers.data(), state.chunk, begin, count, items, state.thresholds.data(),
                  state.rows.data(), state.capacity, state.counts.data()});
}

#define KINDRED_INSTANTIATE(SPACE)                                            \
  template decltype(prepare_prefilter<SPACE>) prepare_prefilter<SPACE>;       \
  template decltype(clear_survivors<SPACE>) clear_survivors<SPACE>;           \
  template decltype(prefilter_rows<SPACE>) prefilter_rows<SPACE>;             \
  template decltype(prefilter_thresholds<SPACE>) prefilter_thresholds<SPACE>; \
  template decltype(prefilter_survivors<SPACE>) prefilter_survivors<SPACE>;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
