// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_VECTOR_HPP
#define KINDRED_C_VECTOR_HPP

#include <kindred/core/vector/Metric.hpp>
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <kindred.h>

#include "Handle.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace Kindred::C {

/// A scorer keeps its index alive.
using SharedIndex = std::shared_ptr<WithContext<VectorIndex>>;
struct Scorer {
  SharedIndex index;
  PreparedScore prepared;
  std::size_t dimension;
};
KINDRED_C_HANDLE(index, SharedIndex);
KINDRED_C_HANDLE(scorer, Scorer);

inline VectorIndex& index_of(const kindred_index* index) {
  return object_of(index, "index")->engine;
}
inline const PreparedScore& scorer_of(const kindred_scorer* scorer) {
  return object_of(scorer, "scorer").prepared;
}

VectorIndexOptions index_options(const kindred_index_options* options);
SearchOptions search_options(const kindred_search_options* options);
/// Rows on the host or on a device; of int8, on the host with scales. \throws InvalidArgument
RowArray row_array_of(const DLTensor* rows, const DLTensor* scales);

}  // namespace Kindred::C

#endif  // KINDRED_C_VECTOR_HPP
