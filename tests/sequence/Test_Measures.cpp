// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/reference/Reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Support.hpp"

#include <algorithm>
#include <string>

namespace MeasuresTest {

using namespace Kindred;
using Sequence = std::vector<Symbol>;
using Reference::PairMeasure;

struct Case {
  Measure measure;
  PairMeasure oracle;
};
constexpr Case cases[] = {{Measure::levenshtein, PairMeasure::levenshtein},
                          {Measure::osa, PairMeasure::osa},
                          {Measure::prefix, PairMeasure::prefix},
                          {Measure::postfix, PairMeasure::postfix},
                          {Measure::jaro_winkler, PairMeasure::jaro_winkler}};

/// The number of symbols that a pair matches; of a similarity that is not counted, by the function
/// for one pair.
std::uint32_t matched_of(const Case& one, const Sequence& pattern, const Sequence& query) {
  if (!counts_edits(one.measure)) return matched(one.measure, pattern, query);
  const auto longest = static_cast<double>(std::max(pattern.size(), query.size()));
  return static_cast<std::uint32_t>(longest - Reference::distance(one.oracle, pattern, query));
}

Sequence random_sequence(std::mt19937_64& generator, std::size_t length, Symbol vocabulary) {
  Sequence sequence(length);
  for (Symbol& symbol : sequence) symbol = static_cast<Symbol>(generator() % vocabulary);
  return sequence;
}

/// \p source with a few edits: symbols replaced, inserted, erased, or exchanged with the next.
Sequence edited(std::mt19937_64& generator, Sequence source, std::size_t edits, Symbol vocabulary) {
  for (std::size_t i = 0; i < edits && !source.empty(); ++i) {
    const std::size_t at = generator() % source.size();
    const auto symbol = static_cast<Symbol>(generator() % vocabulary);
    const auto place = source.begin() + static_cast<std::ptrdiff_t>(at);
    switch (generator() % 4) {
      case 0:
        source[at] = symbol;
        break;
      case 1:
        source.insert(place, symbol);
        break;
      case 2:
        source.erase(place);
        break;
      default:
        if (at + 1 < source.size()) std::swap(source[at], source[at + 1]);
    }
  }
  return source;
}

std::vector<Match> expected(const Case& one, const std::vector<Sequence>& patterns,
                            const Sequence& query, const MatchOptions& options) {
  std::vector<Match> found;
  for (std::size_t index = 0; index < patterns.size(); ++index) {
    const Sequence& pattern = patterns[index];
    const double value = Reference::normalized_similarity(one.oracle, pattern, query);
    if (query.empty() || value < options.threshold) continue;
    found.push_back({index, value, matched_of(one, pattern, query)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Match& a, const Match& b) { return a.similarity > b.similarity; });
  found.resize(std::min(found.size(), options.top));
  return found;
}

void expect_oracle(const std::vector<Sequence>& patterns, const std::vector<Sequence>& queries,
                   std::size_t top = 1000) {
  Ragged<Symbol> rows;
  for (const Sequence& pattern : patterns) rows.push_row(pattern);
  Ragged<Symbol> asked;
  for (const Sequence& query : queries) asked.push_row(query);
  const SequenceMatcher matcher(Testing::context(), rows);
  for (const Case& one : cases) {
    for (const double threshold : {0.0, 0.55}) {
      MatchOptions options;
      options.measure = one.measure;
      options.threshold = threshold;
      options.top = top;
      for (const Space space : Testing::spaces()) {
        options.space = space;
        const MatchResults results = matcher.match(asked, options);
        for (std::size_t q = 0; q < queries.size(); ++q) {
          const auto found = results.matches[q];
          ASSERT_EQ(std::vector<Match>(found.begin(), found.end()),
                    expected(one, patterns, queries[q], options))
              << to_string(one.measure) << ", threshold " << threshold << ", query " << q << " of "
              << queries[q].size() << " symbols on " << to_string(space);
        }
      }
    }
  }
}

TEST(Measures, MatchTheOracleAtEveryLengthOfAPlaneAWordAndARun) {
  auto generator = Testing::generator("measures: lengths");
  for (const Symbol vocabulary : {3U, 40U, 5000U, 100'000U}) {
    std::vector<Sequence> patterns;
    for (int i = 0; i < 130; ++i)
      patterns.push_back(random_sequence(generator, generator() % 70, vocabulary));
    patterns.emplace_back();
    std::vector<Sequence> queries;
    for (const std::size_t length : {1,  7,  8,   9,   15,  16,  17,  63,  64,  65,  95,
                                     96, 97, 127, 128, 129, 191, 192, 193, 255, 256, 257}) {
      queries.push_back(random_sequence(generator, length, vocabulary));
      patterns.push_back(edited(generator, queries.back(), 3, vocabulary));
      patterns.push_back(edited(generator, queries.back(), length / 3, vocabulary));
    }
    expect_oracle(patterns, queries);
  }
}

TEST(Measures, MatchTheOracleForQueriesOfManySegments) {
  auto generator = Testing::generator("measures: segments");
  for (const Symbol vocabulary : {4U, 900U}) {
    std::vector<Sequence> queries;
    std::vector<Sequence> patterns;
    for (const std::size_t length : {600, 1025, 1300}) {
      queries.push_back(random_sequence(generator, length, vocabulary));
      patterns.push_back(edited(generator, queries.back(), 40, vocabulary));
      patterns.push_back(random_sequence(generator, generator() % 1500, vocabulary));
      patterns.push_back({queries.back().begin() + 100, queries.back().begin() + 400});
    }
    expect_oracle(patterns, queries);
  }
}

TEST(Measures, KeepTheBestInTotalOrder) {
  auto generator = Testing::generator("measures: top");
  std::vector<Sequence> patterns;
  for (int i = 0; i < 700; ++i)
    patterns.push_back(random_sequence(generator, 4 + generator() % 12, 4));
  expect_oracle(patterns, {random_sequence(generator, 9, 4), {}, random_sequence(generator, 3, 9)},
                25);
}

TEST(Measures, OfOnePairEqualThoseOfTheMatcher) {
  auto generator = Testing::generator("measures: pairs");
  for (int i = 0; i < 300; ++i) {
    const Symbol vocabulary = i % 2 == 0 ? 4 : 3000;
    const Sequence query = random_sequence(generator, generator() % 200, vocabulary);
    const Sequence pattern = edited(generator, query, generator() % 60, vocabulary);
    for (const Case& one : cases) {
      const PreparedQuery prepared(one.measure, query);
      const double value = Reference::normalized_similarity(one.oracle, pattern, query);
      EXPECT_EQ(prepared.similarity(pattern), value) << to_string(one.measure);
      EXPECT_EQ(similarity(one.measure, pattern, query), value);
      EXPECT_EQ(prepared.similarity(pattern, value), value);
      if (value < 1) {
        EXPECT_EQ(prepared.similarity(pattern, value + 1e-9), 0.0);
      }
      if (!counts_edits(one.measure)) continue;
      EXPECT_EQ(static_cast<double>(
                    distance(one.measure, prepared.matched(pattern), pattern.size(), query.size())),
                Reference::distance(one.oracle, pattern, query));
    }
  }
}

TEST(Measures, OfTextsAreThoseThatRapidFuzzPrints) {
  const auto lev = [](std::string_view a, std::string_view b) {
    return similarity(Measure::levenshtein, a, b);
  };
  EXPECT_EQ(lev("kitten", "sitting"), 1 - 3.0 / 7);
  EXPECT_EQ(lev("", ""), 1.0);
  EXPECT_EQ(lev("\xC3\xA4", "a"), 0.0) << "one code point each";
  EXPECT_EQ(similarity(Measure::osa, std::string_view("ca"), std::string_view("abc")), 0.0);
  EXPECT_EQ(similarity(Measure::osa, std::string_view("acb"), std::string_view("abc")),
            1 - 1.0 / 3);
  EXPECT_EQ(similarity(Measure::prefix, std::string_view("prefix"), std::string_view("preface")),
            1 - 3.0 / 7);
  EXPECT_EQ(similarity(Measure::postfix, std::string_view("nation"), std::string_view("motion")),
            1 - 2.0 / 6);
  EXPECT_EQ(
      similarity(Measure::jaro_winkler, std::string_view("martha"), std::string_view("marhta")),
      0.9611111111111111);
  EXPECT_EQ(similarity(Measure::jaro_winkler, std::string_view(), std::string_view()), 1.0);
  EXPECT_EQ(matched(Measure::jaro_winkler, std::string_view("dwayne"), std::string_view("duane")),
            4U);
}

TEST(Measures, FindDuplicatesOfEveryMeasure) {
  auto generator = Testing::generator("measures: self");
  std::vector<Sequence> patterns;
  for (int i = 0; i < 90; ++i) {
    patterns.push_back(i % 3 == 2
                           ? edited(generator, patterns[static_cast<std::size_t>(i) - 1], 1, 5)
                           : random_sequence(generator, 5 + generator() % 6, 5));
  }
  Ragged<Symbol> rows;
  for (const Sequence& pattern : patterns) rows.push_row(pattern);
  const SequenceMatcher matcher(Testing::context(), rows);
  for (const Case& one : cases) {
    MatchOptions options;
    options.measure = one.measure;
    options.threshold = 0.5;
    options.top = 1000;
    matcher.match_self(options, [&](std::size_t first, const MatchResults& results) {
      for (std::size_t r = 0; r < results.matches.rows(); ++r) {
        const std::vector<Sequence> before(
            patterns.begin(), patterns.begin() + static_cast<std::ptrdiff_t>(first + r));
        const auto found = results.matches[r];
        ASSERT_EQ(std::vector<Match>(found.begin(), found.end()),
                  expected(one, before, patterns[first + r], options))
            << to_string(one.measure);
      }
    });
  }
}

TEST(Measures, AreDispatchedByOperationsOfTheirOwn) {
  Ragged<Symbol> rows;
  rows.push_row(Sequence{1, 2, 3});
  const SequenceMatcher matcher(Testing::context(), rows);
  MatchOptions options;
  for (const auto& [measure, operation] :
       {std::pair(Measure::levenshtein, Operation(Operations::edit_distance)),
        std::pair(Measure::osa, Operation(Operations::edit_distance)),
        std::pair(Measure::prefix, Operation(Operations::common_ends)),
        std::pair(Measure::postfix, Operation(Operations::common_ends)),
        std::pair(Measure::jaro_winkler, Operation(Operations::jaro_winkler)),
        std::pair(Measure::token_sort, Operation(Operations::lcs)),
        std::pair(Measure::token_set, Operation(Operations::token_set))}) {
    options.measure = measure;
    EXPECT_EQ(matcher.match(rows, options).record.operation, operation);
  }
}

TEST(Measures, RefuseAutojunk) {
  const Ragged<Symbol> rows = Testing::ragged<Symbol>({{1}});
  const SequenceMatcher matcher(Testing::context(), rows);
  for (const Case& one : cases) {
    MatchOptions options;
    options.measure = one.measure;
    options.autojunk = true;
    EXPECT_THROW(matcher.match(rows, options), InvalidArgument);
  }
}

}  // namespace MeasuresTest
