// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/reference/Reference.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Support.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace WordMeasuresTest {

using namespace Kindred;
using testing::HasSubstr;

constexpr Measure measures[] = {Measure::token_sort, Measure::token_set};

double oracle(Measure measure, std::string_view pattern, std::string_view query) {
  return measure == Measure::token_sort ? Reference::token_sort_similarity(pattern, query)
                                        : Reference::token_set_similarity(pattern, query);
}

/// Words of \p letters different letters, between white space of several kinds.
std::string random_text(std::mt19937_64& generator, std::size_t words, unsigned letters) {
  static const std::string spaces[] = {" ", "  ", "\t", "\xC2\xA0", "\xE3\x80\x80"};
  std::string text = generator() % 8 == 0 ? " " : "";
  for (std::size_t w = 0; w < words; ++w) {
    const std::size_t length = 1 + generator() % 6;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>('a' + generator() % letters);
    if (w + 1 < words || generator() % 8 == 0) text += spaces[generator() % 5];
  }
  return text;
}

/// The words of \p text in another order, some replaced.
std::string shuffled(std::mt19937_64& generator, const std::string& text, unsigned letters) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::shuffle(words.begin(), words.end(), generator);
  std::string out;
  for (const std::string& word : words)
    out += (generator() % 4 == 0 ? random_text(generator, 1, letters) : word) + " ";
  return out;
}

struct Ranked {
  std::uint64_t index;
  double similarity;

  friend bool operator==(const Ranked&, const Ranked&) = default;
};

template <class Matches>
std::vector<Ranked> ranked(const Matches& matches) {
  std::vector<Ranked> out;
  for (const Match& match : matches) out.push_back({match.index, match.similarity});
  return out;
}

std::vector<Ranked> expected(Measure measure, std::span<const std::string> patterns,
                             const std::string& query, double threshold, std::size_t top) {
  std::vector<Ranked> found;
  for (std::size_t index = 0; index < patterns.size() && !query.empty(); ++index) {
    const double value = oracle(measure, patterns[index], query);
    if (value >= threshold) found.push_back({index, value});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Ranked& a, const Ranked& b) { return a.similarity > b.similarity; });
  found.resize(std::min(found.size(), top));
  return found;
}

std::vector<std::string_view> views(std::span<const std::string> texts) {
  return {texts.begin(), texts.end()};
}

void expect_oracle(const std::vector<std::string>& patterns,
                   const std::vector<std::string>& queries) {
  const SequenceMatcher matcher(Testing::context(), views(patterns));
  for (const Measure measure : measures) {
    for (const double threshold : {0.0, 0.5, 1.0}) {
      for (const std::size_t top : {std::size_t{7}, patterns.size()}) {
        MatchOptions options;
        options.measure = measure;
        options.threshold = threshold;
        options.top = top;
        for (const Space space : Testing::spaces()) {
          options.space = space;
          const MatchResults results = matcher.match(views(queries), options);
          for (std::size_t q = 0; q < queries.size(); ++q) {
            ASSERT_EQ(ranked(results.matches[q]),
                      expected(measure, patterns, queries[q], threshold, top))
                << to_string(measure) << ", threshold " << threshold << ", query '" << queries[q]
                << "' on " << to_string(space);
            for (const Match& match : results.matches[q]) {
              ASSERT_EQ(match.matched, matched(measure, patterns[match.index], queries[q]));
              ASSERT_EQ(match.distance, 1.0 - match.similarity);
            }
          }
        }
      }
    }
  }
}

TEST(WordMeasures, MatchTheOracleForShortTexts) {
  auto generator = Testing::generator("words: short");
  std::vector<std::string> patterns{"", " ", "\t \xC2\xA0", "a", "a a", "a b", "b a", "ab"};
  std::vector<std::string> queries = patterns;
  for (int i = 0; i < 150; ++i) patterns.push_back(random_text(generator, generator() % 7, 3));
  for (int i = 0; i < 25; ++i) {
    queries.push_back(random_text(generator, generator() % 7, 3));
    queries.push_back(shuffled(generator, patterns[generator() % patterns.size()], 3));
  }
  expect_oracle(patterns, queries);
}

TEST(WordMeasures, MatchTheOracleForTextsOfOneToManySegments) {
  auto generator = Testing::generator("words: long");
  for (const unsigned letters : {2U, 26U}) {
    std::vector<std::string> patterns;
    std::vector<std::string> queries;
    for (const std::size_t words : {6, 9, 12, 13, 14, 25, 40, 60, 120, 300}) {
      queries.push_back(random_text(generator, words, letters));
      patterns.push_back(shuffled(generator, queries.back(), letters));
      patterns.push_back(random_text(generator, words + 2, letters));
    }
    expect_oracle(patterns, queries);
  }
}

TEST(WordMeasures, MatchTheOracleWhereWordsEndAtTheEndOfAMachineWord) {
  // Words that end at, begin at, and span the boundaries of 64 bits, and are common or not.
  std::vector<std::string> texts;
  for (std::size_t length = 55; length < 70; ++length) {
    texts.push_back(std::string(length, 'a') + " " + std::string(length, 'b') + " c");
    texts.push_back(std::string(length, 'a') + " d");
    texts.push_back(std::string(length, 'b') + " " + std::string(3, 'c'));
  }
  expect_oracle(texts, texts);
}

TEST(WordMeasures, OfOnePairEqualTheOracle) {
  auto generator = Testing::generator("words: pairs");
  for (int i = 0; i < 400; ++i) {
    const std::string query = random_text(generator, generator() % 30, 4);
    const std::string pattern = generator() % 2 == 0 ? shuffled(generator, query, 4)
                                                     : random_text(generator, generator() % 9, 4);
    for (const Measure measure : measures) {
      const double value = oracle(measure, pattern, query);
      EXPECT_EQ(similarity(measure, pattern, query), value) << pattern << " | " << query;
      const PreparedQuery prepared(measure, query);
      EXPECT_EQ(prepared.similarity(pattern), value);
      EXPECT_EQ(prepared.similarity(pattern, value), value);
      if (value < 1) {
        EXPECT_EQ(prepared.similarity(pattern, value + 1e-9), 0.0);
      }
      EXPECT_EQ(prepared.matched(pattern), matched(measure, pattern, query));
    }
  }
}

TEST(WordMeasures, CountMatchedSymbols) {
  EXPECT_EQ(matched(Measure::token_sort, "new york mets", "mets new york"), 13U);
  EXPECT_EQ(matched(Measure::token_sort, " ", "\t"), 0U);
  EXPECT_EQ(matched(Measure::token_set, "new york mets", "york new"), 8U);
  EXPECT_EQ(matched(Measure::token_set, "a cat", "a cot"), 3U) << "'a', and 'c' and 't'";
}

TEST(WordMeasures, FindDuplicatesAndClusters) {
  const std::vector<std::string> texts{"", "red fox", "fox red", "blue whale", "", "a whale blue"};
  const SequenceMatcher matcher(Testing::context(), views(texts));
  for (const Measure measure : measures) {
    MatchOptions options;
    options.measure = measure;
    options.threshold = 0.8;
    options.top = 100;
    std::size_t rows = 0;
    matcher.match_self(options, [&](std::size_t first, const MatchResults& results) {
      for (std::size_t r = 0; r < results.matches.rows(); ++r, ++rows) {
        EXPECT_EQ(ranked(results.matches[r]),
                  expected(measure, std::span(texts).first(first + r), texts[first + r], 0.8, 100));
      }
    });
    EXPECT_EQ(rows, texts.size());
    ClusterOptions clusters;
    clusters.matching = options;
    EXPECT_THAT(matcher.cluster(clusters).cluster_of, testing::ElementsAre(0, 1, 1, 2, 3, 2))
        << to_string(measure);
  }
}

TEST(WordMeasures, TextsWithoutWordsMatchNoSymbolOfEachOther) {
  const std::vector<std::string> texts{"red fox", " ", "a", "\t \n"};
  const SequenceMatcher matcher(Testing::context(), views(texts));
  MatchOptions options;
  options.measure = Measure::token_sort;
  options.threshold = 0.1;
  const MatchResults matches = matcher.match(views(std::span(texts).last(1)), options);
  EXPECT_EQ(ranked(matches.matches[0]), (std::vector<Ranked>{{1, 1.0}, {3, 1.0}}));
  for (const Match& match : matches.matches[0]) EXPECT_EQ(match.matched, 0U);
  std::vector<Match> own;
  matcher.match_self(options, [&](std::size_t, const MatchResults& results) {
    own.insert(own.end(), results.matches.values.begin(), results.matches.values.end());
  });
  EXPECT_THAT(own, testing::ElementsAre(matches.matches[0][0]));
}

TEST(WordMeasures, DoNotClusterTextsWithoutWordsHoweverMany) {
  // More equal pairs than are compared one by one.
  std::vector<std::string> texts(1500, " ");
  texts.emplace_back("abc");
  const SequenceMatcher matcher(Testing::context(), views(texts));
  ClusterOptions options;
  options.matching.measure = Measure::token_set;
  EXPECT_EQ(matcher.cluster(options).members.rows(), texts.size());
  options.matching.measure = Measure::token_sort;
  EXPECT_EQ(matcher.cluster(options).members.rows(), 2U);
}

TEST(WordMeasures, MayBeFirstUsedBySeveralThreads) {
  std::vector<std::string> texts;
  auto generator = Testing::generator("words: threads");
  for (int i = 0; i < 200; ++i) texts.push_back(random_text(generator, 4, 3));
  const SequenceMatcher matcher(Testing::context(), views(texts));
  std::vector<std::vector<Ranked>> found(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < found.size(); ++t) {
    threads.emplace_back([&, t] {
      MatchOptions options;
      options.measure = measures[t % 2];
      options.space = Space::serial;
      found[t] = ranked(matcher.match(views({&texts[3], 1}), options).matches[0]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < found.size(); ++t)
    EXPECT_EQ(found[t], expected(measures[t % 2], texts, texts[3], 0.1, 10));
}

TEST(WordMeasures, RefuseSymbolsThatAreNoCodePoints) {
  Ragged<Symbol> rows;
  rows.push_row(std::vector<Symbol>{1, 2, 0x110000});
  const SequenceMatcher matcher(Testing::context(), rows);
  Ragged<Symbol> queries;
  queries.push_row(std::vector<Symbol>{1, 2});
  MatchOptions options;
  options.measure = Measure::token_set;
  try {
    matcher.match(queries, options);
    FAIL() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("symbol 2 of pattern 0 is 1114112"));
  }
  const std::vector<Symbol> large{0x200000};
  EXPECT_THROW(PreparedQuery(Measure::token_sort, large), InvalidArgument);
}

TEST(WordMeasures, SizesAreReadAndMessagesTakenWhileWordsAreMade) {
  const SequenceMatcher* made = nullptr;
  int hooked = 0;
  int reported = 0;
  ContextOptions settings;
  settings.load_profile = false;
  settings.before_allocation = [&](std::string_view, std::size_t, const std::string&) {
    if (made == nullptr || hooked++ > 0) return;
    // The call holds the lock of the words here.
    const auto reader = std::async(std::launch::async, [&] { return made->bytes(Space::serial); });
    EXPECT_EQ(reader.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  };
  settings.on_dispatch = [&](const DispatchRecord&) {
    ++reported;
    EXPECT_GT(made->bytes(Space::serial), 0U);
  };
  Context context(settings);
  const std::vector<std::string_view> patterns{"b a", "c", "a d e"};
  const SequenceMatcher matcher(context, patterns);
  made = &matcher;
  MatchOptions options;
  options.measure = Measure::token_sort;
  options.space = Space::serial;
  const std::vector<std::string_view> queries{"a b"};
  EXPECT_EQ(matcher.match(queries, options).matches[0].front().index, 0U);
  EXPECT_GE(hooked, 1);
  EXPECT_EQ(reported, 1);
}

}  // namespace WordMeasuresTest
