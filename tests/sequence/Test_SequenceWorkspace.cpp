// SPDX-License-Identifier: Apache-2.0
#include "SequenceSupport.hpp"
#include "ThreadSanitizer.hpp"

namespace SequenceWorkspaceTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// Allocations and bytes of \p own on \p space.
std::pair<std::uint64_t, std::uint64_t> used(const Context& own, Space space) {
  const auto statistics = own.memory_statistics(space);
  return {statistics.allocations_total, statistics.bytes_in_use};
}

TEST(SequenceWorkspace, DoesNotDependOnTheTeam) {
  if (thread_sanitizer) GTEST_SKIP() << "regions of several threads";
  auto random = generator("teams");
  Context own({.threads = 8, .load_profile = false});
  if (!own.is_usable(Space::openmp)) GTEST_SKIP() << "this Kokkos has no OpenMP";
  const SequenceMatcher matcher(own, ragged(random_sequences(random, 500, 40, 40, 15)),
                                Residency::host);
  const auto query = ragged(random_sequences(random, 1, 50, 50, 15));
  const MatchOptions requested{
      .measure = Measure::difflib, .threshold = 0.3, .space = Space::openmp};
  own.dispatcher().force_threads(2);
  const auto first = matcher.match(query, requested).matches.values;
  const auto before = used(own, Space::openmp);
  for (const int threads : {4, 8, 2}) {
    own.dispatcher().force_threads(threads);
    EXPECT_EQ(matcher.match(query, requested).matches.values, first) << threads << " threads";
    EXPECT_EQ(used(own, Space::openmp), before) << threads << " threads";
  }
}

TEST(SequenceWorkspace, SplitsABatchThatDoesNotFit) {
  auto random = generator("split");
  const auto patterns = ragged(random_sequences(random, 2000, 20, 20, 15));
  const auto queries = ragged(random_sequences(random, 40, 20, 20, 15));
  Context own({.host_budget = 700'000, .load_profile = false});
  const SequenceMatcher matcher(own, patterns, Residency::host);
  const SequenceMatcher large_workspace(context(), patterns);
  const MatchOptions requested{.threshold = 0.0, .space = Space::serial};
  EXPECT_EQ(matcher.match(queries, requested).matches.values,
            large_workspace.match(queries, requested).matches.values);
  EXPECT_GT(own.memory_statistics(Space::serial).bytes_peak, 100'000U);
  EXPECT_LE(own.memory_statistics(Space::serial).bytes_peak, 700'000U);
}

}  // namespace SequenceWorkspaceTest
