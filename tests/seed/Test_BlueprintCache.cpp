// SPDX-License-Identifier: Apache-2.0
#include "LayerSupport.hpp"
#include "seed/BlueprintCache.hpp"

namespace Kindred::Testing::Seeds::BlueprintCacheTest {

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

}  // namespace Kindred::Testing::Seeds::BlueprintCacheTest
