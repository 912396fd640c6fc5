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
/// Checks that rows have the dimension and type of an index.
VectorSpan rows_for(const VectorIndex& index, const DLTensor* rows, const DLTensor* scales,
                    const char* name);

VectorIndexOptions index_options(const kindred_index_options* options);
SearchOptions search_options(const kindred_search_options* options);
/// Rows on the host or on a device; of int8, on the host with scales. \throws InvalidArgument
RowArray row_array_of(const DLTensor* rows, const DLTensor* scales);

/// The arrays of a search on the host, of `rows × top`. A search of fewer rows than `top` fills the
/// rest.
class SearchArrays {
 public:
  /// \throws InvalidArgument
  SearchArrays(const DLTensor* scores, const DLTensor* ids, std::uint64_t rows, std::size_t top);

  /// \param found_top results per row
  void fill(std::span<const float> scores, std::span<const std::int64_t> ids, std::size_t found_top,
            Metric metric) const;

 private:
  std::uint64_t m_rows;
  std::size_t m_top;
  std::span<float> m_scores;
  std::span<std::int64_t> m_ids;
};

}  // namespace Kindred::C

#endif  // KINDRED_C_VECTOR_HPP
