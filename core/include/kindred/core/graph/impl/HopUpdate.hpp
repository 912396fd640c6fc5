// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_HOP_UPDATE_HPP
#define KINDRED_CORE_GRAPH_IMPL_HOP_UPDATE_HPP

#include <kindred/core/arch/Flag.hpp>
#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/common/Rank.hpp>
#include <kindred/core/graph/Hop.hpp>

namespace Kindred::Impl {

/// Tier of a node that no activation has reached.
inline constexpr std::uint8_t tier_untouched = 255;

KOKKOS_INLINE_FUNCTION float canonical_nan(float value) {
  return value != value ? Kokkos::bit_cast<float>(std::uint32_t{canonical_nan_bits}) : value;
}

/// \brief What a hop does with the sum Σ of a node: the definition of spreading, a node a call.
struct NodeUpdate {
  enum class Kind : std::uint8_t { product, linear, engine };

  Kind kind = Kind::product;
  bool is_last = true;
  std::uint8_t hop_tier = 0;
  std::uint32_t hop = 1;
  float decay = 1;
  float thresholds[3] = {};

  KOKKOS_INLINE_FUNCTION void set(const HopParameters& parameters) {
    kind = parameters.mode == SpreadMode::engine ? Kind::engine : Kind::linear;
    is_last = parameters.hop == parameters.hops;
    hop_tier = tier_at(parameters.hop);
    hop = parameters.hop;
    decay = parameters.decay;
    for (int tier = 0; tier < 3; ++tier) thresholds[tier] = parameters.thresholds[tier];
  }

  /// Changes \p value and \p tier of the node; what it passes on. `product` has neither.
  KOKKOS_INLINE_FUNCTION float take(float* value, std::uint8_t* tier, double sum) const {
    const auto c = static_cast<float>(static_cast<double>(decay) * sum);
    if (kind == Kind::engine) return c > 0.0F ? accept(*value, *tier, c) : 0.0F;
    const float passed = canonical_nan(c);
    if (kind == Kind::linear) *value = canonical_nan(*value + passed);
    return passed;
  }

 private:
  /// δ of a node touched by \p c > 0.
  KOKKOS_INLINE_FUNCTION float accept(float& value, std::uint8_t& tier, float c) const {
    std::uint8_t own = tier;
    if (own == tier_untouched) tier = own = hop_tier;
    const float threshold = thresholds[own];
    const float activation = value;
    const float sum = activation + c;
    const float updated = sum < 1.0F ? sum : 1.0F;
    if (updated < threshold) return 0.0F;
    value = updated;
    return !is_last && c > threshold ? updated - activation : 0.0F;
  }
};

/// The same over the state of all nodes.
template <class ExecutionSpace>
struct HopUpdate : NodeUpdate {
  float* value = nullptr;
  std::uint8_t* tier = nullptr;
  float* next = nullptr;
  Arch::BFloat16* short_next = nullptr;  ///< in place of `next`
  double* partials = nullptr;
  std::uint32_t* marks = nullptr;

  HopUpdate() = default;
  HopUpdate(const SpreadState<ExecutionSpace>& state, const HopParameters& parameters)
      : value(state.value.data()),
        tier(state.tier.data()),
        next(state.next.data()),
        short_next(state.short_next.extent(0) == 0 ? nullptr : state.short_next.data()),
        partials(state.partial.data()),
        marks(state.last.data()) {
    set(parameters);
  }

  /// False where the hop before left nothing to pass on: every sum is 0.
  KOKKOS_INLINE_FUNCTION bool is_needed() const {
    return kind == Kind::product || Arch::flag_peek(marks) + 1 >= hop;
  }
  KOKKOS_INLINE_FUNCTION double* partial() const { return partials; }

  /// True if the node passes something on.
  KOKKOS_INLINE_FUNCTION bool operator()(std::size_t place, double sum) const {
    const float passed = take(at(value, place), at(tier, place), sum);
    if (short_next == nullptr)
      next[place] = passed;
    else
      short_next[place] = Arch::round_to<Arch::BFloat16>(passed);
    return passed != 0.0F && !is_last;
  }
  /// Tells the next hop that something was passed on. \p unit spreads the writes over addresses.
  KOKKOS_INLINE_FUNCTION void note(bool any, std::size_t unit) const {
    if (!any) return;
    std::uint32_t* mark = marks + 8 * (1 + unit % 1024);
    if (Arch::flag_load(mark) >= hop) return;
    Arch::flag_store(mark, hop);
    Arch::flag_store(marks, hop);
  }

 private:
  template <class T>
  KOKKOS_INLINE_FUNCTION static T* at(T* values, std::size_t place) {
    return values == nullptr ? nullptr : values + place;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_HOP_UPDATE_HPP
