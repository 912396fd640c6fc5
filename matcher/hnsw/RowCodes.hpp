// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_ROW_CODES_HPP
#define KINDRED_MATCHER_HNSW_ROW_CODES_HPP

#include "HnswStore.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// Buffers for one query in the form used for traversal.
struct CodedQuery {
  std::vector<float> values;       ///< `row_stride` elements
  std::vector<std::int8_t> codes;  ///< `code_stride` elements
  std::vector<double> wide;        ///< `dimension` elements; for exact scores

  /// \throws std::bad_alloc
  void prepare(const HnswStore& store);
};

/// \brief Sets `unit`, `mean` and `traversal` of an empty store from the rows that will be added.
///
/// Bytes are chosen if the errors of the codes change the squared distance of a sampled row to its
/// nearest neighbour in the sample by at most about 3 % (standard deviation).
/// \param rows finite, `count × dimension`
void choose_traversal(HnswStore& store, std::span<const float> rows, const HostWorkers& workers);

/// Computes the derived data of the rows [begin, end), whose first `dimension` floats must be set.
void code_rows(HnswStore& store, std::size_t begin, std::size_t end, const HostWorkers& workers);

/// Converts \p query for traversal. The bias is omitted because it shifts all distances equally.
ByteRows::Query coded_query(const HnswStore& store, const ByteRows& rows,
                            std::span<const float> query, CodedQuery& buffers);
FloatRows::Query coded_query(const HnswStore& store, const FloatRows& rows,
                             std::span<const float> query, CodedQuery& buffers);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_ROW_CODES_HPP
