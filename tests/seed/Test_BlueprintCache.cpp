// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kindred/core/common/Error.hpp>

#include "LayerSupport.hpp"
#include "MessageOf.hpp"
#include "TempFolder.hpp"
#include "seed/BlueprintCache.hpp"

namespace BlueprintCacheTest {

using namespace Kindred;
using namespace Testing::Seeds;
using ::testing::HasSubstr;

TEST(BlueprintCache, EvictsTheLeastRecentlyUsedThatIsNotNeeded) {
  BlueprintRegistry registry;
  for (int i = 0; i < 6; ++i)
    registry.add(std::to_string(i), std::vector<float>(4, static_cast<float>(i)));
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      Impl::BlueprintCache<ExecutionSpace> cache;
      cache.bind(context().memory(space), 4, 3 * 4 * sizeof(float));
      const auto serve = [&](const std::vector<std::int32_t>& ids) {
        cache.serve(exec, registry, ids);
      };
      const auto check = [&](std::int32_t id) {
        const auto view = cache.view();
        std::vector<std::int32_t> slots(view.slots.size());
        std::vector<float> rows(view.values.size());
        Impl::download(exec, slots.data(), view.slots, slots.size());
        Impl::download(exec, rows.data(), view.values, rows.size());
        const std::int32_t slot = slots[static_cast<std::size_t>(id)];
        ASSERT_EQ(slot >= 0, cache.is_resident(id));
        if (slot < 0) return;
        for (std::size_t i = 0; i < 4; ++i)
          EXPECT_EQ(rows[static_cast<std::size_t>(slot) * view.stride + i],
                    registry.weights(id)[i]);
      };
      serve({});
      serve({0});
      serve({1});
      serve({2});
      EXPECT_EQ(cache.resident(), 3U);
      serve({0});
      serve({3});  // replaces blueprint 1
      for (std::int32_t id = 0; id < 6; ++id) {
        EXPECT_EQ(cache.is_resident(id), id == 0 || id == 2 || id == 3) << id;
        check(id);
      }
      serve({2, 4, 5});
      for (std::int32_t id = 0; id < 6; ++id) {
        EXPECT_EQ(cache.is_resident(id), id == 2 || id > 3) << id;
        check(id);
      }
      const std::string why = Testing::message_of<OutOfMemory>([&] { serve({0, 1, 2, 3}); });
      EXPECT_THAT(why, HasSubstr("4 blueprints are in use and there is room for 3"));
      for (std::int32_t id = 0; id < 6; ++id) check(id);
      EXPECT_TRUE(cache.is_resident(5));
      cache.clear();
      EXPECT_EQ(cache.resident(), 0U);
      serve({1, 5});
      for (std::int32_t id = 0; id < 6; ++id) check(id);
    });
  }
}

}  // namespace BlueprintCacheTest
