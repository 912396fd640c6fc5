// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_SPECIAL_STAGED_NORM_ROWS_HPP
#define KINDRED_CORE_LAYERS_SPECIAL_STAGED_NORM_ROWS_HPP

/// \file
/// A special form for CUDA: not yet measured on `norm-4k-bf16`. \see SpecialForms.hpp

#include <kindred/core/arch/AsyncCopy.hpp>
#include <kindred/core/arch/CachedAccess.hpp>
#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/Team.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/layers/impl/LayersOfLaunch.hpp>
#include <kindred/core/layers/impl/NormRow.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Resident warps per multiprocessor.
inline constexpr unsigned norm_warps_at_once = 28;

/// Bytes of a team's scratch per row in addition to its elements.
constexpr std::size_t norm_row_scratch(std::uint64_t columns) {
  return sizeof(NormScale) + quotient_up(columns, reproducible_block) * sizeof(NormSums);
}

/// \brief Device: a team processes several rows of one layer. If the layer is staged, the rows are
/// copied to scratch, so that memory is read once. Each warp sums a block; then each thread owns
/// some columns and iterates over the team's rows, so that γ and β are read once per team.
/// \tparam Layers LayerList or OneLayer
template <int Warps, class Layers>
struct StagedNormRows {
  static constexpr unsigned threads_max = 32 * Warps;
  static constexpr unsigned teams_at_once = norm_warps_at_once / Warps;
  using warp = Arch::Warp<DeviceSpace>;

  Layers layers;

  KOKKOS_INLINE_FUNCTION void operator()(const Arch::Team& team, std::byte* scratch) const {
    const NormLayerData& layer = layers.of(team.team());
    with_float_type(layer.input, [&](auto type) {
      using Element = decltype(type);
      const std::uint64_t first = (team.team() - layer.first_team) * layer.team_rows;
      const auto rows = static_cast<unsigned>(
          layer.rows - first < layer.team_rows ? layer.rows - first : layer.team_rows);
      const auto* x = reinterpret_cast<const Element*>(layer.x) + first * layer.x_stride;
      const auto columns = static_cast<unsigned>(layer.columns);
      auto* scales = reinterpret_cast<NormScale*>(scratch);
      auto* sums = reinterpret_cast<NormSums*>(scales + rows);
      const unsigned blocks = (columns + 4095) / 4096;
      if (layer.is_staged) {
        auto* staged = reinterpret_cast<Element*>(sums + rows * blocks);
        stage(team, staged, x, layer.x_stride, rows, columns);
        sum_rows(team, layer, first, rows, staged, columns, scales, sums);
        write_staged(team, layer, first, rows, staged, scales);
      } else {
        sum_rows(team, layer, first, rows, x, layer.x_stride, scales, sums);
        write_plain(team, layer, first, rows, x, scales);
      }
    });
  }

 private:
  template <class Element>
  KOKKOS_INLINE_FUNCTION static void stage(const Arch::Team& team, Element* staged,
                                           const Element* x, std::uint64_t stride, unsigned rows,
                                           unsigned columns) {
    constexpr unsigned each = 16 / sizeof(Element);
    const unsigned chunks = columns / each;
    auto* to = reinterpret_cast<Arch::Adjacent<std::uint32_t, 4>*>(staged);
    const auto copy = [&](unsigned row, unsigned chunk) {
      Arch::copy_async(to + row * chunks + chunk, x + row * stride + chunk * each);
    };
    if (chunks >= threads_max) {
      for (unsigned row = 0; row < rows; ++row) {
        for (unsigned chunk = team.thread(); chunk < chunks; chunk += threads_max) copy(row, chunk);
      }
    } else {
      for (unsigned i = team.thread(); i < rows * chunks; i += threads_max)
        copy(i / chunks, i % chunks);
    }
    Arch::end_copy_batch();
    Arch::await_copies<0>();
    team.barrier();
  }

  template <class Element>
  KOKKOS_INLINE_FUNCTION static void sum_rows(const Arch::Team& team, const NormLayerData& layer,
                                              std::uint64_t first, unsigned rows, const Element* x,
                                              std::uint64_t stride, NormScale* scales,
                                              NormSums* sums) {
    const Arch::Lanes<DeviceSpace> lanes(0);
    const auto columns = static_cast<unsigned>(layer.columns);
    const unsigned blocks = (columns + 4095) / 4096;
    const unsigned warp = team.thread() / 32;
    for (unsigned work_item = warp; work_item < rows * blocks; work_item += threads_max / 32) {
      const unsigned row = blocks == 1 ? work_item : work_item / blocks;
      const unsigned begin = (work_item - row * blocks) * 4096;
      const Element* values = x + row * stride;
      const NormSums part =
          norm_sums(lanes, values + begin,
                    static_cast<int>(columns - begin < 4096 ? columns - begin : 4096), values[0]);
      if (lanes.is_leader()) sums[work_item] = part;
    }
    team.barrier();
    if (blocks > 1) {
      for (unsigned row = warp; row < rows; row += threads_max / 32) {
        NormSums* parts = sums + row * blocks;
        unsigned half = 1;
        while (half < blocks) half *= 2;
        for (half /= 2; half > 0; half /= 2) {
          for (unsigned i = warp::lane(); i < half; i += 32) {
            if (i + half < blocks) parts[i] = parts[i] + parts[i + half];
          }
          warp::barrier();
        }
      }
      team.barrier();
    }
    for (unsigned row = team.thread(); row < rows; row += threads_max) {
      const NormMoments moments = norm_moments(sums[row * blocks], Arch::to_float(x[row * stride]),
                                               layer.columns, layer.epsilon);
      scales[row] = moments.scale;
      if (layer.mean != nullptr) layer.mean[first + row] = moments.mean;
      if (layer.variance != nullptr) layer.variance[first + row] = moments.variance;
    }
    team.barrier();
  }

  template <class Element>
  KOKKOS_INLINE_FUNCTION static void write_staged(const Arch::Team& team,
                                                  const NormLayerData& layer, std::uint64_t first,
                                                  unsigned rows, const Element* staged,
                                                  const NormScale* scales) {
    constexpr unsigned each = 16 / sizeof(Element);
    // Copies, so that they need not be loaded again after each store to y.
    const LayerActivation activation = layer.activation;
    const DataType output = layer.output;
    const std::uint64_t y_stride = layer.y_stride;
    std::byte* const y = layer.y;
    const auto columns = static_cast<unsigned>(layer.columns);
    const unsigned chunks = columns / each;
    const unsigned across = chunks < threads_max ? chunks : threads_max;
    const unsigned together = threads_max / across;
    const unsigned begin = team.thread() / across;
    if (begin >= together) return;
    for (unsigned chunk = team.thread() - begin * across; chunk < chunks; chunk += across) {
      float gamma[each];
      float beta[each];
      for (unsigned i = 0; i < each; i += 4) {
        load_vec4(layer.gamma, chunk * each + i, 1.0F, gamma + i);
        load_vec4(layer.beta, chunk * each + i, 0.0F, beta + i);
      }
      for (unsigned row = begin; row < rows; row += together) {
        const auto x = *reinterpret_cast<const Arch::Adjacent<Element, each>*>(
            staged + row * columns + chunk * each);
        const NormScale scale = scales[row];
        float values[each];
        KINDRED_UNROLL
        for (unsigned i = 0; i < each; ++i)
          values[i] = normalised(scale, Arch::to_float(x.value[i]), gamma[i], beta[i]);
        activate(activation, values);
        store_neighbours_as(output, y, (first + row) * y_stride + chunk * each, values);
      }
    }
  }
  KOKKOS_INLINE_FUNCTION static void load_vec4(const float* from, unsigned i, float otherwise,
                                               float* to) {
    using Floats = Arch::Adjacent<float, 4>;
    const Floats values = from == nullptr
                              ? Floats{{otherwise, otherwise, otherwise, otherwise}}
                              : Arch::load_read_only(reinterpret_cast<const Floats*>(from + i));
    for (unsigned k = 0; k < 4; ++k) to[k] = values.value[k];
  }

  template <class Element>
  KOKKOS_INLINE_FUNCTION static void write_plain(const Arch::Team& team, const NormLayerData& layer,
                                                 std::uint64_t first, unsigned rows,
                                                 const Element* x, const NormScale* scales) {
    for (std::uint64_t column = team.thread(); column < layer.columns; column += threads_max) {
      const float gamma = layer.gamma == nullptr ? 1.0F : layer.gamma[column];
      const float beta = layer.beta == nullptr ? 0.0F : layer.beta[column];
      for (unsigned row = 0; row < rows; ++row) {
        const float value =
            normalised(scales[row], Arch::to_float(x[row * layer.x_stride + column]), gamma, beta);
        store_as(layer.output, layer.y, (first + row) * layer.y_stride + column,
                 apply_activation(layer.activation, value));
      }
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LAYERS_SPECIAL_STAGED_NORM_ROWS_HPP
