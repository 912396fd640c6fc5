// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_SCREEN_KERNELS_HPP
#define KINDRED_CORE_VECTOR_IMPL_SCREEN_KERNELS_HPP

#include <kindred/core/arch/Flag.hpp>
#include <kindred/core/arch/Int8Dots.hpp>
#include <kindred/core/common/Rank.hpp>
#include <kindred/core/vector/Screen.hpp>
#include <kindred/core/vector/impl/Quantise.hpp>
#include <kindred/core/vector/impl/VectorScores_Impl.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Words that a unit of `PrepareKernel` empties.
inline constexpr std::uint64_t clear_unit = 1024;

/// What `PrepareKernel` and `clear_survivors` empty, one behind the other.
struct ScreenFill {
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

/// Item: a unit of `score_candidates`.
struct OwnerKernel {
  std::uint64_t units;
  std::uint32_t* owners;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t i) const {
    owners[i] = static_cast<std::uint32_t>(i / units);
  }
};

/// A unit: a query, or a part of what is emptied.
template <class ExecutionSpace>
struct PrepareKernel {
  const float* queries;
  const double* norms;
  std::uint64_t count;
  std::uint64_t dimension;
  std::uint64_t stride;
  std::int8_t* planes;
  ScreenQuery* bounds;
  ScreenFill fill;

  std::uint64_t units() const { return count + (fill.size() + clear_unit - 1) / clear_unit; }

  KOKKOS_INLINE_FUNCTION void operator()(const UnitMember<ExecutionSpace>& member) const {
    const std::uint64_t unit = unit_of(member);
    if (unit < count) {
      split(member, unit);
    } else if (unit < count + (fill.size() + clear_unit - 1) / clear_unit) {
      const std::uint64_t first = (unit - count) * clear_unit;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, std::uint64_t{clear_unit}),
                           [&](std::uint64_t i) {
                             if (first + i < fill.size()) fill(first + i);
                           });
    }
  }

  KOKKOS_INLINE_FUNCTION void split(const UnitMember<ExecutionSpace>& member,
                                    std::uint64_t query) const {
    const float* q = queries + query * dimension;
    const auto value = [&](std::uint64_t i) { return q[i]; };
    const Quantiser quantiser(member, dimension, screen_query_levels, value);
    std::int8_t* high = planes + 2 * query * stride;
    std::int8_t* low = high + stride;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, stride), [&](std::uint64_t i) {
      const int w = i < dimension ? quantiser.level(q[i]) : 0;
      const int half = w < 0 ? -shadow_levels : shadow_levels;
      int top = (w + half) / screen_plane_ratio;
      if (top > shadow_levels) top = shadow_levels;
      if (top < -shadow_levels) top = -shadow_levels;
      high[i] = static_cast<std::int8_t>(top);
      low[i] = static_cast<std::int8_t>(w - screen_plane_ratio * top);
    });
    ScreenQuery bound;
    bound.scale = static_cast<double>(quantiser.scale());
    bound.norm = norms[query];
    bound.residual = quantiser.residual(value);
    bound.square =
        bound.scale * bound.scale * quantiser.sum(value, [](int w) { return std::int64_t{w} * w; });
    bound.offset = 128 * quantiser.sum(value, [](int w) { return w; });
    Kokkos::single(Kokkos::PerThread(member), [&] { bounds[query] = bound; });
  }
};

/// A unit: batches of 32 rows, for all queries, up to \p Tile at once.
template <class ExecutionSpace, bool Aligned, int Tile>
struct ScanScreenKernel {
  using dots_type = Arch::Int8Dots<ExecutionSpace>;
  static constexpr int own_rows = dots_type::rows_per_thread;
  static constexpr std::uint64_t unit_batches = Arch::is_device<ExecutionSpace> ? 1 : 32;

  Metric metric;
  Arch::Int8Operands operands;
  const float* scales;
  const float* errors;  // null: the rows are int8 themselves
  const float* shadow_norms;
  const double* norms;
  double root_dimension;
  std::uint64_t begin;
  std::uint64_t count;
  RowFilter<ExecutionSpace> filter;
  const ScreenQuery* queries;
  std::uint64_t query_count;
  float* uppers;
  std::uint64_t chunk;
  std::uint32_t* slots;
  std::uint64_t groups;
  bool by_batch;  // rows of a batch share a slot

  std::uint64_t units() const {
    constexpr std::uint64_t unit_rows = unit_batches * Arch::screen_batch;
    return (count + unit_rows - 1) / unit_rows;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const UnitMember<ExecutionSpace>& member) const {
    const dots_type dots(member);
    for (std::uint64_t b = 0; b < unit_batches; ++b) {
      const std::uint64_t first = (unit_of(member) * unit_batches + b) * Arch::screen_batch;
      if (first >= count) return;
      batch(dots, first);
    }
  }

  /// \param first row of the batch in the chunk
  KOKKOS_INLINE_FUNCTION void batch(const dots_type& dots, std::uint64_t first) const {
    const std::uint32_t valid =
        count - first >= Arch::screen_batch ? ~0U : (1U << (count - first)) - 1;
    ScreenRow rows[own_rows];
    const std::uint32_t shared = filter.words_per_query == 0 ? passing(0, first, valid) : valid;
    if (shared != 0) {
      for (int r = 0; r < own_rows; ++r) {
        const std::uint64_t row = first + dots.first_row() + r;
        if (row < count) rows[r] = bound_of(begin + row);
      }
    }
    std::uint64_t query = 0;
    for (; query + Tile <= query_count; query += Tile) tile<Tile>(dots, rows, first, shared, query);
    if constexpr (Tile > 1) {
      for (; query + 2 <= query_count; query += 2) tile<2>(dots, rows, first, shared, query);
      if (query < query_count) tile<1>(dots, rows, first, shared, query);
    }
  }

  /// Of the batch at row \p first of the chunk: a bit a row that \p query may return.
  KOKKOS_INLINE_FUNCTION std::uint32_t passing(std::uint64_t query, std::uint64_t first,
                                               std::uint32_t valid) const {
    if (filter.passes_all()) return valid;
    const std::uint64_t row = begin + first;
    const std::uint64_t word = filter.words[query * filter.words_per_query + row / 64];
    return static_cast<std::uint32_t>(word >> (row % 64)) & valid;
  }

  KOKKOS_INLINE_FUNCTION ScreenRow bound_of(std::uint64_t row) const {
    const double norm = metric == Metric::ip ? -1.0 : norms[row];
    if (errors == nullptr) return own_row(scales[row], norm, root_dimension);
    ScreenRow out;
    out.scale = static_cast<double>(scales[row]);
    out.error = static_cast<double>(errors[row]);
    out.shadow_norm = static_cast<double>(shadow_norms[row]);
    out.shadow_norm_max = out.shadow_norm;
    out.norm = norm;
    return out;
  }

  template <int Queries>
  KOKKOS_INLINE_FUNCTION void tile(const dots_type& dots, const ScreenRow (&rows)[own_rows],
                                   std::uint64_t first, std::uint32_t shared,
                                   std::uint64_t query) const {
    std::uint32_t passes[Queries];
    std::uint32_t any = 0;
    KINDRED_UNROLL
    for (int q = 0; q < Queries; ++q) {
      passes[q] = filter.words_per_query == 0 ? shared : passing(query + q, first, shared);
      any |= passes[q];
    }
    std::uint32_t keys[Queries][own_rows] = {};
    if (any == 0) {
      for (int r = 0; r < own_rows; ++r) {
        for (int q = 0; q < Queries; ++q) leave_out(query + q, first + dots.first_row() + r);
      }
      return;
    }
    Arch::Int8Operands own = operands;
    own.planes += 2 * query * operands.plane_stride;
    dots.template batch<screen_plane_ratio, Aligned, Queries>(
        own, begin + first, any, &queries[query].offset, sizeof(ScreenQuery) / sizeof(double),
        [&](int r, const double(&sums)[Queries]) {
          const int place = own_rows == 1 ? 0 : r;
          KINDRED_UNROLL
          for (int q = 0; q < Queries; ++q) {
            if ((passes[q] >> r & 1U) == 0) {
              leave_out(query + q, first + r);
              continue;
            }
            const ScreenInterval interval =
                screen_interval(metric, queries[query + q], rows[place], sums[q]);
            uppers[(query + q) * chunk + first + r] = interval.upper;
            keys[q][place] = ascending_bits(interval.lower);
          }
        });
    for (int q = 0; q < Queries; ++q) offer(dots, query + q, first, keys[q]);
  }

  /// NaN is at or above no threshold.
  KOKKOS_INLINE_FUNCTION void leave_out(std::uint64_t query, std::uint64_t row) const {
    if (row < count)
      uppers[query * chunk + row] = Kokkos::bit_cast<float>(std::uint32_t{canonical_nan_bits});
  }

  KOKKOS_INLINE_FUNCTION void offer(const dots_type& dots, std::uint64_t query, std::uint64_t first,
                                    const std::uint32_t (&keys)[own_rows]) const {
    if (groups == 0) return;
    const std::uint64_t row = begin + first;
    if (by_batch) {
      const std::uint32_t best = dots_type::batch_max(keys);
      if (dots.is_leader()) offer(query, row / Arch::screen_batch, best);
      return;
    }
    for (int r = 0; r < own_rows; ++r) offer(query, row + dots.first_row() + r, keys[r]);
  }
  KOKKOS_INLINE_FUNCTION void offer(std::uint64_t query, std::uint64_t item,
                                    std::uint32_t key) const {
    if (key == 0) return;
    std::uint32_t* slot = slots + query * groups + item % groups;
    if (Arch::flag_load(slot) < key) Kokkos::atomic_max(slot, key);
  }
};

/// A team: the k-th greatest of the slots of a query, by digits of eight bits.
template <class ExecutionSpace>
struct ThresholdKernel {
  using policy_type = Kokkos::TeamPolicy<ExecutionSpace>;
  using member_type = typename policy_type::member_type;
  static constexpr std::uint32_t bins = 256;
  static constexpr std::uint32_t part = 16;
  /// Counts, sums of 16 of them, the prefix found and how many are left to pass.
  static constexpr std::size_t scratch_bytes = (bins + bins / part + 2) * sizeof(std::uint32_t);

  const std::uint32_t* slots;
  std::uint64_t groups;
  std::uint64_t k;
  float* thresholds;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const std::uint64_t query = team.league_rank();
    const std::uint32_t* keys = slots + query * groups;
    auto* counts =
        static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem(std::size_t{scratch_bytes}));
    std::uint32_t* sums = counts + bins;
    std::uint32_t* found = sums + bins / part;
    const auto bin_range = Kokkos::TeamVectorRange(team, std::uint32_t{bins});
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      found[0] = 0;
      found[1] = k <= groups ? static_cast<std::uint32_t>(k) : 0xFFFFFFFFU;
    });
    for (int shift = 24; shift >= 0; shift -= 8) {
      Kokkos::parallel_for(bin_range, [&](std::uint32_t b) { counts[b] = 0; });
      team.team_barrier();
      const std::uint32_t prefix = found[0];
      const std::uint32_t left = found[1];
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, groups), [&](std::uint64_t i) {
        const std::uint32_t key = keys[i];
        // A shift by 32 is no shift.
        const bool same = shift == 24 || (key >> (shift + 8)) == prefix;
        if (key != 0 && same) Kokkos::atomic_inc(&counts[key >> shift & (bins - 1)]);
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, bins / part), [&](std::uint32_t p) {
        std::uint32_t sum = 0;
        for (std::uint32_t b = 0; b < part; ++b) sum += counts[p * part + b];
        sums[p] = sum;
      });
      team.team_barrier();
      Kokkos::parallel_for(bin_range, [&](std::uint32_t b) {
        std::uint32_t above = 0;
        for (std::uint32_t p = b / part + 1; p < bins / part; ++p) above += sums[p];
        for (std::uint32_t o = b + 1; o < (b / part + 1) * part; ++o) above += counts[o];
        if (above < left && left <= above + counts[b]) {
          found[0] = prefix << 8U | b;
          found[1] = left - above;
        }
      });
      team.team_barrier();
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      // Where fewer than k slots hold a row no bin was found, and the prefix is 0.
      thresholds[query] = found[0] == 0 ? -__builtin_inff() : score_from_ascending_bits(found[0]);
    });
  }
};

/// Item: some neighbouring rows of a query.
template <class ExecutionSpace>
struct SurvivorKernel {
  static constexpr std::uint64_t item_rows = Arch::is_device<ExecutionSpace> ? 4 : 64;

  const float* uppers;
  std::uint64_t chunk;
  std::uint64_t begin;
  std::uint64_t count;
  std::uint64_t items;  // a query
  const float* thresholds;
  std::uint32_t* rows;
  std::uint64_t room;
  std::uint32_t* counts;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t query = index / items;
    const std::uint64_t first = index % items * item_rows;
    const float* upper = uppers + query * chunk + first;
    const float threshold = thresholds[query];
    float values[item_rows];
    bool any = false;
    // A chunk is whole items long, so that what lies behind its rows may be read.
    for (std::uint64_t r = 0; r < item_rows; ++r) {
      values[r] = upper[r];
      any |= values[r] >= threshold;
    }
    if (!any) return;
    for (std::uint64_t r = 0; r < item_rows; ++r) {
      if (first + r >= count || !(values[r] >= threshold)) continue;
      const std::uint32_t place = Kokkos::atomic_fetch_add(&counts[query], 1U);
      if (place < room) rows[query * room + place] = static_cast<std::uint32_t>(begin + first + r);
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_SCREEN_KERNELS_HPP
