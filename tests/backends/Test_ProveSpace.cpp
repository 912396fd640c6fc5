// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/backends/impl/ProveSpace.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/arch/launch/SpaceProof.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>

#include "EnvironmentVariable.hpp"
#include "RefusedCalls.hpp"
#include "Support.hpp"

#include <iostream>

namespace ProveSpaceTest {

using namespace Kindred;
using Arch::ProofFault;
using testing::HasSubstr;

/// The fault of the contexts that are made while it exists.
struct Fault : Testing::EnvironmentVariable {
  explicit Fault(const std::string& text) : EnvironmentVariable("KINDRED_TEST_FAULT", text) {}
};

ContextOptions plain() { return {.load_profile = false}; }

/// The space other than `serial` whose faults can be tested in this build.
Space tested_space() { return Testing::spaces().back(); }

std::string wrong(Space space, ProofFault fault) {
  return Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
    return Arch::why_results_are_wrong(exec_space, fault);
  });
}

TEST(ProveSpace, EverySpaceComputesRight) {
  for (const Space space : Testing::spaces()) {
    EXPECT_EQ(wrong(space, ProofFault::none), "") << to_string(space);
    EXPECT_EQ(Impl::why_space_fails(Testing::context().info(space)), "") << to_string(space);
  }
}

TEST(ProveSpace, FindsEveryFault) {
  for (const Space space : Testing::spaces()) {
    SCOPED_TRACE(to_string(space));
    EXPECT_EQ(wrong(space, ProofFault::lost_store),
              "a store through a View was lost: element 1000 is 0 and must be 3001");
    EXPECT_THAT(wrong(space, ProofFault::lost_add), HasSubstr("an atomic addition was lost"));
    EXPECT_THAT(wrong(space, ProofFault::wrong_scratch), HasSubstr("scratch of a team is wrong"));
  }
}

TEST(ProveSpace, ASpaceThatFailsIsUnusableWithTheReason) {
  const Space space = tested_space();
  if (space == Space::serial) GTEST_SKIP() << "this build has only one space";
  for (const char* fault : {"lost-store", "lost-add", "wrong-scratch"}) {
    SCOPED_TRACE(fault);
    const Fault made(std::string(to_string(space)) + ':' + fault);
    std::string logged;
    ContextOptions options = plain();
    options.log = [&](LogLevel level, std::string_view message) {
      if (level == LogLevel::warning) logged += message;
    };
    Context context(options);
    EXPECT_FALSE(context.is_usable(space));
    const std::string& why = context.info(space).why_not;
    EXPECT_THAT(why, HasSubstr("it computes wrong results"));
    EXPECT_THAT(logged, HasSubstr(why));
    // Everything runs elsewhere.
    const DispatchRecord record =
        context.run({.operation = Operations::transform, .work = 1e12}, {}, [](Space) {});
    EXPECT_NE(record.chosen, space);
    const auto run = [&] {
      context.run({.operation = Operations::transform}, space, [](Space) {});
    };
    const auto make = [&] { Context({.space = space, .load_profile = false}); };
    Testing::expect_refused<SpaceUnavailable>(
        {{run, "it computes wrong results"}, {make, "it computes wrong results"}});
  }
  EXPECT_TRUE(Context(plain()).is_usable(space)) << "the fault was not found again";
}

TEST(ProveSpace, WithoutTheSerialSpaceThereIsNoContext) {
  const Fault made("serial:lost-add");
  EXPECT_THROW(const Context context(plain()), SpaceUnavailable);
}

TEST(ProveSpace, UnknownFaultsAreIgnored) {
  for (const char* text : {"", "x", "openmp", "openmp:", "openmp:x", "gpu:lost-store"}) {
    const Fault made(text);
    EXPECT_TRUE(Context(plain()).is_usable(tested_space())) << text;
  }
}

/// Makes \p space fail with an illegal access, computes elsewhere and ends the process.
void compute_without(Space space) {
  {
    const Fault made(std::string(to_string(space)) + ":illegal-access");
    Context context(plain());
    const bool is_right = !context.is_usable(space) && !context.info(space).why_not.empty() &&
                          Arch::device_is_lost() == (space == Space::cuda);
    context.run({.operation = Operations::transform, .work = 1e12}, {}, [](Space) {});
    if (!is_right) std::exit(1);
  }
  // Another context of the process does not get the device back.
  const Context context(plain());
  if (context.is_usable(space) != (space != Space::cuda)) std::exit(2);
  std::cerr << "computed without " << to_string(space) << '\n';
  std::exit(0);
}

TEST(ProveSpaceDeathTest, AnIllegalAccessDoesNotEndTheProcess) {
  const Space space = tested_space();
  if (space == Space::serial) GTEST_SKIP() << "this build has only one space";
  // The child starts anew, since a fork has no device.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(compute_without(space), testing::ExitedWithCode(0), "computed without");
}

}  // namespace ProveSpaceTest
