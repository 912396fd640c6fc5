// SPDX-License-Identifier: Apache-2.0
// Calls that take longer than predicted: first calls, and calls while other programs occupy the
// processors.
#include <kindred/backends/Dispatcher.hpp>

#include <gtest/gtest.h>

#include "SimulatedMachine.hpp"

namespace DispatcherSlowCallsTest {

using namespace Kindred;
using Testing::CalibratedMachine;
using Testing::Machine;

TEST(Dispatcher, FirstCallsAreNotLearnedFrom) {
  CalibratedMachine machine;
  const auto before = machine.dispatcher.predict(machine.workload(1e6));
  for (int i = 0; i < 10; ++i)
    machine.take(8 * before[space_index(Space::cuda)], 1e6, Space::cuda, true);
  EXPECT_EQ(machine.dispatcher.predict(machine.workload(1e6)), before);
  EXPECT_EQ(machine.dispatcher.regret().seconds, 0);
}

/// Calls of 2 ms that take 1.1 ms on two threads, once their times have been learned.
struct TwoThreads : Machine {
  static constexpr double work = 2e6;
  TwoThreads() : Machine(SpaceSet::host(), {}, 2) {
    lines = {Line{1e-6, 1e9}, Line{8e-6, 1.8e9}, Line{1, 1}};
    calibrate();
    for (int i = 0; i < 100; ++i) call(work);
  }
  /// Another program occupies a processor; parallel regions wait for a thread that is not running.
  void disturb(double times) { lines[1] = {times * 8e-6, 1.8e9 / times}; }
  void leave_alone() { disturb(1); }
};

TEST(Dispatcher, OneSlowCallOnAllThreadsIsEnoughToLeaveThem) {
  for (const double times : {4.0, 10.0, 100.0}) {
    TwoThreads machine;
    ASSERT_EQ(machine.call(TwoThreads::work).chosen, Space::openmp);
    machine.disturb(times);
    ASSERT_EQ(machine.call(TwoThreads::work).chosen, Space::openmp)
        << "no earlier call could show the disturbance";
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(machine.call(TwoThreads::work).chosen, Space::serial) << times << " x, call " << i;
  }
}

TEST(Dispatcher, ProbesCostLittleWhileTheProcessorsAreBusy) {
  TwoThreads machine;
  machine.disturb(10);
  double taken = 0;
  constexpr int calls = 3000;
  for (int i = 0; i < calls; ++i) taken += machine.call(TwoThreads::work).taken;
  EXPECT_LE(taken, 1.15 * calls * machine.truth(Space::serial, TwoThreads::work));
  machine.leave_alone();
  int until = 0;
  while (until < 5000 && machine.call(TwoThreads::work).chosen != Space::openmp) ++until;
  EXPECT_EQ(machine.call(TwoThreads::work).chosen, Space::openmp) << "the probe was quick";
  EXPECT_LT(until, 3000) << "number of calls of 2 ms";
}

TEST(Dispatcher, ProbesOfBusyProcessorsBecomeRarer) {
  TwoThreads machine;
  machine.disturb(50);
  int probes = 0;
  for (int i = 0; i < 1000; ++i)
    probes += machine.call(TwoThreads::work).why == Reason::probe ? 1 : 0;
  EXPECT_GE(probes, 3) << "of 55 ms, in 2 s";
  EXPECT_LE(probes, 5);
}

TEST(Dispatcher, OneDisturbedCallOnAllThreadsIsForgottenSoon) {
  for (const double times : {10.0, 30.0}) {
    TwoThreads machine;
    machine.disturb(times);
    machine.call(TwoThreads::work);
    machine.leave_alone();
    int serial = 0;
    for (int i = 0; i < 1000; ++i)
      serial += machine.call(TwoThreads::work).chosen == Space::serial ? 1 : 0;
    EXPECT_LT(serial, 60) << "calls of 0.1 s in total, " << times;
  }
}

/// Two threads on which calls take as long as a test chooses.
struct ChosenTimes : Machine {
  static constexpr double work = 1e8;
  ChosenTimes() : Machine(SpaceSet::host(), {}, 2) {
    calibrate();
    dispatcher.force_threads(2);
    calibrated = predicted(Space::openmp, work);
  }
  /// A call on `openmp` that takes \p times its calibrated time.
  void take_times(double times, bool first = false) {
    take(times * calibrated, work, Space::openmp, first);
  }
  /// Predicted time of a call, as a multiple of the calibrated time.
  double ratio() const { return predicted(Space::openmp, work) / calibrated; }

  double calibrated = 0;
};

TEST(Dispatcher, AnAlarmIsRaisedByThreeTimesTheExpectedTime) {
  ChosenTimes machine;
  machine.take_times(2.9);
  EXPECT_DOUBLE_EQ(machine.ratio(), 1);
  machine.take_times(3);
  EXPECT_NEAR(machine.ratio(), 3, 1e-6);

  ChosenTimes busy;  // for so long that three times the calibrated time are expected
  for (int i = 0; i < 20; ++i) busy.take_times(3);
  busy.take_times(8);
  EXPECT_NEAR(busy.ratio(), 3, 1e-6) << "less than three times as expected";
  busy.take_times(10);
  EXPECT_NEAR(busy.ratio(), 10, 1e-6);
}

TEST(Dispatcher, AnAlarmEndsWithACallOfAnExpectedTime) {
  ChosenTimes machine;
  machine.take_times(3.5);
  EXPECT_NEAR(machine.ratio(), 3.5, 1e-6);
  machine.take_times(2, true);
  EXPECT_NEAR(machine.ratio(), 3.5, 1e-6) << "not with a first call";
  machine.take_times(2);
  EXPECT_DOUBLE_EQ(machine.ratio(), 1);
}

TEST(Dispatcher, ACallInLessThanHalfTheExpectedTimeEndsADisturbance) {
  for (const auto& [expected, taken, after] :
       {std::array{4.0, 2.0, 4.0}, {4.0, 1.99, 1.0}, {1.75, 0.9, 1.75}, {1.75, 0.8, 1.0}}) {
    ChosenTimes machine;
    for (int i = 0; i < 20; ++i) machine.take_times(expected);
    ASSERT_DOUBLE_EQ(machine.ratio(), expected);
    machine.take_times(taken);
    EXPECT_DOUBLE_EQ(machine.ratio(), after) << taken;
  }
}

TEST(Dispatcher, AFirstCallThatIsMuchTooSlowIsAvoidedToo) {
  TwoThreads machine;
  const double of_allocations = 4e-3;
  ASSERT_EQ(machine.take(of_allocations, TwoThreads::work, {}, true).chosen, Space::openmp);
  EXPECT_EQ(machine.call(TwoThreads::work).chosen, Space::openmp);
  machine.take(30e-3, TwoThreads::work, Space::openmp, true);
  EXPECT_EQ(machine.call(TwoThreads::work).chosen, Space::serial);
}

TEST(Dispatcher, ManySlowThreadsCanStillBeFasterThanOne) {
  Machine machine(SpaceSet::host(), {}, 64);
  machine.lines = {Machine::Line{1e-6, 1e9}, Machine::Line{5e-5, 50e9}, Machine::Line{1, 1}};
  machine.calibrate();
  for (int i = 0; i < 20; ++i) machine.call(1e9);
  machine.lines[1].rate /= 5;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(machine.call(1e9).chosen, Space::openmp);
}

}  // namespace DispatcherSlowCallsTest
