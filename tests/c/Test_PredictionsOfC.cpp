// SPDX-License-Identifier: Apache-2.0
// Matches and predictions of pattern memories, and predictions from candidates of the caller: each
// is that of C++.
#include "Given.hpp"
#include "Members.hpp"
#include "MemorySupport.hpp"

#include <set>
#include <string>
#include <vector>

namespace PredictionsOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// Compares every member of predictions with that of C++.
void expect_same(const kindred_predictions* predictions, const std::vector<Prediction>& expected) {
  ASSERT_EQ(size_of(predictions), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const kindred_prediction found = result_of(kindred_predictions_get, predictions, i);
    const Prediction& of = expected[i];
    expect_members(found, of, "name_size anomaly_count block_count");
    EXPECT_EQ(numbers(found.name_size, found.anomaly_count, found.block_count),
              numbers(of.name.size(), of.anomalies.size(), of.blocks.size()));
    for (std::size_t b = 0; b < of.blocks.size(); ++b)
      expect_members(found.blocks[b], of.blocks[b]);
    const EventTexts lists[] = {{of.matches}, of.past,    of.present,
                                of.future,    of.missing, of.extras};
    for (std::size_t list = 0; list < std::size(lists); ++list) {
      const kindred_event_texts& texts = found.texts[list];
      EventTexts events(texts.events);
      for (std::uint64_t event = 0; event < texts.events; ++event)
        for (std::uint64_t t = texts.offsets[event]; t < texts.offsets[event + 1]; ++t)
          events[event].push_back(text_of(texts.texts[t]));
      EXPECT_EQ(events, lists[list]);
    }
    for (std::size_t a = 0; a < of.anomalies.size(); ++a) {
      const kindred_anomaly& anomaly = found.anomalies[a];
      EXPECT_EQ((Anomaly{text_of(anomaly.observed), text_of(anomaly.expected), anomaly.similarity}),
                of.anomalies[a]);
    }
  }
  expect_no_result("", kindred_predictions_get, predictions, expected.size());
}

TEST(CPredictions, AndMatchesAreThoseOfCppAtEveryLevel) {
  const Memory of("CPredictions");
  const PatternMemory::Events events{of.events, of.views};
  const std::vector<std::uint64_t> only{5, 3, 5, 7, 40};
  const std::vector<double> weights(of.inside().vocabulary().size(), 0.5);
  std::size_t anomalies = 0;
  for (const Level level : {Level::token, Level::character}) {
    const auto at = static_cast<std::int32_t>(level);
    Ragged<Symbol> encoded;
    of.inside().encode(events, encoded, level);
    const auto symbols =
        list_from(kindred_memory_encode, of.memory, of.texts.data(), of.events.data(), 2, at);
    EXPECT_EQ(symbols, encoded.values);
    kindred_match_options matching = Given::match_options{.threshold = 0};
    kindred_prediction_options options = Given::prediction_options{.fuzzy_token_threshold = 0.6};
    for (const bool is_filtered : {false, true}) {
      if (is_filtered) {
        matching.filter = only.data();
        matching.filter_size = only.size();
        options.weights = weights.data();
        options.weights_size = weights.size();
      }
      expect_results(result_of(kindred_memory_match, of.memory, symbols.data(),
                               encoded.offsets.data(), 1, at, &matching),
                     of.inside().match(encoded, cpp_of(matching), level).matches);
      kindred_record record = KINDRED_RECORD_INIT;
      Owned<kindred_predictions> predictions;
      ok(kindred_memory_predict(of.memory, of.texts.data(), of.events.data(), 2, at, &matching,
                                &options, &predictions, &record));
      const PredictionResults found =
          of.inside().predict(events, cpp_of(matching), cpp_of(options), level);
      expect_same(predictions, found.predictions);
      EXPECT_EQ(record.operation, to_string(found.record.operation));
      for (const Prediction& one : found.predictions) anomalies += one.anomalies.size();
    }
  }
  EXPECT_GT(anomalies, 0U) << "xxs6 is a spelling of xxs66";
  const std::uint32_t symbol = 0;
  const std::uint64_t one[] = {0, 1};
  const std::uint64_t never = 60;
  result_of(kindred_memory_match, of.memory, &symbol, one, 1, KINDRED_LEVEL_OF_MEMORY, nullptr);
  kindred_match_options options = Given::match_options{.filter_size = 1};
  for (const char* const words : {"filter is NULL", "60"}) {  // which was never learned
    expect_no_result(words, kindred_memory_match, of.memory, &symbol, one, 1,
                     KINDRED_LEVEL_OF_MEMORY, &options);
    options.filter = &never;
  }
}

TEST(CPredictions, FromGivenCandidatesAreThoseOfTheMemory) {
  const Memory of("CPredictions candidates");
  PatternMemory& memory = of.inside();
  const Vocabulary& vocabulary = memory.vocabulary();
  // What the memory knows, as a store of the caller would give it.
  std::vector<std::uint64_t> patterns_with(vocabulary.size());
  for (std::uint64_t index = 0; index < memory.statistics().learned; ++index) {
    const std::vector<Symbol> symbols = memory.pattern(index).events.values;
    for (const Symbol symbol : std::set(symbols.begin(), symbols.end())) ++patterns_with[symbol];
  }
  Ragged<Symbol> encoded;
  memory.encode({of.events, of.views}, encoded);
  const MatchResults matches = memory.match(encoded, {.top = 60});
  std::vector<kindred_candidate> candidates;
  std::vector<std::uint64_t> patterns{0};
  Ragged<Symbol> events;
  std::vector<std::string> names;
  for (const Match& match : matches.matches.values) {
    const StoredPattern pattern = memory.pattern(match.index);
    candidates.push_back({match.index, pattern.frequency, match.similarity, match.matched, 0});
    for (std::size_t i = 0; i < pattern.events.rows(); ++i) events.push_row(pattern.events[i]);
    patterns.push_back(events.rows());
    names.push_back(pattern.name.value_or(""));
  }
  ASSERT_GT(candidates.size(), 3U);
  const std::vector<kindred_text> name_texts = c_texts(names);
  kindred_candidates given = {
      sizeof(given),        candidates.size(),     candidates.data(),
      patterns.data(),      events.offsets.data(), events.values.data(),
      name_texts.data(),    memory.size(),         memory.statistics().total_frequency,
      patterns_with.data(), patterns_with.size()};

  std::vector<kindred_text> texts;
  for (Symbol symbol = 0; symbol < vocabulary.size(); ++symbol)
    texts.push_back({vocabulary.text(symbol).data(), vocabulary.text(symbol).size()});
  const auto predictor = result_of(kindred_predictor_create, c_context(), texts.data(), 2);
  const auto predict = [&] {
    return result_of(kindred_predictor_predict, predictor, of.texts.data(), of.events.data(), 2,
                     &given, nullptr);
  };
  const auto is_refused = [&](const Words& words) {
    expect_no_result(words, kindred_predictor_predict, predictor, of.texts.data(), of.events.data(),
                     2, &given, nullptr);
  };
  is_refused("symbol");  // without texts
  ok(kindred_predictor_add(predictor, texts.data(), texts.size()));
  expect_same(predict(), memory.predict({of.events, of.views}).predictions);
  patterns[1] = events.offsets.size() + 1;
  is_refused("");
  given = KINDRED_CANDIDATES_INIT;
  EXPECT_EQ(size_of(predict()), 0U);
  given.count = 1;
  is_refused("candidates.candidates is NULL");

  const kindred_prediction_options options =
      Given::prediction_options{.single_symbol_fast_path = 1};
  for (const std::uint64_t count : {1, 2})
    EXPECT_EQ(result_of(kindred_candidate_threshold, &options, count),
              candidate_threshold(cpp_of(options), count));
}

TEST(CPredictions, RankingsHaveNamesAndSymbolsWeights) {
  for (std::int32_t rank = KINDRED_RANK_POTENTIAL; rank <= KINDRED_RANK_WEIGHTED_SNR; ++rank) {
    const std::string name = kindred_rank_name(rank);
    EXPECT_EQ(name, to_string(static_cast<RankBy>(rank)));
    EXPECT_EQ(result_of(kindred_rank_parse, name.data(), name.size()), rank);
  }
  for (const std::int32_t rank : {-1, KINDRED_RANK_WEIGHTED_SNR + 1})
    EXPECT_EQ(kindred_rank_name(rank), nullptr);
  expect_no_result("name is 'best'; it must be one of potential", kindred_rank_parse, "best", 4);
  const double affinities[] = {3, -2, 0, 5};
  const std::uint64_t frequencies[] = {4, 0, 2};
  std::vector<double> weights(4);
  ok(kindred_affinity_weights(affinities, 4, frequencies, 3, weights.data()));
  EXPECT_EQ(weights, affinity_weights(affinities, frequencies));
  ok(kindred_affinity_weights(nullptr, 0, nullptr, 0, nullptr));
}

}  // namespace PredictionsOfCTest
