// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SPECIAL_SEED_FORWARD_TEAM_HPP
#define KINDRED_CORE_SEED_SPECIAL_SEED_FORWARD_TEAM_HPP

/// \file
/// A special form for CUDA: not yet measured on `seed-4096`. \see SpecialForms.hpp

#include <kindred/core/arch/AsyncCopy.hpp>
#include <kindred/core/arch/simd/Vec4.hpp>
#include <kindred/core/arch/simd/Vec4Extremes.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/impl/SeedCoefficients.hpp>
#include <kindred/core/seed/impl/TeamMoments.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief The rows that a thread processes, four adjacent elements each, read together.
template <class In>
struct Vec4Rows {
  const In* from;
  std::uint64_t step;  ///< elements from one row to the next
  unsigned count;
};

/// \brief Reads rows ahead of their use into the team's scratch: `depth` rows are in flight.
template <class In, unsigned batch_, unsigned depth>
class QueuedRows {
 public:
  static constexpr unsigned batch = batch_;
  static constexpr std::size_t thread_bytes = depth * sizeof(Arch::Vec4<In>);

  KOKKOS_INLINE_FUNCTION void begin(std::byte* memory, unsigned thread, unsigned threads,
                                    const Vec4Rows<In>& rows) {
    m_slots = reinterpret_cast<Arch::Vec4<In>*>(memory) + thread;
    m_threads = threads;
    m_next = rows.from;
    m_left = rows.count;
    KINDRED_UNROLL
    for (unsigned j = 0; j < depth; j += batch) start(rows, j);
  }
  /// Calls `take(rows)` for full batches, then for single rows, and `halfway()` once, also in
  /// threads without rows.
  template <class Take, class TakeOne, class Halfway>
  KOKKOS_INLINE_FUNCTION void each(const Vec4Rows<In>& rows, const Take& take,
                                   const TakeOne& take_one, const Halfway& halfway) {
    const unsigned half = rows.count / 2 / batch * batch;
    unsigned slot = 0;
    unsigned j = 0;
    KINDRED_NO_UNROLL
    for (; j + batch <= rows.count; j += batch) {
      if (j == half) halfway();
      Arch::await_copies<depth / batch - 1>();
      Arch::Vec4<In> here[batch];
      KINDRED_UNROLL
      for (unsigned i = 0; i < batch; ++i) here[i] = m_slots[(slot + i) * m_threads];
      start(rows, slot);
      take(here);
      slot = slot + batch == depth ? 0 : slot + batch;
    }
    if (rows.count < batch) halfway();
    Arch::await_copies<0>();
    KINDRED_NO_UNROLL
    for (unsigned i = 0; j < rows.count; ++j, ++i) take_one(m_slots[(slot + i) * m_threads]);
  }

 private:
  /// Starts the next batch of the remaining rows.
  KOKKOS_INLINE_FUNCTION void start(const Vec4Rows<In>& rows, unsigned slot) {
    KINDRED_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      if (i < m_left) Arch::copy_async(m_slots + (slot + i) * m_threads, m_next);
      m_next += rows.step;
    }
    m_left = m_left > batch ? m_left - batch : 0;
    Arch::end_copy_batch();
  }
  Arch::Vec4<In>* m_slots;
  unsigned m_threads;
  const In* m_next;
  unsigned m_left;
};

/// \brief A call on a device: a team processes a block of rows of the features of a stripe, a
/// thread four adjacent features in the rows of a lane. \tparam keeps also computes moments
template <class In, class Out, bool keeps>
struct SeedForwardTeam {
  static constexpr unsigned threads_max = moment_lanes * 32;
  static constexpr unsigned teams_at_once = keeps ? 2 : (sizeof(In) == 4 ? 3 : 4);
  /// Enough rows in flight to hide a device's latencies.
  using Rows = QueuedRows<In, sizeof(In) == 4 ? 2 : 4, sizeof(In) == 4 ? 8 : 16>;

  SeedLayerPointers layer;
  SeedStripes stripes;
  std::uint64_t rows;
  const In* x;
  std::uint64_t x_stride;
  Out* y;
  std::uint64_t y_stride;
  bool aligned;      ///< all rows are aligned to four elements
  bool in_place;     ///< y is x
  bool reads_early;  ///< before the preceding launch has ended
  TeamMoments moments;

  /// Bytes that a team shares.
  std::size_t scratch_bytes() const {
    return TeamScratch::bytes(stripes.across(), keeps,
                              stripes.across() * moment_lanes * Rows::thread_bytes);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, std::byte* memory) const {
    const SeedStripe stripe = stripes.stripe(layer.chunks, team.team());
    const TeamPlace place = stripes.place(team.thread());
    const TeamScratch scratch(memory, stripes.across());
    const std::uint64_t block_row = std::uint64_t{stripe.group} * stripes.block_rows;
    const std::uint64_t left = rows - block_row;
    const auto block_rows =
        static_cast<unsigned>(left < stripes.block_rows ? left : stripes.block_rows);

    const std::uint32_t base = aligned ? stripe.begin & ~15U : stripe.begin;  // a memory sector
    const std::uint32_t first = base + 4 * place.column;
    unsigned mine = 0;
    for (unsigned i = 0; i < 4; ++i)
      mine |= (first + i >= stripe.begin && first + i < stripe.end ? 1U : 0U) << i;
    // Four features that two stripes share are read by both and written by the stripe that has the
    // first. In place, no stripe may read what another writes, so each processes its own features
    // one by one.
    const bool loads_vec4 =
        aligned && mine != 0 && first + 4 <= layer.chunks.hidden && (!in_place || mine == 15);
    const bool stores_vec4 = first >= stripe.begin;
    const std::uint32_t end = in_place ? stripe.end : up_to_four(stripe.end);

    unsigned count = 0;
    if (mine != 0 && block_rows > place.lane)
      count = quotient_up(block_rows - place.lane, moment_lanes);
    Vec4Rows<In> source{x + (block_row + place.lane) * x_stride + first, moment_lanes * x_stride,
                        loads_vec4 ? count : 0};
    if (!reads_early) team.wait_for_previous_launch();
    Rows ahead;
    ahead.begin(scratch.rest, team.thread(), team.threads(), source);
    if constexpr (shifts) {
      if (place.lane == 0) {
        KINDRED_UNROLL
        for (unsigned i = 0; i < 4; ++i)
          scratch.shifts[4 * place.column + i] =
              count > 0 && (mine >> i & 1U) != 0 ? Arch::to_float(source.from[i]) : 0.0F;
      }
    }
    KINDRED_NO_UNROLL
    for (std::uint32_t feature = stripe.begin + team.thread(); feature < end;
         feature += team.threads())
      scratch.table[feature - base] =
          layer.forward(layer.behaviour(layer.chunks.seed_of(feature)), feature);
    team.barrier();  // the shifts have been read from rows that the results will overwrite
    Vec4Coefficients coefficients;
    Arch::Vec4Mask<Out> copies;
    Vec4Sums<shifts> sums;
    Arch::Vec4Extremes<In> extremes;
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      // Arbitrary for features that do not exist.
      const SeedCoefficients one = scratch.table[4 * place.column + i];
      coefficients.set(static_cast<int>(i), one);
      if constexpr (std::is_same_v<In, Out>) copies.set(static_cast<int>(i), one.copies);
      if constexpr (shifts)
        sums.shift[i] = static_cast<double>(scratch.shifts[4 * place.column + i]);
    }

    Out* to = y + (block_row + place.lane) * y_stride + first;
    const std::uint64_t to_step = moment_lanes * y_stride;
    const auto changed = [&](const Arch::Vec4<In>& elements) {
      float values[4];
      float results[4];
      Arch::to_floats(elements, values);
      KINDRED_UNROLL
      for (int f = 0; f < 4; ++f) results[f] = coefficients.applied(f, values[f]);
      if constexpr (keeps) {
        sums.add(values);
        extremes.add(elements);
      }
      Arch::Vec4<Out> copied{};
      if constexpr (std::is_same_v<In, Out>) copied = elements;
      return Arch::round_or_copy<Out>(results, copied, copies);
    };
    const auto take_row = [&](const Arch::Vec4<In>& elements) {
      const Arch::Vec4<Out> result = changed(elements);
      if (stores_vec4) Arch::store_vec4(to, result);
      to += to_step;
    };
    ahead.each(
        source,
        [&](const Arch::Vec4<In>(&elements)[Rows::batch]) {
          KINDRED_UNROLL
          for (unsigned i = 0; i < Rows::batch; ++i) take_row(elements[i]);
        },
        take_row,
        // Early enough that the next launch takes the first slot that becomes free, late enough
        // that no team waits. In this order two launches run concurrently, never three.
        [&] {
          team.wait_for_previous_launch();
          team.trigger_next_launch();
        });
    if (!loads_vec4) {
      KINDRED_NO_UNROLL
      for (unsigned j = 0; j < count; ++j) {
        Arch::Vec4<In> elements{};
        for (unsigned i = 0; i < 4; ++i) {
          if ((mine >> i & 1U) != 0) elements.set(static_cast<int>(i), source.from[i]);
        }
        const Arch::Vec4<Out> result = changed(elements);
        for (unsigned i = 0; i < 4; ++i) {
          if ((mine >> i & 1U) != 0) to[i] = result.value(static_cast<int>(i));
        }
        source.from += source.step;
        to += to_step;
      }
    }
    if constexpr (keeps)
      moments.finish(team, place, memory, layer.chunks, stripes, stripe, rows, base, sums,
                     extremes);
  }

 private:
  /// Squares of 16-bit elements are exact in double and cancel little.
  static constexpr bool shifts = keeps && sizeof(In) == 4;

  KOKKOS_INLINE_FUNCTION std::uint32_t up_to_four(std::uint32_t feature) const {
    const std::uint32_t rounded = (feature + 3) & ~3U;
    return aligned && rounded <= layer.chunks.hidden ? rounded : feature;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_SPECIAL_SEED_FORWARD_TEAM_HPP
