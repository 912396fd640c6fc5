// SPDX-License-Identifier: Apache-2.0
// The batch processing of lists on a device, tested in host memory.
#include "bulk/ListCall.hpp"

#include <kindred/matcher/BulkOperationInfo.hpp>

#include <gtest/gtest.h>
#include <kindred/memory/LimitAdaptor.hpp>
#include <kindred/memory/SpaceResource.hpp>

#include "Support.hpp"

namespace Kindred::Testing::BulkBatchesTest {

constexpr std::uint64_t everything = std::uint64_t{1} << 40U;

/// Arrays of many lengths, stored consecutively.
struct Arrays {
  explicit Arrays(const std::string& name) {
    auto random = Testing::generator(name);
    for (std::size_t i = 0; i < 60; ++i) lengths.push_back(i % 7 == 3 ? 0 : random() % 9'000);
    lengths.push_back(40'000);
    for (const std::size_t length : lengths) {
      for (std::size_t i = 0; i < length; ++i)
        values.push_back(static_cast<float>(random() % 2001) - 1000);
    }
  }
  std::vector<BulkItem<float>> items(float* results) const {
    std::vector<BulkItem<float>> made;
    std::size_t begin = 0;
    for (const std::size_t length : lengths) {
      made.push_back({values.data() + begin, nullptr, results + begin, length, 0});
      begin += length;
    }
    return made;
  }

  std::vector<std::size_t> lengths;
  std::vector<float> values;
};

/// Processes a call in batches, within the given amount of memory.
BulkReport run_batches(Impl::BulkTask<float> task, std::uint64_t batch_bytes,
                       std::uint64_t memory_bytes = everything, double* reduced = nullptr) {
  SpaceResource<Kokkos::HostSpace> space;
  LimitAdaptor limit(space, memory_bytes);
  Impl::BulkCalls calls("test");
  Impl::ListCall<float> call(Testing::context(), calls, std::move(task), {}, reduced);
  Impl::BulkWorkspace<HostSpace> workspace(limit, 1);
  call.run_batches(Impl::host_instance(Testing::context(), Space::serial), workspace, batch_bytes);
  return call.report();
}

/// A call of a kind, and its results.
struct Batched {
  std::vector<float> results;
  std::vector<double> reduced;
  BulkReport report;

  Batched(const Arrays& arrays, Impl::BulkKind kind, std::uint64_t batch_bytes,
          std::uint64_t memory_bytes = everything)
      : results(arrays.values.size(), 7), reduced(arrays.lengths.size(), 7) {
    Impl::BulkTask<float> task;
    task.kind = kind;
    task.op = ElementWise::square;
    task.items = arrays.items(results.data());
    std::uint64_t first = 0;
    for (const BulkItem<float>& item : task.items)
      if (kind == Impl::BulkKind::random_fill)
        task.offsets.push_back(std::exchange(first, first + item.count));
    report = run_batches(std::move(task), batch_bytes, memory_bytes,
                         kind == Impl::BulkKind::reduce ? reduced.data() : nullptr);
  }
};

const Impl::BulkKind kinds[] = {Impl::BulkKind::element_wise, Impl::BulkKind::normalise,
                                Impl::BulkKind::random_fill, Impl::BulkKind::reduce};

TEST(BulkBatches, OfAnySizeGiveTheSameResults) {
  const Arrays arrays("batches");
  for (const Impl::BulkKind kind : kinds) {
    const Batched whole(arrays, kind, everything);
    EXPECT_EQ(whole.report.batches, 1U);
    std::size_t batches = 1;
    for (const std::uint64_t bytes : {400'000, 170'000, 40'000, 16'384, 1}) {
      const Batched cut(arrays, kind, bytes);
      EXPECT_EQ(cut.results, whole.results) << bytes;
      EXPECT_EQ(cut.reduced, whole.reduced) << bytes;
      EXPECT_GE(cut.report.batches, batches);
      EXPECT_EQ(cut.report.splits, 0U);
      batches = cut.report.batches;
    }
    EXPECT_GT(batches, 5U);
  }
}

TEST(BulkBatches, OfTwoOperandsCountBothIfTheFirstArrayIsEmpty) {
  constexpr std::size_t length = 16 * bulk_chunk<float>;
  constexpr std::uint64_t batch_bytes = 8 * bulk_chunk<float> * sizeof(float);
  const std::vector<float> a(length, 2), b(length, 3);
  std::vector<float> sums(length);
  Impl::BulkTask<float> task;
  task.kind = Impl::BulkKind::element_wise;
  task.items = {{nullptr, nullptr, nullptr, 0, 0}, {a.data(), b.data(), sums.data(), length, 0}};
  const BulkReport report = run_batches(std::move(task), batch_bytes);
  EXPECT_EQ(report.batch_bytes, batch_bytes);
  EXPECT_EQ(report.batches, 4U);
  EXPECT_EQ(sums, std::vector<float>(length, 5));
}

TEST(BulkBatches, AreHalvedUntilTheyFitOrNothingIsWritten) {
  const Arrays arrays("halved");
  for (const Impl::BulkKind kind : kinds) {
    const Batched whole(arrays, kind, everything);
    std::size_t most_splits = 0;
    bool is_refused = false;
    for (std::uint64_t memory = 2'000'000; memory > 1'000; memory /= 2) {
      try {
        const Batched tight(arrays, kind, 1'500'000, memory);
        EXPECT_EQ(tight.results, whole.results) << memory;
        EXPECT_EQ(tight.reduced, whole.reduced) << memory;
        EXPECT_LE(tight.report.batch_bytes, memory);
        most_splits = std::max(most_splits, tight.report.splits);
        EXPECT_FALSE(is_refused) << "a smaller budget sufficed than one that was rejected";
      } catch (const OutOfMemory&) {
        is_refused = true;
        const bool is_whole = kind == Impl::BulkKind::normalise || kind == Impl::BulkKind::reduce;
        EXPECT_LT(memory, is_whole ? 200'000U : 40'000U) << "an array, or a piece of one, fits";
      }
    }
    EXPECT_GT(most_splits, 1U);
    EXPECT_TRUE(is_refused);
  }
}

TEST(BulkBatches, KeepTheirWorkspaceAndReleaseItBeforeGrowth) {
  Testing::context();  // initializes Kokkos
  SpaceResource<Kokkos::HostSpace> space;
  LimitAdaptor memory(space, 1000);
  Buffer<std::byte, Kokkos::HostSpace> workspace;
  const auto make = [&](std::uint64_t want, std::uint64_t least = 10) {
    const std::size_t splits = Impl::make_batch_buffer(workspace, memory, want, least);
    return std::pair(splits, want);
  };
  using Made = std::pair<std::size_t, std::uint64_t>;
  EXPECT_EQ(make(600), Made(0, 600));
  const std::byte* first = workspace.data();
  EXPECT_EQ(make(300), Made(0, 300));
  EXPECT_EQ(workspace.data(), first);
  EXPECT_EQ(make(900), Made(0, 900)) << "both buffers together exceed the budget";
  EXPECT_EQ(make(4000), Made(2, 1000));
  EXPECT_THROW(make(4000, 1500), OutOfMemory);
  EXPECT_EQ(memory.used(), 0U);
}

TEST(BulkBatches, HaveTheRequestedOrElseTheMeasuredSizeWithinHalfOfTheBudget) {
  Context context({.threads = 1, .host_budget = std::uint64_t{1} << 30U, .load_profile = false});
  const auto bytes = [&](std::uint64_t requested, std::uint64_t kept = 0) {
    return Impl::batch_bytes_of(context, Space::serial, Operations::reduction, requested, kept);
  };
  EXPECT_EQ(bytes(0), std::uint64_t{64} << 20U) << "the default assumption";
  context.dispatcher().calibrate_batch(Operations::reduction, std::uint64_t{128} << 20U);
  EXPECT_EQ(bytes(0), std::uint64_t{128} << 20U);
  EXPECT_EQ(bytes(12345), 12345U);
  MemoryResource& memory = context.memory(Space::serial);
  constexpr std::size_t used = std::size_t{900} << 20U;
  void* taken = memory.allocate(used, "Kindred::Test::taken");
  EXPECT_EQ(bytes(0), std::uint64_t{62} << 20U);
  EXPECT_EQ(bytes(0, 100U << 20U), std::uint64_t{112} << 20U)
      << "its own workspace counts as available";
  memory.deallocate(taken, used);
}

}  // namespace Kindred::Testing::BulkBatchesTest
