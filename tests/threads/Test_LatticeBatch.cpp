// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/LatticeBatch.hpp>

#include <numeric>

#include "OneThread.hpp"
#include "RefusedCalls.hpp"
#include "TempFolder.hpp"

namespace LatticeBatchTest {

using namespace Kindred;
using namespace Testing;

/// One task of every kind, repeatedly, each with its own arrays.
struct Tasks {
  explicit Tasks(std::size_t count, const TempFolder& folder)
      : bytes(count, std::vector<std::uint8_t>(500)), products(count, std::vector<float>(4)) {
    static const std::vector<std::uint8_t> key(500, 0x5A);
    static const std::vector<float> ones(8, 1.0F);
    for (std::size_t i = 0; i < count; ++i) {
      LatticeTask task{.dimensions = 2 + static_cast<std::uint32_t>(i % 3),
                       .size = 4 + static_cast<std::uint32_t>(i % 4)};
      std::iota(bytes[i].begin(), bytes[i].end(), static_cast<std::uint8_t>(i));
      const std::array<decltype(task.work), 7> works{
          AnalyzeLattice(),
          MeasureLattice(),
          FindLatticePath{{0, 15}},
          BuildLattice(),
          SaveLattice{folder / ("g" + std::to_string(i))},
          XorLatticeBytes{bytes[i], key, bytes[i]},
          MultiplyLatticeMatrices{matrix_array(std::span(ones), 2, 4),
                                  matrix_array(std::span(ones), 4, 2),
                                  matrix_array(std::span(products[i]), 2, 2)}};
      task.work = works[i % 7];
      if (i % 7 == 2) task.blocks.nodes = blocked;
      tasks.push_back(task);
    }
  }

  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<std::vector<float>> products;
  std::vector<std::uint64_t> blocked{1};
  std::vector<LatticeTask> tasks;
};

using OnResult = std::function<void(std::size_t task, const LatticeResult& result)>;

LatticeBatchReport run(
    std::span<const LatticeTask> tasks, int workers,
    const OnResult& on_result = [](std::size_t, const LatticeResult&) {},
    const std::stop_token& stop = {}) {
  return run_lattices(one_thread(), tasks,
                      {.workers = workers, .on_result = on_result, .stop = stop});
}

TEST(LatticeBatch, MatchesTheCallsInOrderOnAnyNumberOfWorkers) {
  const TempFolder folder;
  const auto caller = std::this_thread::get_id();
  for (const int workers : {1, 4}) {
    Tasks given(70, folder);
    std::size_t next = 0;
    const OnResult compare = [&](std::size_t task, const LatticeResult& result) {
      EXPECT_EQ(task, next++);
      EXPECT_EQ(std::this_thread::get_id(), caller);
      ASSERT_FALSE(result.error);
      const LatticeTask& of = given.tasks[task];
      const Lattice lattice(one_thread(), of.dimensions, of.size, of.blocks);
      if (std::holds_alternative<MeasureLattice>(of.work)) {
        const auto& found = std::get<GraphStructure>(result.answer);
        EXPECT_EQ(found.edges, lattice.statistics().edges);
        EXPECT_EQ(found.diameter, lattice.statistics().diameter);
      } else if (std::holds_alternative<FindLatticePath>(of.work)) {
        EXPECT_EQ(std::get<std::vector<std::uint64_t>>(result.answer), lattice.path(0, 15));
      } else if (std::holds_alternative<BuildLattice>(of.work)) {
        EXPECT_EQ(std::get<LatticeRows>(result.answer).ends, lattice.rows().ends);
      } else if (std::holds_alternative<XorLatticeBytes>(of.work)) {
        for (std::size_t i = 0; i < 500; ++i)
          EXPECT_EQ(given.bytes[task][i], static_cast<std::uint8_t>(task + i) ^ 0x5A);
      } else if (std::holds_alternative<MultiplyLatticeMatrices>(of.work)) {
        EXPECT_EQ(given.products[task], std::vector<float>(4, 4.0F));
      } else {
        EXPECT_EQ(std::get<LatticeStatistics>(result.answer).nodes, lattice.shape().nodes());
      }
    };
    const LatticeBatchReport report = run(given.tasks, workers, compare);
    EXPECT_EQ(report.done, 70U);
    EXPECT_EQ(report.failed, 0U);
    EXPECT_FALSE(report.cancelled);
    EXPECT_EQ(next, 70U);
  }
  EXPECT_EQ(run_lattices(one_thread(), {}).done, 0U);
}

TEST(LatticeBatch, AFailedTaskIsAResultAndStopsNoOther) {
  std::vector<LatticeTask> tasks(30);
  tasks[7].size = 1001;
  tasks[20].work = FindLatticePath{{0, 10'000}};
  for (const int workers : {1, 3}) {
    std::vector<std::size_t> failed;
    const auto report = run(tasks, workers, [&](std::size_t task, const LatticeResult& result) {
      EXPECT_EQ(result.error == nullptr, result.answer.index() != 0);
      if (!result.error) return;
      failed.push_back(task);
      EXPECT_THROW(std::rethrow_exception(result.error), InvalidArgument);
    });
    EXPECT_EQ(report.done, 30U);
    EXPECT_EQ(report.failed, 2U);
    EXPECT_EQ(failed, (std::vector<std::size_t>{7, 20}));
  }
  EXPECT_THROW(run(tasks, 513), InvalidArgument);
}

TEST(LatticeBatch, IsRefusedBeforeItStartsIfAProductIsImpossible) {
  std::vector<float> numbers(8, 1.0F);
  std::vector<float> product(4);
  const ConstArray wide = matrix_array(std::span(numbers), 2, 4);
  std::vector<LatticeTask> tasks(3);
  tasks[2].work = MultiplyLatticeMatrices{wide, wide, matrix_array(std::span(product), 2, 2)};
  for (const int workers : {1, 3}) {
    const auto refused = [&] {
      run(tasks, workers, [](std::size_t, const LatticeResult&) { FAIL(); });
    };
    expect_refused({{refused, "tasks[2].b is float32 [2, 4]"}});
  }
}

TEST(LatticeBatch, AnExceptionOfTheCallbackEndsTheRunAndIsRethrown) {
  const std::vector<LatticeTask> tasks(200);
  for (const int workers : {1, 4}) {
    std::size_t reported = 0;
    const OnResult fail = [&](std::size_t task, const LatticeResult&) {
      ++reported;
      if (task == 5) throw NotFound("the callback failed");
    };
    EXPECT_THROW(run(tasks, workers, fail), NotFound);
    EXPECT_EQ(reported, 6U);
  }
}

TEST(LatticeBatch, StartsNothingAfterCancellationAndReportsWhatHadStarted) {
  const std::vector<LatticeTask> tasks(2000);
  for (const int workers : {1, 4}) {
    std::stop_source source;
    std::size_t reported = 0;
    const OnResult stop = [&](std::size_t task, const LatticeResult&) {
      EXPECT_EQ(task, reported++);
      if (task != 9) return;
      std::thread([&] { source.request_stop(); }).join();
    };
    LatticeBatchReport report = run(tasks, workers, stop, source.get_token());
    EXPECT_TRUE(report.cancelled);
    EXPECT_EQ(report.done, reported);
    EXPECT_GE(reported, 10U);
    EXPECT_LE(reported, 10U + 4U * 4U) << "the most that workers may be ahead";
    report = run(tasks, workers, stop, source.get_token());
    EXPECT_EQ(report.done, 0U) << "the run was cancelled before it started";
  }
}

TEST(LatticeBatch, ACancelledRunEndsItsTasksAndThrows) {
  const LatticeTask some_seconds{.dimensions = 3, .size = 120, .work = MeasureLattice{}};
  const std::vector<LatticeTask> tasks(6, some_seconds);
  for (const int workers : {1, 3}) {
    std::size_t reported = 0;
    const OnResult count = [&](std::size_t, const LatticeResult&) { ++reported; };
    expect_cancelled_meanwhile([&] { run(tasks, workers, count); });
    EXPECT_EQ(reported, 0U) << "tasks that were cancelled are not reported";
  }
}

TEST(LatticeBatch, RequestsAreCheckedWhileWorkersCompute) {
  const LatticeTask one{.dimensions = 3, .size = 40, .work = MeasureLattice{}};
  const std::vector<LatticeTask> tasks(3, one);
  std::size_t checks = 0;
  CheckedAtEveryPoint checked([&] { return ++checks == 3; });
  const Cancellation::Scope scope(checked.cancellation());
  EXPECT_THROW(run(tasks, 3), Cancelled);
  EXPECT_EQ(checks, 3U);
}

}  // namespace LatticeBatchTest
