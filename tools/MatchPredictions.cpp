// SPDX-License-Identifier: Apache-2.0
#include "MatchPredictions.hpp"

#include "io/Affinities.hpp"
#include "io/AppendJson.hpp"

#include <algorithm>
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
  m_weights = read_affinity_weights(path, m_vocabulary, m_patterns.occurrences());
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
