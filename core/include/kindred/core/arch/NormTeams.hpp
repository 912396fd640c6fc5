// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_NORM_TEAMS_HPP
#define KINDRED_CORE_ARCH_NORM_TEAMS_HPP

#include <kindred/core/arch/AsyncCopy.hpp>
#include <kindred/core/arch/Lanes.hpp>
#include <kindred/core/arch/LargeScratch.hpp>
#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/common/ContainingEntry.hpp>
#include <kindred/core/seed/impl/NormHost.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Arch {

/// How the rows of normalisations are distributed on a space.
template <class ExecutionSpace>
struct NormTeams {
  static constexpr std::uint64_t block = 4096;   // elements per block of a reproducible sum
  static constexpr unsigned warps_at_once = 28;  // resident warps per multiprocessor

  static constexpr std::size_t round_up(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  /// Bytes of scratch per row in addition to its elements.
  static constexpr std::size_t row_scratch(std::uint64_t columns) {
    return sizeof(Kindred::Impl::NormScale) +
           (columns + block - 1) / block * sizeof(Kindred::Impl::NormSums);
  }
};

#if KINDRED_HAS_DEVICE && defined(__CUDACC__)
/// \brief Device: a team processes several rows of one layer. If the layer is staged, the rows are
/// copied to scratch, so that memory is read once. Each warp sums a block; then each thread owns
/// some columns and iterates over the team's rows, so that γ and β are read once per team.
template <int Warps>
struct NormTeam {
  static constexpr unsigned threads = 32 * Warps;
  static constexpr unsigned teams_at_once = NormTeams<DeviceSpace>::warps_at_once / Warps;
  std::size_t scratch_bytes;
  const NormLayerData* layers;
  std::uint32_t count;

  using Sums = Kindred::Impl::NormSums;
  using Scale = Kindred::Impl::NormScale;

  __device__ void operator()(std::size_t team, float* scratch) const {
    const NormLayerData& layer =
        layers[Impl::containing_entry<&NormLayerData::first_team>(layers, count, team)];
    Kindred::Impl::with_float_type(layer.input, [&](auto type) {
      using Element = decltype(type);
      const std::uint64_t first = (team - layer.first_team) * layer.team_rows;
      const auto rows = static_cast<unsigned>(
          layer.rows - first < layer.team_rows ? layer.rows - first : layer.team_rows);
      const auto* x = reinterpret_cast<const Element*>(layer.x) + first * layer.x_stride;
      const auto columns = static_cast<unsigned>(layer.columns);
      auto* scales = reinterpret_cast<Scale*>(scratch);
      auto* sums = reinterpret_cast<Sums*>(scales + rows);
      const unsigned blocks = (columns + 4095) / 4096;
      if (layer.is_staged) {
        auto* staged = reinterpret_cast<Element*>(sums + rows * blocks);
        stage(staged, x, layer.x_stride, rows, columns);
        sum_rows(layer, first, rows, staged, columns, scales, sums);
        write_staged(layer, first, rows, staged, scales);
      } else {
        sum_rows(layer, first, rows, x, layer.x_stride, scales, sums);
        write_plain(layer, first, rows, x, scales);
      }
    });
  }

 private:
  template <class Element>
  __device__ static void stage(Element* staged, const Element* x, std::uint64_t stride,
                               unsigned rows, unsigned columns) {
    constexpr unsigned each = 16 / sizeof(Element);
    const unsigned chunks = columns / each;
    auto* to = reinterpret_cast<uint4*>(staged);
    const auto copy = [&](unsigned row, unsigned chunk) {
      copy_async(to + row * chunks + chunk, x + row * stride + chunk * each);
    };
    if (chunks >= threads) {
      for (unsigned row = 0; row < rows; ++row) {
        for (unsigned chunk = threadIdx.x; chunk < chunks; chunk += threads) copy(row, chunk);
      }
    } else {
      for (unsigned i = threadIdx.x; i < rows * chunks; i += threads) copy(i / chunks, i % chunks);
    }
    end_copy_batch();
    await_copies<0>();
    __syncthreads();
  }

  template <class Element>
  __device__ static void sum_rows(const NormLayerData& layer, std::uint64_t first, unsigned rows,
                                  const Element* x, std::uint64_t stride, Scale* scales,
                                  Sums* sums) {
    const Lanes<DeviceSpace> lanes(0);
    const auto columns = static_cast<unsigned>(layer.columns);
    const unsigned blocks = (columns + 4095) / 4096;
    const unsigned warp = threadIdx.x / 32;
    for (unsigned work_item = warp; work_item < rows * blocks; work_item += threads / 32) {
      const unsigned row = blocks == 1 ? work_item : work_item / blocks;
      const unsigned begin = (work_item - row * blocks) * 4096;
      const Element* values = x + row * stride;
      const Sums part = Kindred::Impl::norm_sums(
          lanes, values + begin, static_cast<int>(columns - begin < 4096 ? columns - begin : 4096),
          values[0]);
      if (lanes.is_leader()) sums[work_item] = part;
    }
    __syncthreads();
    if (blocks > 1) {
      for (unsigned row = warp; row < rows; row += threads / 32) {
        Sums* parts = sums + row * blocks;
        unsigned half = 1;
        while (half < blocks) half *= 2;
        for (half /= 2; half > 0; half /= 2) {
          for (unsigned i = threadIdx.x % 32; i < half; i += 32) {
            if (i + half < blocks) parts[i] = parts[i] + parts[i + half];
          }
          __syncwarp();
        }
      }
      __syncthreads();
    }
    for (unsigned row = threadIdx.x; row < rows; row += threads) {
      const Kindred::Impl::NormMoments moments = Kindred::Impl::norm_moments(
          sums[row * blocks], to_float(x[row * stride]), layer.columns, layer.epsilon);
      scales[row] = moments.scale;
      if (layer.mean != nullptr) layer.mean[first + row] = moments.mean;
      if (layer.variance != nullptr) layer.variance[first + row] = moments.variance;
    }
    __syncthreads();
  }

  template <class Element>
  __device__ static void write_staged(const NormLayerData& layer, std::uint64_t first,
                                      unsigned rows, const Element* staged, const Scale* scales) {
    constexpr unsigned each = 16 / sizeof(Element);
    const auto columns = static_cast<unsigned>(layer.columns);
    const unsigned chunks = columns / each;
    const unsigned across = chunks < threads ? chunks : threads;
    const unsigned together = threads / across;
    const unsigned begin = threadIdx.x / across;
    if (begin >= together) return;
    for (unsigned chunk = threadIdx.x - begin * across; chunk < chunks; chunk += across) {
      float gamma[each];
      float beta[each];
      for (unsigned i = 0; i < each; i += 4) {
        load_vec4(layer.gamma, chunk * each + i, 1.0F, gamma + i);
        load_vec4(layer.beta, chunk * each + i, 0.0F, beta + i);
      }
      for (unsigned row = begin; row < rows; row += together) {
        const auto x = *reinterpret_cast<const Neighbours<Element, each>*>(staged + row * columns +
                                                                           chunk * each);
        const Scale scale = scales[row];
        float values[each];
#pragma unroll
        for (unsigned i = 0; i < each; ++i)
          values[i] = Kindred::Impl::normalised(scale, to_float(x.value[i]), gamma[i], beta[i]);
        Kindred::Impl::activate(layer.activation, values);
        Kindred::Impl::store_neighbours_as(layer.output, layer.y,
                                           (first + row) * layer.y_stride + chunk * each, values);
      }
    }
  }
  __device__ static void load_vec4(const float* from, unsigned i, float otherwise, float* to) {
    const float4 vec4 = from == nullptr ? make_float4(otherwise, otherwise, otherwise, otherwise)
                                        : __ldg(reinterpret_cast<const float4*>(from + i));
    to[0] = vec4.x;
    to[1] = vec4.y;
    to[2] = vec4.z;
    to[3] = vec4.w;
  }

  template <class Element>
  __device__ static void write_plain(const NormLayerData& layer, std::uint64_t first, unsigned rows,
                                     const Element* x, const Scale* scales) {
    for (std::uint64_t column = threadIdx.x; column < layer.columns; column += threads) {
      const float gamma = layer.gamma == nullptr ? 1.0F : layer.gamma[column];
      const float beta = layer.beta == nullptr ? 0.0F : layer.beta[column];
      for (unsigned row = 0; row < rows; ++row) {
        const float value = Kindred::Impl::normalised(
            scales[row], to_float(x[row * layer.x_stride + column]), gamma, beta);
        Kindred::Impl::store_as(layer.output, layer.y, (first + row) * layer.y_stride + column,
                                Kindred::Impl::apply_activation(layer.activation, value));
      }
    }
  }
};

#endif

/// Launches the teams of a plan. Does not fence.
template <class ExecutionSpace>
void launch_norms(const ExecutionSpace& exec_space, const char* label, const NormPlan& plan,
                  const NormLayerData* layers, std::uint32_t count) {
  if constexpr (is_device<ExecutionSpace>) {
#if KINDRED_HAS_DEVICE && defined(__CUDACC__)
    const auto launch = [&](auto warps) {
      const NormTeam<decltype(warps)::value> team{plan.scratch_bytes, layers, count};
      launch_with_scratch(label, exec_space, plan.teams, team);
    };
    if (plan.team_warps == 1) return launch(std::integral_constant<int, 1>());
    launch(std::integral_constant<int, 8>());
#endif
  } else {
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint64_t>>(
                             exec_space, 0, plan.teams),
                         Kindred::Impl::NormRowsHost<HostCacheLines>{layers, count});
  }
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_NORM_TEAMS_HPP
