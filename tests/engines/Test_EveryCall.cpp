// SPDX-License-Identifier: Apache-2.0
// Guarantees that all calls of engines share.
#include <kindred/backends/impl/Instances.hpp>

#include "ColumnsOf.hpp"
#include "EngineCalls.hpp"
#include "Faults.hpp"
#include "KokkosEvents.hpp"
#include "ResultText.hpp"
#include "Support.hpp"
#include "ThreadSanitizer.hpp"

#include <regex>
#include <set>

namespace EveryCallTest {

using namespace Kindred;
using namespace Testing;

class EveryCall : public testing::TestWithParam<EngineCall> {};
INSTANTIATE_TEST_SUITE_P(Calls, EveryCall, testing::ValuesIn(engine_calls()), name_of_engine_call);

// --- faults, by the method of SQLite: for every k, the k-th allocation fails, or it and all later
// ones

std::uint64_t bytes_in_use(const Context& context) {
  std::uint64_t bytes = 0;
  for (const Space space : {Space::openmp, Space::cuda})
    if (context.is_usable(space)) bytes += context.memory_statistics(space).bytes_in_use;
  return bytes;
}

TEST_P(EveryCall, GivesTheSameAnswerOrOutOfMemoryAtAFaultOfAnyAllocation) {
  const auto faults = std::make_shared<Faults>();
  std::string expected;
  std::size_t allocations = 0;
  {
    const auto context = make_faulty_context(faults, 2);
    const auto run = GetParam().make(*context);
    expected = run({});
    allocations = faults->count;
  }
  ASSERT_GT(allocations, 0U) << "no allocation uses the context's memory resource";
  std::size_t refused = 0;
  for (const bool forever : {false, true}) {
    for (std::size_t k = 1; k <= allocations; ++k) {
      SCOPED_TRACE("allocation " + std::to_string(k) + (forever ? " and all after it" : ""));
      *faults = Faults{0, k, forever};
      const auto context = make_faulty_context(faults, 2);
      EngineCall::Run run;
      try {
        run = GetParam().make(*context);
      } catch (const OutOfMemory& error) {
        EXPECT_FALSE(error.label().empty());
        ++refused;
      }
      if (run.call) {
        const std::uint64_t before = bytes_in_use(*context);
        try {
          EXPECT_EQ(run({}), expected);
        } catch (const OutOfMemory&) {
          ++refused;
        }
        EXPECT_GE(bytes_in_use(*context), before);
        faults->fail_at = 0;
        EXPECT_EQ(run({}), expected) << "after memory is available again";
        run = {};
      }
      EXPECT_EQ(bytes_in_use(*context), 0U) << "leaked";
    }
  }
  EXPECT_GT(refused, 0U) << "no injected fault caused an exception";
}

TEST_P(EveryCall, GivesTheSameAnswerOrOutOfMemoryWithinAnyBudget) {
  const auto faults = std::make_shared<Faults>();
  std::string expected;
  std::uint64_t peak = 0;
  {
    const auto context = make_faulty_context(faults, 2);
    const auto run = GetParam().make(*context);
    expected = run(Space::serial);
    peak = context->memory_statistics(Space::serial).bytes_peak;
  }
  for (const std::uint64_t percent : {100, 95, 90, 75, 50, 25, 10, 1}) {
    const ContextOptions options{.host_budget = peak * percent / 100};
    const auto context = make_faulty_context(faults, 2, options);
    try {
      const auto run = GetParam().make(*context);
      EXPECT_EQ(run(Space::serial), expected) << percent << " % of the budget";
    } catch (const OutOfMemory&) {
      EXPECT_LT(percent, 100U) << "a call that fits without a limit must fit here";
    }
    EXPECT_EQ(bytes_in_use(*context), 0U);
    EXPECT_LE(context->memory_statistics(Space::serial).bytes_peak, peak * percent / 100);
  }
}

// --- what Kokkos Tools observe: labels are an interface

bool is_ours(const std::string& label) {
  static const std::regex pattern("^(Kindred|Kokkos)::");
  return std::regex_search(label, pattern);
}

TEST_P(EveryCall, LabelsItsKernelsAndAllocationsWithTheProject) {
  context();
  const KokkosEvents events;
  const auto run = GetParam().make(context());
  for (const Space space : spaces()) run(space);
  EXPECT_FALSE(events.kernels.empty());
  EXPECT_FALSE(events.allocations.empty());
  for (const auto& [label, devices] : events.kernels) EXPECT_TRUE(is_ours(label)) << label;
  for (const std::string& label : events.allocations) EXPECT_TRUE(is_ours(label)) << label;
}

TEST_P(EveryCall, RunsEveryKernelOnTheInstanceOfItsSpace) {
  const auto run = GetParam().make(context());
  for (const Space space : spaces()) {
    const std::uint32_t expected = Impl::with_instance(
        context(), space,
        [](const auto& exec_space) { return Kokkos::Tools::Experimental::device_id(exec_space); });
    const KokkosEvents events;
    run(space);
    EXPECT_FALSE(events.kernels.empty());
    for (const auto& [label, devices] : events.kernels)
      EXPECT_EQ(devices, std::set<std::uint32_t>{expected}) << label << ", " << to_string(space);
  }
}

TEST_P(EveryCall, AllocatesNothingTheSecondTime) {
  const auto run = GetParam().make(context());
  for (const Space space : spaces()) {
    const std::string first = run(space);
    const MemoryStatistics before = context().memory_statistics(space);
    const KokkosEvents events;
    EXPECT_EQ(run(space), first);
    EXPECT_EQ(context().memory_statistics(space), before) << to_string(space);
    EXPECT_TRUE(events.allocations.empty()) << *events.allocations.begin();
  }
}

// --- a machine of 128 processors, simulated by as many threads

TEST_P(EveryCall, GivesTheSameBitsOnManyThreadsInLittleMoreMemory) {
  if (thread_sanitizer) GTEST_SKIP() << "regions of several threads";
  ContextOptions options{.threads = 128, .load_profile = false};
  Context context(options);
  if (!context.is_usable(Space::openmp)) GTEST_SKIP() << "this Kokkos has no OpenMP";
  context.dispatcher().force_threads(context.threads());
  options.threads = 1;
  Context one(options);
  const std::string expected = GetParam().make(one)(Space::serial);
  const EngineCall::Run run = GetParam().make(context);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(Space::openmp), expected);
  // At most a workspace of 256 KiB per thread.
  EXPECT_LE(context.memory_statistics(Space::openmp).bytes_peak,
            one.memory_statistics(Space::serial).bytes_peak + (std::uint64_t{128} * 256U << 10U));
}

// --- a value that is no space is an invalid argument of every call that has a space

constexpr auto unknown = static_cast<Space>(7);
const std::vector<float> values(16, 1.0F);

TEST_P(EveryCall, RejectsAnUnknownSpace) {
  const auto run = GetParam().make(context());
  EXPECT_THROW(run(unknown), InvalidArgument);
}

TEST(UnknownSpace, IsRejectedByOtherCallsOfVectors) {
  const VectorIndex index(context(), values, 4);
  const VectorSpan rows(values, 4);
  const std::span<const float> query = std::span(values).first(4);
  std::vector<float> out(4);
  const SearchOptions search{.space = unknown};
  EXPECT_THROW(index.search_at_least(query, 0, search), InvalidArgument);
  EXPECT_THROW(PreparedScore(index, 4, search), InvalidArgument);
  HnswIndex graph(context(), 4);
  graph.add(values);
  EXPECT_THROW(graph.search(query, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(row_scores(context(), query, rows, out, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(weighted_average(context(), rows, query, {.space = unknown}), InvalidArgument);
}

TEST(UnknownSpace, IsRejectedByLayersAndSequencesOfSeeds) {
  std::vector<float> out(values.size());
  const NormLayer layer{.x = columns_of(values, 4), .y = columns_of(out, 4)};
  const std::span layers(&layer, 1);
  EXPECT_THROW(run_layers(context(), layers, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(prepare_layers(context(), layers, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(SeedSequence(context(), unknown), InvalidArgument);
}

}  // namespace EveryCallTest
