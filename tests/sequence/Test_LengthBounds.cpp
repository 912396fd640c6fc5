// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Similarity.hpp>

#include <gtest/gtest.h>

#include "RaggedRows.hpp"
#include "SequenceSupport.hpp"
#include "Support.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace LengthBoundsTest {

using namespace Kindred;
using Testing::options;
using Testing::ragged;
using Testing::random_sequence;
using Sequence = std::vector<Symbol>;
using Sequences = std::vector<Sequence>;

constexpr Symbol vocabulary = 12;

/// \p source with every fourth symbol, on average, replaced.
Sequence noisy(std::mt19937_64& generator, Sequence source) {
  for (Symbol& symbol : source)
    if (generator() % 4 == 0) symbol = static_cast<Symbol>(generator() % vocabulary);
  return source;
}

Sequences of_lengths(std::mt19937_64& generator, const std::vector<std::size_t>& lengths) {
  Sequences out;
  for (const std::size_t length : lengths)
    out.push_back(random_sequence(generator, length, vocabulary));
  std::shuffle(out.begin(), out.end(), generator);
  return out;
}

struct Mixture {
  const char* name;
  std::vector<std::size_t> lengths;
};

std::vector<Mixture> mixtures(std::size_t longest) {
  std::vector<std::size_t> one_long(200, 20);
  one_long.push_back(longest);
  std::vector<std::size_t> geometric;
  for (double length = 3; length < static_cast<double>(longest); length *= 1.04)
    geometric.push_back(static_cast<std::size_t>(length));
  std::vector<std::size_t> halves(100, 20);
  halves.insert(halves.end(), 100, longest / 10);
  return {{"one long", one_long}, {"geometric", geometric}, {"halves", halves}};
}

constexpr Measure measures[] = {Measure::lcs,         Measure::difflib, Measure::levenshtein,
                                Measure::osa,         Measure::prefix,  Measure::postfix,
                                Measure::jaro_winkler};

/// All of the first \p end patterns, best first, pair by pair.
std::vector<Match> ranked(const Sequences& patterns, std::size_t end, const Sequence& query,
                          Measure measure) {
  std::vector<Match> all;
  const PreparedQuery prepared(measure, query);
  for (std::size_t i = 0; i < end; ++i)
    all.push_back({i, prepared.similarity(patterns[i]), prepared.matched(patterns[i]), 0.0});
  std::stable_sort(all.begin(), all.end(),
                   [](const Match& a, const Match& b) { return a.similarity > b.similarity; });
  return all;
}

/// Those of them that are results.
std::vector<Match> results_of(std::vector<Match> ranking, const MatchOptions& options) {
  const auto is_result = [&](const Match& match) { return match.similarity >= options.threshold; };
  const auto end = std::find_if_not(ranking.begin(), ranking.end(), is_result);
  ranking.erase(end, ranking.end());
  ranking.resize(std::min(ranking.size(), options.top));
  return ranking;
}

void expect_equal(std::span<const Match> found, const std::vector<Match>& expected,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(found[i], expected[i]) << what << ", result " << i;
}

TEST(LengthBounds, DoNotChangeTheResultsOfAnyMixture) {
  auto generator = Testing::generator("mixtures");
  for (const Mixture& mixture : mixtures(2500)) {
    const Sequences patterns = of_lengths(generator, mixture.lengths);
    const SequenceMatcher matcher(Testing::context(), ragged(patterns));
    Sequences queries;
    for (const std::size_t length : {1U, 20U, 64U, 300U, 1000U})
      queries.push_back(random_sequence(generator, length, vocabulary));
    for (int i = 0; i < 3; ++i)
      queries.push_back(noisy(generator, patterns[generator() % patterns.size()]));
    for (const Measure measure : measures) {
      std::vector<std::vector<Match>> rankings;
      for (const Sequence& query : queries)
        rankings.push_back(ranked(patterns, patterns.size(), query, measure));
      for (const double threshold : {0.0, 0.5, 0.9}) {
        for (const std::size_t top : {std::size_t{3}, patterns.size()}) {
          for (const Space space : Testing::spaces()) {
            MatchOptions requested = options(measure, threshold, top);
            requested.space = space;
            const MatchResults found = matcher.match(ragged(queries), requested);
            for (std::size_t q = 0; q < queries.size(); ++q) {
              const std::string what =
                  std::string(mixture.name) + ", " + std::string(to_string(measure)) + " from " +
                  std::to_string(threshold) + " on " + std::string(to_string(space)) +
                  ", query of " + std::to_string(queries[q].size());
              const std::vector<Match> expected = results_of(rankings[q], requested);
              expect_equal(found.matches[q], expected, what);
              expect_equal(matcher.match(ragged(Sequences{queries[q]}), requested).matches[0],
                           expected, what + " alone");
            }
          }
        }
      }
    }
  }
}

TEST(LengthBounds, DoNotChangeTheResultsOfSelfMatches) {
  auto generator = Testing::generator("self");
  for (const Mixture& mixture : mixtures(1500)) {
    Sequences patterns = of_lengths(generator, mixture.lengths);
    for (std::size_t i = 0; i < 30; ++i)
      patterns.push_back(noisy(generator, patterns[generator() % patterns.size()]));
    const SequenceMatcher matcher(Testing::context(), ragged(patterns));
    for (const Measure measure : {Measure::lcs, Measure::levenshtein}) {
      MatchOptions requested = options(measure, 0.7, patterns.size());
      for (const Space space : Testing::spaces()) {
        requested.space = space;
        matcher.match_self(requested, [&](std::size_t first, const MatchResults& group) {
          for (std::size_t row = 0; row < group.matches.rows(); ++row) {
            expect_equal(group.matches[row],
                         results_of(ranked(patterns, first + row, patterns[first + row], measure),
                                    requested),
                         std::string(mixture.name) + ", pattern " + std::to_string(first + row));
          }
        });
      }
    }
  }
}

TEST(LengthBounds, DoNotChangeTheValuesOfPairs) {
  auto generator = Testing::generator("values");
  for (const Mixture& mixture : mixtures(1500)) {
    const Sequences patterns = of_lengths(generator, mixture.lengths);
    const SequenceMatcher matcher(Testing::context(), ragged(patterns));
    Sequences queries{{}};
    for (const std::size_t length : {1U, 20U, 64U, 300U})
      queries.push_back(random_sequence(generator, length, vocabulary));
    queries.push_back(noisy(generator, patterns[0]));
    for (const Measure measure : measures) {
      std::vector<double> all;
      for (const Sequence& query : queries)
        for (const Sequence& pattern : patterns) all.push_back(similarity(measure, pattern, query));
      for (const double cutoff : {0.0, 0.5, 0.9}) {
        for (const Space space : Testing::spaces()) {
          PairOptions requested;
          requested.measure = measure;
          requested.cutoff = cutoff;
          requested.space = space;
          std::vector<double> found(all.size(), -1.0);
          matcher.score_all(ragged(queries), std::span(found), requested);
          for (std::size_t i = 0; i < all.size(); ++i) {
            ASSERT_EQ(found[i], all[i] >= cutoff ? all[i] : 0.0)
                << mixture.name << ", " << to_string(measure) << " from " << cutoff << " on "
                << to_string(space) << ", query " << i / patterns.size() << ", pattern of "
                << patterns[i % patterns.size()].size();
          }
        }
      }
    }
  }
}

TEST(LengthBounds, OnlyPatternsThatCanMatchAreCountedAsWork) {
  auto generator = Testing::generator("work");
  Sequences patterns = of_lengths(generator, std::vector<std::size_t>(1000, 20));
  const SequenceMatcher without(Testing::context(), ragged(patterns), Residency::host);
  patterns.push_back(random_sequence(generator, 100000, vocabulary));
  const SequenceMatcher with(Testing::context(), ragged(patterns), Residency::host);
  const auto query = ragged(Sequences{random_sequence(generator, 20, vocabulary)});
  const auto long_query = ragged(Sequences{patterns.back()});
  for (const Measure measure : {Measure::lcs, Measure::levenshtein, Measure::jaro_winkler}) {
    const MatchOptions requested = options(measure, 0.9, 10);
    const double added =
        with.match(query, requested).record.work - without.match(query, requested).record.work;
    EXPECT_LT(added, 2000.0) << to_string(measure) << ": the long pattern has 100,000 symbols";
    EXPECT_EQ(without.match(long_query, requested).record.work, 0.0) << to_string(measure);
  }
}

TEST(LengthBounds, TheBestOfFewSimilarLengthsAreFoundWithoutTheOthers) {
  // Patterns of about the length of the query are few and similar to it; the others cannot be among
  // the best, and need no workspace.
  auto generator = Testing::generator("near");
  std::vector<std::size_t> lengths(500, 20);
  lengths.insert(lengths.end(), 20000, 400);
  const Sequences patterns = of_lengths(generator, lengths);
  const auto is_short = [](const Sequence& pattern) { return pattern.size() == 20; };
  const Sequence source = *std::find_if(patterns.begin(), patterns.end(), is_short);
  Context context;
  const SequenceMatcher matcher(context, ragged(patterns), Residency::host);
  for (const Measure measure : {Measure::lcs, Measure::levenshtein}) {
    MatchOptions requested = options(measure, 0.0, 3);
    requested.space = Space::serial;
    const auto before = context.memory_statistics(Space::serial).bytes_in_use;
    const MatchResults found = matcher.match(ragged(Sequences{source}), requested);
    const auto after = context.memory_statistics(Space::serial).bytes_in_use;
    expect_equal(found.matches[0],
                 results_of(ranked(patterns, patterns.size(), source, measure), requested),
                 std::string(to_string(measure)));
    EXPECT_LT(after - before, 100'000U) << to_string(measure) << ": a count and a key of all "
                                        << "patterns have 246,000 bytes";
  }
}

}  // namespace LengthBoundsTest
