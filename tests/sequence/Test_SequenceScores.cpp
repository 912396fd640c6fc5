// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/reference/Reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "MessageOf.hpp"
#include "RaggedRows.hpp"
#include "SequenceSupport.hpp"
#include "Support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace SequenceScoresTest {

using namespace Kindred;
using namespace Kindred::Testing;
using testing::HasSubstr;
using Sequence = std::vector<Symbol>;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string utf8(const Sequence& symbols) {
  std::string text;
  for (const Symbol symbol : symbols) text += static_cast<char>(symbol);
  return text;
}

/// The similarity by the oracle. Measures of words take ASCII.
double oracle(Measure measure, const Sequence& pattern, const Sequence& query) {
  using namespace Reference;
  switch (measure) {
    case Measure::lcs:
      return similarity(Matched::lcs, lcs(pattern, query), pattern.size(), query.size());
    case Measure::difflib:
      return similarity(Matched::difflib, difflib(pattern, query), pattern.size(), query.size());
    case Measure::levenshtein:
      return normalized_similarity(PairMeasure::levenshtein, pattern, query);
    case Measure::osa:
      return normalized_similarity(PairMeasure::osa, pattern, query);
    case Measure::prefix:
      return normalized_similarity(PairMeasure::prefix, pattern, query);
    case Measure::postfix:
      return normalized_similarity(PairMeasure::postfix, pattern, query);
    case Measure::jaro_winkler:
      return normalized_similarity(PairMeasure::jaro_winkler, pattern, query);
    case Measure::token_sort:
      return token_sort_similarity(utf8(pattern), utf8(query));
    case Measure::token_set:
      return token_set_similarity(utf8(pattern), utf8(query));
  }
  return none;
}

/// The distance by the oracle.
double oracle_distance(Measure measure, const Sequence& pattern, const Sequence& query) {
  using namespace Reference;
  switch (measure) {
    case Measure::lcs:
      return static_cast<double>(pattern.size() + query.size() - 2ULL * lcs(pattern, query));
    case Measure::difflib:
      return static_cast<double>(pattern.size() + query.size() - 2ULL * difflib(pattern, query));
    case Measure::levenshtein:
      return distance(PairMeasure::levenshtein, pattern, query);
    case Measure::osa:
      return distance(PairMeasure::osa, pattern, query);
    case Measure::prefix:
      return distance(PairMeasure::prefix, pattern, query);
    case Measure::postfix:
      return distance(PairMeasure::postfix, pattern, query);
    default:
      return 1.0 - oracle(measure, pattern, query);
  }
}

/// The percentage by the oracle.
double oracle_percentage(Measure measure, const Sequence& pattern, const Sequence& query) {
  if (!counts_edits(measure)) return oracle(measure, pattern, query) * 100.0;
  const bool is_total = measure == Measure::lcs || measure == Measure::difflib;
  const std::size_t largest =
      is_total ? pattern.size() + query.size() : std::max(pattern.size(), query.size());
  if (largest == 0) return 100.0;
  return (1.0 - oracle_distance(measure, pattern, query) / static_cast<double>(largest)) * 100.0;
}

/// The value that a call with \p options writes, from that of the pair.
double cut(double value, const PairOptions& options) {
  if (!options.cutoff) return value;
  if (options.value != PairValue::distance) return value < *options.cutoff ? 0.0 : value;
  if (value <= *options.cutoff) return value;
  return counts_edits(options.measure) ? *options.cutoff + 1 : 1.0;
}

/// The matrix of a call, which fills memory that held something else.
template <class T>
std::vector<T> scores(const SequenceMatcher& matcher, const std::vector<Sequence>& queries,
                      const PairOptions& options) {
  std::vector<T> out(queries.size() * matcher.size(), T{77});
  matcher.score_all(ragged(queries), std::span(out), options);
  return out;
}

/// \p value as an element: rounded, and at most the largest of an integer type.
template <class T>
T element(double value) {
  if (std::is_floating_point_v<T>) return static_cast<T>(value);
  return static_cast<T>(std::min<double>(std::round(value), std::numeric_limits<T>::max()));
}

template <class T>
void expect_values(const SequenceMatcher& matcher, const std::vector<Sequence>& queries,
                   const std::vector<double>& pairs, PairOptions options) {
  std::vector<T> expected;
  for (const double value : pairs) expected.push_back(element<T>(cut(value, options)));
  for (const Space space : spaces()) {
    options.space = space;
    const std::vector<T> found = scores<T>(matcher, queries, options);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found[i], expected[i])
          << to_string(options.measure) << " on " << to_string(space) << ", query "
          << i / matcher.size() << " of " << queries[i / matcher.size()].size()
          << " symbols, pattern " << i % matcher.size() << ", cutoff "
          << options.cutoff.value_or(none);
    }
  }
}

/// Compares every measure, value, element type and cutoff with the oracle.
void expect_oracle(const std::vector<Sequence>& patterns, const std::vector<Sequence>& queries,
                   std::span<const Measure> measures) {
  const SequenceMatcher matcher(context(), ragged(patterns));
  for (const Measure measure : measures) {
    std::vector<double> similarities;
    std::vector<double> distances;
    std::vector<double> percentages;
    for (const Sequence& query : queries) {
      for (const Sequence& pattern : patterns) {
        percentages.push_back(oracle_percentage(measure, pattern, query));
        similarities.push_back(oracle(measure, pattern, query));
        distances.push_back(oracle_distance(measure, pattern, query));
      }
    }
    const double some = similarities.empty() ? 0.5 : similarities[similarities.size() / 2];
    for (const std::optional<double> cutoff :
         {std::optional<double>(), std::optional(0.6), std::optional(some), std::optional(1.0)}) {
      const PairOptions options{measure, PairValue::similarity, cutoff};
      expect_values<double>(matcher, queries, similarities, options);
      if (cutoff == 0.6) expect_values<float>(matcher, queries, similarities, options);
    }
    for (const std::optional<double> cutoff : {std::optional<double>(), std::optional(60.0)}) {
      const PairOptions options{measure, PairValue::percentage, cutoff};
      expect_values<float>(matcher, queries, percentages, options);
      // The oracle of words divides by 100 what is multiplied again.
      if (compares_words(measure)) continue;
      expect_values<double>(matcher, queries, percentages, options);
      expect_values<std::int32_t>(matcher, queries, percentages, options);
      expect_values<std::uint8_t>(matcher, queries, percentages, options);
    }
    const bool edits = counts_edits(measure);
    for (const std::optional<double> cutoff :
         {std::optional<double>(), std::optional(edits ? 5.0 : 0.5), std::optional(0.0)}) {
      const PairOptions options{measure, PairValue::distance, cutoff};
      expect_values<float>(matcher, queries, distances, options);
      if (!edits) continue;
      expect_values<std::int32_t>(matcher, queries, distances, options);
      expect_values<std::uint8_t>(matcher, queries, distances, options);
    }
  }
}

constexpr Measure of_symbols[] = {Measure::lcs,         Measure::difflib, Measure::levenshtein,
                                  Measure::osa,         Measure::prefix,  Measure::postfix,
                                  Measure::jaro_winkler};

/// \p source with one symbol in \p rarity replaced.
Sequence edited(std::mt19937_64& random, Sequence source, std::size_t rarity, Symbol vocabulary) {
  for (std::size_t i = 0; i + 1 < source.size(); ++i) {
    if (random() % rarity == 0) source[i] = static_cast<Symbol>(random() % vocabulary);
    if (random() % (2 * rarity) == 0) std::swap(source[i], source[i + 1]);
  }
  return source;
}

TEST(SequenceScores, EqualTheOracleForShortTextsOfEveryLength) {
  auto random = generator("scores: short");
  // Vocabularies in which a symbol is its own place, is translated, and does not fit a byte.
  for (const Symbol vocabulary : {4U, 16U, 30U, 90U, 700U}) {
    std::vector<Sequence> patterns;
    std::vector<Sequence> queries;
    for (std::size_t length = 0; length <= 65; length += vocabulary == 30 ? 1 : 3) {
      patterns.push_back(random_sequence(random, length, vocabulary));
      if (length % 4 < 2) queries.push_back(edited(random, patterns.back(), 4, vocabulary + 9));
    }
    queries.emplace_back();
    patterns.emplace_back();
    patterns.push_back(patterns[3]);
    expect_oracle(patterns, queries, of_symbols);
  }
}

TEST(SequenceScores, EqualTheOracleAtTheLimitsOfPlanesWordsAndSegments) {
  auto random = generator("scores: long");
  for (const Symbol vocabulary : {6U, 150U}) {
    std::vector<Sequence> patterns;
    std::vector<Sequence> queries;
    for (const std::size_t length : {1, 8, 9, 127, 128, 129, 247, 248, 249, 256, 257, 600}) {
      queries.push_back(random_sequence(random, length, vocabulary));
      patterns.push_back(edited(random, queries.back(), 6, vocabulary));
      patterns.push_back(random_sequence(random, random() % 300, vocabulary));
    }
    queries.emplace_back();
    expect_oracle(patterns, queries, of_symbols);
  }
}

TEST(SequenceScores, EqualTheOracleForEveryNumberOfPatterns) {
  auto random = generator("scores: patterns");
  for (const bool same_length : {true, false}) {
    for (const std::size_t count : edge_sizes) {
      std::vector<Sequence> patterns;
      for (std::size_t i = 0; i < count; ++i)
        patterns.push_back(random_sequence(random, same_length ? 7 : 5 + random() % 5, 5));
      const std::vector<Sequence> queries{
          random_sequence(random, 8, 6), {}, random_sequence(random, 17, 6)};
      constexpr Measure some[] = {Measure::lcs, Measure::levenshtein, Measure::osa,
                                  Measure::jaro_winkler};
      expect_oracle(patterns, queries, some);
    }
  }
}

TEST(SequenceScores, OfManyQueriesEqualTheOracle) {
  // More queries than threads share, and than a batch has.
  auto random = generator("scores: queries");
  std::vector<Sequence> patterns;
  for (std::size_t i = 0; i < 70; ++i) patterns.push_back(random_sequence(random, 3 + i % 9, 7));
  std::vector<Sequence> queries;
  for (std::size_t i = 0; i < 1100; ++i) queries.push_back(random_sequence(random, i % 12, 7));
  constexpr Measure some[] = {Measure::lcs, Measure::levenshtein};
  expect_oracle(patterns, queries, some);
}

constexpr Measure of_lanes[] = {Measure::lcs, Measure::levenshtein, Measure::osa};

TEST(SequenceScores, OfManyQueriesEqualTheOracleAtTheLimitsOfLanes) {
  auto random = generator("scores: lanes");
  for (const Symbol vocabulary : {4U, 300U, 70000U}) {
    std::vector<Sequence> patterns;
    for (const std::size_t limit : {0, 8, 16, 32, 63, 64, 126, 128, 189, 192, 252, 256, 315, 320}) {
      for (const std::size_t length : {limit, limit + 1, limit + 2})
        patterns.push_back(random_sequence(random, length, vocabulary));
    }
    std::vector<Sequence> queries{{}, patterns[40], random_sequence(random, 500, vocabulary)};
    for (std::size_t i = 0; i < patterns.size(); i += 6)
      queries.push_back(edited(random, patterns[i], 4, vocabulary + 2));
    expect_oracle(patterns, queries, of_lanes);
  }
  // The longest patterns of lanes, and longer ones.
  for (const std::size_t longest : {1008, 1009, 1024, 1025}) {
    const std::vector<Sequence> patterns{random_sequence(random, longest, 9),
                                         random_sequence(random, 20, 9)};
    std::vector<Sequence> queries(8, random_sequence(random, 30, 9));
    queries.push_back(edited(random, patterns[0], 7, 9));
    expect_oracle(patterns, queries, of_lanes);
  }
}

TEST(SequenceScores, OfManyQueriesEqualTheOracleInEveryBlock) {
  // More patterns than a block has, of mixed lengths and of one, with few of some widths.
  auto random = generator("scores: blocks");
  for (const bool same_length : {true, false}) {
    for (const std::size_t count : {511, 512, 513, 1100}) {
      std::vector<Sequence> patterns;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t length = same_length ? 9 : i % 100 == 3 ? 60 : i % 40 == 2 ? 30 : i % 13;
        patterns.push_back(random_sequence(random, length, 8));
      }
      std::vector<Sequence> queries;
      for (std::size_t i = 0; i < 9; ++i) queries.push_back(random_sequence(random, 3 * i, 9));
      constexpr Measure some[] = {Measure::lcs, Measure::osa};
      expect_oracle(patterns, queries, some);
    }
  }
}

TEST(SequenceScores, OfTextsEqualTheOracleOfWords) {
  auto random = generator("scores: words");
  const auto text = [&](std::size_t length) {
    Sequence symbols(length);
    for (Symbol& symbol : symbols)
      symbol = random() % 5 == 0 ? ' ' : static_cast<Symbol>('a' + random() % 3);
    return symbols;
  };
  std::vector<Sequence> patterns{{}, {' '}, {'a'}, {'a', ' ', 'a'}};
  std::vector<Sequence> queries = patterns;
  for (std::size_t i = 0; i < 90; ++i) patterns.push_back(text(random() % 40));
  for (std::size_t i = 0; i < 20; ++i) queries.push_back(text(random() % 90));
  queries.push_back(text(400));
  constexpr Measure of_words[] = {Measure::token_sort, Measure::token_set};
  expect_oracle(patterns, queries, of_words);
}

TEST(SequenceScores, EqualTheSimilarityOfOnePair) {
  auto random = generator("scores: pairs");
  std::vector<Sequence> patterns{{}};
  for (std::size_t i = 0; i < 60; ++i) patterns.push_back(random_sequence(random, i, 40, ' '));
  const std::vector<Sequence> queries{{}, patterns[20], edited(random, patterns[50], 3, 60)};
  const SequenceMatcher matcher(context(), ragged(patterns));
  for (const Measure measure : all_measures) {
    const std::vector<double> found = scores<double>(matcher, queries, {measure});
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Sequence& pattern = patterns[i % patterns.size()];
      ASSERT_EQ(found[i], similarity(measure, pattern, queries[i / patterns.size()]))
          << to_string(measure) << ", pair " << i;
    }
  }
}

TEST(SequenceScores, ApplyAutojunk) {
  auto random = generator("scores: autojunk");
  std::vector<Sequence> patterns;
  for (std::size_t i = 0; i < 40; ++i) patterns.push_back(random_sequence(random, 30 + i, 6));
  const std::vector<Sequence> queries{
      random_sequence(random, 250, 6), {}, random_sequence(random, 30, 6)};
  const SequenceMatcher matcher(context(), ragged(patterns));
  PairOptions options{Measure::difflib};
  options.autojunk = true;
  for (const Space space : spaces()) {
    options.space = space;
    const std::vector<double> found = scores<double>(matcher, queries, options);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i], similarity(Measure::difflib, patterns[i % patterns.size()],
                                     queries[i / patterns.size()], 0, true));
    }
  }
}

TEST(SequenceScores, LeaveWhatLiesBetweenTheRowsAsItIs) {
  auto random = generator("scores: rows");
  for (const std::size_t length : {8, 300}) {
    std::vector<Sequence> patterns;
    for (std::size_t i = 0; i < 33; ++i)
      patterns.push_back(random_sequence(random, length - i % 3, 5));
    const std::vector<Sequence> queries{patterns[0], {}, patterns[2]};
    const SequenceMatcher matcher(context(), ragged(patterns));
    const std::vector<std::int64_t> shape{3, 33};
    const std::vector<std::int64_t> strides{40, 1};
    for (const Measure measure : {Measure::lcs, Measure::jaro_winkler}) {
      const std::vector<float> expected = scores<float>(matcher, queries, {measure});
      for (const Space space : spaces()) {
        std::vector<float> out(3 * 40, -5);
        PairOptions options{measure};
        options.space = space;
        matcher.score_all(ragged(queries),
                          Kindred::Array(out.data(), DataType::float32, shape, strides), options);
        for (std::size_t i = 0; i < out.size(); ++i)
          ASSERT_EQ(out[i], i % 40 < 33 ? expected[i / 40 * 33 + i % 40] : -5.0F);
      }
    }
  }
}

TEST(SequenceScores, TakeTextsAndArrays) {
  const std::vector<std::string_view> texts{"kitten", "", "na\xC3\xAFve"};
  const SequenceMatcher matcher(context(), texts);
  std::vector<std::int32_t> out(6);
  const PairOptions options{Measure::levenshtein, PairValue::distance};
  const std::vector<std::string_view> queries{"sitting", "naive"};
  matcher.score_all(queries, std::span(out), options);
  EXPECT_THAT(out, testing::ElementsAre(3, 7, 7, 5, 5, 1));
  const std::vector<Symbol> symbols{'s', 'i', 't', 't', 'i', 'n', 'g', 'n', 'a', 'i', 'v', 'e'};
  const std::vector<std::int64_t> offsets{0, 7, 12};
  std::vector<std::int32_t> again(6);
  matcher.score_all({std::span(symbols), std::span(offsets)}, std::span(again), options);
  EXPECT_EQ(again, out);
}

TEST(SequenceScores, RefuseWhatDoesNotFit) {
  const SequenceMatcher matcher(context(), ragged<Symbol>({{1, 2}, {3}}));
  const Ragged<Symbol> queries = ragged<Symbol>({{1}, {2}, {3}});
  std::vector<float> out(6, 9);
  std::vector<std::int32_t> whole(6);
  const auto refused = [&](const Kindred::Array& target, const PairOptions& options) {
    return message_of<InvalidArgument>([&] { matcher.score_all(queries, target, options); });
  };
  const auto with = [](Measure measure, PairValue value, std::optional<double> cutoff) {
    return PairOptions{measure, value, cutoff};
  };
  using enum PairValue;
  EXPECT_THAT(refused(std::span(out).first(5), {}), HasSubstr("it must be float32 [6]"));
  const std::vector<std::int64_t> transposed{2, 3};
  EXPECT_THAT(refused(Kindred::Array(out.data(), DataType::float32, transposed), {}),
              HasSubstr("it must be float32 [3, 2]"));
  EXPECT_THAT(refused(std::span(whole), {}), HasSubstr("float32 or float64"));
  EXPECT_THAT(refused(std::span(whole), with(Measure::jaro_winkler, distance, {})),
              HasSubstr("float32 or float64"));
  std::vector<std::int64_t> wide(6);
  EXPECT_THAT(refused(std::span(wide), with(Measure::osa, distance, {})), HasSubstr("int32"));
  for (const double cutoff : {-0.1, 1.1, none}) {
    EXPECT_THAT(refused(std::span(out), with(Measure::lcs, similarity, cutoff)),
                HasSubstr("[0, 1]"));
    EXPECT_THAT(refused(std::span(out), with(Measure::token_set, distance, cutoff)),
                HasSubstr("[0, 1]"));
  }
  for (const double cutoff : {-0.1, 100.1, none}) {
    EXPECT_THAT(refused(std::span(out), with(Measure::lcs, percentage, cutoff)),
                HasSubstr("[0, 100]"));
  }
  for (const double cutoff : {-1.0, 0.5, 2147483647.0, none}) {
    EXPECT_THAT(refused(std::span(out), with(Measure::lcs, distance, cutoff)),
                HasSubstr("whole number"));
  }
  PairOptions autojunk;
  autojunk.autojunk = true;
  EXPECT_THAT(refused(std::span(out), autojunk), HasSubstr("autojunk"));
  EXPECT_THAT(
      message_of<InvalidArgument>([&] {
        matcher.score_all(RaggedSpan<Symbol>{std::vector<std::uint64_t>{1, 2}, {}}, std::span(out));
      }),
      HasSubstr("query offset"));
  EXPECT_EQ(out, std::vector<float>(6, 9)) << "a refused call writes nothing";
}

}  // namespace SequenceScoresTest
