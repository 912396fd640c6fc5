// SPDX-License-Identifier: Apache-2.0
#include "demo/RandomIndexing.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

namespace Kindred::Tools {
namespace RandomIndexingTest {

Ragged<Symbol> texts_of(Vocabulary& words) {
  Ragged<Symbol> rows;
  for (const std::vector<std::string>& text : {std::vector<std::string>{"cat", "purrs", "soft"},
                                               {"kitten", "purrs", "soft"},
                                               {"engine", "burns", "oil"},
                                               {"motor", "burns", "oil"},
                                               {}}) {
    for (const std::string& word : text) rows.values.push_back(words.add(word));
    rows.close_row();
  }
  return rows;
}

struct RandomIndexingOfTexts : testing::Test {
  Vocabulary words;
  Ragged<Symbol> texts = texts_of(words);
  RandomIndexing indexing{texts, words};

  std::vector<float> embed(const std::vector<Symbol>& text) const {
    return indexing.embed(std::span<const Symbol>(text));
  }
  double cosine(const char* word, const char* other) const {
    const auto a = embed({words.find(word)}), b = embed({words.find(other)});
    const auto dot = [](const std::vector<float>& x, const std::vector<float>& y) {
      return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
  }
};

TEST_F(RandomIndexingOfTexts, WordsInTheSameContextsAreSimilar) {
  EXPECT_GT(cosine("cat", "kitten"), 0.4) << "no text contains both";
  EXPECT_LT(cosine("cat", "motor"), 0.1);
}

TEST_F(RandomIndexingOfTexts, RarerWordsWeighMore) {
  EXPECT_GT(indexing.rarity(words.find("cat")), indexing.rarity(words.find("soft")));
  EXPECT_EQ(indexing.rarity(words.find("cat")), 2.25) << "5 = 4 · 1.25";
}

TEST_F(RandomIndexingOfTexts, ATextIsTheSameAloneOrAmongOthers) {
  std::vector<float> each;
  for (std::size_t row = 0; row < texts.rows(); ++row) {
    const std::vector<float> one = indexing.embed(texts[row]);
    each.insert(each.end(), one.begin(), one.end());
  }
  EXPECT_EQ(indexing.embed(RaggedSpan<Symbol>(texts)), each);
}

TEST_F(RandomIndexingOfTexts, UnknownWordsAndNoWordsAddNothing) {
  const std::vector<float> zeros(indexing.dimension(), 0.0F);
  EXPECT_EQ(embed({unknown_symbol}), zeros);
  EXPECT_EQ(embed({}), zeros);
}

TEST_F(RandomIndexingOfTexts, TheBitsAreTheSameOnEveryMachine) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const float value : indexing.embed(RaggedSpan<Symbol>(texts)))
    hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 1099511628211ULL;
  EXPECT_EQ(hash, 1327556518555987704ULL);
}

}  // namespace RandomIndexingTest
}  // namespace Kindred::Tools
