// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/KeptObjects.hpp>

#include <gtest/gtest.h>

#include "Threads.hpp"

namespace KeptObjectsTest {

using namespace Kindred;

template <int Number>
struct Object {
  int value = Number;
  std::function<void()> at_end = [] {};

  ~Object() { at_end(); }
};

TEST(KeptObjects, AreOnePerTypeAndContext) {
  Context context;
  const Context other;
  Impl::kept_objects(context).get<Object<1>>().value = 5;
  EXPECT_EQ(Impl::kept_objects(context).get<Object<1>>().value, 5);
  EXPECT_EQ(Impl::kept_objects(context).get<Object<2>>().value, 2);
  EXPECT_EQ(Impl::kept_objects(other).get<Object<1>>().value, 1);
  EXPECT_EQ(Impl::kept_objects(other).get<std::vector<int>>(3U, 7), (std::vector{7, 7, 7}));
  EXPECT_EQ(Impl::kept_objects(other).get<std::vector<int>>(1U, 1).size(), 3U);
}

TEST(KeptObjects, AreDestroyedBeforeTheMemoryOfTheirContext) {
  bool freed = false;
  {
    auto context = std::make_unique<Context>();
    MemoryResource& memory = context->memory(Space::serial);
    void* const data = memory.allocate(64, "Kindred::Testing::kept");
    Impl::kept_objects(*context).get<Object<3>>().at_end = [&memory, &freed, data] {
      memory.deallocate(data, 64);
      freed = true;
    };
    EXPECT_FALSE(freed);
  }
  EXPECT_TRUE(freed);
}

TEST(KeptObjects, AreMadeOnceByManyThreads) {
  const Context context;
  std::vector<Object<4>*> found(8);
  Testing::by_threads(found.size(), [&](std::size_t caller) {
    found[caller] = &Impl::kept_objects(context).get<Object<4>>();
  });
  for (const Object<4>* one : found) EXPECT_EQ(one, found[0]);
}

}  // namespace KeptObjectsTest
