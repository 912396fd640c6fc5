// SPDX-License-Identifier: Apache-2.0
// Memories of the C interface beside those of C++: many patterns in one call, candidates, levels,
// changes and bytes.
#include "CSupport.hpp"

#include <kindred/matcher/PatternMemory.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <span>

namespace MemoriesOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// Patterns as two levels of offsets, with texts, numbers of a dictionary, names and times.
struct Patterns {
  std::vector<std::string> dictionary;
  std::vector<std::uint64_t> patterns{0};
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> numbers;
  std::vector<std::optional<std::string>> names;
  std::vector<std::uint64_t> times;

  std::size_t size() const { return names.size(); }
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const std::uint32_t number : numbers) out.push_back(dictionary[number]);
    return out;
  }
};

Patterns random_patterns(const char* name, std::size_t count) {
  auto generator = Testing::generator(name);
  std::uniform_int_distribution<std::size_t> few(0, 3);
  std::uniform_int_distribution<std::uint32_t> number(0, 11);
  Patterns out;
  for (std::size_t i = 0; i < 12; ++i) out.dictionary.push_back(std::string(i % 4, 'x') + "s");
  for (std::size_t i = 0; i < 12; ++i) out.dictionary[i] += std::to_string(i);
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t event = few(generator) + 1; event > 0; --event) {
      for (std::size_t i = few(generator); i > 0; --i) out.numbers.push_back(number(generator));
      out.offsets.push_back(out.numbers.size());
    }
    out.patterns.push_back(out.offsets.size() - 1);
    // Some without a name, one with an empty one.
    out.names.push_back(p % 3 == 1 ? std::nullopt
                                   : std::optional("p" + (p == 0 ? "" : std::to_string(p))));
    if (p == 0) out.names.back() = "";
    out.times.push_back(p % 5 + 1);
  }
  return out;
}

PatternSettings quiet() {
  PatternSettings settings;
  settings.background_sync = false;
  return settings;
}

void create_quiet(kindred_memory** memory, std::int32_t level = KINDRED_LEVEL_TOKEN) {
  kindred_memory_options options = KINDRED_MEMORY_OPTIONS_INIT;
  options.background_sync = 0;
  options.level = level;
  KINDRED_ASSERT_OK(kindred_memory_create(c_context(), &options, memory));
}

std::string bytes_of(const kindred_memory* memory) {
  Owned<kindred_string> bytes;
  KINDRED_EXPECT_OK(kindred_to_bytes(memory, &bytes));
  return std::string(view_of(bytes));
}
std::string bytes_of(const PatternMemory& memory) {
  const std::vector<std::byte> bytes = memory.to_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Learns \p given in C++, one after the other.
std::vector<LearnedPattern> learn_each(PatternMemory& memory, const Patterns& given) {
  const std::vector<std::string> texts = given.texts();
  std::vector<LearnedPattern> out;
  for (std::size_t p = 0; p < given.size(); ++p) {
    Ragged<std::string_view> events;
    for (std::uint64_t e = given.patterns[p]; e < given.patterns[p + 1]; ++e) {
      for (std::uint64_t i = given.offsets[e]; i < given.offsets[e + 1]; ++i)
        events.values.emplace_back(texts[i]);
      events.close_row();
    }
    out.push_back(memory.learn(events, given.names[p], given.times[p]));
  }
  return out;
}

enum class Form { texts, numbers, symbols };

/// The patterns as symbols of the memory.
kindred_patterns lists_of(const Patterns& given) {
  kindred_patterns out = KINDRED_PATTERNS_INIT;
  out.count = given.size();
  out.patterns = given.patterns.data();
  out.offsets = given.offsets.data();
  out.symbols = given.numbers.data();
  return out;
}

kindred_status learn_all(kindred_memory* memory, const Patterns& given, Form form,
                         std::vector<kindred_learned>& learned) {
  std::vector<kindred_text> names;
  for (const auto& name : given.names)
    names.push_back(name ? kindred_text{name->data(), name->size()} : kindred_text{nullptr, 0});
  kindred_patterns patterns = lists_of(given);
  patterns.names = names.data();
  patterns.times = given.times.data();
  learned.resize(given.size());
  const std::vector<std::string> texts = given.texts();
  const std::vector<kindred_text> text_views = c_texts(texts);
  const std::vector<kindred_text> dictionary = c_texts(given.dictionary);
  if (form == Form::texts) {
    patterns.symbols = nullptr;
    patterns.texts = text_views.data();
  } else if (form == Form::numbers) {
    patterns.dictionary = dictionary.data();
    patterns.dictionary_size = dictionary.size();
  }
  return kindred_memory_learn_all(memory, &patterns, learned.data());
}

TEST(CMemories, ManyPatternsAreLearnedAsOneAfterTheOther) {
  for (const std::size_t size : {0, 1, 2, 3, 100}) {
    Patterns given = random_patterns("CMemories many", size);
    for (const Form form : {Form::texts, Form::numbers, Form::symbols}) {
      PatternMemory expected(context(), quiet());
      Owned<kindred_memory> memory;
      create_quiet(&memory);
      if (form == Form::symbols) {
        // Symbols of the memory, which have the numbers of the dictionary after this.
        const std::uint64_t offsets[] = {0, given.dictionary.size()};
        const std::vector<std::string_view> views(given.dictionary.begin(), given.dictionary.end());
        expected.learn({offsets, views});
        KINDRED_ASSERT_OK(kindred_memory_learn(memory, c_texts(given.dictionary).data(), offsets, 1,
                                               nullptr, 0, 1, nullptr));
      }
      const std::vector<LearnedPattern> each = learn_each(expected, given);
      std::vector<kindred_learned> learned;
      KINDRED_ASSERT_OK(learn_all(memory, given, form, learned));
      for (std::size_t p = 0; p < size; ++p) {
        EXPECT_EQ(learned[p].index, each[p].index);
        EXPECT_EQ(learned[p].frequency, each[p].frequency);
        EXPECT_EQ(learned[p].is_new != 0, each[p].is_new);
      }
      EXPECT_EQ(bytes_of(memory), bytes_of(expected));
    }
  }
}

TEST(CMemories, AFailedCallLearnsNothing) {
  Patterns given = random_patterns("CMemories failed", 10);
  Owned<kindred_memory> memory;
  create_quiet(&memory);
  const std::string before = bytes_of(memory);
  std::vector<kindred_learned> learned;
  const auto refused = [&](const Patterns& wrong, Form form, const char* what) {
    EXPECT_EQ(learn_all(memory, wrong, form, learned), KINDRED_INVALID);
    EXPECT_NE(std::string(kindred_last_error()).find(what), std::string::npos)
        << kindred_last_error();
    EXPECT_EQ(bytes_of(memory), before);
  };
  refused(given, Form::symbols, "symbol");  // the memory knows none
  Patterns wrong = given;
  wrong.times[3] = 0;
  refused(wrong, Form::texts, "times");
  wrong = given;
  wrong.names[9] = wrong.names[0];
  wrong.numbers.push_back(0);
  wrong.offsets.push_back(wrong.numbers.size());
  wrong.patterns.back() += 1;
  refused(wrong, Form::texts, "name");
  wrong = given;
  wrong.patterns[1] = 2 * wrong.offsets.size();
  refused(wrong, Form::numbers, "patterns[2]");
  wrong = given;
  wrong.patterns[0] = 1;
  refused(wrong, Form::numbers, "patterns[0]");
  wrong = given;
  wrong.numbers[0] = 12;
  const std::vector<kindred_text> dictionary = c_texts(given.dictionary);
  kindred_patterns patterns = lists_of(wrong);
  patterns.dictionary = dictionary.data();
  patterns.dictionary_size = dictionary.size();
  const auto refused_as = [&](const char* what) {
    EXPECT_EQ(kindred_memory_learn_all(memory, &patterns, nullptr), KINDRED_INVALID) << what;
    EXPECT_NE(std::string(kindred_last_error()).find(what), std::string::npos)
        << kindred_last_error();
  };
  refused_as("12");  // a number beyond the dictionary
  patterns.symbols = given.numbers.data();
  const kindred_text name{nullptr, 3};
  patterns.names = &name;
  patterns.count = 1;
  refused_as("data is NULL");
  patterns.names = nullptr;
  patterns.texts = dictionary.data();
  refused_as("texts and symbols");
  patterns.texts = nullptr;
  patterns.dictionary = nullptr;
  refused_as("dictionary is NULL");
  EXPECT_EQ(bytes_of(memory), before);
}

/// A memory of C and one of C++ with the same patterns.
struct Twins {
  explicit Twins(const char* name, std::size_t count)
      : given(random_patterns(name, count)), expected(context(), quiet()) {
    create_quiet(&memory);
    learn_each(expected, given);
    std::vector<kindred_learned> learned;
    KINDRED_EXPECT_OK(learn_all(memory, given, Form::numbers, learned));
  }
  Patterns given;
  PatternMemory expected;
  Owned<kindred_memory> memory;
};

void expect_same(const kindred_results* results, const MatchResults& expected) {
  ASSERT_EQ(view_of(results).rows, expected.matches.rows());
  for (std::size_t row = 0; row <= expected.matches.rows(); ++row)
    ASSERT_EQ(view_of(results).offsets[row], expected.matches.offsets[row]);
  for (std::size_t i = 0; i < expected.matches.values.size(); ++i) {
    EXPECT_EQ(view_of(results).ids[i], static_cast<std::int64_t>(expected.matches.values[i].index));
    EXPECT_EQ(view_of(results).scores[i], expected.matches.values[i].similarity);
  }
}

void expect_same(const kindred_predictions* predictions, const PredictionResults& expected) {
  std::size_t size = 0;
  KINDRED_ASSERT_OK(kindred_size(predictions, &size));
  ASSERT_EQ(size, expected.predictions.size());
  for (std::size_t i = 0; i < size; ++i) {
    kindred_prediction prediction = KINDRED_PREDICTION_INIT;
    KINDRED_ASSERT_OK(kindred_predictions_get(predictions, i, &prediction));
    EXPECT_EQ(prediction.index, expected.predictions[i].index);
    EXPECT_EQ(prediction.similarity, expected.predictions[i].similarity);
    EXPECT_EQ(prediction.potential, expected.predictions[i].potential);
    const Prediction& of = expected.predictions[i];
    const EventTexts lists[] = {{of.matches}, of.past,    of.present,
                                of.future,    of.missing, of.extras};
    for (std::size_t list = 0; list < std::size(lists); ++list) {
      const kindred_event_texts& texts = prediction.texts[list];
      EventTexts found(texts.events);
      for (std::uint64_t event = 0; event < texts.events; ++event)
        for (std::uint64_t t = texts.offsets[event]; t < texts.offsets[event + 1]; ++t)
          found[event].emplace_back(texts.texts[t].data, texts.texts[t].size);
      EXPECT_EQ(found, lists[list]);
    }
    std::vector<Anomaly> anomalies;
    for (std::uint64_t a = 0; a < prediction.anomaly_count; ++a) {
      const auto& [observed, misspelled, similarity] = prediction.anomalies[a];
      anomalies.push_back(
          {{observed.data, observed.size}, {misspelled.data, misspelled.size}, similarity});
    }
    EXPECT_EQ(anomalies, of.anomalies);
  }
}

TEST(CMemories, MatchesAndPredictsAmongCandidatesAtEveryLevel) {
  Twins twins("CMemories candidates", 60);
  twins.expected.forget(std::uint64_t{7});
  KINDRED_ASSERT_OK(kindred_memory_forget(twins.memory, 7, nullptr, 0, nullptr));
  const std::vector<std::string> query{"s0", "xs1", "xxs66", "xxs2"};
  const std::vector<std::string_view> views(query.begin(), query.end());
  const std::uint64_t events[] = {0, 2, 4};
  const std::vector<std::vector<std::uint64_t>> lists{{}, {5, 3, 5, 7, 40}, {0, 1, 2, 3}};
  std::size_t anomalies = 0;
  for (const Level level : {Level::token, Level::character}) {
    const auto at = static_cast<std::int32_t>(level);
    Ragged<Symbol> encoded;
    twins.expected.encode({events, views}, encoded, level);
    std::vector<std::uint32_t> symbols(encoded.values.size());
    std::size_t count = 0;
    KINDRED_ASSERT_OK(kindred_memory_encode(twins.memory, c_texts(query).data(), events, 2, at,
                                            symbols.data(), symbols.size(), &count));
    ASSERT_EQ(count, symbols.size());
    EXPECT_EQ(symbols, encoded.values);
    for (std::size_t list = 0; list <= lists.size(); ++list) {
      kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
      MatchOptions cpp_options;
      options.threshold = cpp_options.threshold = 0;
      options.top = cpp_options.top = 100;
      if (list < lists.size()) {
        options.filter = lists[list].data();
        options.filter_size = lists[list].size();
        cpp_options.filter = lists[list];
      }
      Owned<kindred_results> results;
      KINDRED_ASSERT_OK(kindred_memory_match(twins.memory, symbols.data(), encoded.offsets.data(),
                                             1, at, &options, &results));
      expect_same(results, twins.expected.match(encoded, cpp_options, level));
      Owned<kindred_predictions> predictions;
      kindred_prediction_options prediction = KINDRED_PREDICTION_OPTIONS_INIT;
      const PredictionOptions cpp_prediction{.fuzzy_token_threshold = 0.6};
      prediction.fuzzy_token_threshold = cpp_prediction.fuzzy_token_threshold;
      kindred_record record = KINDRED_RECORD_INIT;
      KINDRED_ASSERT_OK(kindred_memory_predict(twins.memory, c_texts(query).data(), events, 2, at,
                                               &options, &prediction, &predictions, &record));
      const PredictionResults found =
          twins.expected.predict({events, views}, cpp_options, cpp_prediction, level);
      expect_same(predictions, found);
      EXPECT_EQ(record.operation, to_string(found.record.operation));
      for (const Prediction& one : found.predictions) anomalies += one.anomalies.size();
    }
  }
  EXPECT_GT(anomalies, 0U) << "xxs6 is a spelling of xxs66";
  kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
  kindred_results* results = nullptr;
  const std::uint32_t symbol = 0;
  const std::uint64_t one[] = {0, 1};
  const std::uint64_t never = 60;
  const auto match = [&](std::int32_t level) {
    return kindred_memory_match(twins.memory, &symbol, one, 1, level, &options, &results);
  };
  options.filter = &never;
  EXPECT_EQ(match(KINDRED_LEVEL_OF_MEMORY), KINDRED_INVALID) << "filter_size was not set";
  EXPECT_NE(std::string(kindred_last_error()).find("filter_size"), std::string::npos);
  options.filter_size = 1;
  EXPECT_EQ(match(KINDRED_LEVEL_OF_MEMORY), KINDRED_INVALID) << "was never learned";
  options.filter = nullptr;
  EXPECT_EQ(match(KINDRED_LEVEL_OF_MEMORY), KINDRED_INVALID);
  EXPECT_NE(std::string(kindred_last_error()).find("filter is NULL"), std::string::npos);
  options.filter_size = KINDRED_UNSET;
  for (const std::int32_t level : {-2, 2}) {
    EXPECT_EQ(match(level), KINDRED_INVALID);
    EXPECT_NE(std::string(kindred_last_error()).find("level"), std::string::npos);
  }
  EXPECT_EQ(results, nullptr);
}

TEST(CMemories, PredictionsFromGivenCandidatesAreThoseOfTheMemory) {
  const std::size_t size = 60;
  Twins twins("CMemories predictor", size);
  const std::vector<std::string> query{"s0", "xs1", "unknown", "xxs2", "s4"};
  const std::vector<std::string_view> views(query.begin(), query.end());
  const std::uint64_t events[] = {0, 2, 5};
  PatternMemory& memory = twins.expected;
  const Vocabulary& vocabulary = memory.vocabulary();

  // What the memory knows, as a store of the caller would give it.
  std::vector<std::uint64_t> patterns_with(vocabulary.size());
  for (std::uint64_t index = 0; index < memory.statistics().learned; ++index) {
    std::vector<Symbol> symbols = memory.pattern(index).events.values;
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
    for (const Symbol symbol : symbols) ++patterns_with[symbol];
  }
  Ragged<Symbol> encoded;
  memory.encode({events, views}, encoded);
  const MatchResults matches = memory.match(encoded, {.top = size});
  std::vector<kindred_candidate> candidates;
  std::vector<std::uint64_t> patterns{0};
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> symbols;
  std::vector<std::string> names;
  for (const Match& match : matches.matches.values) {
    const StoredPattern pattern = memory.pattern(match.index);
    candidates.push_back({match.index, pattern.frequency, match.similarity, match.matched, 0});
    for (std::size_t event = 0; event < pattern.events.rows(); ++event) {
      symbols.insert(symbols.end(), pattern.events[event].begin(), pattern.events[event].end());
      offsets.push_back(symbols.size());
    }
    patterns.push_back(offsets.size() - 1);
    names.push_back(pattern.name.value_or(""));
  }
  ASSERT_GT(candidates.size(), 3U);
  const std::vector<kindred_text> name_texts = c_texts(names);
  kindred_candidates given = KINDRED_CANDIDATES_INIT;
  given.count = candidates.size();
  given.candidates = candidates.data();
  given.patterns = patterns.data();
  given.offsets = offsets.data();
  given.symbols = symbols.data();
  given.names = name_texts.data();
  given.all_patterns = memory.size();
  given.total_frequency = memory.statistics().total_frequency;
  given.patterns_with = patterns_with.data();
  given.patterns_with_size = patterns_with.size();

  std::vector<kindred_text> texts;
  for (Symbol symbol = 0; symbol < vocabulary.size(); ++symbol)
    texts.push_back({vocabulary.text(symbol).data(), vocabulary.text(symbol).size()});
  Owned<kindred_predictor> predictor;
  KINDRED_ASSERT_OK(kindred_predictor_create(c_context(), texts.data(), 2, &predictor));
  kindred_predictions* none = nullptr;
  const auto predict = [&](kindred_predictions** predictions) {
    return kindred_predictor_predict(predictor, c_texts(query).data(), events, 2, &given, nullptr,
                                     predictions);
  };
  EXPECT_EQ(predict(&none), KINDRED_INVALID) << "symbols without texts";
  KINDRED_ASSERT_OK(kindred_predictor_add(predictor, texts.data(), texts.size()));
  Owned<kindred_predictions> found;
  KINDRED_ASSERT_OK(predict(&found));
  const PredictionResults expected = memory.predict({events, views});
  expect_same(found, expected);
  for (std::size_t i = 0; i < expected.predictions.size(); ++i) {
    kindred_prediction prediction = KINDRED_PREDICTION_INIT;
    KINDRED_ASSERT_OK(kindred_predictions_get(found, i, &prediction));
    EXPECT_EQ(prediction.frequency, expected.predictions[i].frequency);
    EXPECT_EQ(prediction.matched, expected.predictions[i].matched);
    EXPECT_EQ(prediction.itfdf_similarity, expected.predictions[i].itfdf_similarity);
    EXPECT_EQ(prediction.bayesian_posterior, expected.predictions[i].bayesian_posterior);
    EXPECT_EQ(std::string(prediction.name, prediction.name_size), expected.predictions[i].name);
  }
  patterns[1] = offsets.size() + 1;
  EXPECT_EQ(predict(&none), KINDRED_INVALID);
  given = KINDRED_CANDIDATES_INIT;
  Owned<kindred_predictions> empty;
  KINDRED_ASSERT_OK(predict(&empty));
  std::size_t count = 1;
  KINDRED_ASSERT_OK(kindred_size(empty, &count));
  EXPECT_EQ(count, 0U);
  given.count = 1;
  EXPECT_EQ(predict(&none), KINDRED_INVALID);
  EXPECT_NE(std::string(kindred_last_error()).find("candidates.candidates is NULL"),
            std::string::npos);
  EXPECT_EQ(none, nullptr);

  kindred_prediction_options options = KINDRED_PREDICTION_OPTIONS_INIT;
  options.single_symbol_fast_path = 1;
  for (const std::uint64_t count_of_symbols : {1, 2}) {
    double threshold = -1;
    KINDRED_ASSERT_OK(kindred_candidate_threshold(&options, count_of_symbols, &threshold));
    PredictionOptions cpp_options;
    cpp_options.single_symbol_fast_path = true;
    EXPECT_EQ(threshold, candidate_threshold(cpp_options, count_of_symbols));
  }
}

TEST(CMemories, NamesOfManyPatternsAreFound) {
  Twins twins("CMemories names", 20);
  const std::vector<std::string> sought{"p3", "", "absent", "p18"};
  const std::vector<std::string_view> views(sought.begin(), sought.end());
  std::vector<std::int64_t> found(sought.size());
  KINDRED_ASSERT_OK(
      kindred_memory_find_names(twins.memory, c_texts(sought).data(), sought.size(), found.data()));
  const auto expected = twins.expected.find_all(views);
  for (std::size_t i = 0; i < sought.size(); ++i)
    EXPECT_EQ(found[i], expected[i] ? static_cast<std::int64_t>(*expected[i]) : -1) << sought[i];
  std::vector<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < 22; ++i) indices.push_back(i);
  Owned<kindred_strings> names;
  KINDRED_ASSERT_OK(kindred_memory_names(twins.memory, indices.data(), indices.size(), &names));
  const kindred_text* texts = nullptr;
  std::size_t count = 0;
  KINDRED_ASSERT_OK(kindred_strings_get(names, &texts, &count));
  ASSERT_EQ(count, indices.size());
  const auto expected_names = twins.expected.names(indices);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(texts[i].data != nullptr, expected_names[i].has_value()) << i;
    if (texts[i].data != nullptr) {
      EXPECT_EQ(std::string(texts[i].data, texts[i].size), *expected_names[i]);
    }
  }
  Owned<kindred_strings> none;
  KINDRED_ASSERT_OK(kindred_memory_names(twins.memory, nullptr, 0, &none));
  KINDRED_ASSERT_OK(kindred_strings_get(none, &texts, &count));
  EXPECT_EQ(count, 0U);
}

TEST(CMemories, FrequenciesAreSetAndAllPatternsForgotten) {
  Twins twins("CMemories changes", 10);
  twins.expected.set_frequency(2, 77);
  KINDRED_ASSERT_OK(kindred_memory_set_frequency(twins.memory, 2, 77));
  EXPECT_EQ(bytes_of(twins.memory), bytes_of(twins.expected));
  EXPECT_EQ(kindred_memory_set_frequency(twins.memory, 2, 0), KINDRED_INVALID);
  EXPECT_EQ(kindred_memory_set_frequency(twins.memory, 1000, 1), KINDRED_NOT_FOUND);
  kindred_sync_record sync = KINDRED_SYNC_RECORD_INIT;
  KINDRED_ASSERT_OK(kindred_memory_last_sync(twins.memory, &sync));
  EXPECT_EQ(sync.moved, 0U);
  KINDRED_ASSERT_OK(kindred_memory_sync(twins.memory, nullptr));
  KINDRED_ASSERT_OK(kindred_memory_last_sync(twins.memory, &sync));
  EXPECT_EQ(sync.moved, twins.expected.size());
  EXPECT_EQ(sync.trigger, KINDRED_SYNC_MANUAL);
  KINDRED_ASSERT_OK(kindred_memory_clear(twins.memory));
  std::uint64_t size = 1;
  KINDRED_ASSERT_OK(kindred_size(twins.memory, &size));
  EXPECT_EQ(size, 0U);
  kindred_learned learned{};
  const std::uint64_t event[] = {0, 1};
  const kindred_text text{"new", 3};
  KINDRED_ASSERT_OK(kindred_memory_learn(twins.memory, &text, event, 1, "p3", 2, 1, &learned));
  EXPECT_EQ(learned.index, twins.expected.statistics().learned);
}

TEST(CMemories, BytesAndVocabulariesAreThoseOfTheMemory) {
  const TempFolder folder;
  Twins twins("CMemories bytes", 30);
  const std::string bytes = bytes_of(twins.memory);
  Owned<kindred_memory> loaded;
  kindred_memory_options options = KINDRED_MEMORY_OPTIONS_INIT;
  options.background_sync = 0;
  options.level = KINDRED_LEVEL_CHARACTER;
  options.sync_threshold = 17;
  options.max_bulk_patterns = 1000;
  KINDRED_ASSERT_OK(kindred_memory_from_bytes(c_context(),
                                              reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                              bytes.size(), &options, &loaded));
  EXPECT_EQ(bytes_of(loaded),
            bytes_of(PatternMemory::load(context(), std::as_bytes(std::span(bytes)), quiet(),
                                         Level::character)));
  kindred_memory_options settings = KINDRED_MEMORY_OPTIONS_INIT;
  KINDRED_ASSERT_OK(kindred_memory_settings(loaded, &settings));
  EXPECT_EQ(std::memcmp(&settings, &options, sizeof(settings)), 0);
  kindred_memory* damaged = nullptr;
  EXPECT_EQ(
      kindred_memory_from_bytes(c_context(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                bytes.size() - 1, nullptr, &damaged),
      KINDRED_CORRUPT);
  EXPECT_EQ(damaged, nullptr);

  Owned<kindred_vocabulary> vocabulary;
  KINDRED_ASSERT_OK(kindred_memory_vocabulary(twins.memory, &vocabulary));
  kindred_vocabulary_statistics statistics = KINDRED_VOCABULARY_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(vocabulary, &statistics));
  const Vocabulary& expected = twins.expected.vocabulary();
  ASSERT_EQ(statistics.symbols, expected.size());
  std::vector<std::uint32_t> symbols;
  for (std::uint32_t symbol = 0; symbol < expected.size(); ++symbol) symbols.push_back(symbol);
  std::vector<kindred_text> of_memory(symbols.size());
  std::vector<kindred_text> of_copy(symbols.size());
  KINDRED_ASSERT_OK(
      kindred_memory_decode(twins.memory, symbols.data(), symbols.size(), of_memory.data()));
  KINDRED_ASSERT_OK(
      kindred_vocabulary_decode(vocabulary, symbols.data(), symbols.size(), of_copy.data()));
  for (const std::uint32_t symbol : symbols) {
    EXPECT_EQ(std::string_view(of_memory[symbol].data, of_memory[symbol].size),
              expected.text(symbol));
    EXPECT_EQ(std::string_view(of_copy[symbol].data, of_copy[symbol].size), expected.text(symbol));
  }
  symbols.push_back(static_cast<std::uint32_t>(expected.size()));
  of_copy.resize(symbols.size());
  EXPECT_EQ(kindred_vocabulary_decode(vocabulary, symbols.data(), symbols.size(), of_copy.data()),
            KINDRED_NOT_FOUND);

  // The bytes of a vocabulary are those of its file.
  Owned<kindred_string> saved;
  KINDRED_ASSERT_OK(kindred_to_bytes(vocabulary, &saved));
  const std::size_t size = view_of(saved).size();
  const auto* const first = reinterpret_cast<const std::uint8_t*>(view_of(saved).data());
  Owned<kindred_vocabulary> again;
  KINDRED_ASSERT_OK(kindred_vocabulary_from_bytes(first, size, &again));
  KINDRED_ASSERT_OK(kindred_get_statistics(again, &statistics));
  EXPECT_EQ(statistics.symbols, expected.size());
  EXPECT_EQ(kindred_vocabulary_from_bytes(first, size - 1, &again), KINDRED_CORRUPT);
}

TEST(CMemories, RankingsHaveNamesAndSymbolsWeights) {
  for (std::int32_t rank = KINDRED_RANK_POTENTIAL; rank <= KINDRED_RANK_WEIGHTED_SNR; ++rank) {
    const std::string name = kindred_rank_name(rank);
    EXPECT_EQ(name, to_string(static_cast<RankBy>(rank)));
    std::int32_t parsed = -1;
    KINDRED_ASSERT_OK(kindred_rank_parse(name.data(), name.size(), &parsed));
    EXPECT_EQ(parsed, rank);
  }
  EXPECT_EQ(kindred_rank_name(-1), nullptr);
  EXPECT_EQ(kindred_rank_name(KINDRED_RANK_WEIGHTED_SNR + 1), nullptr);
  std::int32_t parsed = -1;
  EXPECT_EQ(kindred_rank_parse("best", 4, &parsed), KINDRED_INVALID);
  EXPECT_NE(std::string(kindred_last_error()).find("name is 'best'; it must be one of potential"),
            std::string::npos);
  const double affinities[] = {3, -2, 0, 5};
  const std::uint64_t frequencies[] = {4, 0, 2};
  double weights[4] = {};
  KINDRED_ASSERT_OK(kindred_affinity_weights(affinities, 4, frequencies, 3, weights));
  const std::vector<double> expected = affinity_weights(affinities, frequencies);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(weights[i], expected[i]);
  KINDRED_ASSERT_OK(kindred_affinity_weights(nullptr, 0, nullptr, 0, nullptr));
}

}  // namespace MemoriesOfCTest
