// SPDX-License-Identifier: Apache-2.0
// The scores of pairs of sequences are those of C++.
#include "CSupport.hpp"

#include <kindred/matcher/Similarity.hpp>

#include <Support.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Testing {
namespace {

TEST(CPairs, AreThoseOfCpp) {
  const Ragged<Symbol> rows = random_sequences("CPairs pairs", 40, 70);
  for (const Measure measure : all_measures)
    for (std::size_t i = 0; i + 1 < rows.rows(); ++i) {
      const auto pattern = rows[i];
      const auto query = rows[i + 1];
      double similarity = -1;
      KINDRED_ASSERT_OK(kindred_similarity(static_cast<std::int32_t>(measure), pattern.data(),
                                           pattern.size(), query.data(), query.size(), 0, 0,
                                           &similarity));
      EXPECT_EQ(similarity, Kindred::similarity(measure, pattern, query));
      Owned<kindred_query> prepared(kindred_query_destroy);
      KINDRED_ASSERT_OK(kindred_query_create(static_cast<std::int32_t>(measure), query.data(),
                                             query.size(), 0, &prepared));
      double again = -1;
      KINDRED_ASSERT_OK(
          kindred_query_similarity(prepared, pattern.data(), pattern.size(), 0, &again));
      EXPECT_EQ(again, similarity);
      std::uint32_t matched = 0;
      KINDRED_ASSERT_OK(kindred_query_matched(prepared, pattern.data(), pattern.size(), &matched));
      EXPECT_EQ(matched, Kindred::matched(measure, pattern, query));
      if (measure != Measure::lcs && measure != Measure::difflib) continue;
      const std::vector<Block> expected = Kindred::blocks(measure, pattern, query);
      std::vector<kindred_block> blocks(expected.size());
      std::size_t count = 0;
      KINDRED_ASSERT_OK(kindred_query_blocks(prepared, pattern.data(), pattern.size(),
                                             blocks.data(), blocks.size(), &count));
      ASSERT_EQ(count, expected.size());
      for (std::size_t b = 0; b < count; ++b) EXPECT_EQ(blocks[b].length, expected[b].length);
      if (count > 0) {
        count = 0;
        EXPECT_EQ(kindred_query_blocks(prepared, pattern.data(), pattern.size(), blocks.data(),
                                       blocks.size() - 1, &count),
                  KINDRED_INVALID);
        EXPECT_EQ(count, expected.size());
      }
    }
  double similarity = 0;
  KINDRED_ASSERT_OK(
      kindred_similarity_text(KINDRED_LEVENSHTEIN, "gr\xC3\xBCn", 5, "grau", 4, 0, 0, &similarity));
  EXPECT_EQ(similarity, Kindred::similarity(Measure::levenshtein, std::string_view("gr\xC3\xBCn"),
                                            std::string_view("grau")));
  EXPECT_EQ(kindred_similarity_text(KINDRED_LCS, "\xFF", 1, "a", 1, 0, 0, &similarity),
            KINDRED_INVALID);
  Owned<kindred_query> text(kindred_query_destroy);
  KINDRED_ASSERT_OK(kindred_query_create_text(KINDRED_LCS, "grau", 4, 0, &text));
  std::uint32_t matched = 0;
  KINDRED_ASSERT_OK(kindred_query_matched_text(text, "gr\xC3\xBCn", 5, &matched));
  EXPECT_EQ(matched, 2U);
  KINDRED_ASSERT_OK(kindred_query_similarity_text(text, "grau", 4, 0, &similarity));
  EXPECT_EQ(similarity, 1);
  kindred_block block{};
  std::size_t count = 0;
  KINDRED_ASSERT_OK(kindred_query_blocks_text(text, "grau", 4, &block, 1, &count));
  EXPECT_EQ(block.length, 4U);
}

TEST(CPairs, ManyAreThoseOfCpp) {
  for (const std::size_t count : edge_sizes) {
    const Ragged<Symbol> rows = random_sequences("CPairs many pairs", count + 1, 40);
    const auto query = rows[count];
    const std::uint64_t* const offsets = rows.offsets.data();
    for (const Measure measure : all_measures) {
      Owned<kindred_query> prepared(kindred_query_destroy);
      KINDRED_ASSERT_OK(kindred_query_create(static_cast<std::int32_t>(measure), query.data(),
                                             query.size(), 0, &prepared));
      std::vector<std::uint32_t> matched(count);
      std::vector<double> similarities(count);
      KINDRED_ASSERT_OK(
          kindred_query_matched_all(prepared, rows.values.data(), offsets, count, matched.data()));
      KINDRED_ASSERT_OK(kindred_query_similarities(prepared, rows.values.data(), offsets, count,
                                                   similarities.data()));
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(matched[i], Kindred::matched(measure, rows[i], query));
        EXPECT_EQ(similarities[i], Kindred::similarity(measure, rows[i], query));
      }
    }
  }
  // Sequences that are all empty need no symbols.
  Owned<kindred_query> prepared(kindred_query_destroy);
  KINDRED_ASSERT_OK(kindred_query_create(KINDRED_LEVENSHTEIN, nullptr, 0, 0, &prepared));
  const std::uint64_t empty[] = {0, 0, 0};
  double similarities[] = {-1, -1};
  KINDRED_ASSERT_OK(kindred_query_similarities(prepared, nullptr, empty, 2, similarities));
  EXPECT_EQ(similarities[1], 1);
  // What is refused writes nothing.
  const std::uint32_t symbols[] = {1, 2, 3};
  const std::uint64_t falling[] = {0, 2, 1};
  const std::uint64_t huge[] = {0, 1, std::uint64_t{1} << 32U};
  std::uint32_t matched[] = {7, 7};
  EXPECT_EQ(kindred_query_matched_all(prepared, symbols, falling, 2, matched), KINDRED_INVALID);
  EXPECT_EQ(kindred_query_matched_all(prepared, symbols, huge, 2, matched), KINDRED_INVALID);
  EXPECT_NE(std::string(kindred_last_error()).find("sequence 1 has"), std::string::npos)
      << kindred_last_error();
  EXPECT_EQ(matched[0], 7U);
  EXPECT_EQ(kindred_query_similarities(prepared, symbols, huge, 2, similarities), KINDRED_INVALID);
  EXPECT_EQ(similarities[0], 1);
}

TEST(CPairs, WithoutAPreparedQueryAreThoseOfCpp) {
  const Ragged<Symbol> rows = random_sequences("CPairs single pairs", 10, 40);
  for (const Measure measure : all_measures)
    for (std::size_t i = 0; i + 1 < rows.rows(); ++i) {
      const auto pattern = rows[i];
      const auto query = rows[i + 1];
      const auto number = static_cast<std::int32_t>(measure);
      std::uint32_t matched = 0;
      KINDRED_ASSERT_OK(kindred_matched(number, pattern.data(), pattern.size(), query.data(),
                                        query.size(), 0, &matched));
      EXPECT_EQ(matched, Kindred::matched(measure, pattern, query));
      std::uint64_t distance = 0;
      if (counts_edits(measure)) {
        KINDRED_ASSERT_OK(
            kindred_distance(number, matched, pattern.size(), query.size(), &distance));
        EXPECT_EQ(distance, Kindred::distance(measure, matched, pattern.size(), query.size()));
      } else {
        EXPECT_EQ(kindred_distance(number, matched, pattern.size(), query.size(), &distance),
                  KINDRED_INVALID);
      }
      if (measure != Measure::lcs && measure != Measure::difflib) continue;
      const std::vector<Block> expected = Kindred::blocks(measure, pattern, query);
      std::vector<kindred_block> blocks(expected.size());
      std::size_t count = 0;
      KINDRED_ASSERT_OK(kindred_blocks(number, pattern.data(), pattern.size(), query.data(),
                                       query.size(), 0, blocks.data(), blocks.size(), &count));
      ASSERT_EQ(count, expected.size());
      for (std::size_t b = 0; b < count; ++b) {
        EXPECT_EQ(blocks[b].pattern_begin, expected[b].pattern_begin);
        EXPECT_EQ(blocks[b].query_begin, expected[b].query_begin);
        EXPECT_EQ(blocks[b].length, expected[b].length);
      }
    }
  std::uint32_t matched = 0;
  KINDRED_ASSERT_OK(kindred_matched_text(KINDRED_LCS, "gr\xC3\xBCn", 5, "grau", 4, 0, &matched));
  EXPECT_EQ(matched, 2U);
  kindred_block block{};
  std::size_t count = 0;
  KINDRED_ASSERT_OK(
      kindred_blocks_text(KINDRED_LCS, "gr\xC3\xBCn", 5, "grau", 4, 0, &block, 1, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(block.length, 2U);
  std::uint64_t distance = 0;
  EXPECT_EQ(kindred_distance(KINDRED_LCS, 4, 3, 5, &distance), KINDRED_INVALID);
  EXPECT_EQ(kindred_distance(KINDRED_LEVENSHTEIN, 6, 3, 5, &distance), KINDRED_INVALID);
}

}  // namespace
}  // namespace Kindred::Testing
