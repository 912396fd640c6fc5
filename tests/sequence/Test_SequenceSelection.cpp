// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/reference/Reference.hpp>

#include <gtest/gtest.h>

#include "RaggedRows.hpp"
#include "SequenceSupport.hpp"
#include "Support.hpp"

#include <algorithm>

namespace SequenceSelectionTest {

using namespace Kindred;
using Testing::random_sequence;
using Sequences = std::vector<std::vector<Symbol>>;

std::vector<Symbol> noisy(std::mt19937_64& generator, std::vector<Symbol> source,
                          Symbol vocabulary) {
  for (Symbol& symbol : source) {
    if (generator() % 100 < 30) symbol = static_cast<Symbol>(generator() % vocabulary);
  }
  return source;
}

MatchOptions options(Space space, Measure measure, double threshold, std::size_t top) {
  MatchOptions result;
  result.space = space;
  result.measure = measure;
  result.threshold = threshold;
  result.top = top;
  return result;
}

/// A few best patterns are selected during the scan, a complete ranking is not: both must agree.
void expect_a_part_of_all(const Sequences& patterns, const Sequences& queries,
                          const std::vector<double>& thresholds) {
  const SequenceMatcher matcher(Testing::context(), Testing::ragged(patterns));
  const Ragged<Symbol> requested = Testing::ragged(queries);
  for (const Space space : Testing::spaces()) {
    for (const Measure measure : {Measure::lcs, Measure::difflib}) {
      for (const double threshold : thresholds) {
        const MatchResults all =
            matcher.match(requested, options(space, measure, threshold, patterns.size()));
        for (const std::size_t top : {1, 7, 60}) {
          const MatchResults best =
              matcher.match(requested, options(space, measure, threshold, top));
          for (std::size_t q = 0; q < queries.size(); ++q) {
            std::vector<Match> expected = Testing::to_vector(all.matches[q]);
            if (expected.size() > top) expected.resize(top);
            ASSERT_EQ(Testing::to_vector(best.matches[q]), expected)
                << to_string(measure) << " threshold " << threshold << " top " << top << " query "
                << q << " on " << to_string(space);
          }
        }
      }
    }
  }
}

TEST(SequenceSelection, IsAPrefixOfTheCompleteRanking) {
  auto generator = Testing::generator("selection");
  Sequences patterns;
  for (int i = 0; i < 40000; ++i) {
    patterns.push_back(random_sequence(generator, 4 + generator() % 12, 9));
  }
  expect_a_part_of_all(patterns,
                       {noisy(generator, patterns[777], 9), random_sequence(generator, 30, 12),
                        random_sequence(generator, 90, 9), random_sequence(generator, 200, 9)},
                       {0.0, 0.4, 0.85, 1.0});
}

TEST(SequenceSelection, BreaksTiesByIndexWhereAlmostAllAreTies) {
  auto generator = Testing::generator("selection of ties");
  Sequences patterns;
  for (int i = 0; i < 30000; ++i) {
    patterns.push_back(std::vector<Symbol>(8, generator() % 50 == 0 ? 2 : 1));
  }
  expect_a_part_of_all(patterns, {std::vector<Symbol>(8, 1), {1, 2}, {3}}, {0.0, 0.3});
}

TEST(SequenceSelection, FindsTheBestWhereNoSampleIncludesThem) {
  // More good patterns than the candidate list can hold, next to each other.
  auto generator = Testing::generator("selection of a cluster");
  const auto good = random_sequence(generator, 12, 40);
  Sequences patterns;
  for (int i = 0; i < 60000; ++i) {
    patterns.push_back(i >= 32 && i < 4096 ? noisy(generator, good, 40)
                                           : random_sequence(generator, 12, 40));
  }
  expect_a_part_of_all(patterns, {good}, {0.0, 0.5});
}

TEST(SequenceSelection, MatchesReferenceOnLongTails) {
  auto generator = Testing::generator("selection against the reference");
  Sequences patterns;
  for (int i = 0; i < 20000; ++i) patterns.push_back(random_sequence(generator, 10, 200));
  for (int i = 0; i < 40; ++i) patterns[i * 499] = noisy(generator, patterns[1], 200);
  const SequenceMatcher matcher(Testing::context(), Testing::ragged(patterns));
  const auto query = noisy(generator, patterns[1], 200);
  for (const Space space : Testing::spaces()) {
    for (const auto measure : {Measure::lcs, Measure::difflib}) {
      const auto found =
          matcher.match(Testing::ragged<Symbol>({query}), options(space, measure, 0.0, 10));
      const auto expected = Reference::match(
          patterns, query,
          measure == Measure::lcs ? Reference::Matched::lcs : Reference::Matched::difflib, 0.0, 10);
      ASSERT_EQ(found.matches.rows(), 1U);
      ASSERT_EQ(found.matches[0].size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found.matches[0][i],
                  (Match{expected[i].index, expected[i].similarity, expected[i].matched}));
      }
    }
  }
}

TEST(SequenceMatcher, ReportsFirstCallsAndTheLaunchesOfEveryQueryToTheDispatcher) {
  const Ragged<Symbol> patterns = Testing::ragged<Symbol>({{1, 2, 3}, {1, 2}, {3}});
  const SequenceMatcher matcher(Testing::context(), patterns);
  MatchOptions options;
  options.space = Space::serial;
  options.measure = Measure::difflib;
  const DispatchRecord one = matcher.match(Testing::ragged<Symbol>({{1, 2}}), options).record;
  EXPECT_TRUE(one.first);
  EXPECT_FALSE(matcher.match(Testing::ragged<Symbol>({{1, 2}}), options).record.first);
  const DispatchRecord two =
      matcher.match(Testing::ragged<Symbol>({{1, 2}, {2, 3}}), options).record;
  EXPECT_GT(two.starts, one.starts)
      << "the remaining patterns are matched separately for each query";
  options.measure = Measure::lcs;
  EXPECT_TRUE(matcher.match(Testing::ragged<Symbol>({{1, 2}}), options).record.first);
  EXPECT_EQ(matcher.match(Testing::ragged<Symbol>({{1, 2}}), options).record.starts,
            matcher.match(Testing::ragged<Symbol>({{1, 2}, {2, 3}}), options).record.starts);
}

}  // namespace SequenceSelectionTest
