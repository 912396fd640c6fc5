// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of vectors.
#include "Arguments.hpp"
#include "Handle.hpp"
#include "Vector.hpp"

namespace Kindred::C {

/// Checks that rows have the dimension and type of an index.
VectorSpan rows_for(const VectorIndex& index, const DLTensor* rows, const DLTensor* scales,
                    const char* name) {
  const VectorSpan out = rows_of(rows, scales, name);
  KINDRED_C_REFUSE_IF(out.dimension != index.dimension(),
                      std::string(name) + " has rows of " + std::to_string(out.dimension) +
                          " elements; those of the index have " +
                          std::to_string(index.dimension()));
  return out;
}

RowArray row_array_of(const DLTensor* rows, const DLTensor* scales) {
  const ConstArray array = array_of(rows, "rows");
  if (scales == nullptr && array.type() != DataType::int8) return array;
  return rows_of(rows, scales, "rows");
}

SearchArrays::SearchArrays(const DLTensor* scores, const DLTensor* ids, std::uint64_t rows,
                           std::size_t top)
    : m_rows(rows),
      m_top(top),
      m_scores(output_matrix_of<float>(scores, "scores", rows, top)),
      m_ids(output_matrix_of<std::int64_t>(ids, "ids", rows, top)) {}

void SearchArrays::fill(std::span<const float> scores, std::span<const std::int64_t> ids,
                        std::size_t found_top, Metric metric) const {
  for (std::size_t row = 0; row < m_rows; ++row)
    for (std::size_t place = 0; place < m_top; ++place) {
      const std::size_t to = row * m_top + place;
      const std::size_t from = row * found_top + place;
      m_scores[to] = place < found_top ? scores[from] : padding_score(metric);
      m_ids[to] = place < found_top ? ids[from] : -1;
    }
}

kindred_status kindred_scorer_create(const kindred_index* index, std::size_t longest,
                                     const kindred_search_options* options,
                                     kindred_scorer** scorer) noexcept {
  return guarded([&] {
    const SharedIndex& object = object_of(index, "index");
    require(scorer, "scorer");
    const SearchOptions given = search_options(options);
    KINDRED_C_REFUSE_IF(given.stream.has_value(),
                        "a stream is given; a scorer takes queries on the host, which a stream "
                        "does not order");
    *scorer = make_handle_of<kindred_scorer>(object, PreparedScore(object->engine, longest, given),
                                             object->engine.dimension());
  });
}

kindred_status kindred_scorer_score(kindred_scorer* scorer, const DLTensor* query,
                                    const std::uint64_t* candidates, std::size_t count,
                                    float* scores, std::int64_t* ids, std::size_t capacity,
                                    std::size_t* found) noexcept {
  return guarded([&] {
    Scorer& object = object_of(scorer, "scorer");
    require(found, "found");
    span_of(scores, capacity, "scores");
    span_of(ids, capacity, "ids");
    const std::span<const float> values = row_of<float>(query, "query", object.dimension);
    const std::span<const ScoredId> results =
        object.prepared.score(values, span_of(candidates, count, "candidates"));
    *found = results.size();
    KINDRED_C_REFUSE_IF(results.size() > capacity,
                        "scores and ids have a capacity of " + std::to_string(capacity) +
                            " elements; " + std::to_string(results.size()) + " are needed");
    for (std::size_t i = 0; i < results.size(); ++i) {
      scores[i] = results[i].score;
      ids[i] = results[i].id;
    }
  });
}

}  // namespace Kindred::C
