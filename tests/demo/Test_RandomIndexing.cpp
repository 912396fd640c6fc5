// SPDX-License-Identifier: Apache-2.0
#include "demo/RandomIndexing.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

namespace Kindred::Tools {
namespace RandomIndexingTest {

struct Texts {
  Vocabulary words;
  Ragged<Symbol> rows;

  explicit Texts(const std::vector<std::vector<std::string>>& texts) {
    for (const auto& text : texts) {
      for (const std::string& word : text) rows.values.push_back(words.add(word));
      rows.close_row();
    }
  }
};

Texts small_texts() {
  return Texts({{"cat", "purrs", "soft"},
                {"kitten", "purrs", "soft"},
                {"engine", "burns", "oil"},
                {"motor", "burns", "oil"},
                {}});
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += double{a[i]} * double{b[i]};
    aa += double{a[i]} * double{a[i]};
    bb += double{b[i]} * double{b[i]};
  }
  return ab / std::sqrt(aa * bb);
}

TEST(RandomIndexing, WordsInTheSameContextsAreSimilar) {
  const Texts texts = small_texts();
  const RandomIndexing indexing(texts.rows, texts.words);
  const auto vector = [&](const char* word) {
    const std::vector<Symbol> text{texts.words.find(word)};
    return indexing.embed(std::span<const Symbol>(text));
  };
  EXPECT_GT(cosine(vector("cat"), vector("kitten")), 0.4) << "no text contains both";
  EXPECT_LT(cosine(vector("cat"), vector("motor")), 0.1);
}

TEST(RandomIndexing, RarerWordsWeighMore) {
  const Texts texts = small_texts();
  const RandomIndexing indexing(texts.rows, texts.words);
  EXPECT_GT(indexing.rarity(texts.words.find("cat")), indexing.rarity(texts.words.find("soft")));
  EXPECT_EQ(indexing.rarity(texts.words.find("cat")), 2.25) << "5 = 4 · 1.25";
}

TEST(RandomIndexing, ATextIsTheSameAloneOrAmongOthers) {
  const Texts texts = small_texts();
  const RandomIndexing indexing(texts.rows, texts.words, 64);
  const std::vector<float> all = indexing.embed(RaggedSpan<Symbol>(texts.rows));
  ASSERT_EQ(all.size(), texts.rows.rows() * 64);
  for (std::size_t row = 0; row < texts.rows.rows(); ++row) {
    const std::vector<float> one = indexing.embed(texts.rows[row]);
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(one[i], all[row * 64 + i]);
  }
}

TEST(RandomIndexing, UnknownWordsAndNoWordsAddNothing) {
  const Texts texts = small_texts();
  const RandomIndexing indexing(texts.rows, texts.words, 64);
  const std::vector<Symbol> unknown{unknown_symbol};
  const std::vector<float> zeros(64, 0.0F);
  EXPECT_EQ(indexing.embed(std::span<const Symbol>(unknown)), zeros);
  EXPECT_EQ(indexing.embed(std::span<const Symbol>()), zeros);
}

TEST(RandomIndexing, TheBitsAreTheSameOnEveryMachine) {
  const Texts texts = small_texts();
  const RandomIndexing indexing(texts.rows, texts.words);
  std::uint64_t hash = 14695981039346656037ULL;
  for (const float value : indexing.embed(RaggedSpan<Symbol>(texts.rows)))
    hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 1099511628211ULL;
  EXPECT_EQ(hash, 1327556518555987704ULL);
}

}  // namespace RandomIndexingTest
}  // namespace Kindred::Tools
