// SPDX-License-Identifier: Apache-2.0
// Functions of sequences and of pairs of them: each returns what that of C++ does.
#include "CppArguments.hpp"
#include "Given.hpp"
#include "Members.hpp"

#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/Similarity.hpp>

#include <optional>
#include <string>
#include <vector>

namespace SequencesOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// A matcher of random sequences, and queries.
class CSequences : public ::testing::Test {
 protected:
  CSequences() { ok(kindred_matcher_create(c_context(), &given, 0, &matcher)); }
  const SequenceMatcher& inside() const { return C::matcher_of(matcher); }

  const Ragged<Symbol> patterns = random_sequences("CSequences patterns", 50, 20);
  const Ragged<Symbol> queries = random_sequences("CSequences queries", 3, 20);
  const GivenSequences given{RaggedSpan<Symbol>(patterns)};
  const GivenSequences sought{RaggedSpan<Symbol>(queries)};
  Owned<kindred_matcher> matcher;
};

void expect_blocks(const kindred_block* found, std::span<const Block> expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) expect_members(found[i], expected[i]);
}

void expect_matches(const kindred_results* results, const MatchResults& expected, bool has_blocks) {
  expect_results(results, expected.matches);
  const kindred_results_view view = view_of(results);
  for (std::size_t i = 0; i < expected.matches.values.size(); ++i)
    EXPECT_EQ(numbers(view.matched[i], view.distances[i]),
              numbers(expected.matches.values[i].matched, expected.matches.values[i].distance));
  ASSERT_EQ(view.block_offsets != nullptr, has_blocks);
  if (!has_blocks) return;
  EXPECT_TRUE(has_values(view.block_offsets, expected.blocks.offsets));
  expect_blocks(view.blocks, expected.blocks.values);
}

TEST_F(CSequences, MatchesAndScoresAreThoseOfCpp) {
  const std::vector<std::uint64_t> only{3, 1, 3, 2, 30, 31};
  for (const std::int32_t space : c_spaces())
    for (const std::int32_t measure : {KINDRED_LCS, KINDRED_DIFFLIB, KINDRED_LEVENSHTEIN}) {
      kindred_match_options options = Given::match_options{
          .measure = measure, .blocks = measure == KINDRED_LEVENSHTEIN ? 0 : 1, .space = space};
      for (const bool is_filtered : {false, true}) {
        if (is_filtered) options.filter = only.data();
        options.filter_size = is_filtered ? only.size() : 0;
        const auto results = result_of(kindred_matcher_match, matcher, &sought, &options);
        expect_matches(results, inside().match(queries, cpp_of(options)), options.blocks != 0);
        EXPECT_EQ(numbers(view_of(results).record->space, view_of(results).record->reason),
                  numbers(space, KINDRED_REASON_FORCED));
      }
      for (const std::int32_t value : {KINDRED_SIMILARITY, KINDRED_DISTANCE}) {
        Numbers<double> scores(queries.rows(), patterns.rows(), -1);
        Numbers<double> wanted(queries.rows(), patterns.rows());
        const kindred_pair_options pairs =
            Given::pair_options{.measure = measure, .value = value, .space = space};
        EXPECT_EQ(result_of(kindred_matcher_score_all, matcher, &sought, &pairs, &scores).space,
                  space);
        inside().score_all(queries, array_of(&wanted), cpp_of(pairs));
        EXPECT_EQ(scores.values, wanted.values);
      }
    }
  expect_statistics<kindred_matcher_statistics>(matcher, inside().statistics());
}

TEST_F(CSequences, FiltersAndOutputsMustFit) {
  kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
  const std::uint64_t absent = 50;
  options.filter = &absent;
  expect_no_result("filter_size", kindred_matcher_match, matcher, &sought, &options);
  options.filter_size = 1;
  expect_no_result("filter", kindred_matcher_match, matcher, &sought, &options);
  expect_no_result("filter", kindred_matcher_cluster, matcher, 0, &options);
  Numbers<double> one_row(1, 50);
  expect_refused(kindred_matcher_score_all(matcher, &sought, nullptr, &one_row, nullptr));
}

struct Collected {
  std::size_t rows = 0;
  std::size_t pairs = 0;
  bool is_cancelled = false;
};

int collect(void* user, std::uint64_t first, const kindred_results* results) {
  auto& collected = *static_cast<Collected*>(user);
  EXPECT_EQ(first, collected.rows);
  const kindred_results_view view = view_of(results);
  collected.rows += view.rows;
  collected.pairs += view.offsets[view.rows];
  return collected.is_cancelled ? 1 : 0;
}

void expect_clusters(const kindred_clusters_view& view, const Clusters& expected) {
  EXPECT_EQ(numbers(view.items, view.clusters),
            numbers(expected.cluster_of.size(), expected.representatives.size()));
  EXPECT_TRUE(has_values(view.cluster_of, expected.cluster_of));
  EXPECT_TRUE(has_values(view.representatives, expected.representatives));
  EXPECT_TRUE(has_values(view.offsets, expected.members.offsets));
  EXPECT_TRUE(has_values(view.members, expected.members.values));
}

TEST_F(CSequences, DuplicatesAndClustersAreThoseOfCpp) {
  const std::vector<std::string> texts{"kindred", "kindrid", "kindler", "other",
                                       "otter",   "",        "kindred"};
  const std::vector<kindred_text> of_c = c_texts(texts);
  const GivenSequences words{std::span(of_c)};
  const auto of_texts = result_of(kindred_matcher_create, c_context(), &words, 0);
  const kindred_match_options options = Given::match_options{.threshold = 0.8};
  Collected collected;
  ok(kindred_matcher_match_self(of_texts, &options, &collect, &collected));
  EXPECT_EQ(collected.rows, texts.size());
  EXPECT_EQ(collected.pairs, 4U);  // kindrid–kindred, twice; other–otter; kindred–kindred
  collected = {.is_cancelled = true};
  expect_refused(kindred_matcher_match_self(of_texts, &options, &collect, &collected), "answer",
                 KINDRED_CANCELLED);
  std::vector<kindred_similar_pair> pairs{{0, 2, 0.9}, {2, 4, 0.8}, {1, 5, 0.7}, {4, 0, 0.1}};
  std::vector<SimilarPair> of_cpp;
  for (const auto& [one, other, similarity] : pairs) of_cpp.push_back({one, other, similarity});
  for (const Linkage linkage : {Linkage::single, Linkage::complete}) {
    const auto which = static_cast<std::int32_t>(linkage);
    const auto found = result_of(kindred_matcher_cluster, of_texts, which, &options);
    const kindred_clusters_view view = result_of(kindred_clusters_get, found);
    expect_clusters(view, C::matcher_of(of_texts).cluster(
                              {.linkage = linkage, .matching = {.threshold = 0.8}}));
    EXPECT_STREQ(view.record->operation, "lcs");
    const auto of_pairs = result_of(kindred_cluster_pairs, 7, pairs.data(), pairs.size(), which);
    expect_clusters(result_of(kindred_clusters_get, of_pairs), cluster_pairs(7, of_cpp, linkage));
  }
  result_of(kindred_cluster_pairs, 0, nullptr, 0, KINDRED_LINKAGE_SINGLE);
  expect_no_result("", kindred_cluster_pairs, 5, pairs.data(), pairs.size(), 0);
}

TEST(CPairs, OfSequencesAreThoseOfCpp) {
  const Ragged<Symbol> rows = random_sequences("CPairs", 34, 40);
  const auto query = rows[33];
  const GivenSequences one{query};
  const GivenSequences patterns{RaggedSpan<Symbol>{std::span(rows.offsets).first(34), rows.values}};
  for (const Measure measure : all_measures) {
    SCOPED_TRACE(to_string(measure));
    const auto which = static_cast<std::int32_t>(measure);
    const auto prepared = result_of(kindred_query_create, which, &one, 0);
    std::vector<std::uint32_t> many_matched(33);
    std::vector<double> many(33);
    ok(kindred_query_matched(prepared, &patterns, many_matched.data()));
    ok(kindred_query_similarity(prepared, &patterns, 0.5, many.data()));
    for (std::size_t i = 0; i < 33; ++i) {
      const auto pattern = rows[i];
      const GivenSequences first{pattern};
      EXPECT_EQ(result_of(kindred_similarity, which, &first, &one, 0, 0),
                Kindred::similarity(measure, pattern, query));
      EXPECT_EQ(many[i], Kindred::similarity(measure, pattern, query, 0.5));
      const std::uint32_t matched = result_of(kindred_matched, which, &first, &one, 0);
      EXPECT_EQ(matched, Kindred::matched(measure, pattern, query));
      EXPECT_EQ(many_matched[i], matched);
      if (counts_edits(measure)) {
        EXPECT_EQ(result_of(kindred_distance, which, matched, pattern.size(), query.size()),
                  Kindred::distance(measure, matched, pattern.size(), query.size()));
      } else {
        expect_no_result("", kindred_distance, which, matched, pattern.size(), query.size());
      }
      if (measure != Measure::lcs && measure != Measure::difflib) continue;
      const std::vector<Block> expected = Kindred::blocks(measure, pattern, query);
      for (const auto& found : {list_from(kindred_blocks, which, &first, &one, 0),
                                list_from(kindred_query_blocks, prepared, &first)}) {
        ASSERT_EQ(found.size(), expected.size());
        expect_blocks(found.data(), expected);
      }
    }
  }
}

TEST(CPairs, OfTextsCompareCodePoints) {
  const std::string_view text = "gr\xC3\xBCn";
  const GivenSequences green{text};
  const GivenSequences grey{std::string_view("grau")};
  const GivenSequences bad{std::string_view("\xFF")};
  EXPECT_EQ(result_of(kindred_similarity, KINDRED_LEVENSHTEIN, &green, &grey, 0, 0),
            Kindred::similarity(Measure::levenshtein, text, std::string_view("grau")));
  expect_no_result("", kindred_similarity, KINDRED_LCS, &bad, &grey, 0, 0);
  EXPECT_EQ(result_of(kindred_query_matched, result_of(kindred_query_create, KINDRED_LCS, &grey, 0),
                      &green),
            2U);

  const auto code_points = [](std::string_view of, std::int32_t keep) {
    return list_from(kindred_code_points, of.data(), of.size(), keep);
  };
  EXPECT_EQ(code_points(text, 0), (std::vector<std::uint32_t>{'g', 'r', 0xFC, 'n'}));
  EXPECT_EQ(code_points("\xFF", 1), (std::vector<std::uint32_t>{0x110000U + 0xFFU}));
  std::size_t count = 0;
  expect_refused(kindred_code_points("\xFF", 1, 0, nullptr, 0, &count));
}

TEST(CPairs, EmptySequencesNeedNoSymbolsAndLongOnesAreRefused) {
  const std::uint32_t symbols[] = {1, 2, 3};
  const std::uint64_t empty[] = {0, 0, 0};
  const std::uint64_t huge[] = {0, 1, std::uint64_t{1} << 32U};
  const GivenSequences none{std::span<const std::uint32_t>()};
  const GivenSequences two_empty{RaggedSpan<std::uint32_t>{empty, {}}};
  const GivenSequences two_huge{RaggedSpan<std::uint32_t>{huge, symbols}};
  const auto query = result_of(kindred_query_create, KINDRED_LEVENSHTEIN, &none, 0);
  double similarities[] = {-1, -1};
  ok(kindred_query_similarity(query, &two_empty, 0, similarities));
  EXPECT_EQ(similarities[1], 1);
  similarities[0] = -1;
  expect_refused(kindred_query_similarity(query, &two_huge, 0, similarities), "sequence 1 has");
  EXPECT_EQ(similarities[0], -1);
}

TEST(CPairs, MeasuresHaveNamesAndProperties) {
  for (const Measure measure : all_measures) {
    const auto info = result_of(kindred_measure_describe, static_cast<std::int32_t>(measure));
    EXPECT_EQ(info.name, to_string(measure));
    EXPECT_EQ(info.counts_edits != 0, counts_edits(measure));
    EXPECT_EQ(info.compares_words != 0, compares_words(measure));
  }
}

}  // namespace SequencesOfCTest
