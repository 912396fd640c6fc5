// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_PREFILTER_DATA_HPP
#define KINDRED_TESTS_VECTOR_PREFILTER_DATA_HPP

#include <kindred/core/vector/Prefilter.hpp>

#include "VectorData.hpp"

namespace Kindred::Testing {

/// Rows and queries on a space, and a quantized copy of the rows; int8 rows are their own copy.
template <class ExecutionSpace>
struct PrefilterData : VectorData<ExecutionSpace> {
  using memory_space = typename ExecutionSpace::memory_space;

  PrefilterData(const ExecutionSpace& exec_space, const StoredRows& rows,
                const std::vector<float>& queries, const std::vector<std::uint32_t>& row_ids = {})
      : VectorData<ExecutionSpace>(exec_space, rows, queries, row_ids) {
    if (rows.element == DataType::int8) {
      quantized = rows_as_quantized(this->view);
      return;
    }
    const std::uint64_t stride = quantized_stride(rows.dimension);
    quantized_values = Kokkos::View<std::int8_t*, memory_space>("shadow", rows.count() * stride);
    for (auto* view : {&quantized_scales, &errors, &quantized_norms})
      *view = Kokkos::View<float*, memory_space>("quantized_floats", rows.count());
    using float_view = ArrayView<float, ExecutionSpace>;
    quantize_rows(exec_space, this->view, ArrayView<std::int8_t, ExecutionSpace>(quantized_values),
                  float_view(quantized_scales), float_view(errors), float_view(quantized_norms));
    quantized = {quantized_values, quantized_scales, errors, quantized_norms, stride};
  }

  Kokkos::View<std::int8_t*, memory_space> quantized_values;
  Kokkos::View<float*, memory_space> quantized_scales;
  Kokkos::View<float*, memory_space> errors;
  Kokkos::View<float*, memory_space> quantized_norms;
  QuantizedRows<ExecutionSpace> quantized;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_PREFILTER_DATA_HPP
