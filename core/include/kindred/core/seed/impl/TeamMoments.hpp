// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_TEAM_MOMENTS_HPP
#define KINDRED_CORE_SEED_IMPL_TEAM_MOMENTS_HPP

#include <kindred/core/arch/simd/Vec4.hpp>
#include <kindred/core/seed/impl/MergeMoments.hpp>
#include <kindred/core/seed/impl/SeedCoefficients.hpp>
#include <kindred/core/seed/impl/SeedStripes.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief The sums of four columns over the rows of a lane; shifted if the elements are float32.
template <bool shifts_>
struct Vec4Sums {
  static constexpr bool shifts = shifts_;
  double shift[4] = {};
  double sum[4] = {};
  double squares[4] = {};

  KOKKOS_INLINE_FUNCTION void add(const float (&values)[4]) {
    KINDRED_UNROLL
    for (int i = 0; i < 4; ++i) {
      double value = static_cast<double>(values[i]);
      if constexpr (shifts) value -= shift[i];
      sum[i] += value;
      squares[i] = ::fma(value, value, squares[i]);
    }
  }
};

/// \brief The shared memory of a team, which has `moment_lanes` threads per column of four
/// features.
struct TeamScratch {
  SeedCoefficients* table;  ///< one per feature
  float* shifts;            ///< one per feature: the block's first row
  std::byte* rest;          ///< rows in flight, later moments

  /// Bytes that a thread passes to others of its column, and bytes per column.
  static constexpr std::size_t fold_bytes = 8 * sizeof(double) + 8 * 4 + 4 * 4;
  static constexpr std::size_t bytes(unsigned across, bool keeps, std::size_t rest) {
    const std::size_t of_moments = keeps ? across * (moment_lanes + 1) * fold_bytes : 0;
    return std::size_t{across} * 4 * (sizeof(SeedCoefficients) + sizeof(float)) +
           (rest > of_moments ? rest : of_moments);
  }
  KOKKOS_INLINE_FUNCTION TeamScratch(std::byte* memory, unsigned across)
      : table(reinterpret_cast<SeedCoefficients*>(memory)),
        shifts(reinterpret_cast<float*>(table + 4 * across)),
        rest(reinterpret_cast<std::byte*>(shifts + 4 * across)) {}
};

/// \brief 1 / element counts of all closing and merging steps: the same for all teams, so that none
/// divides.
struct MomentShares {
  double block;
  double last_block;
  double rows;
  double chunk;  ///< 1 / features
  double wider_chunk;
  double last_chunk;  ///< of the last seed that has features

  static MomentShares of(std::uint64_t rows, const SeedStripes& stripes, const ChunkMap& chunks) {
    const auto share = [](std::uint64_t count) { return 1.0 / static_cast<double>(count); };
    const std::uint64_t before = std::uint64_t{stripes.groups - 1} * stripes.block_rows;
    const std::uint32_t owners = chunks.owners();
    return {share(stripes.block_rows),
            share(rows - before),
            share(rows),
            share(chunks.narrow),
            share(std::uint64_t{chunks.narrow} + 1),
            share(owners == 0 ? 0 : chunks.width(owners - 1))};
  }
  KOKKOS_INLINE_FUNCTION double of_chunk(const ChunkMap& chunks, std::uint32_t width) const {
    if (width == chunks.narrow) return chunk;
    return width > chunks.narrow ? wider_chunk : last_chunk;
  }
};

/// \brief The seeds of a stripe: it owns `begin … end − 1` alone; the first and last may be shared.
struct StripeSeeds {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool shares_first = false;
  bool shares_last = false;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  KOKKOS_INLINE_FUNCTION StripeSeeds(const ChunkMap& chunks, const SeedStripe& stripe) {
    if (stripe.begin == stripe.end) return;
    first = chunks.seed_of(stripe.begin);
    last = chunks.seed_of(stripe.end - 1);
    shares_first = chunks.begin(first) < stripe.begin ||
                   (first == last && chunks.begin(first + 1) > stripe.end);
    shares_last = first != last && chunks.begin(last + 1) > stripe.end;
    begin = shares_first ? first + 1 : first;
    end = shares_last ? last : last + 1;
  }
  KOKKOS_INLINE_FUNCTION bool any_shared() const { return shares_first || shares_last; }
  /// The first or last seed. Not an array: indexed dynamically, it would be kept in memory.
  KOKKOS_INLINE_FUNCTION std::uint32_t at_end(unsigned which) const {
    return which == 0 ? first : last;
  }
  KOKKOS_INLINE_FUNCTION bool shares(unsigned which) const {
    return which == 0 ? shares_first : shares_last;
  }
};

/// \brief Computes the moments of seeds from the sums of the threads of teams: over the lanes of a
/// team's block of rows, over the blocks, over the features of a seed. The last team to finish its
/// part of a step performs the step.
struct TeamMoments {
  SeedMoments* out;         ///< one per seed
  std::uint32_t* counters;  ///< one per stripe, then one per seed; 0 between calls
  /// [stripe][block][4 · across]; used if a stripe has several blocks or a seed several owners
  ColumnMoments* cells;
  ColumnMoments* features;  ///< [feature]: of wide seeds that stripes share
  MomentShares shares;

  template <class Team, class Sums, class Extremes>
  KOKKOS_INLINE_FUNCTION void finish(const Team& team, const TeamPlace& place, std::byte* memory,
                                     const ChunkMap& chunks, const SeedStripes& stripes,
                                     const SeedStripe& stripe, std::uint64_t rows,
                                     std::uint32_t base, const Sums& sums,
                                     const Extremes& extremes) const {
    const unsigned across = stripes.across();
    const TeamScratch scratch(memory, across);
    const unsigned thread = team.thread();
    const std::uint32_t feature = base + thread - stripe.begin;  // index within the stripe
    const bool is_mine =
        thread < 4 * across && base + thread >= stripe.begin && feature < stripe.end - stripe.begin;
    fold_lanes(team, place, scratch, across, sums, extremes);
    ColumnMoments mine{};
    if (is_mine) {
      mine = closed<Sums::shifts>(
          scratch, across, thread,
          stripe.group + 1 == stripes.groups ? shares.last_block : shares.block);
    }
    const StripeSeeds seeds(chunks, stripe);
    auto* flags = reinterpret_cast<std::uint32_t*>(memory);
    const bool is_alone = stripes.groups == 1 && !seeds.any_shared();
    if (!is_alone) {
      if (is_mine) *cell(stripes, stripe.index, stripe.group, feature) = mine;
      team.barrier();
      arrive(team, flags, chunks, stripes, stripe, seeds);
      team.barrier();
      if ((flags[0] | flags[1] | flags[2]) == 0) return;
      if (is_mine && flags[0] != 0 && stripes.groups > 1)
        mine = over_blocks(team, stripes, rows, stripe.index, feature);
    }
    const bool ends_stripe = is_alone || flags[0] != 0;
    auto* merged = reinterpret_cast<ColumnMoments*>(scratch.rest);
    if (stripe.index + 1 == stripes.stripes && ends_stripe) {
      for (std::uint32_t seed = chunks.owners() + thread; seed < chunks.seeds;
           seed += team.threads())
        out[seed] = SeedMoments();
    }
    if (chunks.width_max() <= moment_fan) {
      // After the stripe's own features, positions for those of the two seeds that it shares.
      const std::uint32_t own = 4 * across;
      if (is_mine) merged[feature] = mine;
      if (thread >= own && !is_alone) {
        const std::uint32_t which = (thread - own) / moment_fan;
        const std::uint32_t i = (thread - own) % moment_fan;
        if (which < 2 && flags[1 + which] != 0 && i < chunks.width(seeds.at_end(which)))
          merged[thread] = over_blocks(team, stripes, rows, chunks.begin(seeds.at_end(which)) + i);
      }
      team.barrier();
      // One thread per seed.
      std::uint32_t seed = seeds.begin + thread;
      const ColumnMoments* of_seed = merged + (chunks.begin(seed) - stripe.begin);
      bool takes = ends_stripe && seed < seeds.end;
      if (thread >= own && thread < own + 2) {
        seed = seeds.at_end(thread - own);
        of_seed = merged + own + (thread - own) * moment_fan;
        takes = !is_alone && flags[1 + thread - own] != 0;
      }
      if (takes) {
        const std::uint32_t width = chunks.width(seed);
        const ColumnMoments all =
            merge_parts(width, 1, 1, shares.of_chunk(chunks, width), static_cast<double>(rows),
                        [&](unsigned i) { return of_seed[i]; });
        out[seed] = moments_of(all, rows * width);
      }
      return;
    }
    if (is_mine) merged[feature] = mine;
    team.barrier();
    if (ends_stripe) {
      // One thread per feature.
      const bool is_there = thread < stripe.end - stripe.begin;
      const std::uint32_t seed = is_there ? chunks.seed_of(stripe.begin + thread) : seeds.end;
      const bool is_whole = seed >= seeds.begin && seed < seeds.end;
      const std::uint32_t of_seed = is_whole ? chunks.begin(seed) - stripe.begin : 0;
      const std::uint32_t width = is_whole ? chunks.width(seed) : 0;
      merge_levels<false>(team, merged + of_seed, thread - of_seed, width, chunks.width_max(),
                          rows);
      if (is_whole && thread == of_seed) out[seed] = moments_of(merged[thread], rows * width);
    }
    if (is_alone) return;
    for (unsigned i = 0; i < 2; ++i) {
      if (flags[1 + i] == 0) continue;
      const std::uint32_t width = chunks.width(seeds.at_end(i));
      ColumnMoments* const of_seed = features + chunks.begin(seeds.at_end(i));
      for (std::uint32_t f = thread; f < width; f += team.threads())
        of_seed[f] = over_blocks(team, stripes, rows, chunks.begin(seeds.at_end(i)) + f);
      team.barrier();
      merge_levels<true>(team, of_seed, thread, width, width, rows);
      if (thread == 0) out[seeds.at_end(i)] = moments_of(*of_seed, rows * width);
    }
  }

 private:
  /// What the threads of a team pass to each other: four sums, four sums of squares, four minima,
  /// four maxima and four counts per thread; then the same per column.
  struct Folds {
    double* sums;
    float* extremes;
    std::uint32_t* dead;

    KOKKOS_INLINE_FUNCTION Folds(std::byte* memory, unsigned threads)
        : sums(reinterpret_cast<double*>(memory)),
          extremes(reinterpret_cast<float*>(sums + 8 * threads)),
          dead(reinterpret_cast<std::uint32_t*>(extremes + 8 * threads)) {}
  };

  /// Each thread reduces one sum and one extreme of its column over the lanes.
  template <class Team, class Sums, class Extremes>
  KOKKOS_INLINE_FUNCTION static void fold_lanes(const Team& team, const TeamPlace& place,
                                                const TeamScratch& scratch, unsigned across,
                                                const Sums& sums, const Extremes& extremes) {
    static_assert(moment_lanes == 8);
    const unsigned threads = moment_lanes * across;
    const unsigned at = place.lane * across + place.column;
    const Folds given(scratch.rest, threads);
    team.barrier();  // the rows in flight have been used
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      given.sums[i * threads + at] = sums.sum[i];
      given.sums[(4 + i) * threads + at] = sums.squares[i];
      given.extremes[i * threads + at] = extremes.min(static_cast<int>(i));
      given.extremes[(4 + i) * threads + at] = extremes.max(static_cast<int>(i));
      given.dead[i * threads + at] = extremes.dead(static_cast<int>(i));
    }
    team.barrier();
    const Folds folded(scratch.rest + threads * TeamScratch::fold_bytes, across);
    const unsigned first = place.lane * threads + place.column;
    double lanes[moment_lanes];
    KINDRED_UNROLL
    for (unsigned l = 0; l < moment_lanes; ++l) lanes[l] = given.sums[first + l * across];
    folded.sums[at] = folded_lanes(lanes);
    // The maximum is the negated minimum of the negated values.
    const float sign = place.lane < 4 ? 1.0F : -1.0F;
    float extreme = sign * given.extremes[first];
    KINDRED_UNROLL
    for (unsigned l = 1; l < moment_lanes; ++l)
      extreme = ::fminf(extreme, sign * given.extremes[first + l * across]);
    folded.extremes[at] = sign * extreme;
    if (place.lane < 4) {
      std::uint32_t dead = 0;
      KINDRED_UNROLL
      for (unsigned l = 0; l < moment_lanes; ++l) dead += given.dead[first + l * across];
      folded.dead[at] = dead;
    }
    team.barrier();
  }

  /// The block's moments of the feature at \p place.
  template <bool shifts>
  KOKKOS_INLINE_FUNCTION static ColumnMoments closed(const TeamScratch& scratch, unsigned across,
                                                     unsigned place, double share) {
    const Folds folded(scratch.rest + moment_lanes * across * TeamScratch::fold_bytes, across);
    const unsigned at = place % 4 * across + place / 4;
    ColumnMoments out{};
    double shift = 0;
    if constexpr (shifts) shift = static_cast<double>(scratch.shifts[place]);
    close_block(shift, folded.sums[at], folded.sums[4 * across + at], share, out.mean, out.m2);
    out.min = folded.extremes[at];
    out.max = folded.extremes[4 * across + at];
    out.dead = folded.dead[at];
    return out;
  }

  KOKKOS_INLINE_FUNCTION ColumnMoments* cell(const SeedStripes& stripes, std::uint32_t stripe,
                                             std::uint32_t block, std::uint32_t feature) const {
    return cells + (std::uint64_t{stripe} * stripes.groups + block) * 4 * stripes.across() +
           feature;
  }

  /// Sets three flags: whether this team came last among those of the stripe, of the seed that it
  /// shares at its beginning, and of the one at its end. The counters concerned are then 0 again.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void arrive(const Team& team, std::uint32_t* flags, const ChunkMap& chunks,
                                     const SeedStripes& stripes, const SeedStripe& stripe,
                                     const StripeSeeds& seeds) const {
    const std::uint32_t thread = team.thread();
    if (thread != 0 && thread != 32 && thread != 33) return;
    // by threads in different warps, which wait at the same time
    const std::uint32_t which = thread == 0 ? 0 : thread - 31;
    std::uint32_t* counter = counters + stripe.index;
    std::uint32_t expected = stripes.groups;
    bool takes_part = true;
    if (which != 0) {
      const std::uint32_t seed = seeds.at_end(which - 1);
      takes_part = seeds.shares(which - 1);
      counter = counters + stripes.stripes + seed;
      if (takes_part) expected *= stripes.stripes_of(chunks, seed);
    }
    bool is_last = false;
    if (takes_part) {
      is_last = expected == 1 || team.arrive(counter) + 1 == expected;
      if (is_last) *counter = 0;
    }
    flags[which] = is_last ? 1 : 0;
  }

  /// The moments of a stripe's feature over all blocks.
  template <class Team>
  KOKKOS_INLINE_FUNCTION ColumnMoments over_blocks(const Team& team, const SeedStripes& stripes,
                                                   std::uint64_t rows, std::uint32_t stripe,
                                                   std::uint32_t feature) const {
    const ColumnMoments* first = cell(stripes, stripe, 0, feature);
    const std::uint64_t last = rows - std::uint64_t{stripes.groups - 1} * stripes.block_rows;
    return merge_parts(stripes.groups, stripes.block_rows, static_cast<double>(last), shares.rows,
                       1.0, [&](unsigned block) {
                         return team.read(first + std::uint64_t{block} * 4 * stripes.across());
                       });
  }
  template <class Team>
  KOKKOS_INLINE_FUNCTION ColumnMoments over_blocks(const Team& team, const SeedStripes& stripes,
                                                   std::uint64_t rows,
                                                   std::uint32_t feature) const {
    return over_blocks(team, stripes, rows, feature / stripes.width(), feature % stripes.width());
  }

  /// Merges runs of `moment_fan` of \p count features, at the position of the first. \tparam all a
  /// thread processes the runs \p first, \p first + threads, …; otherwise only the one at its own
  /// position
  template <bool all, class Team>
  KOKKOS_INLINE_FUNCTION static void merge_levels(const Team& team, ColumnMoments* values,
                                                  std::uint32_t first, std::uint32_t count,
                                                  std::uint32_t count_most, std::uint64_t rows) {
    KINDRED_NO_UNROLL
    for (std::uint64_t step = 1; step < count_most; step *= moment_fan) {
      const std::uint64_t run = step * moment_fan;
      KINDRED_NO_UNROLL
      for (std::uint64_t i = all ? first * run : first; i < count; i += team.threads() * run) {
        if (!all && i % run != 0) break;
        const std::uint64_t here = count - i < run ? count - i : run;
        const auto parts = static_cast<unsigned>(quotient_up(here, step));
        values[i] = merge_parts(parts, static_cast<double>(step),
                                static_cast<double>(here - (parts - 1) * step),
                                1.0 / static_cast<double>(here), static_cast<double>(rows),
                                [&](unsigned j) { return values[i + j * step]; });
        if (!all) break;
      }
      team.barrier();
    }
  }

  KOKKOS_INLINE_FUNCTION static SeedMoments moments_of(const ColumnMoments& column,
                                                       std::uint64_t count) {
    if (count == 0) return {};
    return finished({count, column.dead, column.mean, column.m2, column.min, column.max});
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_TEAM_MOMENTS_HPP
