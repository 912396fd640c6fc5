// SPDX-License-Identifier: Apache-2.0
#include "Predictions.hpp"

#include <kindred/core/common/Error.hpp>

#include "Arguments.hpp"
#include "Results.hpp"

#include <limits>
#include <utility>

namespace Kindred::C {

namespace {

void append_event(Predictions::Texts& out, const SymbolTexts& event) {
  for (const std::string& text : event) out.texts.push_back({text.data(), text.size()});
  out.offsets.push_back(out.texts.size());
}

Predictions::Texts texts_of_events(const EventTexts& events) {
  Predictions::Texts out;
  for (const SymbolTexts& event : events) append_event(out, event);
  return out;
}

double number_or_nan(const std::optional<double>& number) {
  return number.value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

RankBy rank_by_of(std::int32_t rank_by) {
  return enum_of<RankBy>(rank_by, static_cast<std::int32_t>(RankBy::weighted_snr) + 1, "rank_by");
}

PredictionOptions prediction_options(const kindred_prediction_options* options) {
  const kindred_prediction_options given =
      options_of(options, kindred_prediction_options KINDRED_PREDICTION_OPTIONS_INIT, "options");
  check_reserved(given.reserved, "options");
  PredictionOptions out;
  out.rank_by = rank_by_of(given.rank_by);
  out.top = given.top;
  out.threshold = given.threshold;
  out.fuzzy_token_threshold = given.fuzzy_token_threshold;
  out.single_symbol_fast_path = given.single_symbol_fast_path != 0;
  out.weights = span_of(given.weights, given.weights_size, "weights");
  out.threads = threads_argument(given.threads);
  return out;
}

Predictions::Predictions(std::vector<Prediction> predictions, const DispatchRecord* record)
    : m_predictions(std::move(predictions)) {
  if (record != nullptr) m_record = *record;
  for (const Prediction& prediction : m_predictions) {
    append_event(m_texts.emplace_back(), prediction.matches);
    for (const EventTexts* events : {&prediction.past, &prediction.present, &prediction.future,
                                     &prediction.missing, &prediction.extras})
      m_texts.push_back(texts_of_events(*events));
    m_blocks.push_back(blocks_of(prediction.blocks));
  }
}

const Prediction& Predictions::at(std::size_t position) const {
  KINDRED_C_REFUSE_IF(position >= size(), "position is " + std::to_string(position) +
                                              "; there are " + std::to_string(size()) +
                                              " predictions");
  return m_predictions[position];
}

const char* kindred_rank_name(std::int32_t rank_by) noexcept {
  const char* name = nullptr;
  // The names are literals, which end with a zero.
  guarded([&] { name = to_string(rank_by_of(rank_by)).data(); });
  return name;
}

kindred_status kindred_rank_parse(const char* name, std::size_t size,
                                  std::int32_t* rank_by) noexcept {
  return guarded([&] {
    require(rank_by, "rank_by");
    *rank_by = static_cast<std::int32_t>(parse<RankBy>(text_of(name, size, "name"), "name"));
  });
}

kindred_status kindred_affinity_weights(const double* affinities, std::size_t count,
                                        const std::uint64_t* frequencies,
                                        std::size_t frequency_count, double* weights) noexcept {
  return guarded([&] {
    const std::span<double> out = span_of(weights, count, "weights");
    const std::vector<double> found =
        affinity_weights(span_of(affinities, count, "affinities"),
                         span_of(frequencies, frequency_count, "frequencies"));
    std::copy(found.begin(), found.end(), out.begin());
  });
}

kindred_status kindred_predictions_size(const kindred_predictions* predictions,
                                        std::size_t* size) noexcept {
  return guarded([&] {
    const Predictions& object = object_of(predictions, "predictions");
    require(size, "size");
    *size = object.size();
  });
}

kindred_status kindred_predictions_get(const kindred_predictions* predictions, std::size_t position,
                                       kindred_prediction* prediction) noexcept {
  return guarded([&] {
    const Predictions& object = object_of(predictions, "predictions");
    check_output(prediction, "prediction");
    const Prediction& found = object.at(position);
    kindred_prediction out = KINDRED_PREDICTION_INIT;
    out.index = found.index;
    out.frequency = found.frequency;
    out.name = found.name.c_str();
    out.name_size = found.name.size();
    out.matched = found.matched;
    out.flat = found.flat ? 1 : 0;
    out.anomalies = found.anomalies.size();
    out.block_count = object.blocks(position).size();
    out.blocks = object.blocks(position).data();
    out.evidence = found.evidence;
    out.confidence = found.confidence;
    out.similarity = found.similarity;
    out.fragmentation = found.fragmentation;
    out.snr = found.snr;
    out.entropy = found.entropy;
    out.normalized_entropy = found.normalized_entropy;
    out.global_normalized_entropy = found.global_normalized_entropy;
    out.confluence = found.confluence;
    out.tfidf_score = found.tfidf_score;
    out.itfdf_similarity = found.itfdf_similarity;
    out.bayesian_prior = found.bayesian_prior;
    out.bayesian_likelihood = found.bayesian_likelihood;
    out.bayesian_posterior = found.bayesian_posterior;
    out.predictive_information = found.predictive_information;
    out.potential = found.potential;
    out.weighted_similarity = number_or_nan(found.weighted_similarity);
    out.weighted_evidence = number_or_nan(found.weighted_evidence);
    out.weighted_confidence = number_or_nan(found.weighted_confidence);
    out.weighted_snr = number_or_nan(found.weighted_snr);
    write_output(prediction, out);
  });
}

kindred_status kindred_predictions_texts(const kindred_predictions* predictions,
                                         std::size_t position, std::int32_t list,
                                         kindred_event_texts* texts) noexcept {
  return guarded([&] {
    const Predictions& object = object_of(predictions, "predictions");
    check_output(texts, "texts");
    object.at(position);
    const auto number =
        enum_of<std::size_t>(list, static_cast<std::int32_t>(Predictions::lists), "list");
    const Predictions::Texts& found = object.texts(position, number);
    write_output(texts, kindred_event_texts{sizeof(kindred_event_texts), found.offsets.size() - 1,
                                            found.offsets.data(), found.texts.data()});
  });
}

kindred_status kindred_predictions_anomaly(const kindred_predictions* predictions,
                                           std::size_t position, std::size_t number,
                                           kindred_anomaly* anomaly) noexcept {
  return guarded([&] {
    const Predictions& object = object_of(predictions, "predictions");
    check_output(anomaly, "anomaly");
    const std::vector<Anomaly>& all = object.at(position).anomalies;
    KINDRED_C_REFUSE_IF(number >= all.size(), "number is " + std::to_string(number) +
                                                  "; the prediction has " +
                                                  std::to_string(all.size()) + " anomalies");
    const Anomaly& found = all[number];
    write_output(anomaly, kindred_anomaly{sizeof(kindred_anomaly),
                                          {found.observed.data(), found.observed.size()},
                                          {found.expected.data(), found.expected.size()},
                                          found.similarity});
  });
}

kindred_status kindred_predictions_record(const kindred_predictions* predictions,
                                          kindred_record* record) noexcept {
  return guarded([&] {
    const Predictions& object = object_of(predictions, "predictions");
    check_output(record, "record");
    if (!object.record())
      throw NotFound("these predictions have no record: their candidates were given");
    write_output(record, record_of(*object.record()));
  });
}

kindred_status kindred_predictions_destroy(kindred_predictions* predictions) noexcept {
  return destroy_handle(predictions, "predictions");
}

}  // namespace Kindred::C
