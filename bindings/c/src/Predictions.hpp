// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_PREDICTIONS_HPP
#define KINDRED_C_PREDICTIONS_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include "Handle.hpp"
#include "Vocabulary.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::C {

PredictionOptions prediction_options(const kindred_prediction_options* options);
/// The number of symbols of a query. \throws InvalidArgument
std::uint64_t query_symbols(std::uint64_t symbols);

inline const std::string* name_in(const Prediction& prediction) { return &prediction.name; }
inline const std::string* name_in(const StoredPattern& pattern) {
  return pattern.name ? &*pattern.name : nullptr;
}

/// A pattern of a memory.
struct Pattern {
  StoredPattern pattern;
  const StoredPattern& get() const noexcept { return pattern; }
};
KINDRED_C_HANDLE(pattern, Pattern);
inline const Pattern& pattern_of(const kindred_pattern* pattern) {
  return object_of(pattern, "pattern");
}

enum class TextsOf { matches, past, present, future, missing, extras };

/// Predictions, with what they consist of as arrays of C.
class Predictions {
 public:
  Predictions(std::vector<Prediction> predictions);

  /// The arrays of a prediction.
  struct View {
    std::array<std::vector<std::uint64_t>, 6> offsets;
    std::array<std::vector<kindred_text>, 6> texts;
    std::array<kindred_event_texts, 6> lists;  ///< by `TextsOf`
    std::vector<kindred_anomaly> anomalies;
    std::vector<kindred_block> blocks;
  };

  std::size_t size() const noexcept { return m_predictions.size(); }
  /// \throws InvalidArgument for a position that does not exist
  const Prediction& get(std::size_t position) const;
  const View& view(std::size_t position) const { return m_views[position]; }

 private:
  std::vector<Prediction> m_predictions;
  std::vector<View> m_views;
};
KINDRED_C_HANDLE(predictions, Predictions);
inline const Predictions& predictions_of(const kindred_predictions* predictions) {
  return object_of(predictions, "predictions");
}

/// Makes predictions from patterns of another store.
class Predictor {
 public:
  Predictor(Context& context, std::span<const std::string_view> texts)
      : m_context(&context), m_vocabulary(vocabulary_of(texts)) {}
  void add(std::span<const std::string_view> texts) { m_vocabulary.add_all(texts); }
  std::vector<Prediction> predict(PatternMemory::Events query, const kindred_candidates* candidates,
                                  const PredictionOptions& options) const;

 private:
  Context* m_context;
  Vocabulary m_vocabulary;
};
KINDRED_C_HANDLE(predictor, WithContext<Predictor>);
inline Predictor& predictor_of(const kindred_predictor* predictor) {
  return object_of(predictor, "predictor").engine;
}

}  // namespace Kindred::C

#endif  // KINDRED_C_PREDICTIONS_HPP
