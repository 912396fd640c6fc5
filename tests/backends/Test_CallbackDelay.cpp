// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <gmock/gmock.h>

namespace CallbackDelayTest {

using namespace Kindred;
using Impl::CallbackDelay;
using Impl::SharedMutex;
using testing::ElementsAre;
using testing::IsEmpty;

const Workload workload{Operations::search, 1, 1e9, 0, SpaceSet::host()};

/// A context that keeps its messages and records.
struct Recorded {
  std::vector<std::string> seen;
  Context context{ContextOptions{
      .threads = 2,
      .load_profile = false,
      .log = [this](LogLevel, std::string_view message) { seen.emplace_back(message); },
      .on_dispatch = [this](const DispatchRecord&) { seen.push_back("record"); }}};

  Recorded() { seen.clear(); }
  void call(
      Space space, const std::function<void()>& body = [] {}) {
    context.run(workload, space, [&](Space) { body(); });
  }
};

TEST(CallbackDelay, KeepsCallbacksInOrderUntilTheOutermostEnds) {
  Recorded recorded;
  std::optional<CallbackDelay> outer(std::in_place);
  recorded.context.log(LogLevel::info, std::string("one"));
  {
    const CallbackDelay inner;
    recorded.call(Space::serial);
  }
  recorded.context.log(LogLevel::info, "three");
  EXPECT_THAT(recorded.seen, IsEmpty());
  outer.reset();
  EXPECT_THAT(recorded.seen, ElementsAre("one", "record", "three"));
  recorded.context.log(LogLevel::info, "four");
  EXPECT_EQ(recorded.seen.back(), "four") << "without a delay they are called at once";
}

TEST(CallbackDelay, HoldsForTheThreadThatRunsTheCall) {
  Recorded recorded;
  if (!recorded.context.is_usable(Space::openmp)) GTEST_SKIP() << "needs openmp";
  {
    const CallbackDelay delay;
    recorded.call(Space::openmp, [&] {
      recorded.context.log(LogLevel::info, "inside");
      EXPECT_THAT(recorded.seen, IsEmpty());
    });
    EXPECT_THAT(recorded.seen, IsEmpty());
  }
  EXPECT_THAT(recorded.seen, ElementsAre("inside", "record"));
  recorded.seen.clear();
  recorded.call(Space::openmp, [&] {
    recorded.context.log(LogLevel::info, "inside");
    EXPECT_THAT(recorded.seen, ElementsAre("inside"));
  });
}

TEST(CallbackDelay, ACallbackRunsAfterTheReleaseOfTheLock) {
  SharedMutex mutex;
  int calls = 0;
  Context context({.load_profile = false, .on_dispatch = [&](const DispatchRecord&) {
                     ++calls;
                     const auto own = Impl::engine_lock(mutex);  // would wait for its own thread
                   }});
  {
    const auto lock = Impl::engine_lock(mutex);
    context.run(workload, Space::serial, [](Space) {});
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
}

TEST(CallbackDelay, DropsWhatACallbackThrows) {
  int calls = 0;
  Context context({.load_profile = false, .on_dispatch = [&](const DispatchRecord&) {
                     ++calls;
                     throw std::runtime_error("of the callback");
                   }});
  const auto call = [&](bool fails) {
    const CallbackDelay delay;
    for (int i = 0; i < 2; ++i) context.run(workload, Space::serial, [](Space) {});
    if (fails) throw std::logic_error("of the call");
  };
  call(false);
  EXPECT_EQ(calls, 2) << "every callback is called";
  EXPECT_THROW(call(true), std::logic_error);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(context.run(workload, Space::serial, [](Space) {}).chosen, Space::serial)
      << "without a delay, too";
}

}  // namespace CallbackDelayTest
