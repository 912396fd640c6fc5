// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>

#include <gtest/gtest.h>

#include "RaggedRows.hpp"
#include "SequenceSupport.hpp"
#include "Support.hpp"
#include "ThreadSanitizer.hpp"

namespace SequenceWorkspaceTest {

using namespace Kindred;
using Testing::options;
using Testing::ragged;
using Testing::random_sequence;
using Sequences = std::vector<std::vector<Symbol>>;

TEST(SequenceWorkspace, DoesNotGrowInRepeatedCalls) {
  auto generator = Testing::generator("growth");
  Sequences patterns;
  for (int i = 0; i < 500; ++i) patterns.push_back(random_sequence(generator, 40, 15));
  const SequenceMatcher matcher(Testing::context(), ragged(patterns));
  const auto query = ragged(Sequences{random_sequence(generator, 50, 15)});
  for (const Space space : Testing::spaces()) {
    MatchOptions requested = options(Measure::difflib, 0.3, 10);
    requested.space = space;
    matcher.match(query, requested);
    const auto before = Testing::context().memory_statistics(space);
    for (int i = 0; i < 5; ++i) matcher.match(query, requested);
    const auto after = Testing::context().memory_statistics(space);
    EXPECT_EQ(after.allocations_total, before.allocations_total);
    EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
  }
}

TEST(SequenceWorkspace, DoesNotDependOnTheTeam) {
  if (Testing::thread_sanitizer) GTEST_SKIP() << "regions of several threads";
  auto generator = Testing::generator("teams");
  Sequences patterns;
  for (int i = 0; i < 500; ++i) patterns.push_back(random_sequence(generator, 40, 15));
  ContextOptions many;
  many.load_profile = false;
  many.threads = 8;
  Context context(many);
  if (!context.is_usable(Space::openmp)) GTEST_SKIP() << "this Kokkos has no OpenMP";
  const SequenceMatcher matcher(context, ragged(patterns), Residency::host);
  const auto query = ragged(Sequences{random_sequence(generator, 50, 15)});
  MatchOptions requested = options(Measure::difflib, 0.3, 10);
  requested.space = Space::openmp;
  context.dispatcher().force_threads(2);
  const auto first = matcher.match(query, requested).matches.values;
  const auto before = context.memory_statistics(Space::openmp);
  for (const int threads : {4, 8, 2}) {
    context.dispatcher().force_threads(threads);
    EXPECT_EQ(matcher.match(query, requested).matches.values, first) << threads << " threads";
    const auto after = context.memory_statistics(Space::openmp);
    EXPECT_EQ(after.allocations_total, before.allocations_total) << threads << " threads";
    EXPECT_EQ(after.bytes_in_use, before.bytes_in_use) << threads << " threads";
  }
}

TEST(SequenceWorkspace, SplitsABatchThatDoesNotFit) {
  auto generator = Testing::generator("split");
  Sequences patterns;
  for (int i = 0; i < 2000; ++i) patterns.push_back(random_sequence(generator, 20, 15));
  Sequences queries;
  for (int i = 0; i < 40; ++i) queries.push_back(random_sequence(generator, 20, 15));
  ContextOptions small;
  small.load_profile = false;
  small.host_budget = 700'000;
  Context context(small);
  const SequenceMatcher matcher(context, ragged(patterns), Residency::host);
  const SequenceMatcher large_workspace(Testing::context(), ragged(patterns));
  MatchOptions requested = options(Measure::lcs, 0.0, 10);
  requested.space = Space::serial;
  EXPECT_EQ(matcher.match(ragged(queries), requested).matches.values,
            large_workspace.match(ragged(queries), requested).matches.values);
  EXPECT_GT(context.memory_statistics(Space::serial).bytes_peak, 100'000U);
  EXPECT_LE(context.memory_statistics(Space::serial).bytes_peak, 700'000U);
}

}  // namespace SequenceWorkspaceTest
