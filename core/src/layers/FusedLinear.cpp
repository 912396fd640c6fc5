// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/layers/FusedLinear.hpp>

#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/layers/impl/LinearKernels.hpp>

#include <algorithm>

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t plan_linears(std::span<LinearLayerData> layers) {
  using shape = Impl::LinearTile<ExecutionSpace>;
  const auto strips = [](const LinearLayerData& layer) {
    return (layer.rows + shape::rows - 1) / shape::rows;
  };
  std::uint64_t tiles = 0;
  for (const LinearLayerData& layer : layers) tiles += strips(layer) * shape::across(layer);
  // Enough work items for a device, but no more, so that the layer is not looked up for every tile.
  constexpr std::uint64_t work_items_target = 4096;
  const std::uint64_t each = std::clamp<std::uint64_t>(tiles / work_items_target, 1, 16);
  std::uint64_t work_items = 0;
  for (LinearLayerData& layer : layers) {
    layer.first_team = work_items;
    layer.work_item_tiles = static_cast<std::uint32_t>(each);
    work_items += strips(layer) * ((shape::across(layer) + each - 1) / each);
  }
  return work_items;
}

template <class ExecutionSpace>
void fused_linears(const ExecutionSpace& exec_space, std::uint64_t work_items,
                   const ArrayView<const LinearLayerData, ExecutionSpace>& layers) {
  const Impl::ArgumentCheck check("fused_linears");
  check.is_aligned("layers", layers);
  check.is_at_least("the size of layers", layers.size(), work_items == 0 ? 0 : 1);
  check.is_at_most("the size of layers", layers.size(), 0xFFFFFFFFU);
  Impl::for_each_work_item(
      exec_space, "Kindred::Layers::fused_linears::tiles", work_items,
      Impl::LinearKernel<ExecutionSpace, Impl::LayerList<LinearLayerData>>{
          {layers.data(), static_cast<std::uint32_t>(layers.size())}, work_items});
}

template <class ExecutionSpace>
void fused_linear(const ExecutionSpace& exec_space, std::uint64_t work_items,
                  const LinearLayerData& layer) {
  const Impl::ArgumentCheck check("fused_linear");
  const std::uint64_t outputs = Impl::extent_of(layer.rows, layer.outputs);
  const std::size_t bytes = size_of(layer.input);
  check.is_array("layer.x", layer.x, Impl::extent_of(outputs, layer.inputs), bytes);
  check.is_array("layer.w", layer.w, Impl::extent_of(outputs, layer.inputs), bytes);
  check.is_aligned("layer.bias", layer.bias, alignof(float));
  check.is_array("layer.y", layer.y, outputs, size_of(layer.output));
  if (layer.rows > 1) check.is_at_least("layer.y_stride", layer.y_stride, layer.outputs);
  Impl::for_each_work_item(
      exec_space, "Kindred::Layers::fused_linears::tiles", work_items,
      Impl::LinearKernel<ExecutionSpace, Impl::OneLayer<LinearLayerData>>{{layer}, work_items});
}

namespace {

void check_end(const Impl::ArgumentCheck& check, const LinearEnd& end) {
  const std::uint64_t elements = Impl::extent_of(end.rows, end.outputs);
  check.is_array("end.products", end.products, elements);
  check.is_aligned("end.bias", end.bias, alignof(float));
  check.is_array("end.y", end.y, elements, size_of(end.output));
  if (end.rows > 1) check.is_at_least("end.y_stride", end.y_stride, end.outputs);
}

}  // namespace

void end_linear_here(const LinearEnd& end) {
  const Impl::ArgumentCheck check("end_linear_here");
  check_end(check, end);
  for (std::uint64_t row = 0; row < end.rows; ++row) {
    const float* products = end.products + row * end.stride;
    for (std::uint64_t i = 0; i < end.outputs; i += 32) {
      const int length = static_cast<int>(std::min<std::uint64_t>(end.outputs - i, 32));
      float values[32] = {};
      std::copy_n(products + i, length, values);
      if (end.bias != nullptr) {
        for (int l = 0; l < length; ++l) values[l] += end.bias[i + l];
      }
      Impl::activate(end.activation, values);
      Impl::store_lanes_as(end.output, end.y, row * end.y_stride + i, values, length);
    }
  }
}

template <class ExecutionSpace>
void end_linear(const ExecutionSpace& exec_space, const LinearEnd& end) {
  const Impl::ArgumentCheck check("end_linear");
  check_end(check, end);
  constexpr const char* label = "Kindred::Layers::end_linear::elements";
  const std::uint64_t across = (end.outputs + Impl::linear_end_width - 1) / Impl::linear_end_width;
  const auto policy = Arch::range(exec_space, end.rows * across);
  const bool is_wide = begin_at(16, end.products, end.y, end.bias) && end.stride % 4 == 0 &&
                       end.y_stride % 8 == 0 && end.outputs % Impl::linear_end_width == 0;
  if (is_wide) {
    Kokkos::parallel_for(label, policy,
                         Impl::LinearEndKernel<true>{end, static_cast<std::uint32_t>(across)});
  } else {
    Kokkos::parallel_for(label, policy,
                         Impl::LinearEndKernel<false>{end, static_cast<std::uint32_t>(across)});
  }
}

#define KINDRED_INSTANTIATE(SPACE)                                                        \
  template std::uint64_t plan_linears<SPACE>(std::span<LinearLayerData>);                 \
  template void fused_linears<SPACE>(const SPACE&, std::uint64_t,                         \
                                     const ArrayView<const LinearLayerData, SPACE>&);     \
  template void fused_linear<SPACE>(const SPACE&, std::uint64_t, const LinearLayerData&); \
  template void end_linear<SPACE>(const SPACE&, const LinearEnd&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
