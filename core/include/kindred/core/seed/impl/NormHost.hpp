// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_NORM_HOST_HPP
#define KINDRED_CORE_SEED_IMPL_NORM_HOST_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/seed/impl/NormRow.hpp>

namespace Kindred::Impl {

/// Host: a thread takes a row after the other; the second pass over one reads it from the cache.
struct NormRowsHost {
  const NormLayerData* layers;
  std::uint32_t count;

  void operator()(std::uint64_t team) const {
    const NormLayerData& layer = layer_of(layers, count, team);
    const std::uint64_t begin = (team - layer.first_team) * layer.team_rows;
    const std::uint64_t end = std::min(begin + layer.team_rows, layer.rows);
    with_float_type(layer.input, [&](auto type) {
      for (std::uint64_t row = begin; row < end; ++row)
        change(layer, row, reinterpret_cast<const decltype(type)*>(layer.x) + row * layer.x_stride);
    });
  }

 private:
  template <class Element>
  static void change(const NormLayerData& layer, std::uint64_t row, const Element* x) {
    const Arch::Lanes<HostSpace> lanes(0);
    const auto block_sums = [&](std::uint64_t block) {
      const std::uint64_t begin = block * canonical_block;
      return norm_sums(lanes, x + begin,
                       static_cast<int>(std::min(layer.columns - begin, canonical_block)), x[0]);
    };
    const NormSums sums =
        halving_tree<NormSums>((layer.columns + canonical_block - 1) / canonical_block, block_sums);
    const NormMoments moments =
        norm_moments(sums, Arch::to_float(x[0]), layer.columns, layer.epsilon);
    if (layer.mean != nullptr) layer.mean[row] = moments.mean;
    if (layer.variance != nullptr) layer.variance[row] = moments.variance;
    float gamma[32];
    float beta[32];
    std::fill_n(gamma, 32, 1.0F);
    std::fill_n(beta, 32, 0.0F);
    for (std::uint64_t i = 0; i < layer.columns; i += 32) {
      const int length = static_cast<int>(std::min<std::uint64_t>(layer.columns - i, 32));
      if (layer.gamma != nullptr) std::copy_n(layer.gamma + i, length, gamma);
      if (layer.beta != nullptr) std::copy_n(layer.beta + i, length, beta);
      const auto values = length == 32 ? lanes.load(x + i) : lanes.load(x + i, length);
      float out[32];
      for (int l = 0; l < 32; ++l)
        out[l] = normalised(moments.scale, values.lane[l], gamma[l], beta[l]);
      activate(layer.activation, out);
      store_lanes_as(layer.output, layer.y, row * layer.y_stride + i, out, length);
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_NORM_HOST_HPP
