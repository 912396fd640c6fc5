// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_CONTAINING_ENTRY_HPP
#define KINDRED_CORE_COMMON_CONTAINING_ENTRY_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// The index of the list entry that contains part \p part: the last entry that begins at or before
/// it.
/// \tparam First the member that holds the first part of an entry
template <auto First, class Entry>
KOKKOS_INLINE_FUNCTION std::uint32_t containing_entry(const Entry* entries, std::uint32_t count,
                                                      std::uint64_t part) {
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (entries[middle].*First <= part) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_CONTAINING_ENTRY_HPP
