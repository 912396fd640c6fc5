// SPDX-License-Identifier: Apache-2.0
#include "Results.hpp"

#include "Arrays.hpp"

#include <cstddef>
#include <cstdint>

namespace nb = nanobind;

namespace Kindred::Python {

nb::object ragged_of(const Ragged<ScoredId>& results) {
  const auto count = static_cast<std::int64_t>(results.values.size());
  nb::object lims =
      empty_array(DataType::int64, {static_cast<std::int64_t>(results.offsets.size())});
  nb::object ids = empty_array(DataType::int64, {count});
  nb::object scores = empty_array(DataType::float32, {count});
  const Output lims_out(lims, "lims");
  const Output ids_out(ids, "ids");
  const Output scores_out(scores, "scores");
  auto* const offsets = static_cast<std::int64_t*>(lims_out.array().data());
  for (std::size_t i = 0; i < results.offsets.size(); ++i)
    offsets[i] = static_cast<std::int64_t>(results.offsets[i]);
  auto* const id = static_cast<std::int64_t*>(ids_out.array().data());
  auto* const score = static_cast<float*>(scores_out.array().data());
  for (std::size_t i = 0; i < results.values.size(); ++i) {
    id[i] = results.values[i].id;
    score[i] = results.values[i].score;
  }
  return nb::make_tuple(lims, ids, scores);
}

}  // namespace Kindred::Python
