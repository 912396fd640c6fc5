// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_SLOT_COUNTS_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_SLOT_COUNTS_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief Counters of a block of slots in the scratch of a team: as many as fit, of a type that
/// supports atomic addition there.
template <class ExecutionSpace>
struct SlotCounts;

template <>
struct SlotCounts<HostSpace> {
  using counter_type = std::uint16_t;
  static constexpr std::uint32_t block = 1U << 15U;

  static void add_one(counter_type& counter) { ++counter; }
};

template <>
struct SlotCounts<DeviceSpace> {
  using counter_type = std::uint32_t;
  static constexpr std::uint32_t block = 1U << 13U;

  KOKKOS_INLINE_FUNCTION static void add_one(counter_type& counter) {
    Kokkos::atomic_inc(&counter);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_SLOT_COUNTS_HPP
