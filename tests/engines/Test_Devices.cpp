// SPDX-License-Identifier: Apache-2.0
#include <kindred/Bulk.hpp>
#include <kindred/Graph.hpp>
#include <kindred/Sequence.hpp>
#include <kindred/Vector.hpp>
#include <kindred/backends/Context.hpp>
#include <kindred/core/arch/Spaces.hpp>

#include <gtest/gtest.h>

#include "Generator.hpp"
#include "Support.hpp"

#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace DevicesTest {

using namespace Kindred;

int device_count() { return Testing::context().info(Space::cuda).device_count; }

ContextOptions on_device(int device) {
  ContextOptions options;
  options.load_profile = false;
  options.device = device;
  return options;
}

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

std::vector<float> random_floats(const char* name, std::size_t count) {
  auto generator = Testing::generator(name);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

/// The results of several engines on `cuda`.
struct Answers {
  std::vector<std::int64_t> ids;
  std::vector<float> scores;
  std::vector<Match> matches;
  std::vector<float> hop;

  friend bool operator==(const Answers&, const Answers&) = default;
};

Answers compute(Context& context) {
  constexpr std::size_t dimension = 96;
  constexpr std::uint32_t nodes = 3000;
  Answers answers;
  const std::vector<float> rows = random_floats("devices rows", 5000 * dimension);
  const VectorIndex index(context, rows, dimension);
  SearchOptions search;
  search.top = 20;
  search.space = Space::cuda;
  const SearchResults found = index.search(std::span(rows).first(40 * dimension), search);
  answers.ids = found.ids;
  answers.scores = found.scores;
  auto generator = Testing::generator("devices sequences");
  Ragged<Symbol> sequences;
  for (int i = 0; i < 2000; ++i) {
    for (int k = 0; k < 30; ++k) sequences.values.push_back(generator() % 50);
    sequences.close_row();
  }
  const SequenceMatcher matcher(context, sequences);
  MatchOptions match;
  match.space = Space::cuda;
  answers.matches = matcher.match(sequences, match).matches.values;
  std::vector<Edge> edges;
  for (int i = 0; i < 20000; ++i) {
    edges.push_back({static_cast<std::uint32_t>(generator() % nodes),
                     static_cast<std::uint32_t>(generator() % nodes), 0.5F});
  }
  const SpreadingEngine graph(context, {nodes, edges});
  const std::vector<float> x = random_floats("devices x", nodes);
  answers.hop.resize(nodes);
  HopOptions hop;
  hop.space = Space::cuda;
  graph.hop(std::span(x), std::span(answers.hop), hop);
  return answers;
}

TEST(Devices, EachMayHaveAContextAndGivesTheSameBits) {
  if (device_count() < 2) GTEST_SKIP() << "needs two devices";
  Context first(on_device(0));
  Context second(on_device(1));
  EXPECT_EQ(first.info(Space::cuda).device_index, 0);
  EXPECT_EQ(second.info(Space::cuda).device_index, 1);
  const Answers expected = compute(first);
  EXPECT_EQ(compute(second), expected);
  // Both at the same time.
  Answers concurrent;
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
