// SPDX-License-Identifier: Apache-2.0
// What a layer keeps between calls: blueprints in the memory of a space, plans and streams.
#include <kindred/backends/impl/HostInstance.hpp>

#include "LayerSupport.hpp"
#include "seed/BlueprintCache.hpp"
#include "seed/ForwardPlans.hpp"
#include "seed/StreamInstances.hpp"

namespace Kindred::Testing::Seeds::SeedCachesTest {

TEST(BlueprintCache, EvictsTheLeastRecentlyUsedThatIsNotNeeded) {
  BlueprintRegistry registry;
  for (int i = 0; i < 6; ++i)
    registry.add(std::to_string(i), std::vector<float>(4, static_cast<float>(i)));
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    Impl::BlueprintCache<ExecutionSpace> cache;
    cache.bind(context().memory(space), 4, 3 * 4 * sizeof(float));
    using Ids = std::vector<std::int32_t>;
    const auto serve = [&](const Ids& ids) { cache.serve(exec_space, registry, ids); };
    /// The blueprints that are resident, with their weights.
    const auto resident = [&] {
      const auto view = cache.view();
      Ids slots(view.slots.size()), ids;
      std::vector<float> rows(view.values.size());
      Impl::download(exec_space, slots.data(), view.slots, slots.size());
      Impl::download(exec_space, rows.data(), view.values, rows.size());
      for (std::int32_t id = 0; id < 6; ++id) {
        const std::int32_t slot = slots[static_cast<std::size_t>(id)];
        EXPECT_EQ(slot >= 0, cache.is_resident(id));
        if (slot < 0) continue;
        ids.push_back(id);
        const float* const row = rows.data() + static_cast<std::size_t>(slot) * view.stride;
        EXPECT_TRUE(std::ranges::equal(registry.weights(id), std::span(row, 4))) << id;
      }
      EXPECT_EQ(cache.resident(), ids.size());
      return ids;
    };
    for (const Ids& ids : {Ids{}, Ids{0}, Ids{1}, Ids{2}}) serve(ids);
    EXPECT_EQ(resident(), (Ids{0, 1, 2}));
    serve({0});
    serve({3});
    EXPECT_EQ(resident(), (Ids{0, 2, 3}));
    serve({2, 4, 5});
    EXPECT_EQ(resident(), (Ids{2, 4, 5}));
    expect_refused<OutOfMemory>({{[&] {
                                    serve({0, 1, 2, 3});
                                  },
                                  "4 blueprints are in use and there is room for 3"}});
    resident();
    EXPECT_TRUE(cache.is_resident(5));
    cache.clear();
    EXPECT_EQ(cache.resident(), 0U);
    serve({1, 5});
    EXPECT_EQ(resident(), (Ids{1, 5}));
  });
}

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

TEST(StreamInstances, OfALayerAreBounded) {
  using Streams = Impl::StreamInstances<HostSpace>;
  const HostSpace& exec_space = Impl::host_instance(context(), Space::serial);
  MemoryResource& memory = context().memory(Space::serial);
  std::vector<char> handles(1000);
  const auto stream = [&](std::size_t i) { return Stream::cuda(&handles[i]); };
  const auto in_use = [&] { return context().memory_statistics(Space::serial).bytes_in_use; };
  const std::uint64_t before = in_use();
  {
    Streams streams;
    for (std::size_t i = 0; i < handles.size(); ++i) {
      streams.on(exec_space, stream(i));
      streams.workspace(exec_space, stream(i)) =
          Streams::Workspace(memory, "Kindred::Testing::workspace", 4096);
    }
    EXPECT_EQ(streams.size(), Streams::kept_max);
    EXPECT_LE(in_use() - before, Streams::kept_max * 8192);
    // The last ones are still there, with their workspaces.
    for (std::size_t i = handles.size() - Streams::kept_max; i < handles.size(); ++i)
      EXPECT_EQ(streams.workspace(exec_space, stream(i)).size(), 4096U);
    // Pinned ones stay, until they are unpinned.
    std::vector<std::shared_ptr<const void>> pins;
    for (std::size_t i = 0; i < 40; ++i) pins.push_back(streams.pin(exec_space, stream(i)));
    pins.push_back(streams.pin(exec_space, stream(0)));
    EXPECT_EQ(streams.size(), 40U);
    for (std::size_t i = 100; i < 200; ++i) streams.on(exec_space, stream(i));
    EXPECT_EQ(streams.size(), 41U) << "the newest and the pinned ones";
    pins.clear();
    streams.on(exec_space, stream(300));
    EXPECT_EQ(streams.size(), Streams::kept_max);
    streams.wait();
  }
  EXPECT_EQ(in_use(), before);
}

}  // namespace Kindred::Testing::Seeds::SeedCachesTest
