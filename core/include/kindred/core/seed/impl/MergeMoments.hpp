// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_MERGE_MOMENTS_HPP
#define KINDRED_CORE_SEED_IMPL_MERGE_MOMENTS_HPP

#include <kindred/core/seed/SeedTelemetry.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Rows of a block of moments, and the lanes that add them.
inline constexpr std::uint32_t moment_block = 64;
inline constexpr std::uint32_t moment_lanes = 8;

/// \brief How the moments of \p a elements and of \p b merge: the same for all features.
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
  mean_a = mean_a + difference * weights.f;
  m2_a = (m2_a + m2_b) + (difference * difference) * weights.between;
}

/// Mean and m2 of a block of \p rows from its shift and the sums of what was shifted.
KOKKOS_INLINE_FUNCTION void close_block(double shift, double sum, double squares, double share,
                                        double& mean, double& m2) {
  const double mean_shift = sum * share;
  mean = shift + mean_shift;
  const double rest = squares - sum * mean_shift;
  m2 = rest < 0 ? 0.0 : rest;  // a NaN stays
}

KOKKOS_INLINE_FUNCTION void merge_extremes(SeedMoments& a, const SeedMoments& b) {
  a.dead += b.dead;
  // One of them may be NaN, of finished moments.
  if (b.min < a.min || a.min != a.min) a.min = b.min;
  if (b.max > a.max || a.max != a.max) a.max = b.max;
}

/// Merges \p b, which is a's right neighbour, into \p a.
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

/// What merging leaves to the end.
KOKKOS_INLINE_FUNCTION SeedMoments finished(SeedMoments moments) {
  if (moments.count == 0) return {};
  if (moments.m2 != moments.m2) {
    moments.mean = Kokkos::bit_cast<double>(std::uint64_t{0x7FF8000000000000U});
    moments.m2 = moments.mean;
  }
  if (!(moments.min <= moments.max)) {
    moments.min = Kokkos::bit_cast<float>(std::uint32_t{0x7FC00000U});
    moments.max = moments.min;
  }
  if (moments.min == 0) moments.min = 0;
  if (moments.max == 0) moments.max = 0;
  return moments;
}

/// \brief `value(0) … value(count − 1)` merged as neighbours, pairs, pairs of pairs, …
template <class Value>
KOKKOS_INLINE_FUNCTION SeedMoments merge_run(std::uint64_t count, const Value& value) {
  SeedMoments parts[40];  // one a set bit of i
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
  // What is left over: the last ones have no neighbour until the greater runs take them.
  if (levels > 0) all = parts[--levels];
  while (levels > 0) {
    SeedMoments left = parts[--levels];
    merge_moments(left, all);
    all = left;
  }
  return all;
}

/// \brief The moments `value(0) … value(count − 1)` merged by a team, as `merge_run` does: a run of
/// a power of two a thread, then pairs of runs. Thread 0 has them. \param given a place a thread
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
