// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Spaces.hpp>

#include "EngineCalls.hpp"
#include "Support.hpp"

#include <thread>

namespace DevicesTest {

using namespace Kindred;

int device_count() { return Testing::context().info(Space::cuda).device_count; }

ContextOptions on_device(int device) { return {.device = device, .load_profile = false}; }

/// The current CUDA device of this thread; 0 in a host build.
int current_device() {
  int device = 0;
#if KINDRED_HAS_DEVICE
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
#endif
  return device;
}

void make_current([[maybe_unused]] int device) {
#if KINDRED_HAS_DEVICE
  EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
#endif
}

/// The results of all engines on `cuda`.
std::vector<std::string> compute(Context& context) {
  std::vector<std::string> results;
  for (const Testing::EngineCall& call : Testing::engine_calls())
    results.push_back(call.make(context)(Space::cuda));
  return results;
}

TEST(Devices, EachMayHaveAContextAndGivesTheSameBits) {
  if (device_count() < 2) GTEST_SKIP() << "needs two devices";
  Context first(on_device(0));
  Context second(on_device(1));
  EXPECT_EQ(first.info(Space::cuda).device_index, 0);
  EXPECT_EQ(second.info(Space::cuda).device_index, 1);
  const std::vector<std::string> expected = compute(first);
  EXPECT_EQ(compute(second), expected);
  // Both at the same time.
  std::vector<std::string> concurrent;
  std::thread other([&] { concurrent = compute(second); });
  EXPECT_EQ(compute(first), expected);
  other.join();
  EXPECT_EQ(concurrent, expected);
}

TEST(Devices, MemoryIsAllocatedOnTheDeviceOfTheContext) {
  if (device_count() < 2) GTEST_SKIP() << "needs two devices";
  Context context(on_device(1));
#if KINDRED_HAS_DEVICE
  void* const data = context.memory(Space::cuda).allocate(1 << 20, "Kindred::Test::data");
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, data), cudaSuccess);
  EXPECT_EQ(attributes.device, 1);
  context.memory(Space::cuda).deallocate(data, 1 << 20);
#endif
}

TEST(Devices, TheCurrentOneOfTheCallerStaysWhatItIs) {
  if (device_count() < 2) GTEST_SKIP() << "needs two devices";
  for (const int current : {0, 1}) {
    for (const int used : {0, 1}) {
      make_current(current);
      {
        Context context(on_device(used));
        EXPECT_EQ(current_device(), current) << "after a context for device " << used;
        compute(context);
        EXPECT_EQ(current_device(), current) << "after calls on device " << used;
      }
      EXPECT_EQ(current_device(), current) << "after the context of device " << used;
    }
  }
  make_current(0);
}

TEST(Devices, ThatDoNotExistAreRefused) {
  if (device_count() < 1) GTEST_SKIP() << "needs a device";
  EXPECT_THROW(Context(on_device(device_count())), InvalidArgument);
}

}  // namespace DevicesTest
