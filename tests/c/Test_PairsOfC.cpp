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
      const GivenSequences first{pattern};
      const GivenSequences second{query};
      double similarity = -1;
      KINDRED_ASSERT_OK(kindred_similarity(static_cast<std::int32_t>(measure), &first, &second, 0,
                                           0, &similarity));
      EXPECT_EQ(similarity, Kindred::similarity(measure, pattern, query));
      Owned<kindred_query> prepared;
      KINDRED_ASSERT_OK(
          kindred_query_create(static_cast<std::int32_t>(measure), &second, 0, &prepared));
      double again = -1;
      KINDRED_ASSERT_OK(kindred_query_similarity(prepared, &first, 0, &again));
      EXPECT_EQ(again, similarity);
      std::uint32_t matched = 0;
      KINDRED_ASSERT_OK(kindred_query_matched(prepared, &first, &matched));
      EXPECT_EQ(matched, Kindred::matched(measure, pattern, query));
      if (measure != Measure::lcs && measure != Measure::difflib) continue;
      const std::vector<Block> expected = Kindred::blocks(measure, pattern, query);
      std::vector<kindred_block> blocks(expected.size());
      std::size_t count = 0;
      KINDRED_ASSERT_OK(
          kindred_query_blocks(prepared, &first, blocks.data(), blocks.size(), &count));
      ASSERT_EQ(count, expected.size());
      for (std::size_t b = 0; b < count; ++b) EXPECT_EQ(blocks[b].length, expected[b].length);
      if (count > 0) {
        count = 0;
        EXPECT_EQ(kindred_query_blocks(prepared, &first, blocks.data(), blocks.size() - 1, &count),
                  KINDRED_INVALID);
        EXPECT_EQ(count, expected.size());
      }
    }
  double similarity = 0;
  const GivenSequences green{std::string_view("gr\xC3\xBCn")};
  const GivenSequences grey{std::string_view("grau")};
  const GivenSequences bad{std::string_view("\xFF")};
  KINDRED_ASSERT_OK(kindred_similarity(KINDRED_LEVENSHTEIN, &green, &grey, 0, 0, &similarity));
  EXPECT_EQ(similarity, Kindred::similarity(Measure::levenshtein, std::string_view("gr\xC3\xBCn"),
                                            std::string_view("grau")));
  EXPECT_EQ(kindred_similarity(KINDRED_LCS, &bad, &grey, 0, 0, &similarity), KINDRED_INVALID);
  Owned<kindred_query> text;
  KINDRED_ASSERT_OK(kindred_query_create(KINDRED_LCS, &grey, 0, &text));
  std::uint32_t matched = 0;
  KINDRED_ASSERT_OK(kindred_query_matched(text, &green, &matched));
  EXPECT_EQ(matched, 2U);
  KINDRED_ASSERT_OK(kindred_query_similarity(text, &grey, 0, &similarity));
  EXPECT_EQ(similarity, 1);
  kindred_block block{};
  std::size_t count = 0;
  KINDRED_ASSERT_OK(kindred_query_blocks(text, &grey, &block, 1, &count));
  EXPECT_EQ(block.length, 4U);
}

TEST(CPairs, ManyAreThoseOfCpp) {
  for (const std::size_t count : edge_sizes) {
    const Ragged<Symbol> rows = random_sequences("CPairs many pairs", count + 1, 40);
    const auto query = rows[count];
    const GivenSequences one{query};
    const GivenSequences patterns{
        RaggedSpan<Symbol>{std::span(rows.offsets).first(count + 1), rows.values}};
    for (const Measure measure : all_measures) {
      Owned<kindred_query> prepared;
      KINDRED_ASSERT_OK(
          kindred_query_create(static_cast<std::int32_t>(measure), &one, 0, &prepared));
      std::vector<std::uint32_t> matched(count + 1);
      KINDRED_ASSERT_OK(kindred_query_matched(prepared, &patterns, matched.data()));
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(matched[i], Kindred::matched(measure, rows[i], query));
      for (const double cutoff : {0.0, 0.5}) {
        std::vector<double> similarities(count + 1);
        KINDRED_ASSERT_OK(
            kindred_query_similarity(prepared, &patterns, cutoff, similarities.data()));
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_EQ(similarities[i], Kindred::similarity(measure, rows[i], query, cutoff));
      }
    }
  }
  // Sequences that are all empty need no symbols.
  Owned<kindred_query> prepared;
  const GivenSequences none{std::span<const std::uint32_t>()};
  KINDRED_ASSERT_OK(kindred_query_create(KINDRED_LEVENSHTEIN, &none, 0, &prepared));
  const std::uint64_t empty[] = {0, 0, 0};
  double similarities[] = {-1, -1};
  const GivenSequences two_empty{RaggedSpan<std::uint32_t>{empty, {}}};
  KINDRED_ASSERT_OK(kindred_query_similarity(prepared, &two_empty, 0, similarities));
  EXPECT_EQ(similarities[1], 1);
  // What is refused writes nothing.
  const std::uint32_t symbols[] = {1, 2, 3};
  const std::uint64_t falling[] = {0, 2, 1};
  const std::uint64_t huge[] = {0, 1, std::uint64_t{1} << 32U};
  std::uint32_t matched[] = {7, 7};
  const GivenSequences two_falling{RaggedSpan<std::uint32_t>{falling, symbols}};
  const GivenSequences two_huge{RaggedSpan<std::uint32_t>{huge, symbols}};
  EXPECT_EQ(kindred_query_matched(prepared, &two_falling, matched), KINDRED_INVALID);
  EXPECT_EQ(kindred_query_matched(prepared, &two_huge, matched), KINDRED_INVALID);
  EXPECT_NE(std::string(kindred_last_error()).find("sequence 1 has"), std::string::npos)
      << kindred_last_error();
  EXPECT_EQ(matched[0], 7U);
  EXPECT_EQ(kindred_query_similarity(prepared, &two_huge, 0, similarities), KINDRED_INVALID);
  EXPECT_EQ(kindred_query_similarity(prepared, &two_empty, 1.5, similarities), KINDRED_INVALID);
  EXPECT_EQ(similarities[0], 1);
}

TEST(CPairs, WithoutAPreparedQueryAreThoseOfCpp) {
  const Ragged<Symbol> rows = random_sequences("CPairs single pairs", 10, 40);
  for (const Measure measure : all_measures)
    for (std::size_t i = 0; i + 1 < rows.rows(); ++i) {
      const auto pattern = rows[i];
      const auto query = rows[i + 1];
      const auto number = static_cast<std::int32_t>(measure);
      const GivenSequences first{pattern};
      const GivenSequences second{query};
      std::uint32_t matched = 0;
      KINDRED_ASSERT_OK(kindred_matched(number, &first, &second, 0, &matched));
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
      KINDRED_ASSERT_OK(
          kindred_blocks(number, &first, &second, 0, blocks.data(), blocks.size(), &count));
      ASSERT_EQ(count, expected.size());
      for (std::size_t b = 0; b < count; ++b) {
        EXPECT_EQ(blocks[b].pattern_begin, expected[b].pattern_begin);
        EXPECT_EQ(blocks[b].query_begin, expected[b].query_begin);
        EXPECT_EQ(blocks[b].length, expected[b].length);
      }
    }
  std::uint32_t matched = 0;
  const GivenSequences green{std::string_view("gr\xC3\xBCn")};
  const GivenSequences grey{std::string_view("grau")};
  KINDRED_ASSERT_OK(kindred_matched(KINDRED_LCS, &green, &grey, 0, &matched));
  EXPECT_EQ(matched, 2U);
  kindred_block block{};
  std::size_t count = 0;
  KINDRED_ASSERT_OK(kindred_blocks(KINDRED_LCS, &green, &grey, 0, &block, 1, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(block.length, 2U);
  std::uint64_t distance = 0;
  EXPECT_EQ(kindred_distance(KINDRED_LCS, 4, 3, 5, &distance), KINDRED_INVALID);
  EXPECT_EQ(kindred_distance(KINDRED_LEVENSHTEIN, 6, 3, 5, &distance), KINDRED_INVALID);
}

}  // namespace
}  // namespace Kindred::Testing
