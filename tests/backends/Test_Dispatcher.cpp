// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Dispatcher.hpp>
#include <kindred/matcher/Calibration.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/SeedOperationInfo.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <gtest/gtest.h>

#include "Allocations.hpp"
#include "SimulatedMachine.hpp"
#include "Support.hpp"

namespace DispatcherTest {

using namespace Kindred;
using namespace std::chrono_literals;
using Testing::CalibratedMachine;
using Testing::Machine;

// --- predicted times and priors

TEST(Dispatcher, PriorsUseTheDeviceFromTheirThresholds) {
  Machine machine;
  constexpr double vectors = 128 * 768 * 9;  // each vector is read too
  for (const auto& [operation, first] :
       std::vector<std::pair<Operation, double>>{{Operations::search, vectors},
                                                 {Operations::score, 300 * 768},
                                                 {Operations::spread, 512 * 10 * 4},
                                                 {Operations::lcs, 1000 * 100}}) {
    for (const double share : {0.98, 1.02}) {
      Workload w = machine.workload(share * first);
      w.operation = operation;
      const auto predicted = machine.dispatcher.predict(w);
      EXPECT_EQ(predicted[space_index(Space::cuda)]<predicted[space_index(Space::serial)], share> 1)
          << operation.name();
    }
  }
}

TEST(Dispatcher, PriorsUseTheDeviceForASeedLayerOfAnySize) {
  Machine machine;
  for (const double work : {1.0, 4096.0, 1e6}) {
    Workload w = machine.workload(work);
    w.operation = Operations::seeds;
    w.transfer_bytes = 32 * 4096;  // rows there and back
    const auto predicted = machine.dispatcher.predict(w);
    EXPECT_LT(predicted[space_index(Space::cuda)], predicted[space_index(Space::serial)]) << work;
  }
}

TEST(Dispatcher, OneThreadWinsSmallBatchesAndAllThreadsLargeOnes) {
  const std::vector<Operation> operations = engine_operations();
  EXPECT_GE(operations.size(), 16U);
  for (const Operation operation : operations) {
    Dispatcher dispatcher(SpaceSet::host(), 2, {});
    EXPECT_EQ(dispatcher.decide({.operation = operation, .work = 100}).chosen, Space::serial);
    EXPECT_EQ(dispatcher.decide({.operation = operation, .work = 1e8}).chosen, Space::openmp);
  }
}

TEST(Dispatcher, NeverStartsThreadsOnAMachineWithOneThread) {
  Machine machine(SpaceSet::host(), {}, 1);
  for (double work = 1; work < 1e15; work *= 4)
    EXPECT_EQ(machine.decide(work).chosen, Space::serial);
}

TEST(Dispatcher, TransfersCountOnlyForTheDeviceAndEachHasALatency) {
  Dispatcher dispatcher(SpaceSet::all(), 2, {});
  dispatcher.calibrate_transfer(1e9, 2e-3);
  Workload w{.operation = Operations::lcs, .work = 1e6};
  const auto without = dispatcher.predict(w);
  for (const std::uint64_t bytes : {1, 1'000'000}) {
    w.transfer_bytes = bytes;
    const auto with = dispatcher.predict(w);
    EXPECT_DOUBLE_EQ(with[0], without[0]);
    EXPECT_DOUBLE_EQ(with[1], without[1]);
    EXPECT_NEAR(with[2] - without[2], 2e-3 + 1e-9 * static_cast<double>(bytes), 1e-9);
  }
}

// --- choice, modes, residency

TEST(Dispatcher, IsWithinFivePercentOfTheBestSpaceInEverySizeOnceCalibrated) {
  CalibratedMachine machine;
  for (double work = 16; work < 1e11; work *= 1.3) {
    const auto record = machine.call(work);
    EXPECT_LE(record.taken, 1.05 * machine.truth(machine.best(work), work)) << work;
  }
}

TEST(Dispatcher, LearnsTheBestSpaceWithoutCalibration) {
  Machine machine;
  machine.lines = {Machine::Line{5e-6, 1e8}, Machine::Line{2e-5, 5e8}, Machine::Line{5e-5, 2e9}};
  for (const double work : {1e2, 1e4, 1e6, 1e8}) {
    for (int i = 0; i < 1000; ++i) {
      machine.call(work);
      machine.now += 100ms;  // long enough that probes become due
    }
    for (int probe = 0; probe < 3; ++probe) machine.call(work);
    EXPECT_EQ(machine.call(work).chosen, machine.best(work)) << work;
  }
}

TEST(Dispatcher, CrossoversMatchTheMeasuredTimes) {
  CalibratedMachine machine;
  const auto crossover = [](const Machine& of, Space space) {
    return of.dispatcher.crossover(Operations::lcs, space);
  };
  EXPECT_NEAR(std::log2(crossover(machine, Space::openmp)), std::log2(7e-6 / (1e-9 - 1 / 6e9)),
              1.0);
  EXPECT_NEAR(std::log2(crossover(machine, Space::cuda)), std::log2(92e-6 * 6e9), 1.0);
  EXPECT_EQ(crossover(machine, Space::serial), 1.0);
  Machine slow_device;
  slow_device.lines[2] = {1e-3, 1e6};
  slow_device.calibrate();
  EXPECT_EQ(crossover(slow_device, Space::cuda), 0.0);
  Machine alike(SpaceSet::host());
  alike.lines[space_index(Space::openmp)] = alike.lines[space_index(Space::serial)];
  alike.calibrate();
  EXPECT_EQ(crossover(alike, Space::openmp), 0.0) << "it is as fast, not faster";
  EXPECT_EQ(crossover(alike, Space::cuda), 0.0) << "there is none";
  EXPECT_EQ(crossover(Machine(SpaceSet().with(Space::cuda)), Space::serial), 0.0)
      << "it is not usable";
}

TEST(Dispatcher, ForcedModeAndForcedCallOverrideEverythingElse) {
  Machine machine(SpaceSet::all(), {.device_items_min = 1000,
                                    .device_memory_left = [] { return std::uint64_t{1}; }});
  for (const double work : {5.0, 1e9}) {
    for (const Space space : all_spaces) {
      Workload w = machine.workload(work);
      w.device_bytes = 1000;
      const auto record = machine.dispatcher.decide(w, space);
      EXPECT_EQ(record.chosen, space);
      EXPECT_EQ(record.why, Reason::forced);
    }
  }
  Machine forced(SpaceSet::all(), {.forced = Space::serial});
  EXPECT_EQ(forced.call(1e12).chosen, Space::serial);
  EXPECT_EQ(forced.call(1e12, Space::openmp).chosen, Space::openmp);
}

TEST(Dispatcher, RejectsAForcedSpaceThatIsNotUsableOrDoesNotHoldTheData) {
  Machine host(SpaceSet::host());
  EXPECT_THROW(host.call(1, Space::cuda), SpaceUnavailable);
  Machine machine;
  machine.resident = SpaceSet::host();
  EXPECT_THROW(machine.call(1, Space::cuda), SpaceUnavailable);
  machine.resident = SpaceSet();
  EXPECT_THROW(machine.call(1), SpaceUnavailable);
}

TEST(Dispatcher, StaysWithTheSpacesThatHoldTheData) {
  Machine machine;
  machine.resident = SpaceSet::host();
  const auto record = machine.call(1e12);
  EXPECT_EQ(record.chosen, Space::openmp);
  EXPECT_TRUE(std::isnan(record.predicted[space_index(Space::cuda)]));
  machine.resident = SpaceSet().with(Space::cuda);
  EXPECT_EQ(machine.call(1).chosen, Space::cuda);
  EXPECT_EQ(machine.call(1).why, Reason::only);
}

TEST(Dispatcher, DoesNotAlternateBetweenSpacesOfSimilarTime) {
  Machine machine(SpaceSet::host());
  auto generator = Testing::generator("dispatcher flip");
  std::uniform_real_distribution<double> noise(0.97, 1.03);
  machine.lines[0] = {0, 1e9};
  machine.lines[1] = {0, 1e9};
  machine.calibrate();
  int switches = 0;
  std::optional<Space> last;
  bool held = false;
  for (int i = 0; i < 3000; ++i) {
    auto record = machine.decide(1e6);
    if (record.why != Reason::probe) {
      if (last && *last != record.chosen) ++switches;
      last = record.chosen;
      held = held || record.why == Reason::hysteresis;
    }
    record.taken = machine.truth(record.chosen, 1e6) * noise(generator);
    machine.now += 100ms;
    machine.dispatcher.observe(record);
  }
  EXPECT_EQ(switches, 0);
  EXPECT_TRUE(held) << "the other space was never predicted to be faster: a vacuous test";
}

TEST(Dispatcher, OneColdOrDisturbedCallChangesNoDecision) {
  CalibratedMachine machine;
  const double work = 1e9;
  for (int i = 0; i < 300; ++i) {
    const bool disturbed = i == 0 || i % 10 == 1;
    const double seconds = machine.truth(Space::cuda, work) * (disturbed ? 1000 : 1);
    EXPECT_EQ(machine.take(seconds, work).chosen, Space::cuda) << i;
  }
}

/// A machine whose device is used by another program, and is left alone again.
struct SharedDevice : Machine {
  static constexpr double work = 1e9;
  SharedDevice() {
    calibrate();
    EXPECT_EQ(call(work).chosen, Space::cuda);
  }
  void disturb() { lines[space_index(Space::cuda)] = {1e-4, 2e9}; }
  void leave_alone() { lines[space_index(Space::cuda)] = {1e-4, 1e12}; }
  /// The number of calls until \p space is chosen, not only probed.
  int calls_until(Space space) {
    probes = 0;
    for (int calls = 0; calls < 5000; ++calls) {
      const auto record = call(work);
      now += 50ms;
      if (record.chosen == space && record.why != Reason::probe) return calls;
      probes += record.why == Reason::probe ? 1 : 0;
    }
    return 5000;
  }
  int probes = 0;  ///< of these calls
};

TEST(Dispatcher, AdaptsToAMachineThatChangesAndRecovers) {
  SharedDevice machine;
  for (int i = 0; i < 100; ++i) machine.call(machine.work);
  machine.disturb();
  EXPECT_LE(machine.calls_until(Space::openmp), 60);
  for (int i = 0; i < 200; ++i) machine.call(machine.work);
  machine.leave_alone();
  EXPECT_LT(machine.calls_until(Space::cuda), 2000) << "probes did not bring it back";
}

TEST(Dispatcher, ASpaceThatWasLeftComesBackAfterAFewProbesHoweverLongItWasSlow) {
  SharedDevice machine;
  machine.disturb();
  for (int i = 0; i < 300; ++i) machine.call(machine.work, Space::cuda);
  EXPECT_EQ(machine.call(machine.work).chosen, Space::openmp);
  machine.leave_alone();
  machine.calls_until(Space::cuda);
  EXPECT_LE(machine.probes, 20);
  EXPECT_GT(machine.probes, 0);
}

// --- what the executor of Engram does wrong (one test per flaw)

TEST(DispatcherFlaw, A_TheTimeOnOneSpaceIsNotCountedForAnother) {
  CalibratedMachine machine;
  const double work = 1e9;
  const auto before = machine.dispatcher.predict(machine.workload(work));
  for (int i = 0; i < 200; ++i)
    machine.take(0.5 * machine.predicted(Space::cuda, work), work, Space::cuda);
  const auto after = machine.dispatcher.predict(machine.workload(work));
  EXPECT_DOUBLE_EQ(after[0], before[0]);
  EXPECT_DOUBLE_EQ(after[1], before[1]);
  EXPECT_LT(after[2], before[2]);
}

TEST(DispatcherFlaw, B_SmallAndLargeBatchesAreLearnedSeparately) {
  CalibratedMachine machine;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(machine.call(1e3).chosen, Space::serial) << "after large batches on the device";
    EXPECT_EQ(machine.call(1e10).chosen, Space::cuda) << "after small batches on one thread";
  }
}

TEST(DispatcherFlaw, B_ABatchOfTwiceTheWorkInOneClassCostsTwice) {
  Machine machine;
  machine.lines[0] = {0, 1e9};
  machine.calibrate();
  const double unit = 1048576;
  for (int i = 0; i < 100; ++i)  // three times slower than calibrated; work 1.1 · 2^20
    machine.take(3 * 1.1 * unit / 1e9, 1.1 * unit, Space::serial);
  EXPECT_NEAR(machine.predicted(Space::serial, 1.9 * unit), 3 * 1.9 * unit / 1e9, 1e-9);
}

TEST(DispatcherFlaw, C_ProbesAreTimedAndTheirCostIsBounded) {
  CalibratedMachine machine;
  for (const double work : {1e3, 1e6, 1e8, 1e10}) {
    double best = 0;
    double taken = 0;
    int probes = 0;
    const Testing::Time start = machine.now;
    for (int i = 0; i < 2000; ++i) {
      const auto record = machine.call(work);
      if (record.why == Reason::probe) {
        ++probes;
        EXPECT_LE(record.taken, 4.0 * machine.truth(machine.best(work), work) * 1.001);
      }
      best += machine.truth(machine.best(work), work);
      taken += record.taken;
      machine.now += 20ms;
    }
    EXPECT_LE(taken, 1.10 * best) << work;
    EXPECT_LE(probes, 2 * (machine.now - start) / 5s + 2) << work;
  }
}

TEST(DispatcherFlaw, D_AnEarlyFailureDoesNotExcludeASpacePermanently) {
  CalibratedMachine machine;
  const double work = 1e10;
  EXPECT_EQ(machine.decide(work).chosen, Space::cuda);
  machine.fail(Space::cuda);
  EXPECT_FALSE(machine.is_open(Space::cuda));
  EXPECT_EQ(machine.call(work).chosen, Space::cuda);

  machine.fail(Space::cuda, 2);
  EXPECT_TRUE(machine.is_open(Space::cuda));
  const auto refused = machine.call(work);
  EXPECT_EQ(refused.chosen, Space::openmp);
  EXPECT_EQ(refused.why, Reason::fallback);
  EXPECT_FALSE(machine.dispatcher.breaker_open(Operations::spread, Space::cuda));

  machine.now += 10s;
  const auto trial = machine.decide(work);
  EXPECT_EQ(trial.chosen, Space::cuda);
  EXPECT_EQ(trial.why, Reason::probe);
  EXPECT_EQ(machine.decide(work).chosen, Space::openmp) << "only one trial at a time";
  machine.fail(Space::cuda);
  machine.now += 9s;
  EXPECT_TRUE(machine.is_open(Space::cuda)) << "opened again";
  machine.now += 1s;
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(machine.call(work).chosen, Space::cuda) << "the trial succeeds";
  EXPECT_FALSE(machine.is_open(Space::cuda));
}

TEST(DispatcherFlaw, D_TheSuccessRateCountsOnlyTheLastCalls) {
  Machine machine(SpaceSet::all(), {.window = 20});
  const auto fail_one_in = [&](int calls) {
    for (int i = 1; i < calls; ++i) machine.call(1e10, Space::cuda);
    machine.fail(Space::cuda);
  };
  for (int i = 0; i < 50; ++i) fail_one_in(21);
  EXPECT_FALSE(machine.is_open(Space::cuda));
  fail_one_in(3);
  EXPECT_TRUE(machine.is_open(Space::cuda));
}

TEST(DispatcherFlaw, F_TheFallbackIsTheNextBestSpaceNotTheSlowest) {
  CalibratedMachine machine;
  const SpaceSet device = SpaceSet().with(Space::cuda);
  const auto next = machine.dispatcher.decide_without(machine.workload(1e10), device);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->chosen, Space::openmp);
  EXPECT_EQ(next->why, Reason::fallback);
  EXPECT_EQ(machine.dispatcher.decide_without(machine.workload(100), device)->chosen,
            Space::serial);
  EXPECT_FALSE(machine.dispatcher.decide_without(machine.workload(1e10), SpaceSet::all()));
}

TEST(Dispatcher, AnswersEvenWhenEveryBreakerIsOpen) {
  Machine machine(SpaceSet::host());
  for (const Space space : {Space::serial, Space::openmp}) machine.fail(space, 2);
  EXPECT_EQ(machine.decide(1e10).chosen, Space::openmp);
}

// --- explain, regret

TEST(Dispatcher, RegretIsTheTimeBeyondTheBestPrediction) {
  Machine machine;
  DispatchRecord record = machine.decide(1e6);
  record.predicted = {3.0, 2.0, std::nan("")};
  record.taken = 2.5;
  machine.dispatcher.observe(record);
  record.taken = 1.0;
  machine.dispatcher.observe(record);
  const auto regret = machine.dispatcher.regret();
  EXPECT_DOUBLE_EQ(regret.seconds, 0.5);
  EXPECT_DOUBLE_EQ(regret.taken, 3.5);
  EXPECT_EQ(regret.decisions, 2U);
}

TEST(Dispatcher, ExplainsItselfAsOneLineOfJson) {
  const DispatchRecord record{.operation = Operations::spread,
                              .items = 12,
                              .predicted = {1.5, 0.25, std::nan("")},
                              .chosen = Space::openmp,
                              .why = Reason::hysteresis,
                              .taken = 0.125,
                              .threads = 4,
                              .starts = 7,
                              .first = true};
  EXPECT_EQ(
      to_json(record),
      R"({"op":"spread","items":12,"predicted":{"serial":1.5,"openmp":0.25},)"
      R"("chosen":"openmp","taken":0.125,"why":"hysteresis","threads":4,"starts":7.0,"first":true})");
}

// --- memory

TEST(Dispatcher, DecidesWithoutAllocation) {
  CalibratedMachine machine(SpaceSet::all(), {.probe_interval = 0ms});
  const std::size_t before = Testing::allocations();
  for (int i = 0; i < 2000; ++i) (void)machine.decide(1000.0 * (1 + i % 500));
  EXPECT_EQ(Testing::allocations(), before);
}

TEST(Dispatcher, ObservingAllocatesOnlyForANewSizeClass) {
  Machine machine;
  const DispatchRecord record = machine.call(1e6, Space::serial);
  const std::size_t before = Testing::allocations();
  for (int i = 0; i < 300; ++i) machine.dispatcher.observe(record);
  EXPECT_EQ(Testing::allocations(), before);
}

}  // namespace DispatcherTest
