// SPDX-License-Identifier: Apache-2.0
// The results of the C interface are those of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <Generator.hpp>
#include <Support.hpp>
#include <TempFolder.hpp>

#include <random>
#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

void expect_matches(const kindred_results* results, const MatchResults& expected) {
  const kindred_results_view view = view_of(results);
  ASSERT_EQ(view.rows, expected.matches.rows());
  for (std::size_t i = 0; i <= view.rows; ++i)
    ASSERT_EQ(view.offsets[i], expected.matches.offsets[i]);
  for (std::size_t i = 0; i < expected.matches.values.size(); ++i) {
    const Match& match = expected.matches.values[i];
    EXPECT_EQ(view.ids[i], static_cast<std::int64_t>(match.index));
    EXPECT_EQ(view.scores[i], match.similarity);
    EXPECT_EQ(view.matched[i], match.matched);
    EXPECT_EQ(view.distances[i], match.distance);
  }
}

TEST(CSequences, MatchesAreThoseOfCpp) {
  for (const std::size_t size : edge_sizes) {
    const Ragged<Symbol> patterns = random_sequences("CSequences patterns", size, 20);
    const Ragged<Symbol> queries = random_sequences("CSequences queries", 3, 20);
    const SequenceMatcher expected(context(), patterns, Residency::host);
    Owned<kindred_matcher> matcher;
    const GivenSequences given{RaggedSpan<Symbol>(patterns)};
    const GivenSequences sought{RaggedSpan<Symbol>(queries)};
    KINDRED_ASSERT_OK(
        kindred_matcher_create(c_context(), &given, KINDRED_RESIDENCY_AUTOMATIC, &matcher));
    kindred_matcher_statistics statistics = KINDRED_MATCHER_STATISTICS_INIT;
    KINDRED_ASSERT_OK(kindred_get_statistics(matcher, &statistics));
    EXPECT_EQ(statistics.patterns, size);
    EXPECT_EQ(statistics.host_bytes, expected.bytes(Space::serial));
    for (const std::int32_t space : c_spaces())
      for (const Measure measure : {Measure::lcs, Measure::difflib, Measure::levenshtein}) {
        kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
        options.measure = static_cast<std::int32_t>(measure);
        options.blocks = counts_edits(measure) && measure != Measure::levenshtein ? 1 : 0;
        options.space = space;
        Owned<kindred_results> results;
        KINDRED_ASSERT_OK(kindred_matcher_match(matcher, &sought, &options, &results));
        const MatchResults found =
            expected.match(queries, {.measure = measure, .blocks = options.blocks != 0});
        expect_matches(results, found);
        const kindred_results_view view = view_of(results);
        EXPECT_EQ(view.record->space, space);
        EXPECT_EQ(view.record->reason, KINDRED_REASON_FORCED);
        EXPECT_EQ(view.block_offsets != nullptr, options.blocks != 0);
        if (options.blocks == 0) continue;
        const kindred_block* const blocks = view.blocks;
        for (std::size_t i = 0; i < found.blocks.values.size(); ++i) {
          EXPECT_EQ(blocks[i].pattern_begin, found.blocks.values[i].pattern_begin);
          EXPECT_EQ(blocks[i].query_begin, found.blocks.values[i].query_begin);
          EXPECT_EQ(blocks[i].length, found.blocks.values[i].length);
        }
        for (std::size_t i = 0; i < found.blocks.offsets.size(); ++i)
          EXPECT_EQ(view.block_offsets[i], found.blocks.offsets[i]);
      }
  }
}

TEST(CSequences, ScoresOfAllPairsAreThoseOfCpp) {
  const Ragged<Symbol> patterns = random_sequences("CSequences scored patterns", 33, 20);
  const Ragged<Symbol> queries = random_sequences("CSequences scored queries", 3, 20);
  const SequenceMatcher expected(context(), patterns, Residency::host);
  Owned<kindred_matcher> matcher;
  const GivenSequences given{RaggedSpan<Symbol>(patterns)};
  const GivenSequences sought{RaggedSpan<Symbol>(queries)};
  KINDRED_ASSERT_OK(
      kindred_matcher_create(c_context(), &given, KINDRED_RESIDENCY_AUTOMATIC, &matcher));
  for (const std::int32_t space : c_spaces()) {
    for (const Measure measure : {Measure::lcs, Measure::difflib, Measure::levenshtein}) {
      for (const PairValue value :
           {PairValue::similarity, PairValue::distance, PairValue::percentage}) {
        const bool edits = value == PairValue::distance && counts_edits(measure);
        for (const std::optional<double> cutoff : {std::optional<double>(), {edits ? 5.0 : 0.5}}) {
          std::vector<double> wanted(queries.rows() * patterns.rows());
          const std::vector<std::int64_t> shape{static_cast<std::int64_t>(queries.rows()),
                                                static_cast<std::int64_t>(patterns.rows())};
          expected.score_all(queries, Array(wanted.data(), DataType::float64, shape),
                             {.measure = measure, .value = value, .cutoff = cutoff});
          std::vector<double> found(wanted.size(), -1);
          Tensor out(found.data(), KINDRED_FLOAT64, static_cast<std::int64_t>(queries.rows()),
                     static_cast<std::int64_t>(patterns.rows()));
          kindred_pair_options options = KINDRED_PAIR_OPTIONS_INIT;
          options.measure = static_cast<std::int32_t>(measure);
          options.value = static_cast<std::int32_t>(value);
          options.cutoff = cutoff.value_or(-1);
          options.space = space;
          kindred_record record = KINDRED_RECORD_INIT;
          KINDRED_ASSERT_OK(kindred_matcher_score_all(matcher, &sought, &options, &out, &record));
          EXPECT_EQ(found, wanted) << to_string(measure);
          EXPECT_EQ(record.space, space);
        }
      }
    }
  }
}

TEST(CSequences, ScoresOfTextsAreNumbersOfEdits) {
  const std::vector<std::string> texts{"kindred", "kindrid", "kindler", ""};
  const std::vector<kindred_text> given = c_texts(texts);
  Owned<kindred_matcher> matcher;
  const GivenSequences patterns{std::span(given)};
  const GivenSequences one{std::string_view(texts[0])};
  const GivenSequences two{std::span(given).first(2)};
  KINDRED_ASSERT_OK(
      kindred_matcher_create(c_context(), &patterns, KINDRED_RESIDENCY_AUTOMATIC, &matcher));
  std::vector<std::uint8_t> found(texts.size());
  Tensor out(found.data(), KINDRED_UINT8, 1, static_cast<std::int64_t>(found.size()));
  kindred_pair_options options = KINDRED_PAIR_OPTIONS_INIT;
  options.measure = KINDRED_LEVENSHTEIN;
  options.value = KINDRED_DISTANCE;
  KINDRED_ASSERT_OK(kindred_matcher_score_all(matcher, &one, &options, &out, nullptr));
  EXPECT_EQ(found, (std::vector<std::uint8_t>{0, 1, 2, 7}));
  EXPECT_EQ(kindred_matcher_score_all(matcher, &two, &options, &out, nullptr), KINDRED_INVALID)
      << "an array of one row for two queries";
}

struct Collected {
  std::vector<std::uint64_t> firsts;
  std::size_t rows = 0;
  std::size_t pairs = 0;
  int cancel_after = -1;
};

int collect(void* user, std::uint64_t first, const kindred_results* results) {
  auto& collected = *static_cast<Collected*>(user);
  collected.firsts.push_back(first);
  const kindred_results_view view = view_of(results);
  collected.rows += view.rows;
  collected.pairs += view.offsets[view.rows];
  return collected.cancel_after >= 0 && --collected.cancel_after < 0 ? 1 : 0;
}

TEST(CSequences, DuplicatesAndClustersAreThoseOfCpp) {
  const std::vector<std::string> texts{"kindred", "kindrid", "kindler", "other",
                                       "otter",   "",        "kindred"};
  const std::vector<kindred_text> given = c_texts(texts);
  Owned<kindred_matcher> matcher;
  const GivenSequences patterns{std::span(given)};
  KINDRED_ASSERT_OK(kindred_matcher_create(c_context(), &patterns, 0, &matcher));
  kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
  options.threshold = 0.8;
  Collected collected;
  KINDRED_ASSERT_OK(kindred_matcher_match_self(matcher, &options, &collect, &collected));
  EXPECT_EQ(collected.rows, texts.size());
  EXPECT_EQ(collected.pairs, 4U);  // kindrid–kindred, twice; other–otter; kindred–kindred
  collected.cancel_after = 0;
  EXPECT_EQ(kindred_matcher_match_self(matcher, &options, &collect, &collected), KINDRED_CANCELLED);
  EXPECT_NE(std::string(kindred_last_error()).find("answer"), std::string::npos);

  std::vector<std::string_view> views(texts.begin(), texts.end());
  const SequenceMatcher expected(context(), std::span<const std::string_view>(views),
                                 Residency::host);
  for (const Linkage linkage : {Linkage::single, Linkage::complete}) {
    const ClusterResults clusters =
        expected.cluster({.linkage = linkage, .matching = {.threshold = 0.8}});
    Owned<kindred_clusters> found;
    KINDRED_ASSERT_OK(
        kindred_matcher_cluster(matcher, static_cast<std::int32_t>(linkage), &options, &found));
    kindred_clusters_view view = KINDRED_CLUSTERS_VIEW_INIT;
    KINDRED_ASSERT_OK(kindred_clusters_get(found, &view));
    ASSERT_EQ(view.items, texts.size());
    ASSERT_EQ(view.clusters, clusters.representatives.size());
    for (std::size_t i = 0; i < view.items; ++i)
      EXPECT_EQ(view.cluster_of[i], clusters.cluster_of[i]);
    for (std::size_t i = 0; i < view.clusters; ++i)
      EXPECT_EQ(view.representatives[i], clusters.representatives[i]);
    for (std::size_t i = 0; i < view.items; ++i)
      EXPECT_EQ(view.members[i], clusters.members.values[i]);
    EXPECT_STREQ(view.record->operation, "lcs");
  }
}

TEST(CSequences, MeasuresHaveNamesAndProperties) {
  for (const Measure measure : all_measures) {
    kindred_measure_info info = KINDRED_MEASURE_INFO_INIT;
    KINDRED_ASSERT_OK(kindred_measure_describe(static_cast<std::int32_t>(measure), &info));
    EXPECT_EQ(info.name, to_string(measure));
    EXPECT_EQ(info.counts_edits != 0, counts_edits(measure));
    EXPECT_EQ(info.compares_words != 0, compares_words(measure));
  }
  kindred_measure_info info = KINDRED_MEASURE_INFO_INIT;
  EXPECT_EQ(kindred_measure_describe(9, &info), KINDRED_INVALID);
}

TEST(CSequences, OnlyCandidatesAreResults) {
  const Ragged<Symbol> patterns = random_sequences("CSequences candidates", 50, 20);
  const Ragged<Symbol> queries = random_sequences("CSequences candidate queries", 3, 20);
  const SequenceMatcher expected(context(), patterns, Residency::host);
  Owned<kindred_matcher> matcher;
  const GivenSequences given{RaggedSpan<Symbol>(patterns)};
  const GivenSequences sought{RaggedSpan<Symbol>(queries)};
  KINDRED_ASSERT_OK(kindred_matcher_create(c_context(), &given, 0, &matcher));
  const auto match = [&](const kindred_match_options& options, kindred_results** results) {
    return kindred_matcher_match(matcher, &sought, &options, results);
  };
  for (const std::vector<std::uint64_t>& only :
       std::vector<std::vector<std::uint64_t>>{{}, {49}, {3, 1, 3, 2, 30, 31, 32, 33, 34, 35}}) {
    kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
    options.filter = only.data();
    options.filter_size = only.size();
    Owned<kindred_results> results;
    KINDRED_ASSERT_OK(match(options, &results));
    expect_matches(results, expected.match(queries, {.filter = only}));
  }
  kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
  const std::uint64_t absent = 50;
  options.filter = &absent;
  options.filter_size = 1;
  kindred_results* results = nullptr;
  EXPECT_EQ(match(options, &results), KINDRED_INVALID);
  kindred_clusters* clusters = nullptr;
  EXPECT_EQ(kindred_matcher_cluster(matcher, KINDRED_LINKAGE_SINGLE, &options, &clusters),
            KINDRED_INVALID);
  options.filter_size = KINDRED_UNSET;
  EXPECT_EQ(match(options, &results), KINDRED_INVALID);
  EXPECT_EQ(results, nullptr);
}

TEST(CSequences, SimilarPairsFormTheClustersOfCpp) {
  const std::vector<kindred_similar_pair> pairs{{0, 2, 0.9}, {2, 4, 0.8}, {1, 5, 0.7}, {4, 0, 0.1}};
  std::vector<SimilarPair> expected_pairs;
  for (const kindred_similar_pair& pair : pairs)
    expected_pairs.push_back({pair.first, pair.second, pair.similarity});
  for (const Linkage linkage : {Linkage::single, Linkage::complete}) {
    const Clusters expected = cluster_pairs(7, expected_pairs, linkage);
    Owned<kindred_clusters> found;
    KINDRED_ASSERT_OK(kindred_cluster_pairs(7, pairs.data(), pairs.size(),
                                            static_cast<std::int32_t>(linkage), &found));
    kindred_clusters_view view = KINDRED_CLUSTERS_VIEW_INIT;
    KINDRED_ASSERT_OK(kindred_clusters_get(found, &view));
    ASSERT_EQ(view.items, 7U);
    ASSERT_EQ(view.clusters, expected.members.rows());
    for (std::size_t i = 0; i < view.items; ++i) {
      EXPECT_EQ(view.cluster_of[i], expected.cluster_of[i]);
      EXPECT_EQ(view.members[i], expected.members.values[i]);
    }
    for (std::size_t i = 0; i < view.clusters; ++i)
      EXPECT_EQ(view.representatives[i], expected.representatives[i]);
  }
  Owned<kindred_clusters> none;
  KINDRED_ASSERT_OK(kindred_cluster_pairs(0, nullptr, 0, KINDRED_LINKAGE_SINGLE, &none));
  kindred_clusters* clusters = nullptr;
  EXPECT_EQ(kindred_cluster_pairs(5, pairs.data(), pairs.size(), 0, &clusters), KINDRED_INVALID);
  EXPECT_EQ(kindred_cluster_pairs(7, pairs.data(), pairs.size(), 2, &clusters), KINDRED_INVALID);
}

TEST(CVocabulary, CodePointsAreTheSymbolsOfCharacters) {
  const std::string text = "gr\xC3\xBCn";
  std::uint32_t symbols[8] = {};
  std::size_t count = 0;
  KINDRED_ASSERT_OK(kindred_code_points(text.data(), text.size(), 0, symbols, 8, &count));
  EXPECT_EQ(std::vector<std::uint32_t>(symbols, symbols + count),
            (std::vector<std::uint32_t>{'g', 'r', 0xFC, 'n'}));
  EXPECT_EQ(kindred_code_points(text.data(), text.size(), 0, symbols, 3, &count), KINDRED_INVALID);
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(kindred_code_points("\xFF", 1, 0, symbols, 8, &count), KINDRED_INVALID);
  KINDRED_ASSERT_OK(kindred_code_points("\xFF", 1, 1, symbols, 8, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(symbols[0], 0x110000U + 0xFFU);
}

TEST(CVocabulary, IsMadeOfDifferentTexts) {
  const std::vector<std::string> words{"b", "", "a"};
  Owned<kindred_vocabulary> vocabulary;
  KINDRED_ASSERT_OK(kindred_vocabulary_create(c_texts(words).data(), 3, &vocabulary));
  const std::uint32_t symbols[] = {2, 0, 1, 2};
  kindred_text texts[4] = {};
  KINDRED_ASSERT_OK(kindred_vocabulary_decode(vocabulary, symbols, 4, texts));
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(std::string(texts[i].data, texts[i].size), words[symbols[i]]);
  const std::vector<std::string> twice{"b", "b"};
  kindred_vocabulary* none = nullptr;
  EXPECT_EQ(kindred_vocabulary_create(c_texts(twice).data(), 2, &none), KINDRED_INVALID);
  EXPECT_EQ(none, nullptr);
}

TEST(CVocabulary, NumbersTextsAndKeepsThemInAFile) {
  const TempFolder folder;
  Owned<kindred_vocabulary> vocabulary;
  KINDRED_ASSERT_OK(kindred_vocabulary_create(nullptr, 0, &vocabulary));
  const kindred_text empty[] = {{nullptr, 0}, {"", 0}};
  std::uint32_t added[] = {7, 7};
  KINDRED_ASSERT_OK(kindred_vocabulary_add(vocabulary, empty, 2, 0, added));
  EXPECT_EQ(added[0], 0U);
  EXPECT_EQ(added[1], 0U);
  const std::vector<std::string> words{"b", "a", "b"};
  KINDRED_ASSERT_OK(kindred_vocabulary_add(vocabulary, c_texts(words).data(), 3, 1, nullptr));
  KINDRED_ASSERT_OK(kindred_vocabulary_add(vocabulary, nullptr, 0, 0, nullptr));
  const std::string path = folder / "vocabulary.knd";
  KINDRED_ASSERT_OK(kindred_save(vocabulary, path.c_str()));
  Owned<kindred_vocabulary> loaded;
  KINDRED_ASSERT_OK(kindred_vocabulary_load(path.c_str(), &loaded));
  const std::vector<std::string> sought{"a", "b", "c"};
  std::uint32_t symbols[3];
  KINDRED_ASSERT_OK(kindred_vocabulary_find(loaded, c_texts(sought).data(), 3, symbols));
  EXPECT_EQ(symbols[0], 1U);
  EXPECT_EQ(symbols[1], 2U);
  EXPECT_EQ(symbols[2], KINDRED_UNKNOWN_SYMBOL);
  kindred_text text{};
  const std::uint32_t absent = 3;
  KINDRED_ASSERT_OK(kindred_vocabulary_decode(loaded, &symbols[1], 1, &text));
  EXPECT_EQ(std::string_view(text.data, text.size), "b");
  EXPECT_EQ(kindred_vocabulary_decode(loaded, &absent, 1, &text), KINDRED_NOT_FOUND);
  kindred_vocabulary_statistics statistics = KINDRED_VOCABULARY_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(loaded, &statistics));
  EXPECT_EQ(statistics.symbols, 3U);
  EXPECT_EQ(kindred_vocabulary_load((folder / "absent").c_str(), &loaded), KINDRED_NOT_FOUND);
  EXPECT_EQ(kindred_vocabulary_load(
                folder.write("bad.knd", "something else, long enough to read").c_str(), &loaded),
            KINDRED_CORRUPT);
}

TEST(CPatternMemory, LearnsMatchesPredictsAndKeepsItsFile) {
  const TempFolder folder;
  Owned<kindred_memory> memory;
  kindred_memory_options options = KINDRED_MEMORY_OPTIONS_INIT;
  options.background_sync = 0;
  KINDRED_ASSERT_OK(kindred_memory_create(c_context(), &options, &memory));
  PatternSettings settings;
  settings.background_sync = false;
  PatternMemory expected(context(), settings);

  const std::vector<std::vector<std::string>> patterns{
      {"a", "b", "c", "d"}, {"a", "b", "x", "y"}, {"b", "c", "d", "e"}};
  const std::uint64_t offsets[] = {0, 1, 2, 4};
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    kindred_learned learned{};
    const std::string name = "p" + std::to_string(i);
    KINDRED_ASSERT_OK(kindred_memory_learn(memory, c_texts(patterns[i]).data(), offsets, 3,
                                           name.data(), name.size(), i + 1, &learned));
    EXPECT_EQ(learned.index, i);
    EXPECT_EQ(learned.frequency, i + 1);
    EXPECT_EQ(learned.is_new, 1);
    const std::vector<std::string_view> views(patterns[i].begin(), patterns[i].end());
    expected.learn({offsets, views}, name, i + 1);
  }
  const std::string path = folder / "patterns.knd";
  KINDRED_ASSERT_OK(kindred_save(memory, path.c_str()));

  const std::vector<std::string> query{"a", "b", "q"};
  const std::vector<std::string_view> query_views(query.begin(), query.end());
  const std::uint64_t events[] = {0, 1, 3};
  std::uint32_t symbols[3] = {};
  std::size_t count = 0;
  KINDRED_ASSERT_OK(kindred_memory_encode(memory, c_texts(query).data(), events, 2,
                                          KINDRED_LEVEL_OF_MEMORY, symbols, 3, &count));
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(symbols[2], KINDRED_UNKNOWN_SYMBOL);
  EXPECT_EQ(kindred_memory_encode(memory, c_texts(query).data(), events, 2, KINDRED_LEVEL_TOKEN,
                                  symbols, 2, &count),
            KINDRED_INVALID);
  Ragged<Symbol> encoded;
  expected.encode({events, query_views}, encoded);
  const std::uint64_t one[] = {0, 3};
  Owned<kindred_results> results;
  KINDRED_ASSERT_OK(
      kindred_memory_match(memory, symbols, one, 1, KINDRED_LEVEL_OF_MEMORY, nullptr, &results));
  expect_matches(results, expected.match(encoded));

  Owned<kindred_predictions> predictions;
  KINDRED_ASSERT_OK(kindred_memory_predict(memory, c_texts(query).data(), events, 2,
                                           KINDRED_LEVEL_OF_MEMORY, nullptr, nullptr, &predictions,
                                           nullptr));
  const PredictionResults found = expected.predict({events, query_views});
  std::size_t size = 0;
  KINDRED_ASSERT_OK(kindred_size(predictions, &size));
  ASSERT_EQ(size, found.predictions.size());
  ASSERT_GT(size, 0U);
  for (std::size_t i = 0; i < size; ++i) {
    kindred_prediction prediction = KINDRED_PREDICTION_INIT;
    KINDRED_ASSERT_OK(kindred_predictions_get(predictions, i, &prediction));
    EXPECT_EQ(prediction.index, found.predictions[i].index);
    EXPECT_EQ(std::string(prediction.name, prediction.name_size), found.predictions[i].name);
    EXPECT_EQ(prediction.potential, found.predictions[i].potential);
    EXPECT_EQ(prediction.similarity, found.predictions[i].similarity);
    EXPECT_EQ(prediction.bayesian_posterior, found.predictions[i].bayesian_posterior);
    EXPECT_NE(prediction.weighted_snr, prediction.weighted_snr);
    EXPECT_EQ(prediction.block_count, found.predictions[i].blocks.size());
    EXPECT_EQ(prediction.anomaly_count, 0U);
  }
  kindred_prediction none = KINDRED_PREDICTION_INIT;
  EXPECT_EQ(kindred_predictions_get(predictions, size, &none), KINDRED_INVALID);

  std::int64_t index = 0;
  const kindred_text sought{"p1", 2};
  KINDRED_ASSERT_OK(kindred_memory_find_names(memory, &sought, 1, &index));
  EXPECT_EQ(index, 1);
  KINDRED_ASSERT_OK(
      kindred_memory_find_events(memory, c_texts(patterns[2]).data(), offsets, 3, &index));
  EXPECT_EQ(index, 2);
  std::int32_t existed = 0;
  KINDRED_ASSERT_OK(kindred_memory_forget(memory, 0, "p1", 2, &existed));
  EXPECT_EQ(existed, 1);
  KINDRED_ASSERT_OK(kindred_memory_forget(memory, 1, nullptr, 0, &existed));
  EXPECT_EQ(existed, 0);
  KINDRED_ASSERT_OK(kindred_memory_append(memory, path.c_str()));
  kindred_memory_file_info info = KINDRED_MEMORY_FILE_INFO_INIT;
  KINDRED_ASSERT_OK(kindred_memory_inspect(path.c_str(), 0, &info));
  EXPECT_EQ(info.patterns, 2U);
  EXPECT_EQ(info.commits, 2U);
  Owned<kindred_memory> loaded;
  KINDRED_ASSERT_OK(kindred_memory_load(c_context(), path.c_str(), &options, &loaded));
  std::uint64_t patterns_left = 0;
  KINDRED_ASSERT_OK(kindred_size(loaded, &patterns_left));
  EXPECT_EQ(patterns_left, 2U);
  Owned<kindred_pattern> pattern;
  KINDRED_ASSERT_OK(kindred_memory_pattern(loaded, 2, &pattern));
  kindred_pattern_view view = KINDRED_PATTERN_VIEW_INIT;
  KINDRED_ASSERT_OK(kindred_pattern_get(pattern, &view));
  EXPECT_EQ(view.frequency, 3U);
  EXPECT_EQ(std::string(view.name, view.name_size), "p2");
  ASSERT_EQ(view.events, 3U);
  kindred_text text{};
  KINDRED_ASSERT_OK(kindred_memory_decode(loaded, view.symbols + view.offsets[2], 1, &text));
  EXPECT_EQ(std::string(text.data, text.size), "d");
  EXPECT_EQ(kindred_memory_pattern(loaded, 1, &pattern), KINDRED_NOT_FOUND);
  std::uint64_t frequency = 0;
  KINDRED_ASSERT_OK(kindred_memory_frequency(loaded, 2, &frequency));
  EXPECT_EQ(frequency, 3U);

  KINDRED_ASSERT_OK(kindred_memory_begin_training(loaded));
  EXPECT_EQ(kindred_memory_begin_training(loaded), KINDRED_INVALID);
  kindred_sync_record record = KINDRED_SYNC_RECORD_INIT;
  KINDRED_ASSERT_OK(kindred_memory_end_training(loaded, &record));
  KINDRED_ASSERT_OK(kindred_memory_sync(loaded, &record));
  EXPECT_EQ(record.trigger, KINDRED_SYNC_MANUAL);
  kindred_memory_statistics statistics = KINDRED_MEMORY_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(loaded, &statistics));
  EXPECT_EQ(statistics.patterns, 2U);
  std::uint64_t frequencies[16] = {};
  KINDRED_ASSERT_OK(kindred_memory_symbol_frequencies(memory, frequencies, 16, &count));
  const std::vector<std::uint64_t> known = [&] {
    expected.forget(std::uint64_t{1});
    return expected.symbol_frequencies();
  }();
  ASSERT_EQ(count, known.size());
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(frequencies[i], known[i]);
}

}  // namespace
}  // namespace Kindred::Testing
