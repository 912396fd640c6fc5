// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/layers/NormGradient.hpp>

#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/layers/impl/NormGradientKernels.hpp>
#include <kindred/core/layers/impl/StoreElement.hpp>

#include <string>

namespace Kindred {

std::size_t norm_gradient_workspace(const NormGradientData& layer) {
  const std::size_t of_rows = layer.rows * sizeof(Impl::NormRowFactors);
  if (layer.dgamma == nullptr && layer.dbeta == nullptr) return of_rows;
  return of_rows + ColumnSums::of(layer.rows).segments * layer.columns * sizeof(Impl::NormSums);
}

namespace {

template <class In, class Out, class ExecutionSpace>
void launch(const ExecutionSpace& exec_space, const NormGradientData& layer, std::byte* workspace) {
  const Impl::NormGradientElements<In, Out> all{layer,
                                                reinterpret_cast<Impl::NormRowFactors*>(workspace)};
  Impl::for_each_work_item(exec_space, "Kindred::Layers::norm_gradients::factors", layer.rows,
                           Impl::NormGradientFactors<ExecutionSpace, In, Out>{all});
  if (layer.dgamma != nullptr || layer.dbeta != nullptr) {
    // Before dx, which may replace the gradient.
    auto* partial =
        reinterpret_cast<Impl::NormSums*>(workspace + layer.rows * sizeof(Impl::NormRowFactors));
    const ColumnSums sums = ColumnSums::of(layer.rows);
    static const std::string segments = "Kindred::Layers::norm_gradients::segments";
    static const std::string columns = "Kindred::Layers::norm_gradients::columns";
    Kokkos::parallel_for(segments, Arch::range(exec_space, sums.segments * layer.columns),
                         Impl::NormGradientSegments<In, Out>{all, sums, partial});
    Kokkos::parallel_for(columns, Arch::range(exec_space, layer.columns),
                         Impl::NormGradientColumns{partial, sums.segments, layer.columns,
                                                   layer.dgamma, layer.dbeta});
  }
  Impl::for_each_work_item(exec_space, "Kindred::Layers::norm_gradients::rows", layer.rows,
                           Impl::NormGradientRows<ExecutionSpace, In, Out>{all});
}

}  // namespace

template <class ExecutionSpace>
void norm_gradients(const ExecutionSpace& exec_space, const NormGradientData& layer,
                    const ArrayView<std::byte, ExecutionSpace>& workspace) {
  const Impl::ArgumentCheck check("norm_gradients");
  const std::uint64_t elements = Impl::extent_of(layer.rows, layer.columns);
  check.is_array("layer.x", layer.x, elements, size_of(layer.input));
  check.is_array("layer.gradient", layer.gradient, elements, size_of(layer.output));
  check.is_array("layer.dx", layer.dx, elements, size_of(layer.input));
  check.is_aligned("layer.gamma", layer.gamma, alignof(float));
  check.is_aligned("layer.beta", layer.beta, alignof(float));
  check.is_aligned("layer.dgamma", layer.dgamma, alignof(float));
  check.is_aligned("layer.dbeta", layer.dbeta, alignof(float));
  if (layer.rows > 1) check.is_at_least("layer.dx_stride", layer.dx_stride, layer.columns);
  check.has("workspace", workspace, layer.columns == 0 ? 0 : norm_gradient_workspace(layer));
  check.is_aligned("workspace", workspace.data(), 16);
  if (layer.columns == 0) return;
  Impl::with_float_type_here(layer.input, [&](auto in) {
    Impl::with_float_type_here(layer.output, [&](auto out) {
      launch<decltype(in), decltype(out)>(exec_space, layer, workspace.data());
    });
  });
}

#define KINDRED_INSTANTIATE(SPACE)                                           \
  template void norm_gradients<SPACE>(const SPACE&, const NormGradientData&, \
                                      const ArrayView<std::byte, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
