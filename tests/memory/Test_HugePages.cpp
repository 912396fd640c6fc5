// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/HugePages.hpp>
#include <kindred/memory/SpaceResource.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace HugePagesTest {

using namespace Kindred;

/// Whether the pages at \p address are advised to be huge pages, according to /proc/self/smaps.
bool is_advised(const void* address) {
  std::ifstream file("/proc/self/smaps");
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  bool is_here = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> begin >> dash >> end && dash == '-') is_here = begin <= at && at < end;
    if (is_here && line.starts_with("VmFlags:")) return (line + " ").find(" hg ") != line.npos;
  }
  return false;
}

TEST(HugePages, AreRequestedForLargeArrays) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled") ||
      !std::filesystem::exists("/proc/self/smaps"))
    GTEST_SKIP() << "this system has no transparent huge pages";
  Testing::context();
  SpaceResource<Kokkos::HostSpace> space;
  const std::size_t bytes = 4 * huge_page_arrays;
  auto* const large = static_cast<char*>(space.allocate(bytes, "Kindred::Test::large"));
  EXPECT_TRUE(is_advised(large + bytes / 2));
  std::memset(large, 1, bytes);
  EXPECT_EQ(large[bytes - 1], 1);
  space.deallocate(large, bytes);
}

TEST(HugePages, AreNotRequestedForSmallAndEmptyArrays) {
  Testing::context();
  std::vector<char> small(huge_page_arrays - 1);
  const char* const middle = small.data() + small.size() / 2;
  const bool was_advised = is_advised(middle);  // if it lies where a large array was
  ask_for_huge_pages(small.data(), small.size());
  EXPECT_EQ(is_advised(middle), was_advised);
  ask_for_huge_pages(nullptr, 2 * huge_page_arrays);
  ask_for_huge_pages(small.data(), 0);
}

TEST(HugePages, OnlyWholePagesOfAnySizeAreAdvised) {
  using Impl::AddressRange;
  using Impl::whole_pages;
  for (const std::size_t page : {4096U, 16384U, 65536U}) {
    EXPECT_EQ(whole_pages(3 * page, 2 * page, page), (AddressRange{3 * page, 5 * page}));
    EXPECT_EQ(whole_pages(3 * page + 1, 2 * page, page), (AddressRange{4 * page, 5 * page}));
    EXPECT_EQ(whole_pages(3 * page - 1, 2 * page + 2, page), (AddressRange{3 * page, 5 * page}));
    EXPECT_EQ(whole_pages(3 * page + 1, page, page), AddressRange{}) << "no page lies within";
    EXPECT_EQ(whole_pages(3 * page, 0, page), AddressRange{});
  }
}

}  // namespace HugePagesTest
