// SPDX-License-Identifier: Apache-2.0
// Calls that take longer than predicted: first calls, and calls while other programs occupy the
// processors.
#include <kindred/backends/Dispatcher.hpp>

#include <gtest/gtest.h>

#include "SimulatedMachine.hpp"

namespace DispatcherSlowCallsTest {

using namespace Kindred;
using Testing::Machine;

TEST(Dispatcher, FirstCallsAreNotLearnedFrom) {
  Machine machine;
  machine.calibrate();
  const auto before = machine.dispatcher.predict(machine.workload(1e6));
  for (int i = 0; i < 10; ++i) {
    DispatchRecord record = machine.dispatcher.decide(machine.workload(1e6), Space::cuda);
    record.first = true;
    record.taken = 8 * record.predicted[space_index(Space::cuda)];
    machine.dispatcher.observe(record);
  }
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

TEST(Dispatcher, OneDisturbedCallOnAllThreadsIsForgottenSoon) {
  TwoThreads machine;
  machine.disturb(10);
  machine.call(TwoThreads::work);
  machine.leave_alone();
  int serial = 0;
  for (int i = 0; i < 1000; ++i)
    serial += machine.call(TwoThreads::work).chosen == Space::serial ? 1 : 0;
  EXPECT_LT(serial, 60) << "calls of 0.1 s in total";
}

TEST(Dispatcher, AFirstCallThatIsMuchTooSlowIsAvoidedToo) {
  TwoThreads machine;
  DispatchRecord record = machine.dispatcher.decide(machine.workload(TwoThreads::work));
  ASSERT_EQ(record.chosen, Space::openmp);
  record.first = true;
  record.taken = 4e-3;  // explained by memory that was allocated
  machine.dispatcher.observe(record);
  EXPECT_EQ(machine.call(TwoThreads::work).chosen, Space::openmp);
  record.taken = 30e-3;
  machine.dispatcher.observe(record);
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
