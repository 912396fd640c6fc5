// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/HugePages.hpp>

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace Kindred {

void ask_for_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (data == nullptr || bytes < huge_page_arrays) return;
  const long size = ::sysconf(_SC_PAGESIZE);
  if (size <= 0) return;
  const auto page = static_cast<std::uintptr_t>(size);
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  // Only the pages that lie entirely within the array: those shared with adjacent data are left
  // alone.
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  if (begin < end)
    (void)::madvise(static_cast<char*>(data) + (begin - address), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace Kindred
