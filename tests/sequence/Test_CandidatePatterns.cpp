// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/reference/Reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Generator.hpp"
#include "MessageOf.hpp"
#include "RaggedRows.hpp"
#include "SequenceSupport.hpp"
#include "Support.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace CandidatePatternsTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr std::size_t all_of_them = std::numeric_limits<std::size_t>::max();

/// The matches of one row of \p results whose index is in \p only, at most \p top.
std::vector<Match> restricted(std::span<const Match> row, const std::vector<std::uint64_t>& only,
                              std::size_t top) {
  std::vector<Match> kept;
  for (const Match& match : row) {
    if (kept.size() < top && std::find(only.begin(), only.end(), match.index) != only.end())
      kept.push_back(match);
  }
  return kept;
}

TEST(CandidatePatterns, EqualAFullScanLessTheOthers) {
  auto random = generator("CandidatePatterns.EqualAFullScan");
  // Small code points with spaces, so that words are compared too.
  const auto sequence = [&](std::size_t length) {
    std::vector<Symbol> points = random_sequence(random, length, 6, U'a');
    for (Symbol& point : points)
      if (random() % 4 == 0) point = U' ';
    return points;
  };
  std::vector<std::vector<Symbol>> patterns;
  for (std::size_t i = 0; i < 700; ++i) patterns.push_back(sequence(random() % 40));
  std::vector<std::vector<Symbol>> queries{{}, sequence(1), sequence(33), sequence(70)};
  queries[2][5] = unknown_symbol;
  const SequenceMatcher matcher(context(), ragged(patterns));
  std::vector<std::optional<Space>> choices{std::nullopt};
  for (const Space space : spaces()) choices.emplace_back(space);
  for (const Measure measure : all_measures) {
    std::vector<std::vector<Symbol>> asked = queries;
    if (compares_words(measure)) asked[2][5] = U'é';
    for (const double threshold : {0.0, 0.4}) {
      const MatchResults all =
          matcher.match(ragged(asked), options(measure, threshold, all_of_them));
      for (const std::size_t count : {0U, 1U, 2U, 3U, 32U, 43U, 44U, 300U, 2000U}) {
        std::vector<std::uint64_t> only(count);
        for (std::uint64_t& index : only) index = random() % patterns.size();
        for (const std::size_t top : {std::size_t{1}, std::size_t{7}, all_of_them}) {
          MatchOptions requested = options(measure, threshold, top);
          requested.filter = only;
          for (const auto& space : choices) {
            requested.space = space;
            const MatchResults some = matcher.match(ragged(asked), requested);
            ASSERT_EQ(some.matches.rows(), asked.size());
            for (std::size_t q = 0; q < asked.size(); ++q) {
              const std::vector<Match> expected = restricted(all.matches[q], only, top);
              ASSERT_EQ(to_vector(some.matches[q]), expected)
                  << to_string(measure) << ", threshold " << threshold << ", " << count
                  << " candidates, top " << top << ", query " << q;
              for (std::size_t i = 0; i < expected.size(); ++i)
                ASSERT_EQ(some.matches[q][i].distance, expected[i].distance);
            }
          }
        }
      }
    }
  }
}

TEST(CandidatePatterns, EqualTheReference) {
  auto random = generator("CandidatePatterns.EqualTheReference");
  for (const std::size_t length : edge_sizes) {
    std::vector<std::vector<Symbol>> patterns;
    for (std::size_t i = 0; i < 200; ++i)
      patterns.push_back(random_sequence(random, random() % (length + 2), 5));
    const std::vector<Symbol> query = random_sequence(random, length, 5);
    const SequenceMatcher matcher(context(), ragged(patterns));
    std::vector<std::uint64_t> only{199, 0, 17, 17, 44};
    std::sort(only.begin(), only.end());
    only.erase(std::unique(only.begin(), only.end()), only.end());
    std::vector<std::vector<Symbol>> chosen;
    for (const std::uint64_t index : only) chosen.push_back(patterns[index]);
    for (const Measure measure : {Measure::lcs, Measure::difflib}) {
      MatchOptions requested = options(measure, 0.2, 3);
      requested.filter = only;
      const MatchResults results = matcher.match(ragged<Symbol>({query}), requested);
      std::vector<Match> expected;
      if (!query.empty()) {
        for (const auto& item : Reference::match(
                 chosen, query,
                 measure == Measure::lcs ? Reference::Matched::lcs : Reference::Matched::difflib,
                 requested.threshold, requested.top))
          expected.push_back({only[item.index], item.similarity, item.matched});
      }
      EXPECT_EQ(to_vector(results.matches[0]), expected) << to_string(measure) << ", " << length;
    }
  }
}

TEST(CandidatePatterns, FollowAutojunk) {
  auto random = generator("CandidatePatterns.FollowAutojunk");
  std::vector<std::vector<Symbol>> patterns;
  for (std::size_t i = 0; i < 100; ++i) patterns.push_back(random_sequence(random, 250, 30));
  const auto query = ragged<Symbol>({random_sequence(random, 300, 30)});
  const SequenceMatcher matcher(context(), ragged(patterns));
  MatchOptions requested = options(Measure::difflib, 0.0, all_of_them);
  requested.autojunk = true;
  const MatchResults all = matcher.match(query, requested);
  const std::vector<std::uint64_t> only{3, 99, 50};
  requested.filter = only;
  EXPECT_EQ(to_vector(matcher.match(query, requested).matches[0]),
            restricted(all.matches[0], only, all_of_them));
}

TEST(CandidatePatterns, MustBeIndicesOfPatterns) {
  const SequenceMatcher matcher(context(), ragged<Symbol>({{1, 2}, {3}}));
  const std::vector<std::uint64_t> only{0, 2};
  MatchOptions requested;
  requested.filter = only;
  EXPECT_THAT(message_of<InvalidArgument>([&] { matcher.match(ragged<Symbol>({{1}}), requested); }),
              testing::HasSubstr("filter contains index 2; the indices of patterns are below 2"));
  requested.filter = std::span(only).first(1);
  EXPECT_THROW(matcher.match_self(requested, [](std::size_t, const MatchResults&) {}),
               InvalidArgument);
  EXPECT_THROW(matcher.cluster({.linkage = Linkage::single, .matching = requested}),
               InvalidArgument);
}

TEST(CandidatePatterns, RunOnTheDeviceIfThePatternsAreOnlyThere) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto random = generator("CandidatePatterns.Device");
  std::vector<std::vector<Symbol>> patterns;
  for (std::size_t i = 0; i < 500; ++i) patterns.push_back(random_sequence(random, 20, 9));
  const auto query = ragged<Symbol>({random_sequence(random, 20, 9)});
  const SequenceMatcher matcher(context(), ragged(patterns), Residency::device);
  MatchOptions requested = options(Measure::lcs, 0.0, all_of_them);
  const MatchResults all = matcher.match(query, requested);
  const std::vector<std::uint64_t> only{3, 499, 50};
  requested.filter = only;
  const MatchResults some = matcher.match(query, requested);
  EXPECT_EQ(some.record.chosen, Space::cuda);
  EXPECT_EQ(to_vector(some.matches[0]), restricted(all.matches[0], only, all_of_them));
}

}  // namespace CandidatePatternsTest
