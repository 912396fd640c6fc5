// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/Prefilter.hpp>

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/RelaxedAccess.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/select/impl/KthGreatest.hpp>
#include <kindred/core/vector/impl/Quantizer.hpp>
#include <kindred/core/vector/impl/RowInt8Dots.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>
#include <kindred/core/vector/special/WarpInt8Dots.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace Kindred::Impl {

/// Words that a team of `PrepareKernel` clears.
inline constexpr std::uint64_t clear_part = 4096;

/// The memory that `PrepareKernel` and `clear_survivors` clear, concatenated.
struct PrefilterFill {
  std::uint32_t* slots;
  std::uint64_t slot_count;
  std::uint32_t* counts;
  std::uint64_t query_count;
  std::uint32_t* rows;
  std::uint64_t row_count;

  KOKKOS_INLINE_FUNCTION std::uint64_t size() const { return slot_count + query_count + row_count; }
  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t i) const {
    if (i < slot_count) {
      slots[i] = 0;
    } else if (i < slot_count + query_count) {
      counts[i - slot_count] = 0;
    } else {
      rows[i - slot_count - query_count] = no_candidate;
    }
  }
};

/// Lists of rows, one per query.
struct SurvivorLists {
  std::uint32_t* rows;
  std::uint64_t capacity;
  std::uint32_t* counts;

  KOKKOS_INLINE_FUNCTION void append(std::uint64_t query, std::uint64_t row) const {
    const std::uint32_t place = Kokkos::atomic_fetch_add(&counts[query], 1U);
    if (place < capacity) rows[query * capacity + place] = static_cast<std::uint32_t>(row);
  }
};

/// A team: a query, or a part of the memory to be cleared.
template <class ExecutionSpace>
struct PrepareKernel {
  using member_type = Launch::Member<ExecutionSpace>;

  const float* queries;
  const double* norms;
  std::uint64_t count;
  std::uint64_t dimension;
  std::uint64_t stride;
  std::int8_t* planes;
  PrefilterQuery* bounds;
  PrefilterFill fill;

  std::uint64_t teams() const { return count + quotient_up(fill.size(), clear_part); }

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const std::uint64_t index = team.league_rank();
    if (index < count) {
      split(team, index);
    } else {
      const std::uint64_t first = (index - count) * clear_part;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, std::uint64_t{clear_part}),
                           [&](std::uint64_t i) {
                             if (first + i < fill.size()) fill(first + i);
                           });
    }
  }

  KOKKOS_INLINE_FUNCTION void split(const member_type& team, std::uint64_t query) const {
    const float* q = queries + query * dimension;
    const auto value = [&](std::uint64_t i) { return q[i]; };
    const Quantizer quantiser(Kokkos::TeamVectorRange(team, dimension), dimension, query_levels,
                              value);
    std::int8_t* high = planes + 2 * query * stride;
    std::int8_t* low = high + stride;
    PrefilterQuery bound;
    bound.residual = quantiser.quantise(value, [&](std::uint64_t i, int w) {
      const int half = w < 0 ? -quantized_levels : quantized_levels;
      int top = (w + half) / query_plane_ratio;
      if (top > quantized_levels) top = quantized_levels;
      if (top < -quantized_levels) top = -quantized_levels;
      high[i] = static_cast<std::int8_t>(top);
      low[i] = static_cast<std::int8_t>(w - query_plane_ratio * top);
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, stride - dimension), [&](std::uint64_t i) {
      high[dimension + i] = 0;
      low[dimension + i] = 0;
    });
    bound.scale = static_cast<double>(quantiser.scale());
    bound.norm = norms[query];
    bound.square =
        bound.scale * bound.scale * quantiser.sum(value, [](int w) { return std::int64_t{w} * w; });
    if constexpr (!Arch::is_device<ExecutionSpace>)
      bound.offset = 128 * quantiser.sum(value, [](int w) { return w; });
    Kokkos::single(Kokkos::PerTeam(team), [&] { bounds[query] = bound; });
  }
};

/// \brief Dot products of a batch of 32 rows with a few queries, computed by one work item.
///
/// `batch<Ratio, Aligned, Queries>(operands, first, mask, offsets, offset_stride, visit)` calls
/// `visit(r, dots)` once for each of the 32 rows: on the host for all rows in turn, on a device in
/// each lane for its own row, where all lanes of a warp must make the call. Rows whose mask bit is
/// 0 are not read.
/// \tparam Tile maximum number of queries per call
template <class ExecutionSpace, int Tile>
using Int8Dots = Special::type_of<Special::Form::warp_int8_dots, ExecutionSpace, WarpInt8Dots<Tile>,
                                  RowInt8Dots<Tile>>;

/// A work item: batches of 32 rows, for all queries, up to \p Tile at a time.
template <class ExecutionSpace, bool Aligned, int Tile>
struct PrefilterScanKernel {
  using dots_type = Int8Dots<ExecutionSpace, Tile>;
  using member_type = Launch::Member<ExecutionSpace>;
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = dots_type::teams;
  static constexpr int own_rows = dots_type::rows_per_thread;

  Metric metric;
  Int8Operands operands;
  const float* scales;
  const float* errors;  // null: the rows themselves are int8
  const float* quantized_norms;
  const double* norms;
  double root_dimension;
  std::uint64_t begin;
  std::uint64_t count;
  RowFilter<ExecutionSpace> filter;
  const PrefilterQuery* queries;
  std::uint64_t query_count;
  float* uppers;  // used while there are no thresholds yet
  std::uint64_t chunk;
  const float* thresholds;
  SurvivorLists survivors;
  std::uint32_t* slots;
  std::uint64_t groups;
  bool by_batch;  // rows of a batch share a slot

  /// 32 rows of the chunk.
  struct Batch {
    std::uint64_t first = 0;
    std::uint32_t passing = 0;  ///< one bit per row; with one bitmap per query, every existing row
    PrefilterRow rows[own_rows];
  };

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& member) const {
    const dots_type dots(member);
    // Host threads process adjacent rows; warps alternate.
    constexpr bool turns = Arch::is_device<ExecutionSpace>;
    const std::uint64_t batches = quotient_up(count, prefilter_batch);
    const std::uint64_t work_item = Launch::warp_of(member);
    const std::uint64_t work_items =
        static_cast<std::uint64_t>(member.league_size()) * member.team_size();
    const std::uint64_t per_work_item = quotient_up(batches, work_items);
    const std::uint64_t end = turns || (work_item + 1) * per_work_item > batches
                                  ? batches
                                  : (work_item + 1) * per_work_item;
    for (std::uint64_t index = turns ? work_item : work_item * per_work_item; index < end;
         index += turns ? work_items : 1) {
      scan(dots, read(dots, index));
    }
  }

  KOKKOS_INLINE_FUNCTION Batch read(const dots_type& dots, std::uint64_t index) const {
    Batch batch;
    batch.first = index * prefilter_batch;
    const std::uint32_t valid =
        count - batch.first >= prefilter_batch ? ~0U : (1U << (count - batch.first)) - 1;
    batch.passing = filter.words_per_query == 0 ? passing(0, batch.first, valid) : valid;
    if (batch.passing == 0) return batch;
    for (int r = 0; r < own_rows; ++r) {
      const std::uint64_t place = batch.first + dots.first_row() + r;
      const std::uint64_t row = begin + (place < count ? place : count - 1);
      batch.rows[r] = bound_of(row);
    }
    return batch;
  }

  KOKKOS_INLINE_FUNCTION void scan(const dots_type& dots, const Batch& batch) const {
    std::uint64_t query = 0;
    for (; query + Tile <= query_count; query += Tile) tile<Tile>(dots, batch, query);
    if constexpr (Tile > 1) {
      for (; query + 2 <= query_count; query += 2) tile<2>(dots, batch, query);
      if (query < query_count) tile<1>(dots, batch, query);
    }
  }

  /// For the batch at row \p first of the chunk: one bit per row that \p query may return.
  KOKKOS_INLINE_FUNCTION std::uint32_t passing(std::uint64_t query, std::uint64_t first,
                                               std::uint32_t valid) const {
    if (filter.passes_all()) return valid;
    const std::uint64_t row = begin + first;
    const std::uint64_t word = filter.words[query * filter.words_per_query + row / 64];
    return static_cast<std::uint32_t>(word >> (row % 64)) & valid;
  }

  KOKKOS_INLINE_FUNCTION PrefilterRow bound_of(std::uint64_t row) const {
    const double norm = metric == Metric::ip ? -1.0 : norms[row];
    if (errors == nullptr) return own_row(scales[row], norm, root_dimension);
    PrefilterRow out;
    out.scale = static_cast<double>(scales[row]);
    out.error = static_cast<double>(errors[row]);
    out.quantized_norm = static_cast<double>(quantized_norms[row]);
    out.quantized_norm_max = out.quantized_norm;
    out.norm = norm;
    return out;
  }

  template <int Queries>
  KOKKOS_INLINE_FUNCTION void tile(const dots_type& dots, const Batch& batch,
                                   std::uint64_t query) const {
    std::uint32_t passes[Queries];
    std::uint32_t any = 0;
    KINDRED_UNROLL
    for (int q = 0; q < Queries; ++q) {
      passes[q] = filter.words_per_query == 0 ? batch.passing
                                              : passing(query + q, batch.first, batch.passing);
      any |= passes[q];
    }
    if (any == 0 && thresholds != nullptr) return;
    std::uint32_t keys[Queries][own_rows] = {};
    Int8Operands own = operands;
    own.planes += 2 * query * operands.plane_stride;
    dots.template batch<query_plane_ratio, Aligned, Queries>(
        own, begin + batch.first, any, &queries[query].offset,
        sizeof(PrefilterQuery) / sizeof(double), [&](int r, const double(&sums)[Queries]) {
          const int place = own_rows == 1 ? 0 : r;
          KINDRED_UNROLL
          for (int q = 0; q < Queries; ++q) {
            if ((passes[q] >> r & 1U) == 0) {
              leave_out(query + q, batch.first + r);
              continue;
            }
            const ScoreInterval interval =
                score_interval(metric, queries[query + q], batch.rows[place], sums[q]);
            keep(query + q, batch.first + r, interval.upper);
            keys[q][place] = ascending_bits(interval.lower);
          }
        });
    if (any == 0) return;
    for (int q = 0; q < Queries; ++q) offer(dots, query + q, batch.first, keys[q]);
  }

  KOKKOS_INLINE_FUNCTION void keep(std::uint64_t query, std::uint64_t row, float upper) const {
    if (thresholds == nullptr) {
      uppers[query * chunk + row] = upper;
    } else if (upper >= thresholds[query]) {
      survivors.append(query, begin + row);
    }
  }

  /// Excludes a row by a NaN as its upper bound, which reaches no threshold.
  KOKKOS_INLINE_FUNCTION void leave_out(std::uint64_t query, std::uint64_t row) const {
    if (thresholds == nullptr && row < count) uppers[query * chunk + row] = canonical_nan<float>();
  }

  KOKKOS_INLINE_FUNCTION void offer(const dots_type& dots, std::uint64_t query, std::uint64_t first,
                                    const std::uint32_t (&keys)[own_rows]) const {
    if (groups == 0) return;
    const std::uint64_t row = begin + first;
    if (by_batch) {
      const std::uint32_t best = dots_type::batch_max(keys);
      if (dots.is_leader()) offer(query, row / prefilter_batch, best);
      return;
    }
    for (int r = 0; r < own_rows; ++r) offer(query, row + dots.first_row() + r, keys[r]);
  }
  KOKKOS_INLINE_FUNCTION void offer(std::uint64_t query, std::uint64_t item,
                                    std::uint32_t key) const {
    if (key == 0) return;
    std::uint32_t* slot = slots + query * groups + item % groups;
    // A device does not wait for an atomic without a result; on the host an atomic costs more than
    // a read.
    if (Arch::is_device<ExecutionSpace> || Arch::relaxed_load(slot) < key)
      Kokkos::atomic_max(slot, key);
  }
};

/// A team: the k-th greatest of a query's slots.
template <class ExecutionSpace>
struct ThresholdKernel {
  const std::uint32_t* slots;
  std::uint64_t groups;
  std::uint64_t k;
  float* thresholds;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& team) const {
    const std::uint64_t query = team.league_rank();
    auto* scratch = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem(std::size_t{RadixSelect::scratch_bytes}));
    const std::uint32_t bits =
        RadixSelect::kth_greatest(team, slots + query * groups, groups, k, scratch);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      thresholds[query] = bits == 0 ? -__builtin_inff() : score_from_ascending_bits(bits);
    });
  }
};

/// Index: some adjacent rows of a query.
template <class ExecutionSpace>
struct SurvivorKernel {
  static constexpr std::uint64_t item_rows = Arch::is_device<ExecutionSpace> ? 4 : 64;

  const float* uppers;
  std::uint64_t chunk;
  std::uint64_t begin;
  std::uint64_t count;
  std::uint64_t items;  // per query
  const float* thresholds;
  SurvivorLists survivors;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t query = index / items;
    const std::uint64_t first = index % items * item_rows;
    const float* upper = uppers + query * chunk + first;
    const float threshold = thresholds[query];
    float values[item_rows];
    bool any = false;
    // A chunk consists of whole items, so memory beyond its rows may be read.
    for (std::uint64_t r = 0; r < item_rows; ++r) {
      values[r] = upper[r];
      any |= values[r] >= threshold;
    }
    if (!any) return;
    for (std::uint64_t r = 0; r < item_rows; ++r) {
      if (first + r < count && values[r] >= threshold) survivors.append(query, begin + first + r);
    }
  }
};

}  // namespace Kindred::Impl

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
  check.is_multiple("begin", begin, 64);
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
    const std::uint64_t batches = quotient_up(count, Impl::prefilter_batch);
    // As many teams as are resident on a device; host threads receive 32 batches at a time.
    const std::uint64_t teams =
        Arch::is_device<ExecutionSpace>
            ? std::min<std::uint64_t>(
                  Arch::multiprocessors(exec_space) * Impl::Int8Dots<ExecutionSpace, tile()>::teams,
                  quotient_up(batches, team_size))
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
  Launch::for_each_team(exec_space, "Kindred::Vector::prefilter_thresholds::select",
                        {.count = state.thresholds.size(),
                         .scratch_bytes = Impl::RadixSelect::scratch_bytes,
                         .size = 16},
                        Impl::ThresholdKernel<ExecutionSpace>{state.slots.data(), state.groups, k,
                                                              state.thresholds.data()});
}

template <class ExecutionSpace>
void prefilter_survivors(const ExecutionSpace& exec_space, std::uint64_t begin, std::uint64_t count,
                         const PrefilterState<ExecutionSpace>& state) {
  const Impl::ArgumentCheck check("prefilter_survivors");
  check.is_aligned("state.thresholds", state.thresholds);
  const std::uint64_t queries = state.thresholds.size();
  check.is_at_most("count", count, state.chunk);
  check.is_multiple("state.chunk", state.chunk, 64);
  check.has("state.uppers", state.uppers, Impl::extent_of(queries, state.chunk));
  check_survivors(check, state, queries);
  using kernel_type = Impl::SurvivorKernel<ExecutionSpace>;
  const std::uint64_t items = quotient_up(count, kernel_type::item_rows);
  Launch::for_each_index(exec_space, "Kindred::Vector::prefilter_survivors::collect",
                         items * state.thresholds.size(),
                         kernel_type{state.uppers.data(),
                                     state.chunk,
                                     begin,
                                     count,
                                     items,
                                     state.thresholds.data(),
                                     {state.rows.data(), state.capacity, state.counts.data()}});
}

KINDRED_INSTANTIATE_FOR_SPACES(prepare_prefilter);
KINDRED_INSTANTIATE_FOR_SPACES(clear_survivors);
KINDRED_INSTANTIATE_FOR_SPACES(prefilter_rows);
KINDRED_INSTANTIATE_FOR_SPACES(prefilter_thresholds);
KINDRED_INSTANTIATE_FOR_SPACES(prefilter_survivors);

}  // namespace Kindred
