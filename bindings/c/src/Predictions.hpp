// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_PREDICTIONS_HPP
#define KINDRED_C_PREDICTIONS_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include "Handle.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace Kindred::C {

/// \throws InvalidArgument for a number of no field
RankBy rank_by_of(std::int32_t rank_by);
PredictionOptions prediction_options(const kindred_prediction_options* options);

/// Predictions, with their texts as arrays of C.
class Predictions {
 public:
  /// \param record null: there was no match
  Predictions(std::vector<Prediction> predictions, const DispatchRecord* record);

  struct Texts {
    std::vector<std::uint64_t> offsets{0};
    std::vector<kindred_text> texts;
  };
  static constexpr std::size_t lists = 6;  ///< KINDRED_TEXTS_MATCHES … KINDRED_TEXTS_EXTRAS

  std::size_t size() const noexcept { return m_predictions.size(); }
  const std::optional<DispatchRecord>& record() const noexcept { return m_record; }
  /// \throws InvalidArgument for a position that does not exist
  const Prediction& at(std::size_t position) const;
  const Texts& texts(std::size_t position, std::size_t list) const {
    return m_texts[position * lists + list];
  }
  const std::vector<kindred_block>& blocks(std::size_t position) const {
    return m_blocks[position];
  }

 private:
  std::vector<Prediction> m_predictions;
  std::optional<DispatchRecord> m_record;
  std::vector<Texts> m_texts;
  std::vector<std::vector<kindred_block>> m_blocks;
};
KINDRED_C_HANDLE(predictions, Predictions);

}  // namespace Kindred::C

#endif  // KINDRED_C_PREDICTIONS_HPP
