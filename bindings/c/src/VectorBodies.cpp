// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of vectors.
#include "Arguments.hpp"
#include "Handle.hpp"
#include "Vector.hpp"

namespace Kindred::C {

RowArray row_array_of(const DLTensor* rows, const DLTensor* scales) {
  const ConstArray array = array_of(rows, "rows");
  if (scales == nullptr && array.type() != DataType::int8) return array;
  return rows_of(rows, scales, "rows");
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
