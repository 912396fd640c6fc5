// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/memory/HugePages.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace Kindred {

namespace Impl {

AddressRange whole_pages(std::uintptr_t address, std::size_t bytes, std::size_t page) noexcept {
  const AddressRange range{quotient_up(address, page) * page, (address + bytes) / page * page};
  return range.begin < range.end ? range : AddressRange{};
}

}  // namespace Impl

void ask_for_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (data == nullptr || bytes < huge_page_arrays) return;
  const long size = ::sysconf(_SC_PAGESIZE);
  if (size <= 0) return;
  // Pages have 4 KiB on x86-64 and 4, 16 or 64 KiB on aarch64.
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const auto [begin, end] = Impl::whole_pages(address, bytes, static_cast<std::size_t>(size));
  if (begin < end)
    (void)::madvise(static_cast<char*>(data) + (begin - address), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace Kindred
