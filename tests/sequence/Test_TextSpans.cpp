// SPDX-License-Identifier: Apache-2.0
// Comparisons of a prepared query with many texts at once.
#include "SequenceOracle.hpp"
#include "Threads.hpp"

namespace TextSpansTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// Texts in memory of their own, of the least width that holds their symbols or of a larger one.
class Texts {
 public:
  explicit Texts(const SymbolRows& texts, std::uint32_t least_bytes = 1) {
    for (const Symbols& text : texts) {
      const Symbol largest = text.empty() ? 0 : *std::max_element(text.begin(), text.end());
      const std::uint32_t needed = largest < 0x100 ? 1 : largest < 0x10000 ? 2 : 4;
      const std::uint32_t bytes = std::max(least_bytes, needed);
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

/// Texts of several lengths, widths and degrees of likeness to \p query.
SymbolRows texts_for(std::mt19937_64& random, const Symbols& query) {
  SymbolRows texts;
  for (const std::size_t length : {0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 96, 127, 128, 200}) {
    for (const Symbol first : {Symbol{97}, Symbol{250}, Symbol{0x4E00}, Symbol{0x1F600}})
      texts.push_back(random_sequence(random, length, 6, first));
    texts.push_back(query);
    texts.back().resize(length, 'b');
  }
  for (int i = 0; i < 8; ++i) {
    texts.push_back(query);
    Symbols& text = texts.back();
    for (std::size_t at = 0; at + 1 < text.size(); at += 3 + random() % 5)
      std::swap(text[at], text[at + 1]);
    if (!text.empty())
      text.erase(text.begin() + static_cast<std::ptrdiff_t>(random() % text.size()));
    std::rotate(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.size() / (i + 2)),
                text.end());
  }
  std::shuffle(texts.begin(), texts.end(), random);
  return texts;
}

/// Requires that each of \p texts gives the values of \p truth, whatever the width of symbols.
void expect_values(const std::vector<Measure>& measures, const Symbols& query,
                   const SymbolRows& texts, std::initializer_list<std::uint32_t> widths,
                   PairSource truth = oracle) {
  for (const Measure measure : measures) {
    const PreparedQuery prepared(measure, query);
    std::vector<PairTruth> expected;
    for (const Symbols& text : texts) expected.push_back(truth(measure, text, query, false));
    for (const std::uint32_t width : widths) {
      const Texts given(texts, width);
      std::vector<std::uint32_t> counts(texts.size(), 77);
      std::vector<double> values(texts.size(), 77);
      prepared.matched(given.spans(), counts);
      prepared.similarities(given.spans(), values);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        ASSERT_EQ(std::pair(counts[i], bits(values[i])),
                  std::pair(expected[i].matched, bits(expected[i].similarity)))
            << to_string(measure) << ", " << query.size() << " symbols, text " << i;
      }
    }
  }
}

TEST(TextSpans, ValuesEqualTheOracleUnderEveryMeasureAndWidth) {
  auto random = generator("oracle");
  for (const std::size_t length :
       {0, 1, 2, 3, 20, 31, 32, 33, 63, 64, 65, 70, 128, 129, 512, 513, 600}) {
    for (const Symbol first : {Symbol{97}, Symbol{0x4E00}}) {
      const Symbols query = random_sequence(random, length, 6, first);
      SymbolRows texts = texts_for(random, query);
      for (Symbols& text : texts) std::replace(text.begin(), text.end(), Symbol{'b'}, Symbol{' '});
      expect_values(of_words, query, texts, {1, 2, 4});
      texts.push_back({unknown_symbol, 'a', unknown_symbol});
      expect_values(of_symbols, query, texts, {1, 2, 4});
    }
  }
}

TEST(TextSpans, WordsOfEveryWidthAndNumberEqualTheOracle) {
  auto random = generator("words");
  // Words with common beginnings, longer than a key, equal, and of zeros; many and none.
  SymbolRows some;
  for (const char* word : {"a", "b", "ab", "aaaaaaaa", "aaaaaaaaa", "cccccccccccccccccccc"})
    some.push_back(letters(word));
  for (const Symbols& word : SymbolRows{{0}, {0, 0}, {'a', 0}, {0xE9, 'a'}, {0x4E00, 'a'}})
    some.push_back(word);
  some.push_back({0x1F600});
  some.push_back(random_sequence(random, 12, 3, 'a'));
  const SymbolRows spaces{{' '}, {' ', ' '}, {'\t'}, {0xA0}, {'\n', 0x3000}};
  const auto text_of = [&](std::size_t words, std::size_t kinds) {
    Symbols text;
    const auto add = [&](const SymbolRows& of, std::size_t first) {
      const Symbols& one = of[random() % first];
      text.insert(text.end(), one.begin(), one.end());
    };
    if (random() % 3 == 0) add(spaces, spaces.size());
    for (std::size_t i = 0; i < words; ++i) {
      if (i > 0) add(spaces, random() % 2 == 0 ? 1 : spaces.size());
      add(some, kinds);
    }
    if (random() % 3 == 0) add(spaces, spaces.size());
    return text;
  };
  for (const std::size_t words : {0, 1, 2, 3, 7, 40, 90}) {
    const Symbols query = text_of(words, words % 2 == 0 ? some.size() : 9);
    SymbolRows texts{{}, query};
    for (const std::size_t kinds : {2UL, 6UL, 9UL, some.size()})
      for (const std::size_t other : {0, 1, 2, 3, 4, 15, 16, 17, 30})
        texts.push_back(text_of(other, kinds));
    expect_values(of_words, query, texts, {1, 2, 4});
  }
}

TEST(TextSpans, AnyNumberOfTextsIsCompared) {
  auto random = generator("number");
  const Symbols query = random_sequence(random, 20, 8, 'a');
  for (const std::size_t count : {0, 1, 2, 3, 15, 16, 17, 255, 256, 257, 1023, 1024, 1025, 3000}) {
    SymbolRows texts;
    for (std::size_t i = 0; i < count; ++i)
      texts.push_back(random_sequence(random, random() % 30, 8, random() % 9 == 0 ? 250 : 'a'));
    expect_values({Measure::levenshtein}, query, texts, {1}, one_pair);
  }
}

TEST(TextSpans, ThreadsShareAPreparedQuery) {
  auto random = generator("threads");
  const Symbols query = random_sequence(random, 20, 8, 'a');
  const SymbolRows texts = texts_for(random, query);
  const Texts spans(texts);
  const PreparedQuery prepared(Measure::lcs, query);
  std::vector<std::vector<std::uint32_t>> counts(4, std::vector<std::uint32_t>(texts.size()));
  by_threads(counts.size(), [&](std::size_t t) { prepared.matched(spans.spans(), counts[t]); });
  for (const auto& own : counts)
    for (std::size_t i = 0; i < texts.size(); ++i)
      EXPECT_EQ(own[i], Reference::lcs(texts[i], query));
}

TEST(TextSpans, RefusedCallsWriteNothing) {
  const std::uint8_t text[] = {1, 2, 3};
  const Symbol beyond[] = {'a', 0x110000};
  struct Case {
    Measure measure;
    TextSpan span;
    const char* words;
  };
  for (const Case& c : {Case{Measure::lcs, {text, 3, 3}, "text 1 has symbols of 3 bytes"},
                        {Measure::lcs, {text, 3, 0}, "text 1 has symbols of 0 bytes"},
                        {Measure::lcs, {nullptr, 3, 1}, "text 1 is a null pointer"},
                        {Measure::lcs, {text, 1U << 31U, 1}, "text 1 has 2147483648 symbols"},
                        {Measure::token_sort, {beyond, 2, 4}, ""}}) {
    const PreparedQuery prepared(c.measure, letters("ab"));
    std::vector<std::uint32_t> counts(2, 77);
    std::vector<double> values(2, 77);
    const std::vector<TextSpan> texts{{text, 3, 1}, c.span};
    expect_refused({{[&] { prepared.matched(texts, counts); }, c.words},
                    {[&] { prepared.similarities(texts, values); }, c.words}});
    EXPECT_EQ(counts, std::vector<std::uint32_t>(2, 77));
    EXPECT_EQ(values, std::vector<double>(2, 77));
  }
  const PreparedQuery prepared(Measure::lcs, letters("ab"));
  std::vector<std::uint32_t> counts(3, 77);
  EXPECT_THROW(prepared.matched(std::vector<TextSpan>{{text, 3, 1}}, counts), InvalidArgument);
  prepared.matched(std::vector<TextSpan>{{nullptr, 0, 1}}, std::span(counts).first(1));
  EXPECT_EQ(counts[0], 0U);
}

}  // namespace TextSpansTest
