// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_HOP_UPDATE_HPP
#define KINDRED_CORE_GRAPH_IMPL_HOP_UPDATE_HPP

#include <kindred/core/arch/Flag.hpp>
#include <kindred/core/common/Rank.hpp>
#include <kindred/core/graph/Hop.hpp>

namespace Kindred::Impl {

/// Tier of a node that no activation has reached.
inline constexpr std::uint8_t tier_untouched = 255;

KOKKOS_INLINE_FUNCTION float canonical_nan(float value) {
  return value != value ? Kokkos::bit_cast<float>(std::uint32_t{canonical_nan_bits}) : value;
}

/// \brief What a hop does with the sum Σ of a node: the definition of spreading, a node a call.
template <class ExecutionSpace>
struct HopUpdate {
  enum class Kind : std::uint8_t { product, linear, engine };

  SpreadState<ExecutionSpace> state;
  Kind kind = Kind::product;
  bool is_last = true;
  std::uint8_t hop_tier = 0;
  std::uint32_t hop = 1;
  float decay = 1;
  float thresholds[3] = {};

  void set(const HopParameters& parameters) {
    kind = parameters.mode == SpreadMode::engine ? Kind::engine : Kind::linear;
    is_last = parameters.hop == parameters.hops;
    hop_tier = tier_at(parameters.hop);
    hop = parameters.hop;
    decay = parameters.decay;
    for (int tier = 0; tier < 3; ++tier) thresholds[tier] = parameters.thresholds[tier];
  }

  KOKKOS_INLINE_FUNCTION double* partial() const { return state.partial.data(); }
  /// False where the hop before left nothing to pass on: every sum is 0.
  KOKKOS_INLINE_FUNCTION bool is_needed() const {
    return kind == Kind::product || Arch::flag_load(&state.last(0)) + 1 >= hop;
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t place, double sum) const {
    const auto c = static_cast<float>(static_cast<double>(decay) * sum);
    float passed = 0.0F;
    if (kind == Kind::engine) {
      if (c > 0.0F) passed = accept(place, c);
    } else {
      passed = canonical_nan(c);
      if (kind == Kind::linear) state.value(place) = canonical_nan(state.value(place) + passed);
    }
    state.next(place) = passed;
    if (passed != 0.0F && !is_last && Arch::flag_load(&state.last(0)) < hop)
      Arch::flag_store(&state.last(0), hop);
  }

 private:
  /// δ of a node touched by \p c > 0.
  KOKKOS_INLINE_FUNCTION float accept(std::size_t place, float c) const {
    std::uint8_t tier = state.tier(place);
    if (tier == tier_untouched) state.tier(place) = tier = hop_tier;
    const float threshold = thresholds[tier];
    const float activation = state.value(place);
    const float sum = activation + c;
    const float updated = sum < 1.0F ? sum : 1.0F;
    if (updated < threshold) return 0.0F;
    state.value(place) = updated;
    return !is_last && c > threshold ? updated - activation : 0.0F;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_HOP_UPDATE_HPP
