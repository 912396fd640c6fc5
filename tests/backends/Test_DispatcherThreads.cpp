// SPDX-License-Identifier: Apache-2.0
// Calls of several threads at the same time, of which one learns, and calls after a fork.
#include <kindred/backends/Dispatcher.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "SimulatedMachine.hpp"
#include "Support.hpp"

namespace DispatcherThreadsTest {

using namespace Kindred;
using namespace std::chrono_literals;
using Testing::CalibratedMachine;
using Testing::Machine;
using Testing::Time;

/// Runs \p body on another thread, until it returns.
template <class Body>
void elsewhere(const Body& body) {
  std::thread(body).join();
}

/// A machine on which this thread has made a call.
struct SharedMachine : CalibratedMachine {
  static constexpr double work = 1e6;
  SharedMachine() : CalibratedMachine(SpaceSet::host(), {.breaker_interval = 0ms}) {
    record = decide(work, Space::openmp);
    record.taken = record.predicted[space_index(Space::openmp)];
  }
  /// Whether the dispatcher learns from a call of this thread, which is slower than all before.
  bool learns() {
    record.taken *= 10;
    const double before = predicted(Space::openmp, work);
    dispatcher.observe(record);
    return predicted(Space::openmp, work) != before;
  }
  bool learns_elsewhere() {
    bool learnt = false;
    elsewhere([&] { learnt = learns(); });
    return learnt;
  }

  DispatchRecord record;
};

TEST(DispatcherThreads, OneThreadLearnsUntilAPauseOf50Microseconds) {
  SharedMachine machine;
  EXPECT_TRUE(machine.learns());
  machine.now = Time(49us);
  EXPECT_FALSE(machine.learns_elsewhere());
  EXPECT_FALSE(machine.learns()) << "it is no longer alone";
  machine.now = Time(50us);
  EXPECT_TRUE(machine.learns_elsewhere());
  EXPECT_FALSE(machine.learns());
  machine.now = Time(100us);
  EXPECT_TRUE(machine.learns());
}

TEST(DispatcherThreads, ACallThatDoesNotLearnNeitherProbesNorDelaysAProbe) {
  Machine machine(SpaceSet::host(), {.probe_interval = 5s}, 2);
  machine.dispatcher.calibrate(Operations::lcs, Space::serial, 1024, 1);
  machine.dispatcher.calibrate(Operations::lcs, Space::openmp, 1024, 4);
  Workload workload = machine.workload(1024);
  workload.starts = 0;
  for (int i = 0; i < 60; ++i) {
    DispatchRecord record = machine.dispatcher.decide(workload);
    ASSERT_EQ(record.chosen, Space::serial);
    record.taken = 1;
    machine.dispatcher.observe(record);
  }
  const auto decide_elsewhere = [&](std::optional<Space> forced = {}) {
    DispatchRecord record;
    elsewhere([&] { record = machine.dispatcher.decide(workload, forced); });
    return record;
  };
  EXPECT_EQ(decide_elsewhere(Space::openmp).chosen, Space::openmp);
  machine.now += 5s;
  (void)machine.decide(1e9);  // learns
  EXPECT_EQ(decide_elsewhere().why, Reason::predicted);
  machine.now += 1ms;
  EXPECT_EQ(machine.dispatcher.decide(workload).why, Reason::probe);
}

TEST(DispatcherThreads, EveryCallKnowsThatASpaceHasFailed) {
  CalibratedMachine machine;
  const double work = 1e10;
  ASSERT_EQ(machine.decide(work).chosen, Space::cuda);
  machine.fail(Space::cuda, 2);
  elsewhere([&] {
    const DispatchRecord record = machine.decide(work);
    EXPECT_EQ(record.chosen, Space::openmp);
    EXPECT_EQ(record.why, Reason::fallback);
  });
}

TEST(DispatcherThreads, EveryCallLearnsUntilASpaceThatHasFailedSucceeds) {
  for (const bool timed : {true, false}) {
    SCOPED_TRACE(timed);
    SharedMachine machine;
    machine.fail(Space::serial, 2);
    EXPECT_TRUE(machine.learns_elsewhere());
    EXPECT_TRUE(machine.learns());
    DispatchRecord trial = machine.decide(SharedMachine::work);
    ASSERT_EQ(trial.chosen, Space::serial) << "the calls of openmp were slow";
    ASSERT_EQ(trial.why, Reason::probe);
    if (timed) {
      trial.taken = machine.truth(Space::serial, SharedMachine::work);
      machine.dispatcher.observe(trial);
    } else {
      machine.dispatcher.observe_success(Operations::lcs, Space::serial);
    }
    EXPECT_FALSE(machine.learns_elsewhere());
  }
}

TEST(DispatcherThreads, SuccessesOfCallsThatDoNotLearnCountBesideFailures) {
  for (const auto& [successes, open] : {std::pair(37, true), {38, false}}) {
    CalibratedMachine machine(SpaceSet::host());
    DispatchRecord record = machine.decide(1e6, Space::openmp);
    record.taken = machine.truth(Space::openmp, 1e6);
    elsewhere([&, successes = successes] {
      for (int i = 0; i < successes / 2; ++i)
        machine.dispatcher.observe_success(Operations::lcs, Space::openmp);
      for (int i = successes / 2; i < successes; ++i) machine.dispatcher.observe(record);
    });
    machine.fail(Space::openmp, 2);
    EXPECT_EQ(machine.is_open(Space::openmp), open) << "2 of " << successes + 2 << " have failed";
  }
}

/// In a child that was forked within a call, its callbacks report what no longer matters. The locks
/// of the dispatcher must not be used there.
TEST(DispatcherDeathTest, NothingIsLearntAfterAFork) {
  (void)Testing::context();  // from now on, forks are watched
  SharedMachine machine;
  machine.fail(Space::openmp, 2);
  const auto in_child = [&] {
    machine.dispatcher.observe(machine.record);
    machine.dispatcher.observe_success(Operations::lcs, Space::openmp);
    machine.dispatcher.observe_failure(Operations::lcs, Space::openmp);
    std::_Exit(machine.dispatcher.regret().decisions == 0 ? 0 : 1);
  };
  EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

}  // namespace DispatcherThreadsTest
