// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_FORWARD_DEVICE_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_FORWARD_DEVICE_HPP

#include <kindred/core/arch/Fours.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/impl/SeedCoefficients.hpp>
#include <kindred/core/seed/impl/TeamMoments.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// What a team does with the elements that it reads.
enum class SeedPass {
  plain,   ///< applies the seeds
  whole,   ///< and keeps moments, a thread a block of 64 rows
  divided  ///< and keeps moments, eight threads a block
};

/// \brief A call on a device: a team takes the blocks of rows of a group and the features of a
/// stripe, four neighbours a thread.
template <class In, class Out, SeedPass pass>
struct SeedForwardTeam {
  static constexpr bool keeps = pass != SeedPass::plain;
  static constexpr bool divides = pass == SeedPass::divided;
  static constexpr unsigned threads_max = divides ? 256 : 128;
  static constexpr unsigned teams_at_once = divides ? 2 : 4;
  static constexpr unsigned depth = 8;  ///< rows that a thread reads together

  SeedLayerPointers layer;
  SeedStripes stripes;
  std::uint64_t rows;
  const In* x;
  std::uint64_t x_stride;
  Out* y;
  std::uint64_t y_stride;
  bool aligned;   ///< to four elements, all rows
  bool in_place;  ///< y is x
  TeamMoments<divides> moments;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, std::byte* scratch) const {
    const SeedStripe stripe = stripes.stripe(layer.chunks, team.team());
    const unsigned columns = stripes.columns;
    const unsigned column = team.thread() % columns;
    const unsigned slot = team.thread() / columns;
    const unsigned block_slot = divides ? slot / moment_lanes : slot;
    const std::uint64_t first_row =
        (std::uint64_t{stripe.group} * stripes.group_blocks + block_slot * stripes.run) *
        moment_block;

    const std::uint32_t base = aligned ? stripe.begin & ~3U : stripe.begin;
    const std::uint32_t first = base + 4 * column;
    const In* from = x + first_row * x_stride + first;
    Out* to = y + first_row * y_stride + first;
    unsigned count = rows_at(first_row);
    unsigned mine = 0;
    for (unsigned i = 0; i < 4; ++i)
      mine |= (first + i >= stripe.begin && first + i < stripe.end ? 1U : 0U) << i;
    // Four that two stripes share are read by both and written by the one that has the first. In
    // place nobody may read what another writes: each takes its own, one by one.
    const bool reads_four =
        aligned && mine != 0 && first + 4 <= layer.chunks.hidden && (!in_place || mine == 15);
    const bool writes_four = reads_four && first >= stripe.begin;
    const unsigned writes = reads_four ? 0 : mine;
    const std::uint32_t end = in_place ? stripe.end : up_to_four(stripe.end);

    const auto rows_of = [&](unsigned lane) {
      return count > lane ? (count - lane + moment_lanes - 1) / moment_lanes : 0;
    };
    const auto load = [&](Arch::Four<In>(&read)[depth], unsigned lane) {
      const In* at = from + lane * x_stride;
      const unsigned have = rows_of(lane);
      if (reads_four && have == depth) {
        KINDRED_UNROLL
        for (unsigned j = 0; j < depth; ++j)
          read[j] = Arch::read_four(at + j * (moment_lanes * x_stride));
      } else if (mine != 0) {
        KINDRED_UNROLL
        for (unsigned j = 0; j < depth; ++j) {
          if (j < have) read[j] = load_four(at + j * (moment_lanes * x_stride), reads_four, mine);
        }
      }
    };
    const unsigned first_lane = divides ? slot % moment_lanes : 0;
    Arch::Four<In> read[depth] = {};
    load(read, first_lane);
    Arch::Four<In> shifts{};
    if constexpr (divides) {
      if (count > 0) shifts = load_four(from, reads_four, mine);
    }

    auto* table = reinterpret_cast<SeedCoefficients*>(scratch);
    for (std::uint32_t feature = stripe.begin + team.thread(); feature < end;
         feature += team.threads())
      table[feature - base] = layer.forward(layer.chunks.seed_of(feature), feature);
    team.barrier();  // rows in place of their results: all of a block's are read by now, if divided
    FourCoefficients coefficients;
    Arch::FourMask<Out> copies;
    KINDRED_UNROLL
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t feature = first + static_cast<unsigned>(i);
      const SeedCoefficients one =
          feature >= stripe.begin && feature < end ? table[feature - base] : SeedCoefficients();
      coefficients.set(i, one);
      if constexpr (std::is_same_v<In, Out>) copies.set(i, one.copies);
    }

    FourSums sums;
    Arch::FourExtremes<In> extremes;
    ColumnMoments four[4];
    const auto take = [&](const Arch::Four<In>(&elements)[depth], unsigned lane) {
      const unsigned have = rows_of(lane);
      Out* at = to + lane * y_stride;
      const auto take_row = [&](unsigned j) {
        float values[4];
        float changed[4];
        Arch::to_floats(elements[j], values);
        KINDRED_UNROLL
        for (int i = 0; i < 4; ++i) changed[i] = coefficients.applied(i, values[i]);
        Arch::Four<Out> copied{};
        if constexpr (std::is_same_v<In, Out>) copied = elements[j];
        store_four(at + j * (moment_lanes * y_stride),
                   Arch::round_or_copy<Out>(changed, copied, copies), writes_four, writes);
        if constexpr (keeps) {
          sums.add(values);
          extremes.add(elements[j]);
        }
      };
      if constexpr (keeps) sums.start_lane();
      if (have == depth) {
        KINDRED_UNROLL
        for (unsigned j = 0; j < depth; ++j) take_row(j);
      } else {
        KINDRED_UNROLL
        for (unsigned j = 0; j < depth; ++j) {
          if (j < have) take_row(j);
        }
      }
      if constexpr (keeps) sums.end_lane();
    };
    // A thread's blocks come one after the other; a device keeps runs of them in scratch.
    auto* stack = reinterpret_cast<double*>(moments.stack(scratch, stripes.columns));
    std::uint64_t taken = 0;
    KINDRED_NO_UNROLL
    for (unsigned block = 0; block < (divides ? 1 : stripes.run); ++block) {
      if (block != 0) {
        from += moment_block * x_stride;
        to += moment_block * y_stride;
        count = rows_at(first_row + block * moment_block);
        if (count == 0) break;
        load(read, 0);
      }
      if constexpr (keeps) {
        if constexpr (!divides) shifts = read[0];
        sums.start_block(shifts);
      }
      if constexpr (divides) {
        take(read, first_lane);
      } else if constexpr (sizeof(In) == 4) {
        KINDRED_NO_UNROLL
        for (unsigned lane = 0; lane < moment_lanes; ++lane) {
          if (lane != 0) load(read, lane);
          take(read, lane);
        }
      } else {
        // The rows of a lane are on their way while those of the one before are taken.
        Arch::Four<In> next[depth] = {};
        KINDRED_NO_UNROLL
        for (unsigned lane = 0; lane < moment_lanes; lane += 2) {
          load(next, lane + 1);
          take(read, lane);
          if (lane + 2 < moment_lanes) load(read, lane + 2);
          take(next, lane + 1);
        }
      }
      if constexpr (keeps && !divides) {
        sums.close(count, four);
        std::uint64_t here = count;
        unsigned level = 0;
        for (unsigned done = block; (done & 1U) != 0; done >>= 1U) {
          moments.pull(team, stack, level, moment_block << level, here, four);
          here += moment_block << level;
          ++level;
        }
        taken += count;
        if (block + 1 < stripes.run) moments.push(team, stack, level, four);
      }
    }
    if constexpr (keeps) {
      if (moments.out == nullptr) return;
      if constexpr (divides) {
        moments.gather_lanes(team, scratch, stripes.columns, count, sums, extremes, four);
      } else {
        moments.pull_rest(team, stack, stripes.run, taken, four);
        for (int i = 0; i < 4; ++i) {
          four[i].min = extremes.min(i);
          four[i].max = extremes.max(i);
          four[i].dead = extremes.dead(i);
        }
      }
      moments.finish(team, scratch, layer.chunks, stripes, stripe, rows, base, mine, four);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION unsigned rows_at(std::uint64_t row) const {
    const std::uint64_t left = row < rows ? rows - row : 0;
    return static_cast<unsigned>(left < moment_block ? left : moment_block);
  }
  KOKKOS_INLINE_FUNCTION std::uint32_t up_to_four(std::uint32_t feature) const {
    const std::uint32_t rounded = (feature + 3) & ~3U;
    return aligned && rounded <= layer.chunks.hidden ? rounded : feature;
  }
  KOKKOS_INLINE_FUNCTION static Arch::Four<In> load_four(const In* from, bool is_whole,
                                                         unsigned mine) {
    if (is_whole) return Arch::read_four(from);
    Arch::Four<In> out{};
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      if ((mine >> i & 1U) != 0) out.set(static_cast<int>(i), from[i]);
    }
    return out;
  }
  KOKKOS_INLINE_FUNCTION static void store_four(Out* to, const Arch::Four<Out>& four, bool is_whole,
                                                unsigned mine) {
    if (is_whole) Arch::write_four(to, four);
    if (mine == 0) return;
    for (unsigned i = 0; i < 4; ++i) {
      if ((mine >> i & 1U) != 0) to[i] = four.value(static_cast<int>(i));
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_FORWARD_DEVICE_HPP
