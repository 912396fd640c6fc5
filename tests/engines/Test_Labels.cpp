// SPDX-License-Identifier: Apache-2.0
// What Kokkos Tools observe of every engine call: labels are an interface.
#include <kindred/backends/impl/Instances.hpp>

#include "EngineCalls.hpp"
#include "Support.hpp"

#include <map>
#include <regex>
#include <set>

namespace LabelsTest {

using namespace Kindred;
namespace Tools = Kokkos::Tools::Experimental;

struct Seen {
  std::mutex mutex;
  std::map<std::string, std::set<std::uint32_t>> kernels;  ///< label to the instances it ran on
  std::set<std::string> allocations;
};
Seen* seen = nullptr;

void on_kernel(const char* label, std::uint32_t device, std::uint64_t*) {
  const std::lock_guard lock(seen->mutex);
  seen->kernels[label].insert(device);
}
void on_allocation(Kokkos_Profiling_SpaceHandle, const char* label, const void*,
                   std::uint64_t bytes) {
  if (bytes == 0) return;  // Kokkos reports scratch memory of 0 bytes for a team that requests none
  const std::lock_guard lock(seen->mutex);
  seen->allocations.insert(label);
}

/// Records events for its lifetime.
class Listener {
 public:
  Listener() : m_before(Tools::get_callbacks()) {
    seen = &m_seen;
    Tools::set_begin_parallel_for_callback(on_kernel);
    Tools::set_begin_parallel_reduce_callback(on_kernel);
    Tools::set_begin_parallel_scan_callback(on_kernel);
    Tools::set_allocate_data_callback(on_allocation);
  }
  ~Listener() { Tools::set_callbacks(m_before); }
  const Seen* operator->() const { return &m_seen; }

 private:
  Seen m_seen;
  Tools::EventSet m_before;
};

bool is_ours(const std::string& label) {
  static const std::regex pattern("^(Kindred|Kokkos)::");
  return std::regex_search(label, pattern);
}

class Labels : public testing::TestWithParam<Testing::EngineCall> {};

TEST_P(Labels, OfKernelsAndAllocationsStartWithTheProject) {
  Testing::context();
  const Listener listener;
  const auto run = GetParam().make(Testing::context());
  for (const Space space : Testing::spaces()) run(space);
  EXPECT_FALSE(listener->kernels.empty());
  EXPECT_FALSE(listener->allocations.empty());
  for (const auto& [label, devices] : listener->kernels) EXPECT_TRUE(is_ours(label)) << label;
  for (const std::string& label : listener->allocations) EXPECT_TRUE(is_ours(label)) << label;
}

TEST_P(Labels, EveryKernelRunsOnTheInstanceOfItsSpace) {
  const auto run = GetParam().make(Testing::context());
  for (const Space space : Testing::spaces()) {
    const std::uint32_t expected =
        Impl::with_instance(Testing::context(), space,
                            [](const auto& exec_space) { return Tools::device_id(exec_space); });
    const Listener listener;
    run(space);
    EXPECT_FALSE(listener->kernels.empty());
    for (const auto& [label, devices] : listener->kernels)
      EXPECT_EQ(devices, std::set<std::uint32_t>{expected}) << label << ", " << to_string(space);
  }
}

TEST_P(Labels, TheSecondCallAllocatesNothing) {
  const auto run = GetParam().make(Testing::context());
  for (const Space space : Testing::spaces()) {
    const std::string first = run(space);
    const MemoryStatistics before = Testing::context().memory_statistics(space);
    const Listener listener;
    EXPECT_EQ(run(space), first);
    EXPECT_EQ(Testing::context().memory_statistics(space), before) << to_string(space);
    EXPECT_TRUE(listener->allocations.empty()) << *listener->allocations.begin();
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, Labels, testing::ValuesIn(Testing::engine_calls()),
                         Testing::name_of_engine_call);

}  // namespace LabelsTest
