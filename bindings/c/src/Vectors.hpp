// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_VECTORS_HPP
#define KINDRED_C_VECTORS_HPP

#include <kindred/core/vector/Metric.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <kindred.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace Kindred::C {

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

#endif  // KINDRED_C_VECTORS_HPP
