// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/QuantizedRows.hpp>

#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/impl/ElementRow.hpp>
#include <kindred/core/vector/impl/Quantizer.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>

#include <type_traits>

namespace Kindred {

namespace Impl {
namespace {

/// A work item: one row.
template <class ExecutionSpace, class Element>
struct QuantizeKernel {
  ElementRows<Element> rows;
  std::uint64_t stride;
  std::int8_t* values;
  float* scales;
  float* errors;
  float* norms;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t row) const {
    const Element* elements = rows[row].values;
    const float own_scale = std::is_same_v<Element, std::int8_t> ? rows.scales[row] : 1.0F;
    const auto value = [&](std::uint64_t i) {
      const float x = Arch::to_float(elements[i]);
      return std::is_same_v<Element, std::int8_t> ? own_scale * x : x;
    };
    const Quantizer quantiser(Kokkos::ThreadVectorRange(member, rows.dimension), rows.dimension,
                              quantized_levels, value);
    std::int8_t* out = values + row * stride;
    const double residual = quantiser.quantise(
        value, [&](std::uint64_t i, int v) { out[i] = static_cast<std::int8_t>(v); });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, stride - rows.dimension),
                         [&](std::uint64_t i) { out[rows.dimension + i] = 0; });
    const double squares = quantiser.sum(value, [](int v) { return v * v; });
    const double norm = static_cast<double>(quantiser.scale()) * Kokkos::sqrt(squares);
    Kokkos::single(Kokkos::PerThread(member), [&] {
      scales[row] = quantiser.scale();
      errors[row] = round_up(residual);
      norms[row] = round_up(norm * (1 + prefilter_slack));
    });
  }
};

}  // namespace
}  // namespace Impl

template <class ExecutionSpace>
void quantize_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                   const ArrayView<std::int8_t, ExecutionSpace>& values,
                   const ArrayView<float, ExecutionSpace>& scales,
                   const ArrayView<float, ExecutionSpace>& errors,
                   const ArrayView<float, ExecutionSpace>& norms) {
  const Impl::ArgumentCheck check("quantize_rows");
  const std::uint64_t count = scales.size();
  Impl::check_rows(check, rows, count);
  check.has("values", values, Impl::extent_of(count, quantized_stride(rows.dimension)));
  check.is_aligned("values", values.data(), 16);
  check.is_aligned("scales", scales);
  check.has("errors", errors, count);
  check.has("norms", norms, count);
  Impl::with_element(rows, [&]<class Element>(const Impl::ElementRows<Element>& elements) {
    Launch::for_each_warp(exec_space, "Kindred::Vector::quantize_rows::quantize", scales.size(),
                          Impl::QuantizeKernel<ExecutionSpace, Element>{
                              elements, quantized_stride(rows.dimension), values.data(),
                              scales.data(), errors.data(), norms.data()});
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(quantize_rows);

}  // namespace Kindred
