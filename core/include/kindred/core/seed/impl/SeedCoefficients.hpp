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

/// \brief The result for an element x of a feature: t·x + (u·x if linear, else c), or x unchanged.
struct SeedCoefficients {
  float t = 1;
  float u = 0;
  float c = -0.0F;  ///< adding −0 changes nothing
  bool is_linear = false;
  bool copies = true;
};

/// \brief The gradient of a feature's weight: factor · Σ (x·g, or g).
struct SeedWeightGradient {
  double factor = 0;
  bool takes_x = false;
  bool exists = false;
};

/// \brief How a seed treats all its features.
struct SeedBehaviour {
  const float* weights = nullptr;  ///< one per feature of the hidden dimension; null: it copies
  float alpha = 0;
  ApplyMode mode = ApplyMode::linear;

  KOKKOS_INLINE_FUNCTION SeedCoefficients at(std::uint32_t feature) const {
    SeedCoefficients out;
    if (weights == nullptr) return out;
    const float w = weights[feature];
    out.copies = false;
    switch (mode) {
      case ApplyMode::linear:
        out.is_linear = true;
        out.t = alpha * w;
        out.u = 1.0F - alpha;
        break;
      case ApplyMode::multiplicative:
        out.t = w;
        break;
      case ApplyMode::additive:
        out.c = w;
        break;
      case ApplyMode::mixed:
        out.t = 0.5F;
        out.c = 0.5F * w;
        break;
    }
    return out;
  }
};

/// \brief The members of a layer that kernels read.
struct SeedLayerPointers {
  ChunkMap chunks;
  const std::int8_t* lifecycle;
  const std::int32_t* blueprint;
  const std::int8_t* mode;
  const float* alpha;
  const float* weights;
  const std::int32_t* slots;  ///< null: a blueprint's row is its id
  std::uint32_t blueprints;
  std::uint64_t stride;

  template <class ExecutionSpace>
  static SeedLayerPointers of(const SeedLayerView<ExecutionSpace>& layer) {
    return {ChunkMap::of(layer.chunks),
            layer.state.lifecycle.data(),
            layer.state.blueprint.data(),
            layer.state.mode.data(),
            layer.state.alpha.data(),
            layer.weights.values.data(),
            layer.weights.slots.size() == 0 ? nullptr : layer.weights.slots.data(),
            layer.weights.blueprints,
            layer.weights.stride};
  }

  /// The row of weights that \p seed applies; negative if none.
  KOKKOS_INLINE_FUNCTION std::int32_t slot_of(std::uint32_t seed) const {
    if (blueprints == 0) return -1;
    const std::int32_t id = blueprint[seed];
    const auto state = static_cast<Lifecycle>(lifecycle[seed]);
    const bool applies = state >= Lifecycle::grafting && state <= Lifecycle::fossilized;
    if (!applies || id < 0 || static_cast<std::uint32_t>(id) >= blueprints) return -1;
    return slots == nullptr ? id : slots[id];
  }
  KOKKOS_INLINE_FUNCTION float alpha_of(std::uint32_t seed) const {
    return static_cast<Lifecycle>(lifecycle[seed]) == Lifecycle::fossilized ? 1.0F : alpha[seed];
  }

  KOKKOS_INLINE_FUNCTION SeedBehaviour behaviour(std::uint32_t seed) const {
    SeedBehaviour out;
    if (blueprints == 0) return out;
    // Loads the whole state of the seed at once, needed or not: one wait instead of many.
    const auto state = static_cast<Lifecycle>(lifecycle[seed]);
    const std::int32_t id = blueprint[seed];
    const auto applies_by = static_cast<ApplyMode>(mode[seed]);
    const float of_state = alpha[seed];
    const bool applies = state >= Lifecycle::grafting && state <= Lifecycle::fossilized;
    if (!applies || id < 0 || static_cast<std::uint32_t>(id) >= blueprints) return out;
    const std::int32_t slot = slots == nullptr ? id : slots[id];
    if (slot < 0) return out;
    out.weights = weights + static_cast<std::uint64_t>(slot) * stride;
    out.alpha = state == Lifecycle::fossilized ? 1.0F : of_state;
    out.mode = applies_by;
    return out;
  }
  KOKKOS_INLINE_FUNCTION SeedCoefficients forward(std::uint32_t seed, std::uint32_t feature) const {
    return behaviour(seed).at(feature);
  }

  /// For the gradient of y.
  KOKKOS_INLINE_FUNCTION SeedCoefficients backward(std::uint32_t seed,
                                                   std::uint32_t feature) const {
    SeedCoefficients out = forward(seed, feature);
    if (out.copies) return out;
    out.c = -0.0F;
    if (static_cast<ApplyMode>(mode[seed]) == ApplyMode::additive) out.copies = true;
    return out;
  }

  KOKKOS_INLINE_FUNCTION SeedWeightGradient weight_gradient(std::uint32_t seed) const {
    if (slot_of(seed) < 0) return {};
    switch (static_cast<ApplyMode>(mode[seed])) {
      case ApplyMode::linear:
        return {static_cast<double>(alpha_of(seed)), true, true};
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

/// \brief The same for threads that share it: masks, so that there are no branches.
struct alignas(16) FeatureCoefficients {
  float t;
  float v;               ///< u if linear, else c
  std::uint32_t linear;  ///< all bits set if linear
  std::uint32_t copies;

  KOKKOS_INLINE_FUNCTION static FeatureCoefficients of(const SeedCoefficients& one) {
    return {one.t, one.is_linear ? one.u : one.c, one.is_linear ? 0xFFFFFFFFU : 0,
            one.copies ? 0xFFFFFFFFU : 0};
  }
};

/// \brief The same for four adjacent features, selected without branches: t·x + v·(x or 1).
struct Vec4Coefficients {
  float t[4];
  float v[4];               ///< u if linear, else c
  std::uint32_t linear[4];  ///< all bits set if linear

  KOKKOS_INLINE_FUNCTION void set(int i, const FeatureCoefficients& one) {
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
