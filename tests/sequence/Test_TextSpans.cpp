// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/reference/Reference.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace TextSpansTest {

using namespace Kindred;
using Sequence = std::vector<Symbol>;

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Texts in memory of their own, of the least width that holds their symbols or of a larger one.
class Texts {
 public:
  explicit Texts(const std::vector<Sequence>& texts, std::uint32_t least_bytes = 1) {
    for (const Sequence& text : texts) {
      const Symbol largest = text.empty() ? 0 : *std::max_element(text.begin(), text.end());
      const std::uint32_t bytes = std::max<std::uint32_t>(least_bytes, largest < 0x100     ? 1
                                                                       : largest < 0x10000 ? 2
                                                                                           : 4);
      std::vector<std::uint8_t>& memory = m_memory.emplace_back(text.size() * bytes + 1);
      for (std::size_t i = 0; i < text.size(); ++i)
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&text[i]), bytes,
                    memory.data() + i * bytes);
      m_spans.push_back({memory.data(), static_cast<std::uint32_t>(text.size()), bytes});
    }
  }
  std::span<const TextSpan> spans() const { return m_spans; }

 private:
  std::vector<std::vector<std::uint8_t>> m_memory;
  std::vector<TextSpan> m_spans;
};

Sequence random_text(std::mt19937_64& generator, std::size_t length, Symbol first, Symbol letters) {
  Sequence text(length);
  for (Symbol& symbol : text) symbol = first + static_cast<Symbol>(generator() % letters);
  return text;
}

/// Texts of several lengths, widths and degrees of likeness to \p query.
std::vector<Sequence> texts_for(std::mt19937_64& generator, const Sequence& query) {
  std::vector<Sequence> texts;
  for (const std::size_t length : {0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 96, 127, 128, 200}) {
    for (const Symbol first : {Symbol{97}, Symbol{250}, Symbol{0x4E00}, Symbol{0x1F600}})
      texts.push_back(random_text(generator, length, first, 6));
    texts.push_back(query);
    texts.back().resize(length, 'b');
  }
  for (int i = 0; i < 8; ++i) {
    texts.push_back(query);
    Sequence& text = texts.back();
    for (std::size_t at = 0; at + 1 < text.size(); at += 3 + generator() % 5)
      std::swap(text[at], text[at + 1]);
    if (!text.empty())
      text.erase(text.begin() + static_cast<std::ptrdiff_t>(generator() % text.size()));
    std::rotate(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.size() / (i + 2)),
                text.end());
  }
  std::shuffle(texts.begin(), texts.end(), generator);
  return texts;
}

constexpr std::size_t query_lengths[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 128, 129, 512, 513};

TEST(TextSpans, CountsEqualTheOracle) {
  auto generator = Testing::generator("counts");
  for (const std::size_t length : query_lengths) {
    for (const Symbol first : {Symbol{97}, Symbol{0x4E00}}) {
      const Sequence query = random_text(generator, length, first, 6);
      const std::vector<Sequence> texts = texts_for(generator, query);
      const Texts spans(texts);
      std::vector<std::uint32_t> counts(texts.size());
      PreparedQuery(Measure::lcs, query).matched(spans.spans(), counts);
      for (std::size_t i = 0; i < texts.size(); ++i)
        ASSERT_EQ(counts[i], Reference::lcs(texts[i], query)) << length << ", text " << i;
      PreparedQuery(Measure::levenshtein, query).matched(spans.spans(), counts);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        ASSERT_EQ(std::max(texts[i].size(), length) - counts[i],
                  Reference::levenshtein_distance(texts[i], query))
            << length << ", text " << i;
      }
      PreparedQuery(Measure::osa, query).matched(spans.spans(), counts);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        ASSERT_EQ(std::max(texts[i].size(), length) - counts[i],
                  Reference::osa_distance(texts[i], query))
            << length << ", text " << i;
      }
      std::vector<double> values(texts.size());
      PreparedQuery(Measure::jaro_winkler, query).similarities(spans.spans(), values);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        ASSERT_EQ(bits(values[i]), bits(Reference::jaro_winkler_similarity(texts[i], query)))
            << length << ", text " << i;
      }
    }
  }
}

TEST(TextSpans, ResultsEqualThoseOfSinglePairsUnderEveryMeasureAndWidth) {
  auto generator = Testing::generator("single");
  for (const std::size_t length : {0, 1, 5, 20, 40, 70, 600}) {
    const Sequence query = random_text(generator, length, 'a', 5);
    std::vector<Sequence> texts = texts_for(generator, query);
    for (Sequence& text : texts) {
      // Words, for the measures that compare them.
      for (Symbol& symbol : text)
        if (symbol == 'b') symbol = ' ';
    }
    texts.push_back({unknown_symbol, 'a', unknown_symbol});
    for (const std::uint32_t least_bytes : {1, 2, 4}) {
      const Texts spans(texts, least_bytes);
      for (const Measure measure : all_measures) {
        const PreparedQuery prepared(measure, query);
        std::vector<std::uint32_t> counts(texts.size(), 77);
        std::vector<double> values(texts.size(), 77);
        prepared.matched(spans.spans(), counts);
        prepared.similarities(spans.spans(), values);
        for (std::size_t i = 0; i < texts.size(); ++i) {
          ASSERT_EQ(counts[i], prepared.matched(texts[i]))
              << to_string(measure) << ", " << length << ", text " << i;
          ASSERT_EQ(bits(values[i]), bits(prepared.similarity(texts[i])))
              << to_string(measure) << ", " << length << ", text " << i;
        }
      }
    }
  }
}

TEST(TextSpans, WordsOfEveryWidthAndNumberAreComparedAsInSinglePairs) {
  auto generator = Testing::generator("words");
  // Words with common beginnings, longer than a key, equal, and of zeros; many and none.
  const std::vector<Sequence> some{{'a'},
                                   {'b'},
                                   {'a', 'b'},
                                   {0},
                                   {0, 0},
                                   {'a', 0},
                                   Sequence(8, 'a'),
                                   Sequence(9, 'a'),
                                   Sequence(20, 'c'),
                                   {0xE9, 'a'},
                                   {0x4E00, 'a'},
                                   {0x1F600},
                                   random_text(generator, 12, 'a', 3)};
  const std::vector<Sequence> spaces{{' '}, {' ', ' '}, {'\t'}, {0xA0}, {'\n', 0x3000}};
  const auto text_of = [&](std::size_t words, std::size_t kinds) {
    Sequence text;
    const auto add = [&](const std::vector<Sequence>& of, std::size_t first) {
      const Sequence& one = of[generator() % first];
      text.insert(text.end(), one.begin(), one.end());
    };
    if (generator() % 3 == 0) add(spaces, spaces.size());
    for (std::size_t i = 0; i < words; ++i) {
      if (i > 0) add(spaces, generator() % 2 == 0 ? 1 : spaces.size());
      add(some, kinds);
    }
    if (generator() % 3 == 0) add(spaces, spaces.size());
    return text;
  };
  for (const std::size_t words : {0, 1, 2, 3, 7, 40, 90}) {
    const Sequence query = text_of(words, words % 2 == 0 ? some.size() : 9);
    std::vector<Sequence> texts{{}, query};
    for (const std::size_t kinds : {2UL, 6UL, 9UL, some.size()}) {
      for (const std::size_t other : {0, 1, 2, 3, 4, 15, 16, 17, 30})
        texts.push_back(text_of(other, kinds));
    }
    for (const std::uint32_t least_bytes : {1, 2, 4}) {
      const Texts spans(texts, least_bytes);
      for (const Measure measure : {Measure::token_sort, Measure::token_set}) {
        const PreparedQuery prepared(measure, query);
        std::vector<std::uint32_t> counts(texts.size(), 77);
        std::vector<double> values(texts.size(), 77);
        prepared.matched(spans.spans(), counts);
        prepared.similarities(spans.spans(), values);
        for (std::size_t i = 0; i < texts.size(); ++i) {
          ASSERT_EQ(counts[i], prepared.matched(texts[i])) << to_string(measure) << ", text " << i;
          ASSERT_EQ(bits(values[i]), bits(prepared.similarity(texts[i])))
              << to_string(measure) << ", " << words << " words, text " << i;
        }
      }
    }
  }
}

TEST(TextSpans, AnyNumberOfTextsIsCompared) {
  auto generator = Testing::generator("number");
  const Sequence query = random_text(generator, 20, 'a', 8);
  const PreparedQuery prepared(Measure::levenshtein, query);
  for (const std::size_t count : {0, 1, 2, 3, 15, 16, 17, 255, 256, 257, 1023, 1024, 1025, 3000}) {
    std::vector<Sequence> texts;
    for (std::size_t i = 0; i < count; ++i)
      texts.push_back(
          random_text(generator, generator() % 30, generator() % 9 == 0 ? 250 : 'a', 8));
    const Texts spans(texts);
    std::vector<std::uint32_t> counts(count);
    prepared.matched(spans.spans(), counts);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(counts[i], prepared.matched(texts[i]));
  }
}

TEST(TextSpans, ThreadsShareAPreparedQuery) {
  auto generator = Testing::generator("threads");
  const Sequence query = random_text(generator, 20, 'a', 8);
  const std::vector<Sequence> texts = texts_for(generator, query);
  const Texts spans(texts);
  const PreparedQuery prepared(Measure::lcs, query);
  std::vector<std::vector<std::uint32_t>> counts(4, std::vector<std::uint32_t>(texts.size()));
  std::vector<std::thread> threads;
  for (auto& own : counts) threads.emplace_back([&] { prepared.matched(spans.spans(), own); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : counts) EXPECT_EQ(own, counts[0]);
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(counts[0][i], Reference::lcs(texts[i], query));
}

TEST(TextSpans, RefusedCallsWriteNothing) {
  const PreparedQuery prepared(Measure::lcs, Sequence{1, 2});
  const std::uint8_t text[] = {1, 2, 3};
  const auto refuses = [&](const TextSpan& span, const char* why) {
    std::vector<std::uint32_t> counts(2, 77);
    std::vector<double> values(2, 77);
    const std::vector<TextSpan> texts{{text, 3, 1}, span};
    try {
      prepared.matched(texts, counts);
      ADD_FAILURE() << why;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
    EXPECT_THROW(prepared.similarities(texts, values), InvalidArgument);
    EXPECT_EQ(counts, std::vector<std::uint32_t>(2, 77));
    EXPECT_EQ(values, std::vector<double>(2, 77));
  };
  refuses({text, 3, 3}, "text 1 has symbols of 3 bytes");
  refuses({text, 3, 0}, "text 1 has symbols of 0 bytes");
  refuses({nullptr, 3, 1}, "text 1 is a null pointer");
  refuses({text, std::uint32_t{1} << 31U, 1}, "text 1 has 2147483648 symbols");
  const Symbol beyond[] = {'a', 0x110000};
  std::vector<double> values(2, 77);
  EXPECT_THROW(PreparedQuery(Measure::token_sort, Sequence{'a'})
                   .similarities(std::vector<TextSpan>{{text, 3, 1}, {beyond, 2, 4}}, values),
               InvalidArgument);
  EXPECT_EQ(values, std::vector<double>(2, 77));
  std::vector<std::uint32_t> counts(3);
  EXPECT_THROW(prepared.matched(std::vector<TextSpan>{{text, 3, 1}}, counts), InvalidArgument);
  prepared.matched(std::vector<TextSpan>{{nullptr, 0, 1}}, std::span(counts).first(1));
  EXPECT_EQ(counts[0], 0U);
}

}  // namespace TextSpansTest
