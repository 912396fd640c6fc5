// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_TEAM_MOMENTS_HPP
#define KINDRED_CORE_SEED_IMPL_TEAM_MOMENTS_HPP

#include <kindred/core/arch/Fours.hpp>
#include <kindred/core/seed/impl/MergeMoments.hpp>
#include <kindred/core/seed/impl/SeedCoefficients.hpp>
#include <kindred/core/seed/impl/SeedStripes.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief A column's moments of so many rows as who holds them knows.
struct ColumnMoments {
  double mean;
  double m2;
  float min;
  float max;
  std::uint64_t dead;
};

/// \brief The shifted sums of a thread's four columns of a block.
struct FourSums {
  double shift[4];
  double sum[4] = {};
  double squares[4] = {};
  double lane_sum[4] = {};
  double lane_squares[4] = {};

  template <class Four>
  KOKKOS_INLINE_FUNCTION void start_block(const Four& four) {
    KINDRED_UNROLL
    for (int i = 0; i < 4; ++i) {
      shift[i] = static_cast<double>(Arch::to_float(four.value(i)));
      sum[i] = squares[i] = 0;
    }
  }
  KOKKOS_INLINE_FUNCTION void close(unsigned rows, ColumnMoments (&four)[4]) const {
    const double share = 1.0 / static_cast<double>(rows);
    KINDRED_UNROLL
    for (int i = 0; i < 4; ++i)
      close_block(shift[i], sum[i], squares[i], share, four[i].mean, four[i].m2);
  }
  KOKKOS_INLINE_FUNCTION void start_lane() {
    KINDRED_UNROLL
    for (int i = 0; i < 4; ++i) lane_sum[i] = lane_squares[i] = 0;
  }
  KOKKOS_INLINE_FUNCTION void add(const float (&values)[4]) {
    KINDRED_UNROLL
    for (int i = 0; i < 4; ++i) {
      const double shifted = static_cast<double>(values[i]) - shift[i];
      lane_sum[i] += shifted;
      lane_squares[i] = ::fma(shifted, shifted, lane_squares[i]);
    }
  }
  KOKKOS_INLINE_FUNCTION void end_lane() {
    KINDRED_UNROLL
    for (int i = 0; i < 4; ++i) {
      sum[i] += lane_sum[i];
      squares[i] += lane_squares[i];
    }
  }
};

/// \brief Columns that threads give to others, an array a field: neighbours are of other banks.
struct GivenColumns {
  double* mean;
  double* m2;
  float* min;
  float* max;
  std::uint32_t* dead;

  KOKKOS_INLINE_FUNCTION GivenColumns(std::byte* memory, unsigned count)
      : mean(reinterpret_cast<double*>(memory)),
        m2(mean + count),
        min(reinterpret_cast<float*>(m2 + count)),
        max(min + count),
        dead(reinterpret_cast<std::uint32_t*>(max + count)) {}
  KOKKOS_INLINE_FUNCTION void put(unsigned i, const ColumnMoments& column) const {
    mean[i] = column.mean;
    m2[i] = column.m2;
    min[i] = column.min;
    max[i] = column.max;
    dead[i] = static_cast<std::uint32_t>(column.dead);
  }
  KOKKOS_INLINE_FUNCTION ColumnMoments get(unsigned i) const {
    return {mean[i], m2[i], min[i], max[i], dead[i]};
  }
};

/// \brief From the sums of the threads of teams to the moments of seeds: over the blocks of a team,
/// over the groups of rows, over the features of a seed, over the parts of a seed. Who comes last
/// of the teams that share a step takes it.
template <bool divides>
struct TeamMoments {
  SeedMoments* out;         ///< one a seed
  std::uint32_t* counters;  ///< a stripe, then a seed; 0 between calls
  ColumnMoments* columns;   ///< [stripe][group][4 · columns]; if groups are many
  SeedMoments* parts;       ///< [seed][part]; if parts are many

  static constexpr unsigned run_levels =
      2;  ///< runs of at most 4 blocks; counts of bfloat16 end at 256
  /// Bytes that a team shares.
  static constexpr std::size_t scratch_bytes(unsigned threads, unsigned features) {
    const std::size_t table = features * sizeof(SeedCoefficients);
    std::size_t exchange = divides ? threads * 64 : threads / 2 * 4 * sizeof(ColumnMoments);
    const std::size_t of_features = features * sizeof(ColumnMoments);
    const std::size_t of_groups = threads * sizeof(SeedMoments);
    const std::size_t of_runs = divides ? 0 : threads * run_levels * 64;
    exchange = exchange > of_runs ? exchange : of_runs;
    std::size_t most = exchange > of_groups ? exchange : of_groups;
    most = most > of_features ? most : of_features;
    return table + most + 16;
  }

  /// Eight threads a block: the sums of all lanes, in order, and all extremes come to lane 0.
  template <class Team, class Extremes>
  KOKKOS_FUNCTION static void gather_lanes(const Team& team, std::byte* scratch, unsigned across,
                                           unsigned count, FourSums& sums, const Extremes& extremes,
                                           ColumnMoments (&four)[4]) {
    std::byte* exchange = stack(scratch, across);
    KINDRED_UNROLL
    for (int i = 0; i < 4; ++i)
      four[i] = {0, 0, extremes.min(i), extremes.max(i), extremes.dead(i)};
    const unsigned threads = team.threads();
    const unsigned thread = team.thread();
    const unsigned lane = thread / across % moment_lanes;
    const unsigned of_lane_0 = thread - lane * across;
    auto* words = reinterpret_cast<double*>(exchange);
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      words[i * threads + thread] = sums.sum[i];
      words[(4 + i) * threads + thread] = sums.squares[i];
    }
    team.barrier();
    // Eight sums, eight lanes: each thread adds one.
    double total = 0;
    KINDRED_UNROLL
    for (unsigned l = 0; l < moment_lanes; ++l)
      total += words[lane * threads + of_lane_0 + l * across];
    team.barrier();
    words[lane * threads + of_lane_0] = total;
    team.barrier();
    if (lane == 0) {
      KINDRED_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        sums.sum[i] = words[i * threads + thread];
        sums.squares[i] = words[(4 + i) * threads + thread];
      }
    }
    team.barrier();
    auto* least = reinterpret_cast<float*>(exchange);
    float* greatest = least + 4 * threads;
    auto* dead = reinterpret_cast<std::uint32_t*>(greatest + 4 * threads);
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      least[i * threads + thread] = four[i].min;
      greatest[i * threads + thread] = four[i].max;
      dead[i * threads + thread] = static_cast<std::uint32_t>(four[i].dead);
    }
    team.barrier();
    if (lane == 0) {
      for (unsigned l = 1; l < moment_lanes; ++l) {
        const unsigned other = thread + l * across;
        KINDRED_UNROLL
        for (unsigned i = 0; i < 4; ++i) {
          const float low = least[i * threads + other];
          const float high = greatest[i * threads + other];
          four[i].min = low < four[i].min ? low : four[i].min;
          four[i].max = high > four[i].max ? high : four[i].max;
          four[i].dead += dead[i * threads + other];
        }
      }
    }
    team.barrier();
    sums.close(count, four);
  }

  /// Where a thread's runs of blocks wait.
  KOKKOS_INLINE_FUNCTION static std::byte* stack(std::byte* scratch, unsigned across) {
    return scratch + 4 * across * sizeof(SeedCoefficients);
  }
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void push(const Team& team, double* stack, unsigned level,
                                          const ColumnMoments (&four)[4]) {
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      stack[((level * 4 + i) * 2) * team.threads() + team.thread()] = four[i].mean;
      stack[((level * 4 + i) * 2 + 1) * team.threads() + team.thread()] = four[i].m2;
    }
  }
  /// The run of \p level, of \p left rows, and \p four, of \p here rows, become four.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void pull(const Team& team, const double* stack, unsigned level,
                                          std::uint64_t left, std::uint64_t here,
                                          ColumnMoments (&four)[4]) {
    const MergeWeights weights(left, here);
    KINDRED_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      double mean = stack[((level * 4 + i) * 2) * team.threads() + team.thread()];
      double m2 = stack[((level * 4 + i) * 2 + 1) * team.threads() + team.thread()];
      merge_means(mean, m2, four[i].mean, four[i].m2, weights);
      four[i].mean = mean;
      four[i].m2 = m2;
    }
  }
  /// Where rows ended within the run: what is on the stack, the shortest run first. \p four is the
  /// last one.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void pull_rest(const Team& team, const double* stack, unsigned run,
                                               std::uint64_t taken, ColumnMoments (&four)[4]) {
    const auto blocks = static_cast<unsigned>((taken + moment_block - 1) / moment_block);
    if (blocks == 0 || blocks == run) return;
    unsigned lowest = 0;
    while ((blocks >> lowest & 1U) == 0) ++lowest;
    std::uint64_t here =
        taken - std::uint64_t{(blocks >> lowest << lowest) - (1U << lowest)} * moment_block;
    for (unsigned level = lowest + 1; blocks >> level != 0; ++level) {
      if ((blocks >> level & 1U) == 0) continue;
      pull(team, stack, level, moment_block << level, here, four);
      here += moment_block << level;
    }
  }

  template <class Team>
  KOKKOS_FUNCTION void finish(const Team& team, std::byte* scratch, const ChunkMap& chunks,
                              const SeedStripes& stripes, const SeedStripe& stripe,
                              std::uint64_t rows, std::uint32_t base, unsigned mine,
                              ColumnMoments (&four)[4]) const {
    const unsigned across = stripes.columns;
    const unsigned column = team.thread() % across;
    const unsigned slot = team.thread() / across;
    const unsigned block_slot = divides ? slot / moment_lanes : slot;
    const bool holds = !divides || slot % moment_lanes == 0;
    std::byte* exchange = stack(scratch, across);
    const std::uint32_t slots = stripes.group_blocks / stripes.run;
    team.barrier();  // what was on the stacks is used

    const std::uint64_t first_row =
        std::uint64_t{stripe.group} * stripes.group_blocks * moment_block;
    for (unsigned step = 1; step < slots; step *= 2) {
      const unsigned place = block_slot & (2 * step - 1);
      const unsigned pair = block_slot / (2 * step) * across + column;
      const unsigned pairs = slots / (2 * step) * across;
      const GivenColumns given(exchange, 4 * pairs);
      if (holds && place == step) {
        KINDRED_UNROLL
        for (unsigned i = 0; i < 4; ++i) given.put(i * pairs + pair, four[i]);
      }
      team.barrier();
      const std::uint64_t b =
          rows_from(rows, first_row + std::uint64_t{block_slot + step} * stripes.run * moment_block,
                    std::uint64_t{step} * stripes.run);
      if (holds && place == 0 && b > 0) {
        const MergeWeights weights(std::uint64_t{step} * stripes.run * moment_block, b);
        KINDRED_UNROLL
        for (unsigned i = 0; i < 4; ++i) merge(four[i], given.get(i * pairs + pair), weights);
      }
      team.barrier();
    }

    // The table is free: everybody has passed a barrier, or does here.
    team.barrier();
    auto* features = reinterpret_cast<ColumnMoments*>(exchange);
    if (block_slot == 0 && holds) {
      KINDRED_UNROLL
      for (unsigned i = 0; i < 4; ++i) {
        if ((mine >> i & 1U) != 0) features[base + 4 * column + i - stripe.begin] = four[i];
      }
    }
    team.barrier();
    if (stripes.groups > 1 && !gather_groups(team, scratch, features, stripes, stripe, rows))
      return;
    merge_features(team, features, chunks, stripes, stripe, rows);
    if (stripes.step != 0) {
      write_seeds(team, features, chunks, stripe, rows);
    } else {
      gather_parts(team, scratch, features, stripes, stripe, rows);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static std::uint64_t rows_from(std::uint64_t rows, std::uint64_t first,
                                                        std::uint64_t blocks) {
    if (first >= rows) return 0;
    const std::uint64_t most = blocks * moment_block;
    return rows - first < most ? rows - first : most;
  }

  KOKKOS_INLINE_FUNCTION static void merge(ColumnMoments& a, const ColumnMoments& b,
                                           const MergeWeights& weights) {
    merge_means(a.mean, a.m2, b.mean, b.m2, weights);
    a.min = b.min < a.min ? b.min : a.min;
    a.max = b.max > a.max ? b.max : a.max;
    a.dead += b.dead;
  }

  KOKKOS_INLINE_FUNCTION static SeedMoments moments_of(const ColumnMoments& column,
                                                       std::uint64_t count) {
    return {count, column.dead, column.mean, column.m2, column.min, column.max};
  }

  /// Whether this team came last of the \p expected; if so the counter is 0 again. All threads.
  template <class Team>
  KOKKOS_FUNCTION static bool is_last(const Team& team, std::byte* scratch, std::uint32_t* counter,
                                      std::uint32_t expected) {
    auto* flag = reinterpret_cast<std::uint32_t*>(scratch);
    team.barrier();
    if (team.thread() == 0) {
      const std::uint32_t before = team.arrive(counter);
      *flag = before + 1 == expected ? 1U : 0U;
      if (before + 1 == expected) *counter = 0;
    }
    team.barrier();
    const bool last = *flag != 0;
    team.barrier();
    return last;
  }

  /// Leaves the merged columns of all groups in \p features, where this team came last.
  template <class Team>
  KOKKOS_FUNCTION bool gather_groups(const Team& team, std::byte* scratch, ColumnMoments* features,
                                     const SeedStripes& stripes, const SeedStripe& stripe,
                                     std::uint64_t rows) const {
    const std::uint32_t room = 4 * stripes.columns;
    const std::uint32_t count = stripe.end - stripe.begin;
    ColumnMoments* const of_stripe = columns + std::uint64_t{stripe.index} * stripes.groups * room;
    for (std::uint32_t i = team.thread(); i < count; i += team.threads())
      of_stripe[std::uint64_t{stripe.group} * room + i] = features[i];
    if (!is_last(team, scratch, counters + stripe.index, stripes.groups)) return false;

    const std::uint32_t slices = team.threads() / room;  // a power of two
    const std::uint32_t feature = team.thread() % room;
    const std::uint32_t slice = team.thread() / room;
    std::uint32_t run = 4;
    while (run * slices < stripes.groups) run *= 2;
    const std::uint32_t first = slice * run;
    std::uint32_t here = 0;
    if (slice < slices && first < stripes.groups)
      here = stripes.groups - first < run ? stripes.groups - first : run;
    const std::uint64_t group_rows = std::uint64_t{stripes.group_blocks} * moment_block;
    const auto four_groups = [&](std::uint64_t q) {
      SeedMoments four[4];
      KINDRED_UNROLL
      for (unsigned j = 0; j < 4; ++j) {
        const std::uint64_t group = first + 4 * q + j;
        if (4 * q + j < here)
          four[j] = moments_of(team.read(of_stripe + group * room + feature),
                               rows_from(rows, group * group_rows, stripes.group_blocks));
      }
      merge_moments(four[0], four[1]);
      merge_moments(four[2], four[3]);
      merge_moments(four[0], four[2]);
      return four[0];
    };
    SeedMoments all;
    if (feature < count) all = merge_run((here + 3) / 4, four_groups);
    auto* given = reinterpret_cast<SeedMoments*>(features);
    given[team.thread()] = all;
    team.barrier();
    for (std::uint32_t step = 1; step < slices; step *= 2) {
      const bool takes = slice % (2 * step) == 0 && slice + step < slices && feature < count;
      if (takes) merge_moments(all, given[team.thread() + step * room]);
      team.barrier();
      if (takes) given[team.thread()] = all;
      team.barrier();
    }
    if (slice == 0 && feature < count)
      features[feature] = {all.mean, all.m2, all.min, all.max, all.dead};
    team.barrier();
    return true;
  }

  /// The features of each chunk, or of the part, come to its first one.
  template <class Team>
  KOKKOS_FUNCTION static void merge_features(const Team& team, ColumnMoments* features,
                                             const ChunkMap& chunks, const SeedStripes& stripes,
                                             const SeedStripe& stripe, std::uint64_t rows) {
    const std::uint32_t count = stripe.end - stripe.begin;
    const std::uint32_t widest = stripes.step != 0 ? chunks.width_max() : count;
    for (std::uint32_t step = 1; step < widest; step *= 2) {
      for (std::uint32_t i = team.thread(); i < count; i += team.threads()) {
        std::uint32_t place = i;
        std::uint32_t width = count;
        if (stripes.step != 0) {
          const std::uint32_t seed = chunks.seed_of(stripe.begin + i);
          place = stripe.begin + i - chunks.begin(seed);
          width = chunks.width(seed);
        }
        if (place % (2 * step) == 0 && place + step < width && rows > 0) {
          const std::uint32_t b = width - place - step < step ? width - place - step : step;
          merge(features[i], features[i + step], MergeWeights(rows * step, rows * b));
        }
      }
      team.barrier();
    }
  }

  template <class Team>
  KOKKOS_FUNCTION void write_seeds(const Team& team, const ColumnMoments* features,
                                   const ChunkMap& chunks, const SeedStripe& stripe,
                                   std::uint64_t rows) const {
    for (std::uint32_t seed = stripe.first_seed + team.thread(); seed < stripe.last_seed;
         seed += team.threads()) {
      const std::uint64_t count = rows * chunks.width(seed);
      out[seed] = count == 0
                      ? SeedMoments()
                      : finished(moments_of(features[chunks.begin(seed) - stripe.begin], count));
    }
  }

  /// One seed's parts, by who came last of its stripes.
  template <class Team>
  KOKKOS_FUNCTION void gather_parts(const Team& team, std::byte* scratch,
                                    const ColumnMoments* features, const SeedStripes& stripes,
                                    const SeedStripe& stripe, std::uint64_t rows) const {
    const std::uint32_t seed = stripe.first_seed;
    SeedMoments* const of_seed = parts + std::uint64_t{seed} * stripes.parts;
    if (team.thread() == 0) {
      const std::uint32_t width = stripe.end - stripe.begin;
      of_seed[stripe.index % stripes.parts] =
          width == 0 ? SeedMoments() : moments_of(features[0], rows * width);
    }
    if (!is_last(team, scratch, counters + stripes.stripes + seed, stripes.parts)) return;
    const SeedMoments all = merge_by_team(
        team,
        reinterpret_cast<SeedMoments*>(scratch + 4 * stripes.columns * sizeof(SeedCoefficients)),
        stripes.parts, [&](std::uint64_t i) { return team.read(of_seed + i); });
    if (team.thread() == 0) out[seed] = finished(all);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_TEAM_MOMENTS_HPP
