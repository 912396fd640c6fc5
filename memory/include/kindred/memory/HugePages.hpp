// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_HUGE_PAGES_HPP
#define KINDRED_MEMORY_HUGE_PAGES_HPP

#include <cstddef>

namespace Kindred {

/// Bytes of an array from which on the host is asked for huge pages, as NumPy does.
inline constexpr std::size_t huge_page_arrays = std::size_t{4} << 20U;

/// \brief Asks the system to hold \p bytes at \p data in huge pages, if they are `huge_page_arrays`
/// or more.
///
/// Random reads of large arrays otherwise wait for translations of addresses: the second
/// translation buffer of a processor holds those of 8 to 12 MiB of small pages. It is advice, which
/// a system may ignore. To be called before the array is written first. Complexity O(1).
void ask_for_huge_pages(void* data, std::size_t bytes) noexcept;

}  // namespace Kindred

#endif  // KINDRED_MEMORY_HUGE_PAGES_HPP
