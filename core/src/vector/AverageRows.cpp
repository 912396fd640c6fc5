// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/AverageRows.hpp>

#include <kindred/core/vector/impl/AverageRowsKernel.hpp>

#include <type_traits>

namespace Kindred {

template <class ExecutionSpace>
void average_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                  const ArrayView<const float, ExecutionSpace>& weights,
                  const ArrayView<float, ExecutionSpace>& out) {
  Impl::with_element(rows, [&](const auto& elements) {
    using element = std::remove_cvref_t<decltype(*elements.values)>;
    Impl::for_each_work_item(exec_space, "Kindred::Vector::average_rows::average",
                             (rows.dimension + 31) / 32,
                             Impl::AverageRowsKernel<ExecutionSpace, element>{
                                 elements, weights.data(), weights.size(), out.data()});
  });
}

#define KINDRED_INSTANTIATE(SPACE)                                          \
  template void average_rows<SPACE>(const SPACE&, const VectorRows<SPACE>&, \
                                    const ArrayView<const float, SPACE>&,   \
                                    const ArrayView<float, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
