// SPDX-License-Identifier: Apache-2.0
// The method of SQLite: in every call, for every k, the k-th allocation fails, or it and all later
// ones.

#include "EngineCalls.hpp"
#include "Faults.hpp"
#include "Support.hpp"

namespace EngineFaultsTest {

using namespace Kindred;
using Testing::EngineCall;
using Testing::Faults;
using Testing::make_faulty_context;

std::uint64_t bytes_in_use(const Context& context) {
  std::uint64_t bytes = 0;
  for (const Space space : {Space::openmp, Space::cuda})
    if (context.is_usable(space)) bytes += context.memory_statistics(space).bytes_in_use;
  return bytes;
}

class EngineFaults : public testing::TestWithParam<EngineCall> {};

TEST_P(EngineFaults, OfAnyAllocationGiveTheSameAnswerOrOutOfMemory) {
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

TEST_P(EngineFaults, OfTheBudgetGiveTheSameAnswerOrOutOfMemory) {
  const auto faults = std::make_shared<Faults>();
  std::string expected;
  std::uint64_t peak = 0;
  {
    const auto context = make_faulty_context(faults, 2);
    const auto run = GetParam().make(*context);
    expected = run(Space::serial);
    peak = context->memory_statistics(Space::serial).bytes_peak;
  }
  bool answered_below = false;
  for (const std::uint64_t percent : {100, 95, 90, 75, 50, 25, 10, 1}) {
    const ContextOptions options{.host_budget = peak * percent / 100};
    const auto context = make_faulty_context(faults, 2, options);
    try {
      const auto run = GetParam().make(*context);
      EXPECT_EQ(run(Space::serial), expected) << percent << " % of the budget";
      answered_below = answered_below || percent < 100;
    } catch (const OutOfMemory&) {
      EXPECT_LT(percent, 100U) << "a call that fits without a limit must fit here";
    }
    EXPECT_EQ(bytes_in_use(*context), 0U);
    EXPECT_LE(context->memory_statistics(Space::serial).bytes_peak, peak * percent / 100);
  }
  RecordProperty("answered_below_its_peak", answered_below ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Calls, EngineFaults, testing::ValuesIn(Testing::engine_calls()),
                         Testing::name_of_engine_call);

}  // namespace EngineFaultsTest
