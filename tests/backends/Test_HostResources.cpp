// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HostResources.hpp>

#include "TempFolder.hpp"

#include <utility>

namespace HostResourcesTest {

using namespace Kindred;

/// Simulated `/proc` and `/sys` folders.
class HostFiles : public testing::Test {
 protected:
  HostFiles() {
    write("proc/meminfo", "MemTotal:        1000 kB\nMemFree: 5 kB\nMemAvailable:    600 kB\n");
  }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root / path).parent_path());
    root.write(path, text);
  }
  int quota() const { return Impl::processor_quota(root / ""); }
  /// Of all memory, of free memory and of processors.
  std::tuple<std::uint64_t, std::uint64_t, int> limits() const {
    const auto memory = Impl::query_host_memory(root / "");
    return {memory.total, memory.free, quota()};
  }

  Testing::TempFolder root;
};

TEST_F(HostFiles, WithoutControlGroupsTheMachinesLimitsApply) {
  EXPECT_EQ(limits(), std::tuple(1000U * 1024, 600U * 1024, 0));
}

TEST_F(HostFiles, TheTightestGroupOfVersionTwoApplies) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/memory.max", "400000\n");
  write("sys/fs/cgroup/a/memory.current", "300000\n");
  write("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 50000\n");
  write("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(limits(), std::tuple(400000U, 150000U, 3));
  write("sys/fs/cgroup/memory.max", "310000\n");
  write("sys/fs/cgroup/memory.current", "999999\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(limits(), std::tuple(310000U, 0U, 1)) << "over its limit";
}

TEST_F(HostFiles, GroupsOfVersionOneApplyByTheirController) {
  write("proc/self/cgroup", "12:cpu,cpuacct:/x\n4:memory:/x/y\n1:name=systemd:/memory\n0::/\n");
  write("sys/fs/cgroup/memory/x/y/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "500000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n");
  write("sys/fs/cgroup/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 20000\n");
  write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limits(), std::tuple(500000U, 420000U, 2));
}

TEST_F(HostFiles, MalformedEntriesAreIgnored) {
  write("proc/self/cgroup", "0::/a\nx\n:\n::\n");
  write("sys/fs/cgroup/a/memory.max", "lots\n");
  write("sys/fs/cgroup/a/cpu.max", "100000 0\n");
  EXPECT_EQ(limits(), std::tuple(1000U * 1024, 600U * 1024, 0));
}

TEST_F(HostFiles, PartsOfAProcessorAreRoundedUp) {
  write("proc/self/cgroup", "0::/\n");
  for (const auto& [text, processors] :
       {std::pair("50000 100000\n", 1), std::pair("1000 100000\n", 1),
        std::pair("150000 100000\n", 2), std::pair("12800000 100000\n", 128)}) {
    write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(quota(), processors) << text;
  }
}

TEST_F(HostFiles, AContainerWithTheHostsPathSeesItsLimitsAtTheRoot) {
  write("proc/self/cgroup", "5:memory:/docker/0123\n4:cpu,cpuacct:/docker/0123\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "500000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limits(), std::tuple(500000U, 400000U, 1));
}

TEST_F(HostFiles, ResourceLimitsOfTheProcessApply) {
  write("proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max data size             unlimited            unlimited            bytes     \n"
        "Max address space         700000               unlimited            bytes     \n");
  write("proc/self/status", "Name:\tx\nVmSize:\t     400 kB\nVmData:\t     100 kB\n");
  EXPECT_EQ(limits(), std::tuple(700000U, 700000U - 400 * 1024, 0));
  write("proc/self/limits",
        "Max data size             200000               unlimited            bytes     \n"
        "Max address space         300000               unlimited            bytes     \n");
  EXPECT_EQ(limits(), std::tuple(200000U, 0U, 0))
      << "more is mapped than the address space may have";
}

TEST(HostResources, ThisMachineHasMemory) {
  const auto memory = Impl::query_host_memory();
  EXPECT_GT(memory.free, 0U);
  EXPECT_LE(memory.free, memory.total);
}

}  // namespace HostResourcesTest
