// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/layers/FusedLinear.hpp>

#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/layers/impl/Activation.hpp>
#include <kindred/core/layers/impl/LayersOfLaunch.hpp>
#include <kindred/core/layers/impl/NormRow.hpp>
#include <kindred/core/layers/impl/StoreElement.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// Results that a work item computes together.
template <class ExecutionSpace>
struct LinearTile {
  // GCC 12 keeps the sums of more rows in memory, since it widens several of them at once.
  static constexpr int rows = std::min(4, VectorTileShape<ExecutionSpace>::tile_queries);
  static constexpr int outputs = VectorTileShape<ExecutionSpace>::tile_rows;

  static KOKKOS_INLINE_FUNCTION std::uint64_t across(const LinearLayerData& layer) {
    return quotient_up(layer.outputs, outputs);
  }
};

/// A work item: a tile of the results of one layer. \tparam Layers LayerList or OneLayer
template <class ExecutionSpace, class Layers>
struct LinearKernel {
  Layers layers;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const LinearLayerData& layer = layers.of(work_item);
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const auto* self = this;
    with_float_type(layer.input, [&](auto type) {
      const std::uint64_t across = shape::across(layer);
      const std::uint64_t work_items_across = quotient_up(across, layer.work_item_tiles);
      const std::uint64_t place = work_item - layer.first_team;
      const std::uint64_t row = place / work_items_across * shape::rows;
      const std::uint64_t first = place % work_items_across * layer.work_item_tiles;
      for (std::uint64_t tile = first; tile < first + layer.work_item_tiles && tile < across;
           ++tile)
        self->template compute<decltype(type)>(lanes, layer, row, tile * shape::outputs);
    });
  }

 private:
  using shape = LinearTile<ExecutionSpace>;

  /// Beyond the last row or output, that one is computed again and not written.
  template <class Element>
  KOKKOS_INLINE_FUNCTION void compute(const Arch::Lanes<ExecutionSpace>& lanes,
                                      const LinearLayerData& layer, std::uint64_t row,
                                      std::uint64_t output) const {
    const auto* x = reinterpret_cast<const Element*>(layer.x);
    const auto* w = reinterpret_cast<const Element*>(layer.w);
    ElementRow<Element> left[shape::rows];
    ElementRow<Element> right[shape::outputs];
    for (int r = 0; r < shape::rows; ++r)
      left[r] = {x + (row + r < layer.rows ? row + r : layer.rows - 1) * layer.x_stride, 1.0F};
    for (int o = 0; o < shape::outputs; ++o) {
      right[o] = {
          w + (output + o < layer.outputs ? output + o : layer.outputs - 1) * layer.w_stride, 1.0F};
    }
    double sums[shape::rows][shape::outputs];
    tile_sums<DotTerm>(lanes, left, right, layer.inputs, sums);
    lanes.share(sums, [&](int r, int o, double sum) { end(layer, row + r, output + o, sum); });
  }
  KOKKOS_INLINE_FUNCTION static void end(const LinearLayerData& layer, std::uint64_t row,
                                         std::uint64_t output, double sum) {
    if (row >= layer.rows || output >= layer.outputs) return;
    const double bias = layer.bias == nullptr ? 0.0 : static_cast<double>(layer.bias[output]);
    store_as(layer.output, layer.y, row * layer.y_stride + output,
             apply_activation(layer.activation, static_cast<float>(sum + bias)));
  }
};

/// Results that a device thread processes together.
inline constexpr int linear_end_width = 8;

/// An index: adjacent elements of a row. \tparam Aligned all of them are aligned to 16 bytes
template <bool Aligned>
struct LinearEndKernel {
  LinearEnd end;
  std::uint32_t across;  // indices per row

  /// If \p index fits, uses a 32-bit division; a 64-bit one takes as long as all the rest.
  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t row =
        index >> 32U == 0 ? static_cast<std::uint32_t>(index) / across : index / across;
    const std::uint64_t output = (index - row * across) * linear_end_width;
    const float* products = end.products + row * end.stride + output;
    const float* bias = end.bias == nullptr ? nullptr : end.bias + output;
    const std::uint64_t place = row * end.y_stride + output;
    if constexpr (Aligned) {
      using Vec8 = Arch::Adjacent<float, linear_end_width>;
      const Vec8 eight = *reinterpret_cast<const Vec8*>(products);
      Vec8 added{};
      if (bias != nullptr) added = *reinterpret_cast<const Vec8*>(bias);
      float values[linear_end_width];
      KINDRED_UNROLL
      for (int i = 0; i < linear_end_width; ++i)
        values[i] = bias == nullptr ? eight.value[i] : eight.value[i] + added.value[i];
      activate(end.activation, values);
      store_neighbours_as(end.output, end.y, place, values);
    } else {
      for (int i = 0; i < linear_end_width && output + i < end.outputs; ++i) {
        const float value = bias == nullptr ? products[i] : products[i] + bias[i];
        store_as(end.output, end.y, place + i, apply_activation(end.activation, value));
      }
    }
  }
};

}  // namespace Kindred::Impl

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t plan_linears(std::span<LinearLayerData> layers) {
  using shape = Impl::LinearTile<ExecutionSpace>;
  const auto strips = [](const LinearLayerData& layer) {
    return quotient_up(layer.rows, shape::rows);
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
    work_items += strips(layer) * quotient_up(shape::across(layer), each);
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
  Launch::for_each_warp(exec_space, "Kindred::Layers::fused_linears::tiles", work_items,
                        Impl::LinearKernel<ExecutionSpace, Impl::LayerList<LinearLayerData>>{
                            {layers.data(), static_cast<std::uint32_t>(layers.size())}});
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
  check.is_float("layer.output", layer.output);
  check.is_array("layer.y", layer.y, outputs, size_of(layer.output));
  if (layer.rows > 1) check.is_at_least("layer.y_stride", layer.y_stride, layer.outputs);
  Launch::for_each_warp(
      exec_space, "Kindred::Layers::fused_linears::tiles", work_items,
      Impl::LinearKernel<ExecutionSpace, Impl::OneLayer<LinearLayerData>>{{layer}});
}

namespace {

void check_end(const Impl::ArgumentCheck& check, const LinearEnd& end) {
  const std::uint64_t elements = Impl::extent_of(end.rows, end.outputs);
  check.is_array("end.products", end.products, elements);
  check.is_aligned("end.bias", end.bias, alignof(float));
  check.is_float("end.output", end.output);
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
  const std::uint64_t across = quotient_up(end.outputs, Impl::linear_end_width);
  const bool is_aligned = begin_at(16, end.products, end.y, end.bias) && end.stride % 4 == 0 &&
                          end.y_stride % 8 == 0 && end.outputs % Impl::linear_end_width == 0;
  const auto launch = [&](auto aligned) {
    Launch::for_each_index(
        exec_space, "Kindred::Layers::end_linear::elements", end.rows * across,
        Impl::LinearEndKernel<aligned()>{end, static_cast<std::uint32_t>(across)});
  };
  if (is_aligned) return launch(std::true_type{});
  launch(std::false_type{});
}

KINDRED_INSTANTIATE_FOR_SPACES(plan_linears);
KINDRED_INSTANTIATE_FOR_SPACES(fused_linears);
KINDRED_INSTANTIATE_FOR_SPACES(fused_linear);
KINDRED_INSTANTIATE_FOR_SPACES(end_linear);

}  // namespace Kindred
