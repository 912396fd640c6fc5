// SPDX-License-Identifier: Apache-2.0
// Matches and scores of generated sequences, compared with the oracle under every measure.
#include <numeric>

#include "SequenceOracle.hpp"

namespace SequenceOracleTest {

using namespace Kindred;
using namespace Kindred::Testing;

struct Corpus {
  SymbolRows patterns{{}}, queries{{}};
};

/// For each length a random pattern and others that are like queries of that length, of which the
/// corpus has every \p step-th.
Corpus corpus_of(std::mt19937_64& random, const std::vector<std::size_t>& lengths,
                 Symbol vocabulary, std::size_t step = 1) {
  Corpus corpus;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t length = lengths[i];
    Symbols query = random_sequence(random, length, vocabulary);
    corpus.patterns.push_back(random_sequence(random, length, vocabulary));
    corpus.patterns.push_back(edited(random, query, 3, vocabulary));
    corpus.patterns.push_back(edited(random, query, length / 3, vocabulary));
    corpus.patterns.emplace_back(query.begin() + length / 6, query.end() - length / 2);
    if (length > 0 && i % 3 == 0) query[random() % length] = vocabulary + 9;  // unknown
    if (i % step == 0) corpus.queries.push_back(query);
  }
  return corpus;
}

TEST(SequenceOracle, AgreesOnEveryNumberOfPatterns) {
  auto random = generator("oracle: patterns");
  for (const std::size_t count : edge_sizes) {
    for (const std::size_t most : {7, 70}) {
      const SymbolRows patterns = random_sequences(random, count, most == 7 ? 7 : 0, most, 6);
      const SymbolRows queries{random_sequence(random, 8, 6), random_sequence(random, 40, 9), {}};
      expect_matches(patterns, queries);
      expect_scores(patterns, queries);
    }
  }
}

TEST(SequenceOracle, AgreesOnShortSequencesOfEveryLength) {
  auto random = generator("oracle: short");
  // Vocabularies in which a symbol is its own place, is translated, and does not fit a byte.
  for (const Symbol vocabulary : {2U, 4U, 16U, 30U, 90U, 700U}) {
    std::vector<std::size_t> lengths;
    for (std::size_t length = 0; length <= 65; length += vocabulary == 30 ? 1 : 3)
      lengths.push_back(length);
    const Corpus corpus = corpus_of(random, lengths, vocabulary, 2);
    expect_scores(corpus.patterns, corpus.queries);
  }
}

TEST(SequenceOracle, AgreesAtTheLimitsOfPlanesWordsRunsAndSegments) {
  auto random = generator("oracle: lengths");
  for (const Symbol vocabulary : {2U, 6U, 150U, 5000U, 100'000U}) {
    Corpus corpus =
        corpus_of(random, {1,  2,  3,  7,   8,   9,   15,  16,  17,  31,  32,  33,  63,  64,  65,
                           95, 96, 97, 127, 128, 129, 191, 192, 193, 247, 248, 249, 255, 256, 257},
                  vocabulary);
    expect_matches(corpus.patterns, corpus.queries, {.thresholds = {0.0, 0.55}});
    if (vocabulary != 6 && vocabulary != 150) continue;
    corpus.queries.push_back(random_sequence(random, 600, vocabulary));
    corpus.patterns.push_back(edited(random, corpus.queries.back(), 100, vocabulary));
    expect_scores(corpus.patterns, corpus.queries);
  }
}

TEST(SequenceOracle, AgreesOnQueriesOfManySegments) {
  auto random = generator("oracle: segments");
  MatchGrid grid{.thresholds = {0.0, 0.55}};
  std::erase(grid.measures, Measure::difflib);  // `AcrossManyWords`
  for (const Symbol vocabulary : {4U, 900U}) {
    const Corpus corpus = corpus_of(random, {600, 1025, 1300}, vocabulary);
    expect_matches(corpus.patterns, corpus.queries, grid);
  }
}

TEST(SequenceOracle, AgreesAcrossManyWords) {
  auto random = generator("oracle: words of bits");
  for (const Symbol vocabulary : {3U, 600U}) {
    Corpus corpus = corpus_of(
        random, {40, 191, 192, 193, 200, 255, 256, 257, 320, 511, 513, 700, 1000}, vocabulary);
    // A segment with 256 distinct symbols, and one that repeats them.
    Symbols distinct(600);
    std::iota(distinct.begin(), distinct.end(), 0);
    corpus.patterns.push_back(distinct);
    corpus.queries.push_back(distinct);
    std::reverse(distinct.begin(), distinct.end());
    corpus.queries.push_back(distinct);
    expect_matches(corpus.patterns, corpus.queries,
                   {.measures = with_blocks, .thresholds = {0.0, 0.3, 0.6}});
  }
}

TEST(SequenceOracle, AgreesOnManyQueries) {
  // More queries than threads share, and than a batch has.
  auto random = generator("oracle: queries");
  SymbolRows queries;
  for (std::size_t i = 0; i < 1100; ++i) queries.push_back(random_sequence(random, i % 12, 7));
  expect_scores(random_sequences(random, 70, 3, 11, 7), queries,
                {Measure::lcs, Measure::levenshtein});
}

TEST(SequenceOracle, AgreesAtTheLimitsOfLanes) {
  const std::vector<Measure> of_lanes{Measure::lcs, Measure::levenshtein, Measure::osa};
  auto random = generator("oracle: lanes");
  std::vector<std::size_t> lengths;
  for (const std::size_t limit : {0, 8, 16, 32, 63, 64, 126, 128, 189, 192, 252, 256, 315, 320})
    for (std::size_t more = 0; more < 3; ++more) lengths.push_back(limit + more);
  for (const Symbol vocabulary : {4U, 300U, 70000U}) {
    Corpus corpus = corpus_of(random, lengths, vocabulary, 6);
    corpus.queries.push_back(random_sequence(random, 500, vocabulary));
    expect_scores(corpus.patterns, corpus.queries, of_lanes);
  }
  // The longest patterns of lanes, and longer ones.
  for (const std::size_t longest : {1008, 1009, 1024, 1025}) {
    const SymbolRows patterns{random_sequence(random, longest, 9), random_sequence(random, 20, 9)};
    SymbolRows queries(8, random_sequence(random, 30, 9));
    queries.push_back(edited(random, patterns[0], longest / 7, 9));
    expect_scores(patterns, queries, of_lanes);
  }
}

TEST(SequenceOracle, AgreesInEveryBlockOfPatterns) {
  // More patterns than a block has, of mixed lengths and of one, with few of some widths.
  auto random = generator("oracle: blocks");
  for (const bool same_length : {true, false}) {
    for (const std::size_t count : {511, 512, 513, 1100}) {
      SymbolRows patterns;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t length = same_length ? 9 : i % 100 == 3 ? 60 : i % 40 == 2 ? 30 : i % 13;
        patterns.push_back(random_sequence(random, length, 8));
      }
      SymbolRows queries;
      for (std::size_t i = 0; i < 9; ++i) queries.push_back(random_sequence(random, 3 * i, 9));
      expect_scores(patterns, queries, {Measure::lcs, Measure::osa});
    }
  }
}

const MatchGrid of_texts{
    .measures = of_words, .thresholds = {0.0, 0.5, 1.0}, .tops = {7, all_of_them}};

TEST(SequenceOracle, AgreesOnShortTextsOfWords) {
  auto random = generator("oracle: words");
  // Also other kinds of white space, and texts without words.
  SymbolRows patterns{{}, {' '}, {'\t', ' ', 0xA0}, {'a', 0x3000, 'b'}};
  for (const char* text : {"a", "a a", "a b", "b a", "ab"}) patterns.push_back(letters(text));
  SymbolRows queries = patterns;
  for (int i = 0; i < 150; ++i) patterns.push_back(random_text(random, random() % 40, 3));
  for (int i = 0; i < 25; ++i) queries.push_back(random_text(random, random() % 90, 3));
  queries.push_back(random_text(random, 400, 3));
  expect_matches(patterns, queries, of_texts);
  expect_scores(patterns, queries, of_words);
}

/// The words of \p text in another order, some replaced.
Symbols shuffled(std::mt19937_64& random, const Symbols& text, Symbol kinds) {
  SymbolRows words = Reference::words(utf8(text));
  std::shuffle(words.begin(), words.end(), random);
  Symbols out;
  for (Symbols& word : words) {
    if (random() % 4 == 0) word = random_sequence(random, 1 + random() % 6, kinds, 'a');
    out.insert(out.end(), word.begin(), word.end());
    out.push_back(random() % 8 == 0 ? 0x3000 : ' ');
  }
  return out;
}

TEST(SequenceOracle, AgreesOnTextsOfOneToManySegments) {
  auto random = generator("oracle: long texts");
  for (const Symbol kinds : {2U, 26U}) {
    SymbolRows patterns;
    SymbolRows queries;
    for (const std::size_t words : {6, 9, 12, 13, 14, 25, 40, 60, 120, 300}) {
      queries.push_back(random_text(random, 5 * words, kinds));
      patterns.push_back(shuffled(random, queries.back(), kinds));
      patterns.push_back(random_text(random, 5 * words + 10, kinds));
    }
    expect_matches(patterns, queries, of_texts);
  }
}

TEST(SequenceOracle, AgreesWhereWordsEndAtTheEndOfAMachineWord) {
  // Words that end at, begin at, and span the boundaries of 64 bits, and are common or not.
  SymbolRows texts;
  for (std::size_t length = 55; length < 70; ++length) {
    const std::string a(length, 'a');
    const std::string b(length, 'b');
    for (const std::string& text : {a + " " + b + " c", a + " d", b + " ccc"})
      texts.push_back(letters(text));
  }
  expect_matches(texts, texts, of_texts);
}

}  // namespace SequenceOracleTest
