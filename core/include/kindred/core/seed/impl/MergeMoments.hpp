// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_MERGE_MOMENTS_HPP
#define KINDRED_CORE_SEED_IMPL_MERGE_MOMENTS_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>
#include <kindred/core/seed/SeedTelemetry.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Lanes that add the rows of a block of moments.
inline constexpr std::uint32_t moment_lanes = 8;
/// Number of features, runs of features, runs of runs, … that are merged together.
inline constexpr std::uint32_t moment_fan = 16;

/// Rows per block of moments: the smallest power of two from 512 to 32768 (16-bit elements have
/// 16-bit counts) that gives at most 32 blocks.
constexpr std::uint32_t moment_rows(std::uint64_t rows) {
  std::uint32_t block = 512;
  while (block < 32768 && std::uint64_t{block} * 32 < rows) block *= 2;
  return block;
}

/// The pairwise tree reduction of the lanes' sums.
KOKKOS_INLINE_FUNCTION double folded_lanes(const double (&lane)[moment_lanes]) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// \brief A column's moments over a number of rows that its holder knows.
struct ColumnMoments {
  double mean;
  double m2;
  float min;
  float max;
  std::uint64_t dead;
};

/// \brief The weights for merging the moments of \p a and \p b elements: the same for all features.
struct MergeWeights {
  double f;        ///< b / (a + b)
  double between;  ///< a · f

  KOKKOS_INLINE_FUNCTION MergeWeights(std::uint64_t a, std::uint64_t b)
      : f(static_cast<double>(b) / static_cast<double>(a + b)),
        between(static_cast<double>(a) * f) {}
};

KOKKOS_INLINE_FUNCTION void merge_means(double& mean_a, double& m2_a, double mean_b, double m2_b,
                                        const MergeWeights& weights) {
  const double difference = mean_b - mean_a;
  mean_a = mean_a + Arch::rounded_product(difference, weights.f);
  m2_a = (m2_a + m2_b) + Arch::rounded_product(difference * difference, weights.between);
}

/// Mean and m2 of a block of \p rows from its shift and the sums of the shifted elements.
KOKKOS_INLINE_FUNCTION void close_block(double shift, double sum, double squares, double share,
                                        double& mean, double& m2) {
  const double mean_shift = Arch::rounded_product(sum, share);
  mean = shift + mean_shift;
  const double rest = squares - Arch::rounded_product(sum, mean_shift);
  m2 = rest < 0 ? 0.0 : rest;  // NaN stays NaN
}

/// \brief Merges parts in one step, shifted by the first one's mean: `read(0) … read(count − 1)`,
/// of \p whole elements each, the last one of \p last.
/// \param share 1 / all elements \param scale of the unit in which elements are given
template <class Read>
KOKKOS_INLINE_FUNCTION ColumnMoments merge_parts(unsigned count, double whole, double last,
                                                 double share, double scale, const Read& read) {
  ColumnMoments all = read(0);
  if (count == 1) return all;
  const double shift = all.mean;
  double sum = 0;
  double squares = 0;
  constexpr unsigned batch = 8;
  KINDRED_NO_UNROLL
  for (unsigned first = 1; first < count; first += batch) {
    ColumnMoments parts[batch];
    KINDRED_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      if (first + j < count) parts[j] = read(first + j);
    }
    KINDRED_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      if (first + j >= count) continue;
      const double shifted = parts[j].mean - shift;
      const double weighted = Arch::rounded_product(first + j + 1 < count ? whole : last, shifted);
      sum += weighted;
      squares = ::fma(weighted, shifted, squares);
      all.m2 += parts[j].m2;
      all.min = parts[j].min < all.min ? parts[j].min : all.min;
      all.max = parts[j].max > all.max ? parts[j].max : all.max;
      all.dead += parts[j].dead;
    }
  }
  double between = 0;
  close_block(shift, sum, squares, share, all.mean, between);
  all.m2 += Arch::rounded_product(scale, between);
  return all;
}

KOKKOS_INLINE_FUNCTION void merge_extremes(SeedMoments& a, const SeedMoments& b) {
  a.dead += b.dead;
  // One of them may be NaN in finished moments.
  if (b.min < a.min || a.min != a.min) a.min = b.min;
  if (b.max > a.max || a.max != a.max) a.max = b.max;
}

/// Merges \p b, the right neighbour of \p a, into \p a.
KOKKOS_INLINE_FUNCTION void merge_moments(SeedMoments& a, const SeedMoments& b) {
  if (b.count == 0) return;
  if (a.count == 0) {
    a = b;
    return;
  }
  merge_means(a.mean, a.m2, b.mean, b.m2, MergeWeights(a.count, b.count));
  a.count += b.count;
  merge_extremes(a, b);
}

/// The final step after merging.
KOKKOS_INLINE_FUNCTION SeedMoments finished(SeedMoments moments) {
  if (moments.count == 0) return {};
  if (moments.m2 != moments.m2) {
    moments.mean = canonical_nan<double>();
    moments.m2 = moments.mean;
  }
  if (!(moments.min <= moments.max)) {
    moments.min = canonical_nan<float>();
    moments.max = moments.min;
  }
  if (moments.min == 0) moments.min = 0;
  if (moments.max == 0) moments.max = 0;
  return moments;
}

/// \brief `value(0) … value(count − 1)` merged as neighbours, then pairs, then pairs of pairs, …
template <class Value>
KOKKOS_INLINE_FUNCTION SeedMoments merge_run(std::uint64_t count, const Value& value) {
  SeedMoments parts[40];  // one per set bit of i
  SeedMoments all;
  int levels = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    SeedMoments right = value(i);
    for (std::uint64_t done = i; (done & 1U) != 0; done >>= 1U) {
      SeedMoments left = parts[--levels];
      merge_moments(left, right);
      right = left;
    }
    parts[levels++] = right;
  }
  // The remaining runs: the last ones have no neighbour until the larger runs absorb them.
  if (levels > 0) all = parts[--levels];
  while (levels > 0) {
    SeedMoments left = parts[--levels];
    merge_moments(left, all);
    all = left;
  }
  return all;
}

/// \brief The moments `value(0) … value(count − 1)` merged by a team, bit-identical to `merge_run`:
/// each thread merges a run of a power of two, then pairs of runs are merged. Thread 0 has the
/// result.
/// \param given one element per thread
template <class Team, class Value>
KOKKOS_INLINE_FUNCTION SeedMoments merge_by_team(const Team& team, SeedMoments* given,
                                                 std::uint32_t count, const Value& value) {
  std::uint32_t run = 1;
  while (std::uint64_t{run} * team.threads() < count) run *= 2;
  const std::uint64_t first = std::uint64_t{team.thread()} * run;
  std::uint64_t here = 0;
  if (first < count) here = count - first < run ? count - first : run;
  SeedMoments all = merge_run(here, [&](std::uint64_t i) { return value(first + i); });
  given[team.thread()] = all;
  team.barrier();
  for (std::uint32_t step = 1; step < team.threads(); step *= 2) {
    const bool takes = team.thread() % (2 * step) == 0 && team.thread() + step < team.threads();
    if (takes) merge_moments(all, given[team.thread() + step]);
    team.barrier();
    if (takes) given[team.thread()] = all;
    team.barrier();
  }
  return all;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_MERGE_MOMENTS_HPP
