// SPDX-License-Identifier: Apache-2.0
// What a call costs beside its work: starts, few pieces, first calls, other programs on the
// processors.
#include <kindred/backends/Dispatcher.hpp>

#include <gtest/gtest.h>

#include "MadeUpMachine.hpp"

namespace {

using namespace Kindred;
using Testing::index;
using Testing::Machine;

TEST(Dispatcher, EveryStartCostsWhatAStartCostsOnTheSpace) {
  Machine machine;
  machine.calibrate();
  machine.dispatcher.calibrate_start(Space::serial, 0);
  machine.dispatcher.calibrate_start(Space::openmp, 20e-6);
  machine.dispatcher.calibrate_start(Space::cuda, 2e-6);
  Workload workload = machine.workload(1 << 30);
  workload.starts = 0;
  const auto none = machine.dispatcher.predict(workload);
  workload.starts = 50;
  const auto fifty = machine.dispatcher.predict(workload);
  EXPECT_DOUBLE_EQ(fifty[0], none[0]);
  EXPECT_DOUBLE_EQ(fifty[1], none[1] + 1e-3);
  EXPECT_DOUBLE_EQ(fifty[2], none[2] + 1e-4);
  EXPECT_EQ(machine.dispatcher.decide(machine.workload(1e5)).chosen, Space::openmp);
  workload = machine.workload(1e5);
  workload.starts = 20;
  EXPECT_EQ(machine.dispatcher.decide(workload).chosen, Space::serial);
}

TEST(Dispatcher, AStartCostsLessWhereFewerThreadsAreWorthIt) {
  Machine machine(SpaceSet::host());
  machine.calibrate();
  machine.dispatcher.calibrate_start(Space::openmp, 80e-6);  // 10 µs for each of 8 threads
  int before = 1;
  for (const double work : {1e4, 1e5, 1e6, 1e7, 1e8}) {
    const DispatchRecord record = machine.dispatcher.decide(machine.workload(work), Space::openmp);
    EXPECT_GE(record.threads, before) << work;
    before = record.threads;
    const double serial = record.predicted[0];
    const double divided = std::max(machine.truth(Space::openmp, work), serial / before);
    EXPECT_NEAR(record.predicted[1], divided + 10e-6 * before, 0.02 * serial) << work;
  }
  EXPECT_EQ(before, 8);
  EXPECT_EQ(machine.dispatcher.decide(machine.workload(1e5), Space::openmp).threads, 4);
}

TEST(Dispatcher, StartsAreInThePriorsToo) {
  Dispatcher dispatcher(SpaceSet::host(), 8, {});
  EXPECT_GT(dispatcher.start_seconds(Space::openmp), 1e-6);
  Workload workload{Operation::spread, 1, 1e5, 0, SpaceSet::all()};
  EXPECT_EQ(dispatcher.decide(workload).chosen, Space::openmp);
  workload.starts = 100;
  EXPECT_EQ(dispatcher.decide(workload).chosen, Space::serial);
}

TEST(Dispatcher, WorkOfFewPiecesIsNotDividedAmongAllThreads) {
  Machine machine(SpaceSet::host());
  machine.calibrate();
  Workload workload = machine.workload(1e8);
  workload.starts = 0;
  const auto divided = machine.dispatcher.predict(workload);
  workload.pieces = 8;
  EXPECT_DOUBLE_EQ(machine.dispatcher.predict(workload)[1], divided[1]);
  workload.pieces = 2;
  EXPECT_DOUBLE_EQ(machine.dispatcher.predict(workload)[1], divided[0] / 2);
  workload.pieces = 1;
  EXPECT_DOUBLE_EQ(machine.dispatcher.predict(workload)[1], divided[0]);
  EXPECT_EQ(machine.dispatcher.decide(workload).chosen, Space::serial);
}

TEST(Dispatcher, FirstCallsAreNotLearntFrom) {
  Machine machine;
  machine.calibrate();
  const auto before = machine.dispatcher.predict(machine.workload(1e6));
  for (int i = 0; i < 10; ++i) {
    DispatchRecord record = machine.dispatcher.decide(machine.workload(1e6), Space::cuda);
    record.first = true;
    record.taken = 8 * record.predicted[index(Space::cuda)];
    machine.dispatcher.observe(record);
  }
  EXPECT_EQ(machine.dispatcher.predict(machine.workload(1e6)), before);
  EXPECT_EQ(machine.dispatcher.regret().seconds, 0);
}

TEST(CallHistory, ACallIsFirstWhereNoneOfItsSizeOrMoreHasRun) {
  CallHistory history;
  EXPECT_TRUE(history.add(Operation::lcs, Space::openmp, 1000));
  EXPECT_FALSE(history.add(Operation::lcs, Space::openmp, 1000));
  EXPECT_FALSE(history.add(Operation::lcs, Space::openmp, 7)) << "the workspace is large enough";
  EXPECT_TRUE(history.add(Operation::lcs, Space::openmp, 1e9)) << "it grows";
  EXPECT_FALSE(history.add(Operation::lcs, Space::openmp, 1e8));
  EXPECT_TRUE(history.add(Operation::lcs, Space::serial, 1000));
  EXPECT_TRUE(history.add(Operation::difflib, Space::openmp, 1000));
  EXPECT_TRUE(history.add(Operation::spread, Space::serial, 0)) << "no work is a size, too";
  EXPECT_FALSE(history.add(Operation::spread, Space::serial, 0));
}

/// Calls of 2 ms that two threads do in 1.1, once they have been learnt.
struct TwoThreads : Machine {
  static constexpr double work = 2e6;
  TwoThreads() : Machine(SpaceSet::host(), {}, 2) {
    lines = {Line{1e-6, 1e9}, Line{8e-6, 1.8e9}, Line{1, 1}};
    calibrate();
    for (int i = 0; i < 100; ++i) call(work);
  }
  /// Another program takes a processor; regions wait for a thread that does not run.
  void disturb(double times) { lines[1] = {times * 8e-6, 1.8e9 / times}; }
  void leave_alone() { disturb(1); }
};

TEST(Dispatcher, ASlowCallOnAllThreadsIsTheOnlyOne) {
  for (const double times : {4.0, 10.0, 100.0}) {
    TwoThreads machine;
    ASSERT_EQ(machine.call(TwoThreads::work).chosen, Space::openmp);
    machine.disturb(times);
    ASSERT_EQ(machine.call(TwoThreads::work).chosen, Space::openmp) << "nothing shows it before";
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(machine.call(TwoThreads::work).chosen, Space::serial) << times << " x, call " << i;
  }
}

TEST(Dispatcher, WhileTheProcessorsAreHeldProbesCostLittleAndAllThreadsComeBackAfterwards) {
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
  EXPECT_LT(until, 3000) << "calls of 2 ms";
}

TEST(Dispatcher, OneDisturbedCallOnAllThreadsIsForgottenSoon) {
  TwoThreads machine;
  machine.disturb(10);
  machine.call(TwoThreads::work);
  machine.leave_alone();
  int serial = 0;
  for (int i = 0; i < 1000; ++i)
    serial += machine.call(TwoThreads::work).chosen == Space::serial ? 1 : 0;
  EXPECT_LT(serial, 60) << "0.1 s of calls";
}

TEST(Dispatcher, AFirstCallThatIsFarTooSlowIsLeftToo) {
  TwoThreads machine;
  DispatchRecord record = machine.dispatcher.decide(machine.workload(TwoThreads::work));
  ASSERT_EQ(record.chosen, Space::openmp);
  record.first = true;
  record.taken = 4e-3;  // memory that was allocated explains that
  machine.dispatcher.observe(record);
  EXPECT_EQ(machine.call(TwoThreads::work).chosen, Space::openmp);
  record.taken = 30e-3;
  machine.dispatcher.observe(record);
  EXPECT_EQ(machine.call(TwoThreads::work).chosen, Space::serial);
}

TEST(Dispatcher, ManyThreadsThatAreSlowAreStillBetterThanOne) {
  Machine machine(SpaceSet::host(), {}, 64);
  machine.lines = {Machine::Line{1e-6, 1e9}, Machine::Line{5e-5, 50e9}, Machine::Line{1, 1}};
  machine.calibrate();
  for (int i = 0; i < 20; ++i) machine.call(1e9);
  machine.lines[1].rate /= 5;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(machine.call(1e9).chosen, Space::openmp);
}

}  // namespace
