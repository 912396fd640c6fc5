// SPDX-License-Identifier: Apache-2.0
// How many threads a call gets, and what starting them costs it.
#include <kindred/backends/Dispatcher.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>

#include <gmock/gmock.h>

#include "SimulatedMachine.hpp"

namespace DispatcherTeamsTest {

using namespace Kindred;
using Testing::CalibratedMachine;

TEST(Dispatcher, EveryLaunchAddsTheLaunchCostOfItsSpace) {
  CalibratedMachine machine;
  machine.dispatcher.calibrate_start(Space::serial, 0);
  for (const int threads : machine.dispatcher.team_sizes())
    machine.dispatcher.calibrate_start(Space::openmp, 20e-6, threads);
  machine.dispatcher.calibrate_start(Space::cuda, 2e-6);
  Workload workload = machine.workload(1 << 30);
  workload.starts = 0;
  const auto none = machine.dispatcher.predict(workload);
  workload.starts = 50;
  const auto fifty = machine.dispatcher.predict(workload);
  EXPECT_DOUBLE_EQ(fifty[0], none[0]);
  EXPECT_DOUBLE_EQ(fifty[1], none[1] + 1e-3);
  EXPECT_DOUBLE_EQ(fifty[2], none[2] + 1e-4);
  EXPECT_EQ(machine.decide(1e5).chosen, Space::openmp);
  workload = machine.workload(1e5);
  workload.starts = 20;
  EXPECT_EQ(machine.dispatcher.decide(workload).chosen, Space::serial);
}

/// A machine with 8 threads whose teams of 2, 4 and 8 threads compute 1.8, 3 and 4 times as fast as
/// one thread and cost 5, 10 and 20 µs per parallel region, and 20, 40 and 80 µs per call.
struct MachineOfTeams : CalibratedMachine {
  MachineOfTeams() : CalibratedMachine(SpaceSet::host()) {
    for (const auto& [threads, speedup, start] :
         {std::tuple(2, 1.8, 5e-6), {4, 3.0, 10e-6}, {8, 4.0, 20e-6}}) {
      calibrate(Space::openmp, {4 * start, speedup * 1e9}, threads);
      dispatcher.calibrate_start(Space::openmp, start, threads);
    }
  }
};

TEST(Dispatcher, ACallGetsTheFastestTeam) {
  MachineOfTeams machine;
  EXPECT_THAT(machine.dispatcher.team_sizes(), testing::ElementsAre(2, 4, 8));
  int before = 2;
  for (const double work : {1e3, 1e5, 2e5, 1e6, 1e7, 1e8}) {
    const DispatchRecord record = machine.decide(work);
    EXPECT_GE(record.threads, before) << work;
    before = record.threads;
    double least = 1;
    int fastest = 0;
    for (const auto& [threads, seconds] :
         {std::pair(2, 25e-6 + work / 1.8e9), {4, 50e-6 + work / 3e9}, {8, 100e-6 + work / 4e9}}) {
      if (seconds < least) fastest = threads;
      least = std::min(least, seconds);
    }
    EXPECT_EQ(record.threads, fastest) << work;
    EXPECT_NEAR(record.predicted[1], least, 0.02 * least) << work;
  }
  EXPECT_EQ(before, 8);
  Workload workload = machine.workload(1e6);
  workload.starts = 100;
  EXPECT_EQ(machine.dispatcher.decide(workload).threads, 2) << "regions of few threads cost less";
}

TEST(Dispatcher, AForcedCallOnOpenmpGetsOneThreadWhereTheTeamsAreSlower) {
  MachineOfTeams machine;
  EXPECT_EQ(machine.decide(1e3, Space::openmp).threads, 1);
  EXPECT_EQ(machine.decide(1e8, Space::openmp).threads, 8);
}

TEST(Dispatcher, OneThreadOfOpenmpUpdatesTheTimesOfSerial) {
  MachineOfTeams machine;
  const auto before = machine.dispatcher.predict(machine.workload(1e3));
  for (int i = 0; i < 50; ++i) machine.take(5 * before[0], 1e3, Space::openmp);
  const auto after = machine.dispatcher.predict(machine.workload(1e3));
  EXPECT_NEAR(after[0], 5 * before[0], 0.1 * before[0]);
  EXPECT_DOUBLE_EQ(after[1], before[1]);
}

TEST(Dispatcher, AnyNumberOfThreadsThatThereAreCanBeForced) {
  MachineOfTeams machine;
  for (const int threads : {1, 4, 7, 8}) {
    machine.dispatcher.force_threads(threads);
    for (const double work : {1e3, 1e8})
      EXPECT_EQ(machine.decide(work, Space::openmp).threads, threads);
    EXPECT_EQ(machine.decide(1e8).threads, threads);
  }
  machine.dispatcher.force_threads(0);
  EXPECT_EQ(machine.decide(1e8, Space::openmp).threads, 8);
}

TEST(Dispatcher, PriorsIncludeLaunches) {
  Dispatcher dispatcher(SpaceSet::host(), 8, {});
  EXPECT_GT(dispatcher.start_seconds(Space::openmp), 1e-6);
  Workload workload{Operations::spread, 1, 1e6, 0, SpaceSet::all()};
  EXPECT_EQ(dispatcher.decide(workload).chosen, Space::openmp);
  workload.starts = 200;
  EXPECT_EQ(dispatcher.decide(workload).chosen, Space::serial);
}

TEST(Dispatcher, WorkOfFewItemsIsNotDividedAmongAllThreads) {
  CalibratedMachine machine(SpaceSet::host());
  Workload workload = machine.workload(1e8);
  workload.starts = 0;
  const auto divided = machine.dispatcher.predict(workload);
  workload.pieces = 8;
  EXPECT_DOUBLE_EQ(machine.dispatcher.predict(workload)[1], divided[1]);
  workload.pieces = 2;
  EXPECT_NEAR(machine.dispatcher.predict(workload)[1], divided[0] / 2, 1e-5);
  workload.pieces = 1;
  EXPECT_DOUBLE_EQ(machine.dispatcher.predict(workload)[1], divided[0]);
  EXPECT_EQ(machine.dispatcher.decide(workload).chosen, Space::serial);
}

}  // namespace DispatcherTeamsTest
