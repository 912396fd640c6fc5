// SPDX-License-Identifier: Apache-2.0
#include "SequenceOracle.hpp"

namespace LengthBoundsTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr Symbol vocabulary = 12;

SymbolRows of_lengths(std::mt19937_64& random, const std::vector<std::size_t>& lengths) {
  SymbolRows out;
  for (const std::size_t length : lengths)
    out.push_back(random_sequence(random, length, vocabulary));
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

/// Patterns of which one is long, of geometric lengths, and of two lengths.
std::vector<SymbolRows> mixtures(std::mt19937_64& random, std::size_t longest) {
  std::vector<std::size_t> one_long(200, 20);
  one_long.push_back(longest);
  std::vector<std::size_t> geometric;
  for (double length = 3; length < static_cast<double>(longest); length *= 1.04)
    geometric.push_back(static_cast<std::size_t>(length));
  std::vector<std::size_t> halves(100, 20);
  halves.insert(halves.end(), 100, longest / 10);
  return {of_lengths(random, one_long), of_lengths(random, geometric), of_lengths(random, halves)};
}

TEST(LengthBounds, ChangeNoResultOfAnyMixture) {
  auto random = generator("mixtures");
  const auto near = [&](const SymbolRows& patterns) {
    return noisy(random, patterns[random() % patterns.size()], vocabulary, 25);
  };
  for (const SymbolRows& patterns : mixtures(random, 2500)) {
    SymbolRows queries = of_lengths(random, {1, 20, 64, 300, 1000});
    for (int i = 0; i < 3; ++i) queries.push_back(near(patterns));
    expect_matches(
        patterns, queries,
        {.thresholds = {0.0, 0.5, 0.9}, .tops = {3, patterns.size()}, .truth = one_pair});
  }
  for (SymbolRows& patterns : mixtures(random, 1500)) {
    SymbolRows queries = of_lengths(random, {0, 1, 20, 64, 300});
    queries.push_back(near(patterns));
    expect_scores(patterns, queries, of_symbols, one_pair);
    for (std::size_t i = 0; i < 30; ++i) patterns.push_back(near(patterns));
    expect_self_matches(
        patterns,
        {.measures = {Measure::lcs, Measure::levenshtein}, .thresholds = {0.7}, .truth = one_pair});
  }
}

TEST(LengthBounds, OnlyPatternsThatCanMatchAreCountedAsWork) {
  auto random = generator("work");
  SymbolRows patterns = random_sequences(random, 1000, 20, 20, vocabulary);
  const SequenceMatcher without(context(), ragged(patterns), Residency::host);
  patterns.push_back(random_sequence(random, 100000, vocabulary));
  const SequenceMatcher with(context(), ragged(patterns), Residency::host);
  const auto query = ragged(random_sequences(random, 1, 20, 20, vocabulary));
  const auto long_query = ragged(SymbolRows{patterns.back()});
  for (const Measure measure : {Measure::lcs, Measure::levenshtein, Measure::jaro_winkler}) {
    const MatchOptions requested{.measure = measure, .threshold = 0.9};
    const double added =
        with.match(query, requested).record.work - without.match(query, requested).record.work;
    EXPECT_LT(added, 2000.0) << to_string(measure) << ": the long pattern has 100,000 symbols";
    EXPECT_EQ(without.match(long_query, requested).record.work, 0.0) << to_string(measure);
  }
}

TEST(LengthBounds, TheBestOfFewSimilarLengthsAreFoundWithoutTheOthers) {
  // Patterns of about the length of the query are few and similar to it; the others cannot be among
  // the best, and need no workspace.
  auto random = generator("near");
  std::vector<std::size_t> lengths(500, 20);
  lengths.insert(lengths.end(), 20000, 400);
  const SymbolRows patterns = of_lengths(random, lengths);
  const Symbols source =
      *std::ranges::find_if(patterns, [](const Symbols& one) { return one.size() == 20; });
  Context own;
  const SequenceMatcher matcher(own, ragged(patterns), Residency::host);
  for (const Measure measure : {Measure::lcs, Measure::levenshtein}) {
    const MatchOptions requested{
        .measure = measure, .threshold = 0.0, .top = 3, .space = Space::serial};
    const auto before = own.memory_statistics(Space::serial).bytes_in_use;
    const MatchResults found = matcher.match(ragged(SymbolRows{source}), requested);
    const auto after = own.memory_statistics(Space::serial).bytes_in_use;
    expect_row(found, 0,
               returned(ranked(measure, patterns, source, {.truth = one_pair}), requested),
               requested);
    EXPECT_LT(after - before, 100'000U) << to_string(measure) << ": a count and a key of all "
                                        << "patterns have 246,000 bytes";
  }
}

}  // namespace LengthBoundsTest
