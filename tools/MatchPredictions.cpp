// SPDX-License-Identifier: Apache-2.0
#include "MatchPredictions.hpp"

#include "io/InputError.hpp"
#include "io/Text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace Kindred::Tools {

namespace {

/// The matches of one query.
class MatchedPatterns final : public CandidateSource {
 public:
  MatchedPatterns(std::span<const Match> matches, const PatternEvents& patterns,
                  const NameTable& names)
      : m_matches(matches), m_patterns(patterns), m_names(names) {}

  std::size_t size() const override { return m_matches.size(); }
  Candidate candidate(std::size_t position) const override {
    const Match& match = m_matches[position];
    return {match.index, match.similarity, match.matched, m_patterns.frequency(match.index)};
  }
  RaggedSpan<Symbol> events(std::size_t position, Ragged<Symbol>&) const override {
    return m_patterns[m_matches[position].index];
  }
  std::string name(std::size_t position) const override {
    return std::string(m_names[m_matches[position].index].value_or(""));
  }

 private:
  std::span<const Match> m_matches;
  const PatternEvents& m_patterns;
  const NameTable& m_names;
};

void append_key(std::string& out, std::string_view key) {
  out.append(", \"").append(key).append("\": ");
}

void append_list(std::string& out, const SymbolTexts& texts) {
  out += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += ", ";
    append_json(out, texts[i]);
  }
  out += ']';
}

/// Appends a list of events, or in the fast path a list of symbols.
void append_events(std::string& out, std::string_view key, const EventTexts& events, bool flat) {
  append_key(out, key);
  if (flat) {
    append_list(out, events.empty() ? SymbolTexts{} : events.front());
    return;
  }
  out += '[';
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) out += ", ";
    append_list(out, events[i]);
  }
  out += ']';
}

void append_anomalies(std::string& out, const std::vector<Anomaly>& anomalies) {
  append_key(out, "anomalies");
  out += '[';
  for (std::size_t i = 0; i < anomalies.size(); ++i) {
    out += i == 0 ? "{\"observed\": " : ", {\"observed\": ";
    append_json(out, anomalies[i].observed);
    append_key(out, "expected");
    append_json(out, anomalies[i].expected);
    append_key(out, "similarity");
    append_json(out, anomalies[i].similarity);
    out += '}';
  }
  out += ']';
}

}  // namespace

void add_prediction_flags(CLI::App& command, PredictionFlags& flags) {
  command.add_flag("--predict", flags.predict,
                   "Print what the patterns predict, in KATO's fields; --top selects the best of "
                   "all that reach the threshold");
  command
      .add_option("--rank", flags.rank,
                  "Field to rank predictions by, largest first: " + rank_by_names() +
                      " (default: potential)")
      ->type_name("NAME");
  add_number(command, "--fuzzy", flags.fuzzy,
             "Minimum similarity of two texts to treat one as a misspelling of the other; 0: off "
             "(default: 0)",
             0, 1);
  command.add_flag(
      "--single-symbol-fast-path", flags.single_symbol_fast_path,
      "Answer a query of one symbol from the patterns that begin with it, like KATO's fast path");
  command
      .add_option("--affinity", flags.affinity,
                  "JSON lines {\"symbol\": \"a\", \"affinity\": 0.5}; adds the weighted fields")
      ->type_name("FILE");
}

PredictionOptions prediction_options(const GlobalOptions& global, const PredictionFlags& flags,
                                     const MatchOptions& match) {
  if (!flags.predict) {
    const std::array<std::pair<bool, const char*>, 4> given{
        {{!flags.rank.empty(), "--rank"},
         {flags.fuzzy.has_value(), "--fuzzy"},
         {flags.single_symbol_fast_path, "--single-symbol-fast-path"},
         {!flags.affinity.empty(), "--affinity"}}};
    for (const auto& [is_given, name] : given)
      if (is_given) throw UsageError(fmt::format("match: {} goes with --predict only", name));
  }
  PredictionOptions options;
  if (!flags.rank.empty()) {
    const auto rank_by = rank_by_from_string(flags.rank);
    if (!rank_by) {
      throw UsageError(
          fmt::format("match: --rank: '{}' is not one of {}", flags.rank, rank_by_names()));
    }
    if (is_weighted(*rank_by) && flags.affinity.empty())
      throw UsageError(fmt::format("match: --rank: {} needs --affinity", flags.rank));
    options.rank_by = *rank_by;
  }
  options.top = match.top;
  options.threshold = match.threshold;
  options.fuzzy_token_threshold = flags.fuzzy.value_or(0);
  options.single_symbol_fast_path = flags.single_symbol_fast_path;
  if (global.space == Space::serial) options.threads = 1;
  return options;
}

MatchPredictions::MatchPredictions(Context& context, const SequenceMatcher& matcher,
                                   const PatternEvents& patterns, const NameTable& names,
                                   const Vocabulary& vocabulary, const MatchOptions& match,
                                   const PredictionOptions& options)
    : m_context(context),
      m_matcher(matcher),
      m_patterns(patterns),
      m_names(names),
      m_vocabulary(vocabulary),
      m_match_all(match),
      m_options(options) {
  m_match_all.threshold = 0;
  m_match_all.top = std::max<std::size_t>(patterns.size(), 1);
  m_match_all.blocks = false;
}

void MatchPredictions::weigh(const std::string& path) {
  m_weights = read_weights(path, m_vocabulary, m_patterns.occurrences());
  m_options.weights = m_weights;
}

std::vector<Prediction> MatchPredictions::predict(RaggedSpan<std::string_view> query,
                                                  std::span<const Symbol> symbols,
                                                  std::span<const Match> matches) const {
  const auto answer = [&](std::span<const Match> found) {
    return Kindred::predict(m_context, query, MatchedPatterns(found, m_patterns, m_names),
                            m_patterns.statistics(), m_vocabulary, m_options);
  };
  if (!m_options.single_symbol_fast_path || query.values.size() != 1) return answer(matches);
  // The fast path has no threshold.
  Ragged<Symbol> row;
  row.push_row(symbols);
  return answer(m_matcher.match(row, m_match_all).matches[0]);
}

void MatchPredictions::append_fields(std::string& out, const Prediction& prediction) {
  const auto number = [&out](std::string_view key, double value) {
    append_key(out, key);
    append_json(out, value);
  };
  const auto optional_number = [&number](std::string_view key, const std::optional<double>& value) {
    if (value) number(key, *value);
  };
  append_key(out, "frequency");
  out += std::to_string(prediction.frequency);
  append_key(out, "matches");
  append_list(out, prediction.matches);
  append_events(out, "past", prediction.past, prediction.flat);
  append_events(out, "present", prediction.present, prediction.flat);
  append_events(out, "future", prediction.future, prediction.flat);
  append_events(out, "missing", prediction.missing, prediction.flat);
  append_events(out, "extras", prediction.extras, prediction.flat);
  append_anomalies(out, prediction.anomalies);
  number("evidence", prediction.evidence);
  number("confidence", prediction.confidence);
  number("fragmentation", prediction.fragmentation);
  number("snr", prediction.snr);
  number("entropy", prediction.entropy);
  number("normalized_entropy", prediction.normalized_entropy);
  number("global_normalized_entropy", prediction.global_normalized_entropy);
  number("confluence", prediction.confluence);
  number("tfidf_score", prediction.tfidf_score);
  number("itfdf_similarity", prediction.itfdf_similarity);
  number("bayesian_prior", prediction.bayesian_prior);
  number("bayesian_likelihood", prediction.bayesian_likelihood);
  number("bayesian_posterior", prediction.bayesian_posterior);
  number("predictive_information", prediction.predictive_information);
  number("potential", prediction.potential);
  optional_number("weighted_similarity", prediction.weighted_similarity);
  optional_number("weighted_evidence", prediction.weighted_evidence);
  optional_number("weighted_confidence", prediction.weighted_confidence);
  optional_number("weighted_snr", prediction.weighted_snr);
}

}  // namespace Kindred::Tools
