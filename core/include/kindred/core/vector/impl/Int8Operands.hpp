// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_INT8_OPERANDS_HPP
#define KINDRED_CORE_VECTOR_IMPL_INT8_OPERANDS_HPP

#include <cstdint>

namespace Kindred::Impl {

/// Rows that a work item of the prefilter processes together.
inline constexpr int prefilter_batch = 32;

/// \brief Rows of int8 values, and queries of two planes each, high then low.
struct Int8Operands {
  const std::int8_t* rows;      ///< row r at r · row_stride
  std::uint64_t row_stride;     ///< bytes
  std::uint64_t dimension;      ///< readable values per row
  const std::int8_t* planes;    ///< planes of the first query; 0 beyond the dimension
  std::uint64_t plane_stride;   ///< bytes, a multiple of 64; a query has two planes
  std::uint64_t row_alignment;  ///< of every row: 16, 4 or 1
};

/// Queries that share the data read from a row.
inline constexpr int int8_tile = 4;

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_INT8_OPERANDS_HPP
