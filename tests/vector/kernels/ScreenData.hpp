// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_SCREEN_DATA_HPP
#define KINDRED_TESTS_VECTOR_SCREEN_DATA_HPP

#include <kindred/core/vector/Screen.hpp>

#include "VectorData.hpp"

namespace Kindred::Testing {

/// Rows and queries of a space, and the shadow of the rows: their own where they are int8.
template <class ExecutionSpace>
struct ScreenData : VectorData<ExecutionSpace> {
  using memory_space = typename ExecutionSpace::memory_space;

  ScreenData(const ExecutionSpace& exec_space, const StoredRows& rows,
             const std::vector<float>& queries, const std::vector<std::uint32_t>& row_ids = {})
      : VectorData<ExecutionSpace>(exec_space, rows, queries, row_ids) {
    if (rows.element == VectorElement::int8) {
      shadow = own_shadow(this->view);
      return;
    }
    const std::uint64_t stride = shadow_stride(rows.dimension);
    shadow_values = Kokkos::View<std::int8_t*, memory_space>("shadow", rows.count() * stride);
    for (auto* view : {&shadow_scales, &errors, &shadow_norms})
      *view = Kokkos::View<float*, memory_space>("shadow_floats", rows.count());
    using float_view = ArrayView<float, ExecutionSpace>;
    build_shadow(exec_space, this->view, ArrayView<std::int8_t, ExecutionSpace>(shadow_values),
                 float_view(shadow_scales), float_view(errors), float_view(shadow_norms));
    shadow = {shadow_values, shadow_scales, errors, shadow_norms, stride};
  }

  Kokkos::View<std::int8_t*, memory_space> shadow_values;
  Kokkos::View<float*, memory_space> shadow_scales;
  Kokkos::View<float*, memory_space> errors;
  Kokkos::View<float*, memory_space> shadow_norms;
  ShadowRows<ExecutionSpace> shadow;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_SCREEN_DATA_HPP
