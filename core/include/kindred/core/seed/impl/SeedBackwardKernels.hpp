// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_BACKWARD_KERNELS_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_BACKWARD_KERNELS_HPP

#include <kindred/core/arch/simd/FloatPack16.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/seed/impl/SeedCoefficients.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

inline constexpr unsigned gradient_lanes = 32;  // of a reproducible sum

/// \brief Computes the gradients of the weights from the sums of x·g over rows.
struct SeedWeightGradients {
  SeedLayerPointers layer;
  const double* partial;  ///< [block of rows][feature]
  std::uint64_t blocks;
  float* dw;     ///< one per feature, or null
  double* sums;  ///< one per feature, or null: before they are scaled

  KOKKOS_INLINE_FUNCTION static float of_sum(const SeedWeightGradient& gradient, double sum) {
    if (!gradient.exists) return 0.0F;
    return Arch::round_canonical<float>(static_cast<float>(gradient.factor * sum));
  }
  KOKKOS_INLINE_FUNCTION void set(std::uint32_t feature, double sum) const {
    if (sums != nullptr) sums[feature] = sum;
    if (dw == nullptr) return;
    const std::uint32_t seed = layer.chunks.seed_of(feature);
    dw[feature] = of_sum(SeedLayerPointers::weight_gradient(layer.behaviour(seed)), sum);
  }
  KOKKOS_FUNCTION void operator()(std::uint64_t feature) const {
    const std::uint64_t hidden = layer.chunks.hidden;
    const double sum = pairwise_tree_sum(
        blocks, [&](std::uint64_t block) { return partial[block * hidden + feature]; });
    set(static_cast<std::uint32_t>(feature), sum);
  }
};

/// \brief A call on the host. A work item is 256 features of one reproducible block of rows; each
/// thread processes several.
template <class Element>
struct SeedBackwardPieces {
  using S = Arch::HostFloatPack16;
  using Floats = S::Floats;
  using Doubles = S::Doubles;
  static constexpr std::uint32_t width = 256;

  SeedLayerPointers layer;
  std::uint64_t rows;
  const Element* x;
  std::uint64_t x_stride;
  const Element* g;
  std::uint64_t g_stride;
  Element* dx;
  std::uint64_t dx_stride;
  double* partial;
  std::uint64_t blocks;
  std::uint32_t pieces;
  std::byte* scratch;  ///< one `Scratch` per piece

  struct Scratch {
    double sums[gradient_lanes][width];
    float t[width], v[width];
    std::uint16_t linear[width / 16], copies[width / 16], takes_x[width / 16];
  };

  static std::uint64_t work_items(std::uint32_t hidden, std::uint64_t blocks) {
    return quotient_up(hidden, width) * blocks;
  }

  void operator()(std::uint64_t piece) const {
    const std::uint64_t all = work_items(layer.chunks.hidden, blocks);
    Scratch& own = reinterpret_cast<Scratch*>(scratch)[piece];
    for (std::uint64_t work_item = all * piece / pieces; work_item < all * (piece + 1) / pieces;
         ++work_item)
      take(own, static_cast<std::uint32_t>(work_item / blocks) * width, work_item % blocks);
  }

 private:
  void take(Scratch& own, std::uint32_t begin, std::uint64_t block) const {
    const std::uint32_t features =
        layer.chunks.hidden - begin < width ? layer.chunks.hidden - begin : width;
    set(own, begin, features);
    const auto one = S::all(1.0F);
    const std::uint64_t first = block * reproducible_block;
    const std::uint64_t last = first + block_length(first, rows);
    for (std::uint64_t row = first; row < last; ++row) {
      const Element* of_x = x + row * x_stride + begin;
      const Element* of_g = g + row * g_stride + begin;
      Element* to = dx + row * dx_stride + begin;
      double* sums = own.sums[(row - first) % gradient_lanes];
      for (std::uint32_t f = 0; f < features; f += 16) {
        const unsigned left = features - f < 16 ? features - f : 16;
        const auto raw = S::load(of_g + f, left);
        const auto value = S::widen<Element>(raw);
        const auto kept = Floats::load(own.v + f) * S::choose(own.linear[f / 16], value, one);
        const auto changed = S::round<Element>(Floats::load(own.t + f) * value + kept);
        const auto factor =
            S::choose(own.takes_x[f / 16], S::widen<Element>(S::load(of_x + f, left)), one);
        Doubles::fused(factor.template to<double>(), value.template to<double>(),
                       Doubles::load(sums + f))
            .store(sums + f);
        S::store(to + f, S::choose(own.copies[f / 16], raw, changed), left);
      }
    }
    for (unsigned half = gradient_lanes / 2; half > 0; half /= 2) {
      for (unsigned lane = 0; lane < half; ++lane) {
        for (std::uint32_t f = 0; f < features; ++f) own.sums[lane][f] += own.sums[lane + half][f];
      }
    }
    double* to = partial + block * layer.chunks.hidden + begin;
    for (std::uint32_t f = 0; f < features; ++f) to[f] = own.sums[0][f];
  }

  void set(Scratch& own, std::uint32_t begin, std::uint32_t features) const {
    own = Scratch{};
    for (std::uint32_t f = 0; f < features; ++f) {
      const SeedBehaviour by = layer.behaviour(layer.chunks.seed_of(begin + f));
      const SeedCoefficients one = layer.backward(by, begin + f);
      own.t[f] = one.t;
      own.v[f] = one.v;
      const auto mark = [&](std::uint16_t* masks, bool is) {
        if (is) masks[f / 16] = static_cast<std::uint16_t>(masks[f / 16] | 1U << (f % 16));
      };
      mark(own.linear, one.linear != 0);
      mark(own.copies, one.copies != 0);
      mark(own.takes_x, SeedLayerPointers::weight_gradient(by).takes_x);
    }
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_BACKWARD_KERNELS_HPP
