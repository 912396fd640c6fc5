// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_VECTOR_ROWS_HPP
#define KINDRED_CORE_VECTOR_VECTOR_ROWS_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/ArrayView.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Rows of any element type and their norms, as the kernels read them.
template <class ExecutionSpace>
struct VectorRows {
  ArrayView<const std::byte, ExecutionSpace> values;  ///< count × stride elements, row-major
  DataType element = DataType::float32;
  ArrayView<const float, ExecutionSpace> scales;  ///< one per row; int8 only
  ArrayView<const double, ExecutionSpace> norms;  ///< from `vector_norms`; read under cosine
  /// The index that a rank carries; size 0: the row's index.
  ArrayView<const std::uint32_t, ExecutionSpace> ids;
  std::uint64_t dimension = 0;
  std::uint64_t stride = 0;  ///< elements from one row to the next; 0: the dimension
};

/// \p values as the bytes that `VectorRows` holds.
template <class ExecutionSpace, class View>
ArrayView<const std::byte, ExecutionSpace> bytes_of(const View& values) {
  return ArrayView<const std::byte, ExecutionSpace>(
      reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(*values.data()));
}

/// \brief Queries, also widened to double, and their norms. \see prepare_queries
template <class ExecutionSpace>
struct VectorQueries {
  ArrayView<const float, ExecutionSpace> floats;   ///< count × dimension, row-major
  ArrayView<const double, ExecutionSpace> values;  ///< the same, widened
  ArrayView<const double, ExecutionSpace> norms;
  std::uint64_t count = 0;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_VECTOR_ROWS_HPP
