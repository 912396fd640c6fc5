// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_PREFILTER_DATA_HPP
#define KINDRED_TESTS_VECTOR_PREFILTER_DATA_HPP

#include <kindred/core/vector/Prefilter.hpp>

#include "VectorData.hpp"

namespace Kindred::Testing {

/// Rows and queries on a space, and a quantized copy of the rows; int8 rows are their own copy.
template <class ExecutionSpace>
struct PrefilterData : VectorData<ExecutionSpace> {
  PrefilterData(const ExecutionSpace& exec_space, const Question& asked)
      : VectorData<ExecutionSpace>(exec_space, asked) {
    if (asked.rows.element == DataType::int8) {
      quantized = rows_as_quantized(this->view);
      return;
    }
    const std::size_t count = asked.rows.count();
    const std::uint64_t stride = quantized_stride(asked.rows.dimension);
    quantized_values = Array<ExecutionSpace, std::int8_t>("shadow", count * stride);
    for (auto* view : {&quantized_scales, &errors, &quantized_norms})
      *view = Array<ExecutionSpace, float>("quantized_floats", count);
    quantize_rows<ExecutionSpace>(exec_space, this->view, quantized_values, quantized_scales,
                                  errors, quantized_norms);
    quantized = {quantized_values, quantized_scales, errors, quantized_norms, stride};
  }

  Array<ExecutionSpace, std::int8_t> quantized_values;
  Array<ExecutionSpace, float> quantized_scales, errors, quantized_norms;
  QuantizedRows<ExecutionSpace> quantized;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_PREFILTER_DATA_HPP
