// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HostInstance.hpp>

#include "SeedSupport.hpp"
#include "seed/ForwardPlans.hpp"

namespace Kindred::Testing::Seeds::ForwardPlansTest {

// A busy machine gives a call fewer threads than the one before or after it.
TEST(ForwardPlans, CallsWithOtherNumbersOfThreadsShareOneWorkspace) {
  constexpr int most = 9;
  MemoryResource& memory = context().memory(Space::serial);
  for (const std::uint32_t hidden : {1U, 33U, 768U, 5000U}) {
    for (const std::uint64_t rows : {1U, 512U, 2000U}) {
      const SeedForwardShape shape{{hidden, hidden / 3 + 1}, rows};
      Impl::ForwardPlans<HostSpace> plans;
      const Impl::HostInstance one(1);
      const auto& plan = plans.get(one.get(), memory, shape, {}, most);
      const std::byte* const workspace = plan.workspace.data();
      for (std::uint32_t threads = 1; threads <= most; ++threads)
        EXPECT_GE(plan.workspace.size(), seed_forward_host_plan(shape, threads).workspace)
            << hidden << ' ' << rows << ' ' << threads;
      for (const int threads : {3, 1, 2}) {
        const Impl::HostInstance fewer(threads);
        const auto& found = plans.get(fewer.get(), memory, shape, {}, most);
        EXPECT_EQ(found.workspace.data(), workspace);
        EXPECT_EQ(found.plan.threads, seed_forward_plan(fewer.get(), shape).threads);
      }
    }
  }
}

}  // namespace Kindred::Testing::Seeds::ForwardPlansTest
