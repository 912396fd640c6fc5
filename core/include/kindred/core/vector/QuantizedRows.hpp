// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_QUANTIZED_ROWS_HPP
#define KINDRED_CORE_VECTOR_QUANTIZED_ROWS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstdint>

namespace Kindred {

/// \brief An int8-quantized copy (SQ8) of rows of any element type: x ≈ scale · v, with bounds on
/// the difference.
template <class ExecutionSpace>
struct QuantizedRows {
  ArrayView<const std::int8_t, ExecutionSpace> values;  ///< count × stride, row-major
  ArrayView<const float, ExecutionSpace> scales;
  /// ≥ ‖x − scale · v‖, infinite for a row that is not finite; size 0: the values are the rows
  /// themselves
  ArrayView<const float, ExecutionSpace> errors;
  ArrayView<const float, ExecutionSpace> norms;  ///< ≥ ‖scale · v‖; size 0 if `errors` is
  std::uint64_t stride = 0;                      ///< bytes from one row to the next

  std::uint64_t count() const { return scales.size(); }
  bool is_own() const { return errors.size() == 0; }
};

/// Bytes of a quantized row: the dimension padded to whole loads.
constexpr std::uint64_t quantized_stride(std::uint64_t dimension) {
  return (dimension + 15) / 16 * 16;
}

/// Bytes of the quantized copy of \p count rows.
constexpr std::uint64_t quantized_bytes(std::uint64_t count, std::uint64_t dimension) {
  return count * (quantized_stride(dimension) + 3 * sizeof(float));
}

/// \brief Makes the quantized copy of rows. Does not fence. Complexity O(count × dimension).
/// \param rows their norms and ids are not read
/// \param values `count × quantized_stride`, aligned to 16 bytes
/// \param scales, errors, norms one per row; their size is the count
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void quantize_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                   const ArrayView<std::int8_t, ExecutionSpace>& values,
                   const ArrayView<float, ExecutionSpace>& scales,
                   const ArrayView<float, ExecutionSpace>& errors,
                   const ArrayView<float, ExecutionSpace>& norms);

/// \brief int8 rows as their own quantized copy: nothing is stored twice.
template <class ExecutionSpace>
QuantizedRows<ExecutionSpace> rows_as_quantized(const VectorRows<ExecutionSpace>& rows) {
  const auto* values = reinterpret_cast<const std::int8_t*>(rows.values.data());
  return {ArrayView<const std::int8_t, ExecutionSpace>(values, rows.values.size()),
          rows.scales,
          {},
          {},
          rows.dimension};
}

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_QUANTIZED_ROWS_HPP
