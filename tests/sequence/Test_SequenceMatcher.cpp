// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/reference/Reference.hpp>

#include <gtest/gtest.h>

#include "SequenceSupport.hpp"
#include "Support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

namespace SequenceMatcherTest {

using namespace Kindred;
using Testing::options;
using Testing::random_sequence;
using Sequences = std::vector<std::vector<Symbol>>;

Ragged<Symbol> ragged(const Sequences& rows) {
  Ragged<Symbol> result;
  for (const auto& row : rows) result.push_row(row);
  return result;
}

std::vector<Symbol> text(std::string_view letters) { return {letters.begin(), letters.end()}; }

/// \p source with about \p percent of its symbols replaced.
std::vector<Symbol> noisy(std::mt19937_64& generator, std::vector<Symbol> source, Symbol vocabulary,
                          unsigned percent) {
  for (Symbol& symbol : source) {
    if (generator() % 100 < percent) symbol = static_cast<Symbol>(generator() % vocabulary);
  }
  return source;
}

std::vector<Match> reference(const Sequences& patterns, const std::vector<Symbol>& query,
                             const MatchOptions& requested) {
  const auto measure =
      requested.measure == Measure::lcs ? Reference::Matched::lcs : Reference::Matched::difflib;
  std::vector<Match> result;
  for (const auto& item : Reference::match(patterns, query, measure, requested.threshold,
                                           requested.top, requested.autojunk)) {
    result.push_back({item.index, item.similarity, item.matched});
  }
  return result;
}

std::vector<Match> row(const MatchResults& results, std::size_t query) {
  const auto span = results.matches[query];
  return {span.begin(), span.end()};
}

/// Compares with Reference on every space, for both measures and several thresholds.
void expect_reference(const Sequences& patterns, const Sequences& queries,
                      const std::vector<double>& thresholds = {0.0, 0.1, 0.6},
                      const std::vector<std::size_t>& tops = {100000}) {
  const SequenceMatcher matcher(Testing::context(), ragged(patterns));
  const Ragged<Symbol> kept = matcher.patterns();
  ASSERT_EQ(kept.offsets, ragged(patterns).offsets);
  ASSERT_EQ(kept.values, ragged(patterns).values);
  for (const Measure measure : {Measure::lcs, Measure::difflib}) {
    for (const double threshold : thresholds) {
      for (const std::size_t top : tops) {
        MatchOptions requested = options(measure, threshold, top);
        std::vector<std::vector<Match>> expected;
        for (const auto& query : queries) expected.push_back(reference(patterns, query, requested));
        for (const Space space : Testing::spaces()) {
          requested.space = space;
          const MatchResults results = matcher.match(ragged(queries), requested);
          ASSERT_EQ(results.matches.rows(), queries.size());
          for (std::size_t q = 0; q < queries.size(); ++q) {
            ASSERT_EQ(row(results, q), expected[q])
                << to_string(measure) << " threshold " << threshold << " top " << top << " query "
                << q << " of " << queries[q].size() << " symbols on " << to_string(space);
          }
        }
      }
    }
  }
}

TEST(SequenceMatcher, MatchesReferenceAtEdgeSizesOfPatterns) {
  auto generator = Testing::generator("patterns");
  for (const std::size_t count : Testing::edge_sizes) {
    Sequences patterns;
    for (std::size_t i = 0; i < count; ++i) {
      patterns.push_back(random_sequence(generator, generator() % 70, 9));
    }
    expect_reference(patterns,
                     {random_sequence(generator, 40, 9), random_sequence(generator, 7, 12)});
  }
}

TEST(SequenceMatcher, MatchesReferenceAtEdgeLengths) {
  auto generator = Testing::generator("lengths");
  Sequences patterns;
  Sequences queries;
  for (const std::size_t length : Testing::edge_sizes) {
    for (const Symbol vocabulary : {2U, 30U}) {
      patterns.push_back(random_sequence(generator, length, vocabulary));
      queries.push_back(random_sequence(generator, length, vocabulary));
      queries.push_back(noisy(generator, patterns.back(), vocabulary, 30));
    }
  }
  expect_reference(patterns, queries);
}

TEST(SequenceMatcher, MatchesReferenceAcrossManyWords) {
  auto generator = Testing::generator("words");
  Sequences patterns;
  for (const std::size_t length : {0, 1, 40, 200, 255, 256, 257, 700, 1000}) {
    patterns.push_back(random_sequence(generator, length, 3));
    patterns.push_back(random_sequence(generator, length, 600));
  }
  Sequences queries;
  for (const std::size_t length : {191, 192, 193, 255, 256, 257, 320, 511, 513, 1000}) {
    queries.push_back(random_sequence(generator, length, 3));
    queries.push_back(random_sequence(generator, length, 600));
    queries.push_back(noisy(generator, patterns.back(), 600, 20));
  }
  // A segment with 256 distinct symbols, and one that repeats them.
  std::vector<Symbol> distinct(600);
  for (Symbol i = 0; i < 600; ++i) distinct[i] = i;
  patterns.push_back(distinct);
  queries.push_back(distinct);
  std::reverse(distinct.begin(), distinct.end());
  queries.push_back(distinct);
  expect_reference(patterns, queries, {0.0, 0.3});
}

TEST(SequenceMatcher, PatternsOfVeryDifferentLengthsShareAWorkspace) {
  // The longest pattern keeps one level of its run matrix, and shorter ones keep more.
  auto random = Testing::generator("lengths of a workspace");
  Sequences patterns;
  for (const std::size_t length : {8192, 5440, 4000, 2700, 100}) {
    patterns.push_back(random_sequence(random, length, 40));
  }
  expect_reference(patterns, {random_sequence(random, 64, 40)}, {0.0});
}

TEST(SequenceMatcher, MatchesReferenceOnLongSequences) {
  auto generator = Testing::generator("long");
  Sequences patterns{random_sequence(generator, 1200, 4), random_sequence(generator, 5000, 3000),
                     random_sequence(generator, 30, 3000), std::vector<Symbol>(900, 1)};
  Sequences queries{noisy(generator, patterns[1], 3000, 10), noisy(generator, patterns[0], 4, 50),
                    std::vector<Symbol>(700, 1)};
  expect_reference(patterns, queries, {0.0, 0.5});
}

TEST(SequenceMatcher, AcceptsSequencesBeyondTheRunMatrices) {
  auto generator = Testing::generator("beyond");
  const auto pattern = random_sequence(generator, 12000, 5000);
  const auto query = noisy(generator, pattern, 5000, 5);
  expect_reference({pattern, text("ab")}, {query}, {0.0, 0.5});
}

TEST(SequenceMatcher, MatchesReferenceOverManyTilesOfOneLength) {
  auto generator = Testing::generator("tiles");
  Sequences patterns;
  for (int i = 0; i < 3000; ++i) patterns.push_back(random_sequence(generator, 50, 20));
  const auto query = noisy(generator, patterns[1234], 20, 30);
  auto long_query = query;
  long_query.insert(long_query.end(), query.begin(), query.begin() + 30);
  expect_reference(patterns, {query, long_query}, {0.0, 0.1, 0.4, 0.6, 0.75}, {1, 10, 3000});
}

TEST(SequenceMatcher, AcceptsSymbolsAroundTheNarrowWidth) {
  auto generator = Testing::generator("width");
  for (const Symbol vocabulary : {254U, 255U, 256U, 257U, 65533U, 65534U, 65535U, 65536U, 65537U}) {
    // Every symbol once, so that the vocabulary has this size, and repeats of the last symbols.
    std::vector<Symbol> all(vocabulary);
    for (Symbol s = 0; s < vocabulary; ++s) all[s] = s;
    Sequences patterns;
    for (Symbol s = 0; s < vocabulary; s += 2048) {
      patterns.emplace_back(all.begin() + s, all.begin() + std::min(s + 2048, vocabulary));
    }
    patterns.push_back(random_sequence(generator, 100, 60, vocabulary - 60));
    patterns.push_back(random_sequence(generator, 90, vocabulary));
    expect_reference(
        patterns,
        {noisy(generator, random_sequence(generator, 64, 60, vocabulary - 60), vocabulary, 20),
         {vocabulary - 1, vocabulary, vocabulary + 1, 65535, 65536, 0}},
        {0.0, 0.05}, {5});
  }
}

TEST(SequenceMatcher, AcceptsSymbolsOfAnyValue) {
  const Symbol huge = unknown_symbol - 1;
  expect_reference({{huge, 3, huge - 1}, {0, huge}, {huge / 2}}, {{huge, huge - 1}, {huge - 2, 0}});
}

TEST(SequenceMatcher, UnknownSymbolsNeverMatchAndCountTowardsTheLength) {
  expect_reference({text("abc"), text("ab")},
                   {{'a', unknown_symbol, 'b', 9999, unknown_symbol}, {unknown_symbol}});
  const SequenceMatcher matcher(Testing::context(), ragged({text("abc")}));
  const auto found = row(matcher.match(ragged({{'a', unknown_symbol, 'b'}})), 0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].matched, 2U);
  EXPECT_EQ(found[0].similarity, 2.0 * 2 / 6);
}

TEST(SequenceMatcher, RanksTiesByIndex) {
  auto generator = Testing::generator("ties");
  Sequences patterns;
  const auto one = random_sequence(generator, 20, 5);
  for (int i = 0; i < 200; ++i) {
    patterns.push_back(i % 3 == 0 ? one : random_sequence(generator, 18 + generator() % 5, 2));
  }
  expect_reference(patterns, {one, random_sequence(generator, 20, 2)}, {0.0, 0.3},
                   {1, 2, 67, 68, 200, 500});
}

TEST(SequenceMatcher, EmptySequences) {
  expect_reference({{}, text("a"), {}}, {text("ab"), {}, text("a")});
  const SequenceMatcher matcher(Testing::context(), ragged({{}, text("a")}));
  const MatchResults results =
      matcher.match(ragged({{}, text("b")}), options(Measure::difflib, 0.0, 10));
  EXPECT_TRUE(row(results, 0).empty());
  EXPECT_EQ(row(results, 1), (std::vector<Match>{{0, 0.0, 0}, {1, 0.0, 0}}));
  EXPECT_EQ(matcher.match(RaggedSpan<Symbol>()).matches.rows(), 0U);

  const SequenceMatcher none(Testing::context(), RaggedSpan<Symbol>());
  EXPECT_EQ(none.size(), 0U);
  const MatchResults nothing = none.match(ragged({text("a"), {}}));
  ASSERT_EQ(nothing.matches.rows(), 2U);
  EXPECT_TRUE(row(nothing, 0).empty());
}

TEST(SequenceMatcher, ThresholdIsInclusiveInDouble) {
  // Pattern, query, similarity: the golden table of the pattern matcher, and 1/3.
  const std::vector<std::tuple<std::string, std::string, std::uint32_t, double>> golden{
      {"abc", "ab", 2, 0.8},
      {"abcd", "ab", 2, 2.0 / 3},
      {"abcdefghij", "ab", 2, 1.0 / 3},
      {"abcdefghij", "abcde", 5, 2.0 / 3},
      {"abcdefghi", "abcde", 5, 10.0 / 14},
      {"abcdefghi", "ad", 2, 4.0 / 11},
      {"abcd", "abxcd", 4, 8.0 / 9},
      {"abcd", "abxycdz", 4, 8.0 / 11},
      {"abcd", "axcy", 2, 0.5},
      {"abab", "ab", 2, 2.0 / 3},
      {"abc", "xy", 0, 0.0},
      {"abc", "abc", 3, 1.0}};
  for (const auto& [pattern, query, matched, value] : golden) {
    const SequenceMatcher matcher(Testing::context(), ragged({text(pattern)}));
    for (const Space space : Testing::spaces()) {
      for (const Measure measure : {Measure::lcs, Measure::difflib}) {
        MatchOptions requested = options(measure, value, 1);
        requested.space = space;
        EXPECT_EQ(row(matcher.match(ragged({text(query)}), requested), 0),
                  (std::vector<Match>{{0, value, matched}}))
            << pattern << ' ' << query;
        if (value == 1.0) continue;
        requested.threshold = std::nextafter(value, 1.0);
        EXPECT_TRUE(row(matcher.match(ragged({text(query)}), requested), 0).empty())
            << pattern << ' ' << query;
      }
    }
  }
}

TEST(SequenceMatcher, OnlyDifflibDependsOnTheOrderOfArguments) {
  // a, b, LCS, difflib(a, b)
  const std::vector<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>> pairs{
      {"aba", "bca", 2, 1},   {"bca", "aba", 2, 2},   {"bacb", "ab", 2, 1},
      {"ab", "bacb", 2, 2},   {"abc", "bdca", 2, 1},  {"abcd", "bdca", 2, 1},
      {"bdca", "abcd", 2, 2}, {"abcd", "cbda", 2, 1}, {"abcdef", "abdfec", 4, 3}};
  for (const auto& [pattern, query, lcs, difflib] : pairs) {
    const SequenceMatcher matcher(Testing::context(), ragged({text(pattern)}));
    for (const Space space : Testing::spaces()) {
      MatchOptions requested = options(Measure::lcs, 0.0, 1);
      requested.space = space;
      EXPECT_EQ(row(matcher.match(ragged({text(query)}), requested), 0)[0].matched, lcs);
      requested.measure = Measure::difflib;
      EXPECT_EQ(row(matcher.match(ragged({text(query)}), requested), 0)[0].matched, difflib)
          << pattern << ' ' << query;
    }
  }
}

TEST(SequenceMatcher, BlocksMatchTheReferenceOfTheirMeasure) {
  auto generator = Testing::generator("blocks");
  Sequences patterns{text("abcd"), {}, text("xyz")};
  for (int i = 0; i < 60; ++i) patterns.push_back(random_sequence(generator, generator() % 90, 6));
  const Sequences queries{
      text("bdca"), noisy(generator, patterns[40], 6, 20), {}, {'a', unknown_symbol, 'c'}};
  const SequenceMatcher matcher(Testing::context(), ragged(patterns));
  for (const Space space : Testing::spaces()) {
    for (const Measure measure : {Measure::lcs, Measure::difflib}) {
      MatchOptions requested = options(measure, 0.0, 20);
      requested.blocks = true;
      requested.space = space;
      const MatchResults results = matcher.match(ragged(queries), requested);
      ASSERT_EQ(results.blocks.rows(), results.matches.values.size());
      std::size_t at = 0;
      for (std::size_t q = 0; q < queries.size(); ++q) {
        for (const Match& match : results.matches[q]) {
          const auto blocks = results.blocks[at++];
          EXPECT_EQ(std::vector<Block>(blocks.begin(), blocks.end()),
                    measure == Measure::lcs
                        ? Reference::lcs_blocks(patterns[match.index], queries[q])
                        : Reference::blocks(patterns[match.index], queries[q]));
        }
      }
    }
  }
}

/// A query whose symbols below 3 are popular once it has 200 symbols.
std::vector<Symbol> with_popular(std::mt19937_64& generator, std::size_t length) {
  std::vector<Symbol> sequence(length);
  for (Symbol& symbol : sequence)
    symbol = static_cast<Symbol>(generator() % 2 == 0 ? generator() % 3 : generator() % 400);
  return sequence;
}

TEST(SequenceMatcher, AutojunkMatchesReferenceFrom200SymbolsOn) {
  auto generator = Testing::generator("autojunk");
  Sequences queries;
  Sequences patterns{{}, {0, 1, 2}, {0}, {500, 501}};
  for (const std::size_t length : {1, 60, 199, 200, 201, 256, 320, 700}) {
    queries.push_back(with_popular(generator, length));
    patterns.push_back(noisy(generator, queries.back(), 3, 15));
    patterns.push_back(noisy(generator, queries.back(), 400, 25));
    patterns.emplace_back(queries.back().begin(), queries.back().begin() + length / 2);
  }
  const SequenceMatcher matcher(Testing::context(), ragged(patterns));
  std::size_t changed = 0;
  for (const double threshold : {0.0, 0.1, 0.6}) {
    MatchOptions requested = options(Measure::difflib, threshold, 1000);
    const MatchResults plain = matcher.match(ragged(queries), requested);
    requested.autojunk = true;
    std::vector<std::vector<Match>> expected;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      expected.push_back(reference(patterns, queries[q], requested));
      changed += queries[q].size() >= 200 && expected[q] != row(plain, q) ? 1 : 0;
      if (queries[q].size() < 200) {
        EXPECT_EQ(expected[q], row(plain, q));
      }
    }
    for (const Space space : Testing::spaces()) {
      requested.space = space;
      const MatchResults results = matcher.match(ragged(queries), requested);
      for (std::size_t q = 0; q < queries.size(); ++q) {
        EXPECT_EQ(row(results, q), expected[q]) << queries[q].size() << ' ' << threshold;
      }
    }
  }
  EXPECT_GE(changed, 5U);
}

TEST(SequenceMatcher, AutojunkWorksBeyondTheRunMatrices) {
  // All common symbols are popular: a block grows only where both sequences begin with them.
  std::vector<Symbol> pattern(12000);
  std::vector<Symbol> query(12000);
  for (Symbol i = 0; i < 12000; ++i) {
    pattern[i] = i % 2 == 0 ? 1 : 100000 + i;
    query[i] = i % 2 == 0 ? 1 : 200000 + i;
  }
  std::vector<Symbol> later = pattern;
  later[0] = 99;
  const SequenceMatcher matcher(Testing::context(), ragged({pattern, later}));
  MatchOptions requested = options(Measure::difflib, 0.0, 2);
  requested.autojunk = true;
  for (const Space space : Testing::spaces()) {
    requested.space = space;
    EXPECT_EQ(row(matcher.match(ragged({query}), requested), 0),
              (std::vector<Match>{{0, 2.0 / 24000, 1}, {1, 0.0, 0}}));
  }
}

TEST(SequenceMatcher, SelfMatchReturnsEveryPairOnceForAnyBatches) {
  auto generator = Testing::generator("self");
  // More than one batch of queries, and patterns with more duplicates than the first request
  // returns.
  Sequences patterns;
  for (int i = 0; i < 1700; ++i) {
    patterns.push_back(i % 5 == 0 ? random_sequence(generator, generator() % 12, 9)
                                  : noisy(generator, text("abcdefgh"), 200, i % 30));
  }
  const SequenceMatcher matcher(Testing::context(), ragged(patterns));
  struct Case {
    double threshold;
    std::size_t top;
  };
  for (const Case& c : {Case{0.5, std::size_t{1} << 40U}, Case{0.9, 3}, Case{0.9, 1500}}) {
    const double threshold = c.threshold;
    const std::size_t top = c.top;
    const MatchOptions requested = options(Measure::lcs, threshold, top);
    const MatchResults all =
        matcher.match(ragged(patterns), options(Measure::lcs, threshold, 1700));
    std::size_t next = 0;
    matcher.match_self(requested, [&](std::size_t first, const MatchResults& results) {
      ASSERT_EQ(first, next);
      next += results.matches.rows();
      for (std::size_t r = 0; r < results.matches.rows(); ++r) {
        std::vector<Match> before;
        for (const Match& match : all.matches[first + r]) {
          if (match.index < first + r && before.size() < top) before.push_back(match);
        }
        ASSERT_EQ(row(results, r), before) << first + r;
      }
    });
    EXPECT_EQ(next, patterns.size());
  }
}

TEST(SequenceMatcher, CascadeMatchesTheFullScan) {
  auto generator = Testing::generator("cascade");
  Sequences patterns;
  for (int i = 0; i < 500; ++i) {
    patterns.push_back(i % 4 == 0 && i > 0
                           ? noisy(generator, patterns[0], 12, i % 90)
                           : random_sequence(generator, 20 + generator() % 100, 12));
  }
  const SequenceMatcher matcher(Testing::context(), ragged(patterns));
  for (const std::size_t length : {50, 64, 65, 80, 100, 128, 129, 300}) {
    auto query = noisy(generator, patterns[0], 12, 25);
    const auto more = random_sequence(generator, 300, 12);
    query.insert(query.end(), more.begin(), more.end());
    query.resize(length);
    const auto all = row(matcher.match(ragged({query}), options(Measure::difflib, 0.0, 500)), 0);
    const auto upper = row(matcher.match(ragged({query}), options(Measure::lcs, 0.0, 500)), 0);
    ASSERT_EQ(all.size(), 500U);
    std::vector<std::uint32_t> lcs(500);
    for (const Match& match : upper) lcs[match.index] = match.matched;
    for (const Match& match : all) EXPECT_LE(match.matched, lcs[match.index]);
    for (const double threshold : {0.01, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.95, 1.0}) {
      std::vector<Match> expected;
      std::copy_if(all.begin(), all.end(), std::back_inserter(expected),
                   [&](const Match& match) { return match.similarity >= threshold; });
      EXPECT_EQ(row(matcher.match(ragged({query}), options(Measure::difflib, threshold, 500)), 0),
                expected);
    }
  }
}

TEST(SequenceMatcher, BatchEqualsOneQueryAtATime) {
  auto generator = Testing::generator("batch");
  Sequences patterns;
  for (int i = 0; i < 700; ++i) {
    patterns.push_back(random_sequence(generator, 5 + generator() % 60, 40));
  }
  Sequences queries;
  for (int i = 0; i < 90; ++i) {
    queries.push_back(random_sequence(generator, i % 7 == 0 ? 0 : generator() % 400, 50));
  }
  const SequenceMatcher matcher(Testing::context(), ragged(patterns));
  for (const Space space : Testing::spaces()) {
    for (const Measure measure : {Measure::lcs, Measure::difflib}) {
      MatchOptions requested = options(measure, 0.1, 12);
      requested.space = space;
      const MatchResults batch = matcher.match(ragged(queries), requested);
      for (std::size_t q = 0; q < queries.size(); ++q) {
        EXPECT_EQ(row(batch, q), row(matcher.match(ragged({queries[q]}), requested), 0));
      }
    }
  }
}

TEST(SequenceMatcher, GivesTheSameBitsOnAnyNumberOfThreadsAndInEveryRun) {
  auto generator = Testing::generator("threads");
  Sequences patterns;
  for (int i = 0; i < 5000; ++i) {
    patterns.push_back(random_sequence(generator, 10 + generator() % 40, 15));
  }
  const Sequences queries{noisy(generator, patterns[77], 15, 30),
                          random_sequence(generator, 100, 15)};
  std::vector<std::vector<Match>> first;
  for (const int threads : {1, 2, 3, 7}) {
    ContextOptions made;
    made.threads = threads;
    made.load_profile = false;
    Context context(made);
    const SequenceMatcher matcher(context, ragged(patterns));
    for (const Space space : Testing::spaces()) {
      std::vector<std::vector<Match>> all;
      for (int repeat = 0; repeat < 2; ++repeat) {
        for (const Measure measure : {Measure::lcs, Measure::difflib}) {
          for (const double threshold : {0.0, 0.4}) {
            MatchOptions requested = options(measure, threshold, 100);
            requested.space = space;
            const MatchResults results = matcher.match(ragged(queries), requested);
            all.push_back(row(results, 0));
            all.push_back(row(results, 1));
          }
        }
      }
      if (first.empty()) first = all;
      EXPECT_EQ(all, first) << threads << " threads on " << to_string(space);
    }
  }
}

TEST(SequenceMatcher, RejectsInvalidArguments) {
  const SequenceMatcher matcher(Testing::context(), ragged({text("ab")}));
  const auto query = ragged({text("a")});
  for (const double threshold : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(matcher.match(query, options(Measure::lcs, threshold, 1)), InvalidArgument);
  }
  EXPECT_THROW(matcher.match(query, options(Measure::lcs, 0.1, 0)), InvalidArgument);
  MatchOptions junk = options(Measure::lcs, 0.1, 1);
  junk.autojunk = true;
  EXPECT_THROW(matcher.match(query, junk), InvalidArgument);
  EXPECT_THROW(matcher.match_self(junk, {}), InvalidArgument);
  EXPECT_THROW(SequenceMatcher(Testing::context(), ragged({{1, unknown_symbol}})), InvalidArgument);
  const std::vector<Symbol> values{1, 2, 3};
  for (const std::vector<std::uint64_t>& offsets :
       {std::vector<std::uint64_t>{1, 2}, {0, 2, 1}, {0, 4}}) {
    const RaggedSpan<Symbol> rows{offsets, values};
    EXPECT_THROW(SequenceMatcher(Testing::context(), rows), InvalidArgument);
    EXPECT_THROW(matcher.match(rows), InvalidArgument);
  }
  if (!Testing::context().is_usable(Space::cuda)) {
    EXPECT_THROW(matcher.match(query, {.space = Space::cuda}), SpaceUnavailable);
    for (const Residency where : {Residency::both, Residency::device})
      EXPECT_THROW(SequenceMatcher(Testing::context(), ragged({{}}), where), SpaceUnavailable);
  } else {
    const SequenceMatcher there(Testing::context(), ragged({{}}), Residency::device);
    EXPECT_EQ(there.match(query).record.chosen, Space::cuda);
  }
}

TEST(SequenceMatcher, ReportsItsWorkToTheDispatcher) {
  const SequenceMatcher matcher(Testing::context(), ragged({text("abcd"), text("ab"), {}}));
  const MatchResults results = matcher.match(ragged({text("ab"), std::vector<Symbol>(65, 1)}));
  EXPECT_EQ(results.record.operation, Operations::lcs);
  EXPECT_EQ(results.record.items, 6U);
  EXPECT_EQ(results.record.work, 6.0 * 3);
  EXPECT_GT(results.record.taken, 0.0);
}

}  // namespace SequenceMatcherTest
