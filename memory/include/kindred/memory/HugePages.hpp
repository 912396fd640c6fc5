// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_HUGE_PAGES_HPP
#define KINDRED_MEMORY_HUGE_PAGES_HPP

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// Bytes from which an array is advised to use huge pages, as in NumPy.
inline constexpr std::size_t huge_page_arrays = std::size_t{4} << 20U;

namespace Impl {

/// Addresses of memory from \p begin to before \p end.
struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

/// The pages of \p page bytes that lie entirely within \p bytes at \p address; those shared with
/// adjacent data are left out. Empty if there are none.
AddressRange whole_pages(std::uintptr_t address, std::size_t bytes, std::size_t page) noexcept;

}  // namespace Impl

/// \brief Advises the system to use huge pages for the \p bytes at \p data, if they are at least
/// `huge_page_arrays`. Thread-safe.
///
/// Random reads of large arrays otherwise wait for address translations: the second-level TLB of a
/// processor covers 8 to 12 MiB of small pages. A system may ignore the advice. Call it before the
/// array is first written. Complexity O(1).
void ask_for_huge_pages(void* data, std::size_t bytes) noexcept;

}  // namespace Kindred

#endif  // KINDRED_MEMORY_HUGE_PAGES_HPP
