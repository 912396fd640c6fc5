// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of predictions.
#include "Predictions.hpp"

#include <kindred/matcher/Prediction.hpp>

#include "Arguments.hpp"
#include "Patterns.hpp"
#include "Results.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace Kindred::C {

Predictions::Predictions(std::vector<Prediction> predictions)
    : m_predictions(std::move(predictions)), m_views(m_predictions.size()) {
  for (std::size_t position = 0; position < size(); ++position) {
    const Prediction& from = m_predictions[position];
    View& to = m_views[position];
    const auto list = [&](TextsOf of, std::span<const SymbolTexts> events) {
      const auto number = static_cast<std::size_t>(of);
      std::vector<kindred_text>& texts = to.texts[number];
      std::vector<std::uint64_t>& offsets = to.offsets[number];
      offsets.push_back(0);
      for (const SymbolTexts& event : events) {
        std::transform(event.begin(), event.end(), std::back_inserter(texts), view_of);
        offsets.push_back(texts.size());
      }
      to.lists[number] = {events.size(), offsets.data(), texts.data()};
    };
    list(TextsOf::matches, {&from.matches, 1});
    list(TextsOf::past, from.past);
    list(TextsOf::present, from.present);
    list(TextsOf::future, from.future);
    list(TextsOf::missing, from.missing);
    list(TextsOf::extras, from.extras);
    for (const Anomaly& anomaly : from.anomalies)
      to.anomalies.push_back(
          {view_of(anomaly.observed), view_of(anomaly.expected), anomaly.similarity});
    to.blocks = blocks_of(from.blocks);
  }
}

const Prediction& Predictions::get(std::size_t position) const {
  KINDRED_C_REFUSE_IF(position >= size(), "position is " + std::to_string(position) +
                                              "; there are " + std::to_string(size()) +
                                              " predictions");
  return m_predictions[position];
}

std::uint64_t query_symbols(std::uint64_t symbols) {
  KINDRED_C_REFUSE_IF(
      symbols >= std::uint64_t{1} << 31U,
      "symbols is " + std::to_string(symbols) + "; a query has at most 2^31 - 1 symbols");
  return symbols;
}

const char* kindred_rank_name(std::int32_t rank_by) noexcept {
  const char* name = nullptr;
  // The names are literals, which end with a zero.
  guarded([&] {
    name = to_string(enum_of<RankBy>(rank_by, KINDRED_RANK_WEIGHTED_SNR + 1, "rank_by")).data();
  });
  return name;
}

namespace {

/// The candidates of a call.
class GivenCandidates final : public CandidateSource {
 public:
  /// \param symbols number of known ones \throws InvalidArgument
  GivenCandidates(const kindred_candidates* candidates, std::size_t symbols) {
    const kindred_candidates given =
        options_of(candidates, kindred_candidates KINDRED_CANDIDATES_INIT, "candidates");
    m_candidates = span_of(given.candidates, given.count, "candidates.candidates");
    if (given.names != nullptr) m_names = texts_of(given.names, given.count, "candidates.names");
    m_statistics = {
        given.all_patterns, given.total_frequency, symbols,
        span_of(given.patterns_with, given.patterns_with_size, "candidates.patterns_with")};
    const PatternOffsets rows(given.offsets, given.patterns, given.count);
    m_lists = rows.lists<Symbol>(span_of(given.symbols, rows.symbols, "candidates.symbols"));
    for (const Symbol symbol : m_lists.events.values)
      KINDRED_C_REFUSE_IF(symbol >= symbols, "a candidate has the symbol " +
                                                 std::to_string(symbol) + "; there are " +
                                                 std::to_string(symbols) + " texts");
  }
  const SymbolStatistics& statistics() const noexcept { return m_statistics; }

  std::size_t size() const override { return m_candidates.size(); }
  Candidate candidate(std::size_t position) const override {
    const kindred_candidate& given = m_candidates[position];
    return {given.index, given.similarity, given.matched, given.frequency};
  }
  RaggedSpan<Symbol> events(std::size_t position, Ragged<Symbol>& /*scratch*/) const override {
    const std::uint64_t begin = m_lists.patterns[position];
    const std::uint64_t end = m_lists.patterns[position + 1];
    if (begin == end) return {};
    return {m_lists.events.offsets.subspan(begin, end - begin + 1), m_lists.events.values};
  }
  std::string name(std::size_t position) const override {
    return m_names.empty() ? std::string() : std::string(m_names[position]);
  }

 private:
  std::span<const kindred_candidate> m_candidates;
  std::vector<std::string_view> m_names;
  EventLists<Symbol> m_lists;
  SymbolStatistics m_statistics;
};

}  // namespace

std::vector<Prediction> Predictor::predict(PatternMemory::Events query,
                                           const kindred_candidates* candidates,
                                           const PredictionOptions& options) const {
  const GivenCandidates source(candidates, m_vocabulary.size());
  return Kindred::predict(*m_context, query, source, source.statistics(), m_vocabulary, options);
}

}  // namespace Kindred::C
