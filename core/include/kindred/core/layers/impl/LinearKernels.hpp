// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_IMPL_LINEAR_KERNELS_HPP
#define KINDRED_CORE_LAYERS_IMPL_LINEAR_KERNELS_HPP

#include <kindred/core/layers/FusedLinear.hpp>
#include <kindred/core/layers/impl/ApplyActivation.hpp>
#include <kindred/core/layers/impl/LayersOfLaunch.hpp>
#include <kindred/core/layers/impl/NormRow.hpp>
#include <kindred/core/layers/impl/StoreElement.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// Results that a work item computes together.
template <class ExecutionSpace>
struct LinearTile {
  static constexpr int rows = VectorTileShape<ExecutionSpace>::tile_queries;
  static constexpr int outputs = VectorTileShape<ExecutionSpace>::tile_rows;

  static KOKKOS_INLINE_FUNCTION std::uint64_t across(const LinearLayerData& layer) {
    return (layer.outputs + outputs - 1) / outputs;
  }
};

/// A work item: a tile of the results of one layer. \tparam Layers LayerList or OneLayer
template <class ExecutionSpace, class Layers>
struct LinearKernel {
  Layers layers;
  std::uint64_t work_items;

  KOKKOS_INLINE_FUNCTION void operator()(const WorkItemMember<ExecutionSpace>& member) const {
    const std::uint64_t work_item = work_item_of(member);
    if (work_item >= work_items) return;
    const LinearLayerData& layer = layers.of(work_item);
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const auto* self = this;
    with_float_type(layer.input, [&](auto type) {
      const std::uint64_t across = shape::across(layer);
      const std::uint64_t work_items_across =
          (across + layer.work_item_tiles - 1) / layer.work_item_tiles;
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
    if constexpr (Arch::is_device<ExecutionSpace>) {
      // Every lane has every sum and finishes one of them.
      static_assert(shape::rows * shape::outputs <= 32);
      const int lane = lanes.lane();
      double mine = 0.0;
      KINDRED_UNROLL
      for (int i = 0; i < shape::rows * shape::outputs; ++i)
        mine = i == lane ? sums[i / shape::outputs][i % shape::outputs] : mine;
      if (lane < shape::rows * shape::outputs)
        end(layer, row + lane / shape::outputs, output + lane % shape::outputs, mine);
    } else {
      for (int r = 0; r < shape::rows; ++r) {
        for (int o = 0; o < shape::outputs; ++o) end(layer, row + r, output + o, sums[r][o]);
      }
    }
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

/// An index: adjacent elements of a row. \tparam Wide all of them are aligned to 16 bytes
template <bool Wide>
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
    if constexpr (Wide) {
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

#endif  // KINDRED_CORE_LAYERS_IMPL_LINEAR_KERNELS_HPP
