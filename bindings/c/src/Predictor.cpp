// SPDX-License-Identifier: Apache-2.0
// Predictions from patterns of the caller.
#include <kindred/matcher/Prediction.hpp>

#include "Arguments.hpp"
#include "Memory.hpp"
#include "Predictions.hpp"
#include "Vocabulary.hpp"

#include <string>

namespace Kindred::C {

KINDRED_C_HANDLE(predictor, WithContext<Vocabulary>);

namespace {

/// The candidates of a call.
class GivenCandidates final : public CandidateSource {
 public:
  /// \param symbols number of known ones \throws InvalidArgument
  GivenCandidates(const kindred_candidates* candidates, std::size_t symbols) {
    require(candidates, "candidates");
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

kindred_status kindred_predictor_create(kindred_context* context, const kindred_text* texts,
                                        std::size_t count, kindred_predictor** predictor) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(predictor, "predictor");
    *predictor =
        make_handle_of<kindred_predictor>(object, vocabulary_of(texts_of(texts, count, "texts")));
  });
}

kindred_status kindred_predictor_destroy(kindred_predictor* predictor) noexcept {
  return destroy_handle(predictor, "predictor");
}

kindred_status kindred_predictor_add(kindred_predictor* predictor, const kindred_text* texts,
                                     std::size_t count) noexcept {
  return guarded([&] {
    auto& object = object_of(predictor, "predictor");
    object.engine.add_all(texts_of(texts, count, "texts"));
  });
}

kindred_status kindred_candidate_threshold(const kindred_prediction_options* options,
                                           std::uint64_t symbols, double* threshold) noexcept {
  return guarded([&] {
    require(threshold, "threshold");
    const PredictionOptions given = prediction_options(options);
    const double found = candidate_threshold(given, symbols);
    KINDRED_C_REFUSE_IF(
        symbols >= std::uint64_t{1} << 31U,
        "symbols is " + std::to_string(symbols) + "; a query has at most 2^31 - 1 symbols");
    *threshold = found;
  });
}

kindred_status kindred_predictor_predict(const kindred_predictor* predictor,
                                         const kindred_text* texts, const std::uint64_t* offsets,
                                         std::size_t events, const kindred_candidates* candidates,
                                         const kindred_prediction_options* options,
                                         kindred_predictions** predictions) noexcept {
  return guarded([&] {
    const auto& object = object_of(predictor, "predictor");
    require(predictions, "predictions");
    const EventsArgument query(texts, offsets, events);
    const PredictionOptions given = prediction_options(options);
    const GivenCandidates source(candidates, object.engine.size());
    *predictions = make_handle_of<kindred_predictions>(
        predict(*object.context, query.events, source, source.statistics(), object.engine, given),
        nullptr);
  });
}

}  // namespace Kindred::C
