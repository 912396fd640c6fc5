// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_COEFFICIENTS_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_COEFFICIENTS_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/seed/ApplyMode.hpp>
#include <kindred/core/seed/Lifecycle.hpp>
#include <kindred/core/seed/SeedLayerView.hpp>
#include <kindred/core/seed/impl/SeedStripes.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief The result for an element x of a feature: t·x + v·(x if linear, else 1), or x unchanged.
/// Masks of no or all bits, so that there are no branches.
struct alignas(16) SeedCoefficients {
  static constexpr std::uint32_t all_bits = 0xFFFFFFFFU;

  float t = 1;
  float v = -0.0F;  ///< adding −0 changes nothing
  std::uint32_t linear = 0;
  std::uint32_t copies = all_bits;
};

/// \brief The gradient of a feature's weight: factor · Σ (x·g, or g).
struct SeedWeightGradient {
  double factor = 0;
  bool takes_x = false;
  bool exists = false;
};

/// \brief How a seed treats all its features.
struct SeedBehaviour {
  std::int32_t slot = -1;  ///< the row of weights; negative: it copies its features
  float alpha = 0;
  ApplyMode mode = ApplyMode::linear;
  bool is_fossilized = false;
};

/// \brief The members of a layer that kernels read.
struct SeedLayerPointers {
  ChunkMap chunks;
  std::uint32_t seeds;  ///< with a state; those behind them copy
  SeedCodes lifecycle;
  SeedCodes mode;
  const std::int32_t* blueprint;
  const float* alpha;
  const float* weights;
  const std::int32_t* slots;  ///< null: a blueprint's row is its id
  std::uint32_t blueprints;
  std::uint64_t stride;
  SeedModeTable modes;
  bool fossilized_applies;

  template <class ExecutionSpace>
  static SeedLayerPointers of(const SeedLayerView<ExecutionSpace>& layer) {
    return {ChunkMap::of(layer.chunks.covering()),
            layer.chunks.seeds,
            layer.state.lifecycle,
            layer.state.mode,
            layer.state.blueprint.data(),
            layer.state.alpha.data(),
            layer.weights.values.data(),
            layer.weights.slots.size() == 0 ? nullptr : layer.weights.slots.data(),
            layer.weights.blueprints,
            layer.weights.stride,
            layer.state.modes,
            layer.state.fossilized_applies};
  }

  KOKKOS_INLINE_FUNCTION SeedBehaviour behaviour(std::uint32_t seed) const {
    SeedBehaviour out;
    if (seed >= seeds || blueprints == 0) return out;
    // Loads the whole state of the seed at once, needed or not: one wait instead of many.
    const std::int32_t state = lifecycle[seed];
    const std::int32_t id = blueprint[seed];
    const std::int32_t code = mode[seed];
    const float of_state = alpha[seed];
    out.is_fossilized = state == static_cast<std::int32_t>(Lifecycle::fossilized);
    const bool applies = state >= static_cast<std::int32_t>(Lifecycle::grafting) &&
                         (state < static_cast<std::int32_t>(Lifecycle::fossilized) ||
                          (out.is_fossilized && fossilized_applies));
    const bool is_usual = code >= 0 && code < 4;
    const std::uint32_t digit = modes >> 4U * (is_usual ? static_cast<unsigned>(code) : 4U) & 15U;
    if (!applies || digit > static_cast<std::uint32_t>(ApplyMode::mixed) || id < 0 ||
        static_cast<std::uint32_t>(id) >= blueprints)
      return out;
    out.slot = slots == nullptr ? id : slots[id];
    out.alpha = out.is_fossilized ? 1.0F : of_state;
    out.mode = static_cast<ApplyMode>(digit);
    return out;
  }

  /// The weights of a seed that does not copy, one per feature of the hidden dimension.
  KOKKOS_INLINE_FUNCTION const float* weights_of(const SeedBehaviour& by) const {
    return weights + static_cast<std::uint64_t>(by.slot) * stride;
  }
  KOKKOS_INLINE_FUNCTION SeedCoefficients forward(const SeedBehaviour& by,
                                                  std::uint32_t feature) const {
    SeedCoefficients out;
    if (by.slot < 0) return out;
    const float w = weights_of(by)[feature];
    out.copies = 0;
    switch (by.mode) {
      case ApplyMode::linear:
        out.linear = SeedCoefficients::all_bits;
        out.t = by.alpha * w;
        out.v = 1.0F - by.alpha;
        break;
      case ApplyMode::multiplicative:
        out.t = w;
        break;
      case ApplyMode::additive:
        out.v = w;
        break;
      case ApplyMode::mixed:
        out.t = 0.5F;
        out.v = 0.5F * w;
        break;
    }
    return out;
  }
  /// For the gradient of y.
  KOKKOS_INLINE_FUNCTION SeedCoefficients backward(const SeedBehaviour& by,
                                                   std::uint32_t feature) const {
    SeedCoefficients out = forward(by, feature);
    if (out.linear == 0) out.v = -0.0F;
    if (by.mode == ApplyMode::additive) out.copies = SeedCoefficients::all_bits;
    return out;
  }

  KOKKOS_INLINE_FUNCTION static SeedWeightGradient weight_gradient(const SeedBehaviour& by) {
    if (by.slot < 0) return {};
    switch (by.mode) {
      case ApplyMode::linear:
        return {static_cast<double>(by.alpha), true, true};
      case ApplyMode::multiplicative:
        return {1.0, true, true};
      case ApplyMode::additive:
        return {1.0, false, true};
      case ApplyMode::mixed:
        break;
    }
    return {0.5, false, true};
  }
};

/// \brief The coefficients of four adjacent features.
struct Vec4Coefficients {
  float t[4];
  float v[4];
  std::uint32_t linear[4];

  KOKKOS_INLINE_FUNCTION void set(int i, const SeedCoefficients& one) {
    t[i] = one.t;
    v[i] = one.v;
    linear[i] = one.linear;
  }
  KOKKOS_INLINE_FUNCTION float applied(int i, float x) const {
    constexpr std::uint32_t one = 0x3F800000U;
    const std::uint32_t factor =
        (Kokkos::bit_cast<std::uint32_t>(x) & linear[i]) | (one & ~linear[i]);
    return Arch::rounded_product(t[i], x) +
           Arch::rounded_product(v[i], Kokkos::bit_cast<float>(factor));
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_COEFFICIENTS_HPP
