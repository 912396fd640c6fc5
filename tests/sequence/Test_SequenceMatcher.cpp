// SPDX-License-Identifier: Apache-2.0
// Matches of sequences that are long, large in number or unusual, or among candidates; what a call
// reports, and the memory that it takes.
#include <kindred/matcher/SequenceOperationInfo.hpp>

#include <numeric>

#include "SequenceOracle.hpp"
#include "ThreadSanitizer.hpp"

namespace SequenceMatcherTest {

using namespace Kindred;
using namespace Kindred::Testing;

const MatchGrid of_blocks{.measures = with_blocks, .thresholds = {0.0, 0.3, 0.6}};
/// For many or long patterns.
const MatchGrid by_pairs{.measures = with_blocks, .thresholds = {0.0, 0.3}, .truth = one_pair};

TEST(SequenceMatcher, MatchesReferenceOnLongSequences) {
  auto random = generator("long");
  const SymbolRows patterns{random_sequence(random, 1200, 4), random_sequence(random, 5000, 3000),
                            random_sequence(random, 30, 3000), Symbols(900, 1)};
  expect_matches(
      patterns,
      {noisy(random, patterns[1], 3000, 10), noisy(random, patterns[0], 4, 50), Symbols(700, 1)},
      of_blocks);
  // The longest of these keeps one level of its run matrix, and shorter ones keep more.
  SymbolRows shared;
  for (const std::size_t length : {8192, 5440, 4000, 2700, 100})
    shared.push_back(random_sequence(random, length, 40));
  expect_matches(shared, {random_sequence(random, 64, 40)}, of_blocks);
}

TEST(SequenceMatcher, AcceptsSequencesBeyondTheRunMatrices) {
  auto random = generator("beyond");
  const Symbols pattern = random_sequence(random, 12000, 5000);
  expect_matches({pattern, letters("ab")}, {noisy(random, pattern, 5000, 5)}, of_blocks);
}

TEST(SequenceMatcher, MatchesReferenceOverManyTilesOfOneLength) {
  auto random = generator("tiles");
  const SymbolRows patterns = random_sequences(random, 3000, 50, 50, 20);
  const Symbols query = noisy(random, patterns[1234], 20);
  Symbols long_query = query;
  long_query.insert(long_query.end(), query.begin(), query.begin() + 30);
  expect_matches(patterns, {query, long_query},
                 {.thresholds = {0.0, 0.1, 0.4, 0.6, 0.75}, .tops = {1, 10, 3000}});
}

TEST(SequenceMatcher, AcceptsSymbolsAroundTheNarrowWidth) {
  auto random = generator("width");
  for (const Symbol vocabulary : {254U, 255U, 256U, 257U, 65533U, 65534U, 65535U, 65536U, 65537U}) {
    // Every symbol once, so that the vocabulary has this size, and repeats of the last symbols.
    SymbolRows patterns;
    for (Symbol s = 0; s < vocabulary; s += 2048) {
      patterns.emplace_back(std::min(2048U, vocabulary - s));
      std::iota(patterns.back().begin(), patterns.back().end(), s);
    }
    const auto last = [&](std::size_t length) {
      return random_sequence(random, length, 60, vocabulary - 60);
    };
    patterns.push_back(last(100));
    patterns.push_back(random_sequence(random, 90, vocabulary));
    expect_matches(patterns,
                   {noisy(random, last(64), vocabulary, 20),
                    {vocabulary - 1, vocabulary, vocabulary + 1, 65535, 65536, 0}},
                   {.thresholds = {0.0, 0.05}, .tops = {5}});
  }
}

TEST(SequenceMatcher, AcceptsEmptySequencesAndSymbolsOfAnyValue) {
  constexpr Symbol huge = unknown_symbol - 1;
  const SymbolRows patterns{{},         {'a'},         {}, {huge, 3, huge - 1}, {0, huge},
                            {huge / 2}, letters("abc")};
  const SymbolRows queries{{},
                           {'a'},
                           {huge, huge - 1},
                           {huge - 2, 0},
                           {unknown_symbol},
                           {'a', unknown_symbol, 'b', 9999, unknown_symbol}};
  expect_matches(patterns, queries);
  expect_matches({}, queries);
  const SequenceMatcher matcher(context(), ragged(patterns));
  EXPECT_EQ(matcher.match(RaggedSpan<Symbol>()).matches.rows(), 0U);
  EXPECT_EQ(SequenceMatcher(context(), RaggedSpan<Symbol>()).size(), 0U);
}

TEST(SequenceMatcher, RanksTiesByIndex) {
  auto random = generator("ties");
  const Symbols one = random_sequence(random, 20, 5);
  SymbolRows patterns = random_sequences(random, 700, 4, 15, 4);
  for (int i = 0; i < 200; ++i)
    patterns.push_back(i % 3 == 0 ? one : random_sequence(random, 18 + random() % 5, 2));
  expect_matches(patterns, {one, {}, random_sequence(random, 20, 2), random_sequence(random, 9, 4)},
                 {.thresholds = {0.0, 0.3}, .tops = {1, 2, 25, 67, 68, 200, 500}});
}

/// A query whose symbols below 3 are popular once it has 200 symbols.
Symbols with_popular(std::mt19937_64& random, std::size_t length) {
  Symbols sequence(length);
  for (Symbol& symbol : sequence)
    symbol = static_cast<Symbol>(random() % 2 == 0 ? random() % 3 : random() % 400);
  return sequence;
}

TEST(SequenceMatcher, AutojunkMatchesReferenceFrom200SymbolsOn) {
  auto random = generator("autojunk");
  for (int repeat = 0; repeat < 4; ++repeat) {
    SymbolRows queries;
    SymbolRows patterns{{}, {0, 1, 2}, {0}, {500, 501}};
    for (const std::size_t length : {1, 60, 199, 200, 201, 256, 320, 700}) {
      queries.push_back(with_popular(random, length));
      patterns.push_back(noisy(random, queries.back(), 3, 15));
      patterns.push_back(noisy(random, queries.back(), 400, 25));
      patterns.emplace_back(queries.back().begin(), queries.back().begin() + length / 2);
      if (repeat % 2 == 1) queries.back()[length / 3] = unknown_symbol;
    }
    for (SymbolRows* rows : {&patterns, &queries})  // symbols of 16 bits, and wider ones
      for (Symbols& row : *rows)
        for (Symbol& symbol : row)
          if (repeat > 1 && symbol != unknown_symbol) symbol *= 70000;
    MatchGrid grid = of_blocks;
    grid.measures = {Measure::difflib};
    grid.thresholds = {0.0};
    grid.autojunk = grid.blocks = true;
    grid.postings = {PostingsUse::never, PostingsUse::always};
    expect_matches(patterns, queries, grid);
    // Postings may serve the first call of a matcher.
    for (const auto& space : each_space())
      expect_matches(patterns, queries,
                     {.measures = grid.measures,
                      .thresholds = {0.01},
                      .autojunk = true,
                      .postings = {PostingsUse::always},
                      .on = {space}});
    std::size_t changed = 0;
    for (const Symbols& query : queries) {
      const bool differs = ranked(Measure::difflib, patterns, query) !=
                           ranked(Measure::difflib, patterns, query, grid);
      EXPECT_FALSE(differs && query.size() < 200);
      changed += differs ? 1 : 0;
    }
    EXPECT_GE(changed, 3U) << "the heuristic has an effect";
  }
}

TEST(SequenceMatcher, AutojunkWorksBeyondTheRunMatrices) {
  // All common symbols are popular: a block grows only where both sequences begin with them.
  Symbols pattern(12000);
  Symbols query(12000);
  for (Symbol i = 0; i < 12000; ++i) {
    pattern[i] = i % 2 == 0 ? 1 : 100000 + i;
    query[i] = i % 2 == 0 ? 1 : 200000 + i;
  }
  Symbols later = pattern;
  later[0] = 99;
  const SequenceMatcher matcher(context(), ragged(SymbolRows{pattern, later}));
  for (const Space space : spaces()) {
    const MatchOptions requested{
        .measure = Measure::difflib, .threshold = 0.0, .autojunk = true, .space = space};
    EXPECT_EQ(to_vector(matcher.match(ragged(SymbolRows{query}), requested).matches[0]),
              (std::vector<Match>{{0, 2.0 / 24000, 1}, {1, 0.0, 0}}));
  }
}

TEST(SequenceMatcher, ThresholdsOfDifflibLeaveOutNothingElse) {
  auto random = generator("cascade");
  SymbolRows patterns = random_sequences(random, 500, 20, 119, 12);
  for (unsigned i = 4; i < 500; i += 4) patterns[i] = noisy(random, patterns[0], 12, i % 90);
  SymbolRows queries;
  for (const std::size_t length : {50, 64, 65, 80, 100, 128, 129, 300}) {
    queries.push_back(noisy(random, patterns[0], 12, 25));
    const Symbols more = random_sequence(random, 300, 12);
    queries.back().insert(queries.back().end(), more.begin(), more.end());
    queries.back().resize(length);
  }
  expect_matches(patterns, queries,
                 {.measures = {Measure::difflib},
                  .thresholds = {0.0, 0.01, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.95, 1.0},
                  .truth = one_pair});
}

TEST(SequenceMatcher, AnswersManyQueriesOfMixedLengthsTogether) {
  auto random = generator("batch");
  SymbolRows queries = random_sequences(random, 90, 0, 399, 50);
  for (std::size_t i = 0; i < queries.size(); i += 7) queries[i].clear();
  MatchGrid grid = by_pairs;
  grid.tops = {12};
  expect_matches(random_sequences(random, 700, 5, 64, 40), queries, grid);
}

/// A few best patterns are selected during the scan, a complete ranking is not.
TEST(SequenceMatcher, SelectsTheBestOfManyPatterns) {
  auto random = generator("selection");
  MatchGrid grid = by_pairs;
  grid.tops = {1, 7, 60, all_of_them};
  grid.thresholds = {0.0, 0.4, 0.85, 1.0};
  const SymbolRows patterns = random_sequences(random, 40000, 4, 15, 9);
  expect_matches(patterns,
                 {noisy(random, patterns[777], 9), random_sequence(random, 30, 12),
                  random_sequence(random, 90, 9), random_sequence(random, 200, 9)},
                 grid);
  SymbolRows ties;
  for (int i = 0; i < 30000; ++i) ties.emplace_back(8, random() % 50 == 0 ? 2 : 1);
  expect_matches(ties, {Symbols(8, 1), {1, 2}, {3}}, grid);
  // More good patterns than the candidate list can hold, next to each other, which no sample
  // includes.
  SymbolRows cluster = random_sequences(random, 60000, 12, 12, 40);
  const Symbols good = cluster[0];
  for (std::size_t i = 32; i < 4096; ++i) cluster[i] = noisy(random, good, 40);
  expect_matches(cluster, {good}, grid);
  SymbolRows tails = random_sequences(random, 20000, 10, 10, 200);
  for (std::size_t i = 0; i < 40; ++i) tails[i * 499] = noisy(random, tails[1], 200);
  expect_matches(tails, {noisy(random, tails[1], 200)}, grid);
}

TEST(SequenceMatcher, SelfMatchReturnsEveryPairOnceForAnyBatches) {
  // More than one batch of queries, and patterns with more duplicates than the first request
  // returns.
  auto random = generator("self");
  SymbolRows patterns = random_sequences(random, 1700, 0, 11, 9);
  for (unsigned i = 0; i < patterns.size(); ++i)
    if (i % 5 != 0) patterns[i] = noisy(random, letters("abcdefgh"), 200, i % 30);
  expect_self_matches(patterns, {.measures = {Measure::lcs},
                                 .thresholds = {0.5, 0.9},
                                 .tops = {std::size_t{1} << 40U, 3, 1500},
                                 .truth = one_pair});
  SymbolRows few = random_sequences(random, 90, 5, 10, 5);
  for (std::size_t i = 2; i < few.size(); i += 3) few[i] = edited(random, few[i - 1], 1, 5);
  expect_self_matches(few, {.thresholds = {0.5}});
}

TEST(SequenceMatcher, MatchesReferenceOnAnyNumberOfThreadsAndInEveryRun) {
  auto random = generator("threads");
  const SymbolRows patterns = random_sequences(random, 5000, 10, 49, 15);
  const SymbolRows queries{noisy(random, patterns[77], 15), random_sequence(random, 100, 15)};
  for (const int threads : {1, 2, 3, 7}) {
    Context own({.threads = threads, .load_profile = false});
    MatchGrid grid = by_pairs;
    grid.thresholds = {0.0, 0.4};
    grid.tops = {100, 100};
    grid.own = &own;
    expect_matches(patterns, queries, grid);
  }
}

TEST(SequenceMatcher, PostingsListEveryPatternThatSharesEnough) {
  auto random = generator("postings");
  for (const Symbol vocabulary : {3U, 300U, 5000U}) {
    for (const std::size_t count : {1U, 31U, 33U, 900U, 40000U}) {
      if (count > 1000 && vocabulary != 300) continue;
      SymbolRows patterns = random_sequences(random, count, 0, 40, vocabulary);
      SymbolRows queries = random_sequences(random, 5, 1, 90, vocabulary);
      for (SymbolRows* rows : {&patterns, &queries})  // a few frequent and many rare symbols
        for (Symbols& row : *rows)
          for (Symbol& symbol : row) symbol = static_cast<Symbol>(random() % (1 + symbol));
      for (Symbols& query : queries) query.push_back(vocabulary + 7);  // contained in no pattern
      expect_matches(patterns, queries,
                     {.measures = with_blocks,
                      .thresholds = {0.05, 0.3, 0.6, 0.9, 1.0},
                      .truth = one_pair,
                      .postings = {PostingsUse::always}});
    }
  }
}

TEST(SequenceMatcher, ReportsItsWorkToTheDispatcher) {
  const Ragged<Symbol> patterns = ragged(SymbolRows{letters("abcd"), letters("ab"), {}});
  const SequenceMatcher matcher(context(), patterns);
  const DispatchRecord record =
      matcher.match(ragged(SymbolRows{letters("ab"), Symbols(65, 1)})).record;
  EXPECT_EQ(record.items, 6U);
  EXPECT_EQ(record.work, 6.0 * 3);
  EXPECT_GT(record.taken, 0.0);
  using enum Measure;
  const std::map<Measure, Operation> operations{{lcs, Operations::lcs},
                                                {levenshtein, Operations::edit_distance},
                                                {osa, Operations::edit_distance},
                                                {prefix, Operations::common_ends},
                                                {postfix, Operations::common_ends},
                                                {jaro_winkler, Operations::jaro_winkler},
                                                {token_sort, Operations::lcs},
                                                {token_set, Operations::token_set}};
  for (const auto& [measure, operation] : operations)
    EXPECT_EQ(matcher.match(patterns, {.measure = measure}).record.operation, operation);
}

TEST(SequenceMatcher, ReportsFirstCallsAndTheLaunchesOfEveryQueryToTheDispatcher) {
  const SequenceMatcher matcher(context(), ragged<Symbol>({{1, 2, 3}, {1, 2}, {3}}));
  const auto record = [&](Measure measure, const SymbolRows& queries) {
    return matcher.match(ragged(queries), {.measure = measure, .space = Space::serial}).record;
  };
  const DispatchRecord one = record(Measure::difflib, {{1, 2}});
  EXPECT_TRUE(one.first);
  EXPECT_FALSE(record(Measure::difflib, {{1, 2}}).first);
  EXPECT_GT(record(Measure::difflib, {{1, 2}, {2, 3}}).starts, one.starts)
      << "the remaining patterns are matched separately for each query";
  EXPECT_TRUE(record(Measure::lcs, {{1, 2}}).first);
  EXPECT_EQ(record(Measure::lcs, {{1, 2}}).starts, record(Measure::lcs, {{1, 2}, {2, 3}}).starts);
}

TEST(CandidatePatterns, EqualTheOracleLessTheOthers) {
  auto random = generator("CandidatePatterns.EqualTheOracle");
  SymbolRows patterns;
  for (std::size_t i = 0; i < 700; ++i) patterns.push_back(random_text(random, random() % 40, 6));
  SymbolRows queries{{}};
  for (const std::size_t length : {1, 2, 33, 64, 65, 129, 250})
    queries.push_back(random_text(random, length, 6));
  MatchGrid grid{.thresholds = {0.0, 0.4}, .tops = {1, 7, all_of_them}, .truth = one_pair};
  grid.on = each_space();
  grid.on.emplace_back(std::nullopt);
  grid.filters.clear();
  for (const std::size_t count : {0U, 1U, 2U, 3U, 32U, 43U, 44U, 300U, 2000U}) {
    auto& only = grid.filters.emplace_back(std::in_place, count).value();
    for (std::uint64_t& index : only) index = random() % patterns.size();
  }
  queries[3][5] = unknown_symbol;
  expect_matches(patterns, queries, grid);
  grid.measures = {Measure::difflib};
  grid.autojunk = true;
  expect_matches(patterns, queries, grid);
  grid.measures = of_words;
  grid.autojunk = false;
  queries[3][5] = U'é';
  expect_matches(patterns, queries, grid);
}

TEST(CandidatePatterns, RunOnTheDeviceIfThePatternsAreOnlyThere) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto random = generator("CandidatePatterns.Device");
  const SymbolRows patterns = random_sequences(random, 500, 20, 20, 9);
  const Symbols query = random_sequence(random, 20, 9);
  const SequenceMatcher matcher(context(), ragged(patterns), Residency::device);
  const std::vector<std::uint64_t> only{3, 499, 50};
  const MatchOptions requested{.threshold = 0.0, .top = all_of_them, .filter = only};
  const MatchResults some = matcher.match(ragged(SymbolRows{query}), requested);
  EXPECT_EQ(some.record.chosen, Space::cuda);
  expect_row(some, 0, returned(ranked(Measure::lcs, patterns, query), requested), requested);
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
  const auto before = own.memory_statistics(Space::openmp);
  for (const int threads : {4, 8, 2}) {
    own.dispatcher().force_threads(threads);
    EXPECT_EQ(matcher.match(query, requested).matches.values, first) << threads << " threads";
    const auto used = own.memory_statistics(Space::openmp);
    EXPECT_EQ(used.allocations_total, before.allocations_total) << threads << " threads";
    EXPECT_EQ(used.bytes_in_use, before.bytes_in_use) << threads << " threads";
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

}  // namespace SequenceMatcherTest
