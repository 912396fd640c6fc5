// SPDX-License-Identifier: Apache-2.0
#include "kit/Preparation.hpp"

#include "KokkosEvents.hpp"
#include "MessageOf.hpp"
#include "Support.hpp"

namespace PreparationTest {

using namespace Kindred;

struct CountRuns {
  int& runs;

  template <class ExecutionSpace>
  void run(const ExecutionSpace&) const {
    ++runs;
  }
};

TEST(Preparation, RunsWhatWasPreparedAndFencesOnlyToWait) {
  for (const Space space : Testing::spaces()) {
    SCOPED_TRACE(to_string(space));
    int made = 0;
    int runs = 0;
    const Prepared prepared = Impl::prepare_on(Testing::context(), space, {}, [&](const auto&) {
      ++made;
      return CountRuns{runs};
    });
    EXPECT_EQ(prepared.space(), space);
    const Testing::KokkosEvents events;
    prepared.run();
    prepared.run();
    EXPECT_EQ(events.fence_count, 0);
    prepared.wait();
    EXPECT_EQ(events.fence_count, 1);
    EXPECT_EQ(made, 1);
    EXPECT_EQ(runs, 2);
  }
}

TEST(Preparation, IsRefusedOnASpaceThatCannotBeUsed) {
  const Context& context = Testing::context();
  if (context.is_usable(Space::cuda)) GTEST_SKIP() << "every space can be used";
  int runs = 0;
  const auto prepare = [&] {
    Impl::prepare_on(context, Space::cuda, {}, [&](const auto&) { return CountRuns{runs}; });
  };
  EXPECT_EQ(Testing::message_of<SpaceUnavailable>(prepare), context.info(Space::cuda).why_not);
}

}  // namespace PreparationTest
