// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_ARRIVAL_BARRIER_HPP
#define KINDRED_CORE_ARCH_LAUNCH_ARRIVAL_BARRIER_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// \brief The arithmetic of a barrier between teams that share a 32-bit cell, which starts at 0.
///
/// The highest bit is the phase, the others are a counter. Every team adds its share once per
/// barrier; the shares of a group add up to the highest bit, so the last team to arrive flips the
/// phase and leaves the counter at 0. The cell can therefore serve groups of different sizes one
/// after another.
class ArrivalBarrier {
 public:
  ArrivalBarrier() = default;
  /// \param now the cell before this team first arrives; no phase of this group can have ended by
  /// then
  KOKKOS_INLINE_FUNCTION ArrivalBarrier(unsigned team, unsigned teams, std::uint32_t now)
      : m_share(team == 0 ? phase_bit - (teams - 1) : 1), m_phase(now & phase_bit) {}

  /// What this team adds to the cell when it arrives.
  KOKKOS_INLINE_FUNCTION std::uint32_t share() const { return m_share; }
  /// Whether all teams have arrived, given the cell's value \p now.
  KOKKOS_INLINE_FUNCTION bool is_over(std::uint32_t now) const {
    return (now & phase_bit) != m_phase;
  }
  /// Moves on to the next barrier.
  KOKKOS_INLINE_FUNCTION void advance() { m_phase ^= phase_bit; }

 private:
  static constexpr std::uint32_t phase_bit = 0x80000000U;

  std::uint32_t m_share = 0;
  std::uint32_t m_phase = 0;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_ARRIVAL_BARRIER_HPP
