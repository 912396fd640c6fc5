// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_HOP_UPDATE_HPP
#define KINDRED_CORE_GRAPH_IMPL_HOP_UPDATE_HPP

#include <kindred/core/arch/RelaxedAccess.hpp>
#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/arch/simd/InstructionSets.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

namespace Kindred::Impl {

/// The tier of a node that no activation has reached.
inline constexpr std::uint8_t tier_untouched = 255;

/// Sets the value of a source, what it passes on, and its tier.
template <class ExecutionSpace>
KOKKOS_INLINE_FUNCTION void set_source(const SpreadState<ExecutionSpace>& state,
                                       std::uint64_t place, float value) {
  state.value(place) = value;
  if (state.short_passed.extent(0) == 0)
    state.passed(place) = value;
  else
    state.short_passed(place) = Arch::round_to<Arch::BFloat16>(value);
  if (state.tier.extent(0) > 0 && value > 0.0F) state.tier(place) = 0;
}

/// \brief What a hop does with the sum Σ of a node: the definition of spreading, one node per call.
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
    hop_tier = parameters.hop <= 2 ? 1 : 2;  // equal to `tier_at`, which is host-only
    hop = parameters.hop;
    decay = parameters.decay;
    for (int tier = 0; tier < 3; ++tier) thresholds[tier] = parameters.thresholds[tier];
  }

  /// Updates \p value and \p tier of the node; returns what it passes on. The kind `product` has
  /// neither.
  KOKKOS_INLINE_FUNCTION float take(float* value, std::uint8_t* tier, double sum) const {
    const auto c = static_cast<float>(static_cast<double>(decay) * sum);
    if (kind == Kind::engine) return c > 0.0F ? accept(*value, *tier, c) : 0.0F;
    const float passed = with_canonical_nan(c);
    if (kind == Kind::linear) *value = with_canonical_nan(*value + passed);
    return passed;
  }

 private:
  /// δ of a node that receives \p c > 0.
  KOKKOS_INLINE_FUNCTION float accept(float& value, std::uint8_t& tier, float c) const {
    std::uint8_t own = tier;
    if (own == tier_untouched) tier = own = hop_tier;
    // A dynamic index would keep the thresholds out of registers.
    const float threshold = own == 0 ? thresholds[0] : own == 1 ? thresholds[1] : thresholds[2];
    const float activation = value;
    const float sum = activation + c;
    const float updated = sum < 1.0F ? sum : 1.0F;
    if (updated < threshold) return 0.0F;
    value = updated;
    return !is_last && c > threshold ? updated - activation : 0.0F;
  }
};

/// The same on the state of all nodes.
template <class ExecutionSpace>
struct HopUpdate : NodeUpdate {
  float* value = nullptr;
  std::uint8_t* tier = nullptr;
  float* next = nullptr;
  Arch::BFloat16* short_next = nullptr;  ///< replaces `next`
  double* partials = nullptr;
  std::uint32_t* marks = nullptr;

  HopUpdate() = default;
  HopUpdate(const SpreadState<ExecutionSpace>& state, const HopParameters& parameters)
      : value(state.value.data()),
        // A buffer that was resized to 0 keeps its memory.
        tier(state.tier.extent(0) == 0 ? nullptr : state.tier.data()),
        next(state.next.data()),
        short_next(state.short_next.extent(0) == 0 ? nullptr : state.short_next.data()),
        partials(state.partial.data()),
        marks(state.last.data()) {
    set(parameters);
  }

  /// False if the previous hop left nothing to pass on: then every sum is 0.
  KOKKOS_INLINE_FUNCTION bool is_needed() const {
    return kind == Kind::product || Arch::cached_load(marks) + 1 >= hop;
  }
  KOKKOS_INLINE_FUNCTION double* partial() const { return partials; }

  /// What the update of a node reads; loaded early, it arrives while the row is summed.
  struct Held {
    float value;
    std::uint8_t tier;
  };
  KOKKOS_INLINE_FUNCTION Held ask(std::size_t place) const {
    return {value == nullptr ? 0.0F : value[place], tier == nullptr ? tier_untouched : tier[place]};
  }

  /// Returns true if the node passes something on.
  KOKKOS_INLINE_FUNCTION bool operator()(std::size_t place, double sum, const Held& held) const {
    Held changed = held;
    const float passed = take(&changed.value, &changed.tier, sum);
    if (kind == Kind::linear || changed.value != held.value) value[place] = changed.value;
    if (changed.tier != held.tier) tier[place] = changed.tier;
    if (short_next == nullptr)
      next[place] = passed;
    else
      short_next[place] = Arch::round_to<Arch::BFloat16>(passed);
    return passed != 0.0F && !is_last;
  }
  /// The same for adjacent places, with the kind of update tested once; for the host.
  template <int Count>
  bool row(std::size_t place, const double* sums) const {
    if (kind == Kind::product) return row_of<Count, Kind::product>(place, sums);
    if (kind == Kind::linear) return row_of<Count, Kind::linear>(place, sums);
    return row_of<Count, Kind::engine>(place, sums);
  }

  /// Records for the next hop that something was passed on. \p work_item spreads the writes over
  /// addresses.
  KOKKOS_INLINE_FUNCTION void note(bool any, std::size_t work_item) const {
    if (!any) return;
    std::uint32_t* mark = marks + 8 * (1 + work_item % 1024);
    if (Arch::relaxed_load(mark) >= hop) return;
    Arch::relaxed_store(mark, hop);
    Arch::relaxed_store(marks, hop);
  }

 private:
  template <int Count, Kind kind_of_all>
  bool row_of(std::size_t place, const double* sums) const {
    NodeUpdate update = *this;
    update.kind = kind_of_all;
    float passed[Count];
    for (int q = 0; q < Count; ++q)
      passed[q] = update.take(kind_of_all == Kind::product ? nullptr : value + place + q,
                              kind_of_all == Kind::engine ? tier + place + q : nullptr, sums[q]);
    bool any = false;
    for (int q = 0; q < Count; ++q) any = any || passed[q] != 0.0F;
    if (short_next == nullptr) {
      for (int q = 0; q < Count; ++q) next[place + q] = passed[q];
    } else {
      for (int q = 0; q < Count; ++q)
        short_next[place + q] = Arch::round_to<Arch::BFloat16>(passed[q]);
    }
    return any && !is_last;
  }
};

/// \brief Passes sums on to an update, and records at the end whether one of them left something to
/// pass on.
///
/// An update has `ask(place)`, which loads what it reads of a place; `update(place, sum, held)`
/// with what was loaded; `row<Count>(place, sums)` for adjacent places, on the host; and `note(any,
/// work_item)`. The former two return whether the place passes something on.
template <class Update>
class Visitor {
 public:
  KOKKOS_INLINE_FUNCTION Visitor(const Update& update, std::size_t work_item)
      : m_update(update), m_work_item(work_item) {}

  KOKKOS_INLINE_FUNCTION auto ask(std::size_t place) const { return m_update.ask(place); }
  template <class Held>
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t place, double sum, const Held& held) const {
    m_any = m_update(place, sum, held) || m_any;
  }
  KOKKOS_INLINE_FUNCTION KINDRED_NOINLINE_ON_HOST void operator()(std::size_t place,
                                                                  double sum) const {
    (*this)(place, sum, ask(place));
  }
  template <int Count>
  KOKKOS_INLINE_FUNCTION void row(std::size_t place, const double* sums) const {
    KOKKOS_IF_ON_HOST((m_any = m_update.template row<Count>(place, sums) || m_any;))
  }
  KOKKOS_INLINE_FUNCTION void end() const { m_update.note(m_any, m_work_item); }

 private:
  const Update& m_update;
  std::size_t m_work_item;
  mutable bool m_any = false;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_HOP_UPDATE_HPP
