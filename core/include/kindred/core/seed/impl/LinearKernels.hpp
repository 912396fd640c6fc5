// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_LINEAR_KERNELS_HPP
#define KINDRED_CORE_SEED_IMPL_LINEAR_KERNELS_HPP

#include <kindred/core/seed/FusedLinear.hpp>
#include <kindred/core/seed/impl/Activated.hpp>
#include <kindred/core/seed/impl/NormRow.hpp>
#include <kindred/core/vector/impl/VectorScores_Impl.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// Results that a unit computes together.
template <class ExecutionSpace>
struct LinearTile {
  static constexpr int rows = Arch::VectorShape<ExecutionSpace>::tile_queries;
  static constexpr int outputs = Arch::VectorShape<ExecutionSpace>::tile_rows;

  static KOKKOS_INLINE_FUNCTION std::uint64_t across(const LinearLayerData& layer) {
    return (layer.outputs + outputs - 1) / outputs;
  }
};

/// A unit: a tile of the results of one layer.
template <class ExecutionSpace>
struct LinearKernel {
  const LinearLayerData* layers;
  std::uint32_t count;
  std::uint64_t units;

  KOKKOS_INLINE_FUNCTION void operator()(const UnitMember<ExecutionSpace>& member) const {
    const std::uint64_t unit = unit_of(member);
    if (unit >= units) return;
    const LinearLayerData& layer = layer_of(layers, count, unit);
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const auto* self = this;
    with_float_type(layer.input, [&](auto type) {
      self->template tile<decltype(type)>(lanes, layer, unit - layer.first_team);
    });
  }

 private:
  /// Behind the last row or output it is computed again and not written.
  template <class Element>
  KOKKOS_INLINE_FUNCTION void tile(const Arch::Lanes<ExecutionSpace>& lanes,
                                   const LinearLayerData& layer, std::uint64_t index) const {
    using shape = LinearTile<ExecutionSpace>;
    const std::uint64_t across = shape::across(layer);
    const std::uint64_t row = index / across * shape::rows;
    const std::uint64_t output = index % across * shape::outputs;
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
    if (!lanes.is_leader()) return;
    for (int r = 0; r < shape::rows; ++r) {
      for (int o = 0; o < shape::outputs; ++o) {
        if (row + r >= layer.rows || output + o >= layer.outputs) break;
        const double bias =
            layer.bias == nullptr ? 0.0 : static_cast<double>(layer.bias[output + o]);
        const auto value = static_cast<float>(sums[r][o] + bias);
        store_as(layer.output, layer.y, (row + r) * layer.y_stride + output + o,
                 activated(layer.activation, value));
      }
    }
  }
};

/// Results at once of a thread of a device.
inline constexpr int linear_end_width = 8;

/// An index: neighbours of a row. \tparam Wide all are aligned to 16 bytes
template <bool Wide>
struct LinearEndKernel {
  LinearEnd end;
  std::uint64_t across;  // indices of a row

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t row = index / across;
    const std::uint64_t output = (index - row * across) * linear_end_width;
    const float* products = end.products + row * end.stride + output;
    const float* bias = end.bias == nullptr ? nullptr : end.bias + output;
    const std::uint64_t place = row * end.y_stride + output;
    if constexpr (Wide) {
      using Eight = Arch::Neighbours<float, linear_end_width>;
      const Eight eight = *reinterpret_cast<const Eight*>(products);
      float values[linear_end_width];
      KINDRED_UNROLL
      for (int i = 0; i < linear_end_width; ++i)
        values[i] = bias == nullptr ? eight.value[i] : eight.value[i] + bias[i];
      activate(end.activation, values);
      store_neighbours_as(end.output, end.y, place, values);
    } else {
      for (int i = 0; i < linear_end_width && output + i < end.outputs; ++i) {
        const float value = bias == nullptr ? products[i] : products[i] + bias[i];
        store_as(end.output, end.y, place + i, activated(end.activation, value));
      }
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_LINEAR_KERNELS_HPP
