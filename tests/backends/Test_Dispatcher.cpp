// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Dispatcher.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Calibration.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "Allocations.hpp"
#include "SimulatedMachine.hpp"
#include "Support.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

namespace DispatcherTest {

using namespace Kindred;
using namespace std::chrono_literals;
using Testing::Machine;
using Time = std::chrono::steady_clock::time_point;

// --- predicted times and priors

TEST(Dispatcher, PriorsUseTheDeviceFromTheThresholdsOfSeeds) {
  Machine machine;
  const auto first_on_device = [&](Operation operation) {
    for (double work = 1;; work *= 1.01) {
      Workload w = machine.workload(work);
      w.operation = operation;
      const auto predicted = machine.dispatcher.predict(w);
      if (predicted[space_index(Space::cuda)] < predicted[space_index(Space::serial)]) return work;
    }
  };
  constexpr double vectors = 64 * 768 * 9;  // each vector is read too
  EXPECT_NEAR(first_on_device(Operations::search), vectors, 0.02 * vectors);
  EXPECT_NEAR(first_on_device(Operations::score), 1024 * 768, 0.02 * 1024 * 768);
  EXPECT_NEAR(first_on_device(Operations::spread), 512 * 10 * 4, 0.02 * 512 * 10 * 4);
  EXPECT_NEAR(first_on_device(Operations::lcs), 1000 * 100, 0.02 * 1000 * 100);
}

TEST(Dispatcher, OneThreadWinsSmallBatchesAndAllThreadsLargeOnes) {
  const std::vector<Operation> operations = engine_operations();
  EXPECT_GE(operations.size(), 16U);
  for (const Operation operation : operations) {
    Dispatcher dispatcher(SpaceSet::host(), 2, {});
    Workload w;
    w.operation = operation;
    w.work = 100;
    EXPECT_EQ(dispatcher.decide(w).chosen, Space::serial);
    w.work = 1e8;
    EXPECT_EQ(dispatcher.decide(w).chosen, Space::openmp);
  }
}

TEST(Dispatcher, NeverStartsThreadsOnAMachineWithOneThread) {
  Dispatcher dispatcher(SpaceSet::host(), 1, {});
  for (double work = 1; work < 1e15; work *= 4)
    EXPECT_EQ(dispatcher.decide({Operations::lcs, 1, work, 0, SpaceSet::all()}).chosen,
              Space::serial);
}

TEST(Dispatcher, CalibrationInterpolatesBetweenPointsAndExtrapolatesAlongTheLastTwo) {
  Dispatcher dispatcher(SpaceSet::host(), 2, {});
  dispatcher.calibrate(Operations::lcs, Space::serial, 1024, 3e-6);
  dispatcher.calibrate(Operations::lcs, Space::serial, 4096, 6e-6);
  dispatcher.calibrate(Operations::lcs, Space::serial, 65536, 70e-6);
  const auto predicted = [&](double work) {
    return dispatcher.predict({Operations::lcs, 1, work, 0, SpaceSet::all()})[0];
  };
  EXPECT_DOUBLE_EQ(predicted(1024), 3e-6);
  EXPECT_DOUBLE_EQ(predicted(2560), 4.5e-6);
  EXPECT_DOUBLE_EQ(predicted(4096), 6e-6);
  EXPECT_DOUBLE_EQ(predicted((4096 + 65536) / 2), 38e-6);
  EXPECT_DOUBLE_EQ(predicted(65536), 70e-6);
  const double slope = 64e-6 / (65536 - 4096);
  EXPECT_DOUBLE_EQ(predicted(65536.0 * 1024), 70e-6 + 65536.0 * 1023 * slope);
  EXPECT_DOUBLE_EQ(predicted(0), 2e-6) << "the overhead, along the first two points";
  EXPECT_LT(predicted(512), predicted(1024));
  EXPECT_DOUBLE_EQ(predicted(70000), 70e-6 + (70000 - 65536) * slope);
  EXPECT_DOUBLE_EQ(predicted(4095), 3e-6 + 3e-6 * (4095.0 - 1024) / 3072)
      << "the point of the size class above";
}

TEST(Dispatcher, ADisturbedLastPointIsNotScaledUp) {
  Dispatcher dispatcher(SpaceSet::host(), 2, {});
  dispatcher.calibrate(Operations::lcs, Space::openmp, 1024, 20e-3);
  EXPECT_LT(dispatcher.predict({Operations::lcs, 1, 1e10, 0, SpaceSet::all()})[1], 10)
      << "one slow call of small work is overhead, not a rate";
  dispatcher.calibrate(Operations::lcs, Space::openmp, 4096, 19e-3);
  EXPECT_LT(dispatcher.predict({Operations::lcs, 1, 1e10, 0, SpaceSet::all()})[1], 10);
  EXPECT_GT(dispatcher.predict({Operations::lcs, 1, 1e10, 0, SpaceSet::all()})[1], 0.1);
}

TEST(Dispatcher, AnyWorkHasANonnegativePrediction) {
  Dispatcher dispatcher(SpaceSet::all(), 2, {});
  dispatcher.calibrate(Operations::lcs, Space::openmp, 1000, 1e-3);
  dispatcher.calibrate(Operations::lcs, Space::cuda, 100, 5e-3);
  dispatcher.calibrate(Operations::lcs, Space::cuda, 1000, 1e-3);
  for (const double work : {0.0, -1.0, 0.5, 1.0, 1e300, std::nan(""), 9.3e18, 1.0e19}) {
    for (const double seconds :
         dispatcher.predict({Operations::lcs, 1, work, 0, SpaceSet::all()})) {
      EXPECT_GE(seconds, 0) << work;
    }
  }
}

TEST(Dispatcher, TransferCountsOnlyForTheDevice) {
  Dispatcher dispatcher(SpaceSet::all(), 2, {});
  dispatcher.calibrate_transfer(1e9, 2e-3);
  Workload w{Operations::lcs, 1, 1e6, 0, SpaceSet::all()};
  const auto without = dispatcher.predict(w);
  w.transfer_bytes = 1'000'000;
  const auto with = dispatcher.predict(w);
  EXPECT_DOUBLE_EQ(with[0], without[0]);
  EXPECT_DOUBLE_EQ(with[1], without[1]);
  EXPECT_NEAR(with[2] - without[2], 3e-3, 1e-9);
}

// --- choice, modes, residency

TEST(Dispatcher, IsWithinFivePercentOfTheBestSpaceInEverySizeOnceCalibrated) {
  Machine machine;
  machine.calibrate();
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
      machine.now += std::chrono::milliseconds(100);  // long enough that probes become due
    }
    for (int probe = 0; probe < 3; ++probe) machine.call(work);
    const auto record = machine.call(work);
    EXPECT_EQ(record.chosen, machine.best(work)) << work;
  }
}

TEST(Dispatcher, CrossoversMatchTheMeasuredTimes) {
  Machine machine;
  machine.calibrate();
  const double all_threads = machine.dispatcher.crossover(Operations::lcs, Space::openmp);
  const double device = machine.dispatcher.crossover(Operations::lcs, Space::cuda);
  EXPECT_NEAR(std::log2(all_threads), std::log2(7e-6 / (1e-9 - 1 / 6e9)), 1.0);
  EXPECT_NEAR(std::log2(device), std::log2(92e-6 * 6e9), 1.0);
  EXPECT_EQ(machine.dispatcher.crossover(Operations::lcs, Space::serial), 1.0);
  Machine slow_device;
  slow_device.lines[2] = {1e-3, 1e6};
  slow_device.calibrate();
  EXPECT_EQ(slow_device.dispatcher.crossover(Operations::lcs, Space::cuda), 0.0);
}

TEST(Dispatcher, ForcedModeAndForcedCallOverrideThePrediction) {
  Machine machine;
  for (const Space space : all_spaces) {
    const auto record = machine.call(1e9, space);
    EXPECT_EQ(record.chosen, space);
    EXPECT_EQ(record.why, Reason::forced);
  }
  Dispatcher::Options options;
  options.forced = Space::serial;
  Machine forced(SpaceSet::all(), options);
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
    auto record = machine.dispatcher.decide(machine.workload(1e6));
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
  Machine machine;
  machine.calibrate();
  const double work = 1e9;
  ASSERT_EQ(machine.best(work), Space::cuda);
  for (int i = 0; i < 300; ++i) {
    auto record = machine.dispatcher.decide(machine.workload(work));
    EXPECT_EQ(record.chosen, Space::cuda) << i;
    const bool disturbed = i == 0 || i % 10 == 1;
    record.taken = machine.truth(record.chosen, work) * (disturbed ? 1000 : 1);
    machine.dispatcher.observe(record);
  }
}

TEST(Dispatcher, AdaptsToAMachineThatChangesAndRecovers) {
  Machine machine;
  machine.calibrate();
  const double work = 1e9;
  const auto calls_until = [&](Space space) {
    for (int calls = 0; calls < 5000; ++calls) {
      const auto record = machine.call(work);
      machine.now += 50ms;
      if (record.chosen == space && record.why != Reason::probe) return calls;
    }
    return 5000;
  };
  for (int i = 0; i < 100; ++i) machine.call(work);
  const Machine::Line healthy = machine.lines[2];
  machine.lines[2] = {1e-4, 2e9};  // another program uses the device
  EXPECT_LE(calls_until(Space::openmp), 60);
  for (int i = 0; i < 200; ++i) machine.call(work);
  machine.lines[2] = healthy;
  EXPECT_LT(calls_until(Space::cuda), 2000) << "probes did not bring it back";
}

// --- what the executor of Engram does wrong (one test per flaw)

TEST(DispatcherFlaw, A_TheTimeOnOneSpaceIsNotCountedForAnother) {
  Machine machine;
  machine.calibrate();
  const double work = 1e9;
  const auto before = machine.dispatcher.predict(machine.workload(work));
  for (int i = 0; i < 200; ++i) {
    auto record = machine.dispatcher.decide(machine.workload(work), Space::cuda);
    record.taken = 0.5 * record.predicted[space_index(Space::cuda)];
    machine.dispatcher.observe(record);
  }
  const auto after = machine.dispatcher.predict(machine.workload(work));
  EXPECT_DOUBLE_EQ(after[0], before[0]);
  EXPECT_DOUBLE_EQ(after[1], before[1]);
  EXPECT_LT(after[2], before[2]);
}

TEST(DispatcherFlaw, B_SmallAndLargeBatchesAreLearnedSeparately) {
  Machine machine;
  machine.calibrate();
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(machine.call(1e3).chosen, Space::serial) << "after large batches on the device";
    EXPECT_EQ(machine.call(1e10).chosen, Space::cuda) << "after small batches on one thread";
  }
}

TEST(DispatcherFlaw, B_ABatchOfTwiceTheWorkInOneClassCostsTwice) {
  Machine machine;
  machine.lines[0] = {0, 1e9};
  machine.calibrate();
  for (int i = 0; i < 100; ++i) {  // three times slower than calibrated; work 1.1 · 2^20
    auto record = machine.dispatcher.decide(machine.workload(1.1 * 1048576), Space::serial);
    record.taken = 3 * 1.1 * 1048576 / 1e9;
    machine.dispatcher.observe(record);
  }
  EXPECT_NEAR(machine.dispatcher.predict(machine.workload(1.9 * 1048576))[0],
              3 * 1.9 * 1048576 / 1e9, 1e-9);
}

TEST(DispatcherFlaw, C_TheSpaceNotChosenIsMeasuredAgain) {
  Machine machine;
  machine.calibrate();
  const double work = 1e6;
  ASSERT_EQ(machine.best(work), Space::cuda);
  machine.lines[1].rate = 1e11;  // all threads have become the fastest, which only a probe can show
  for (int i = 0; i < 2000; ++i) {
    machine.call(work);
    machine.now += 100ms;
  }
  EXPECT_EQ(machine.call(work).chosen, Space::openmp);
}

TEST(DispatcherFlaw, C_ProbesAreTimedAndTheirCostIsBounded) {
  Machine machine;
  machine.calibrate();
  for (const double work : {1e3, 1e6, 1e8, 1e10}) {
    double best = 0;
    double taken = 0;
    int probes = 0;
    const Time start = machine.now;
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
  Machine machine;
  machine.calibrate();
  const double work = 1e10;
  EXPECT_EQ(machine.dispatcher.decide(machine.workload(work)).chosen, Space::cuda);
  machine.dispatcher.observe_failure(Operations::lcs, Space::cuda);
  EXPECT_FALSE(machine.dispatcher.breaker_open(Operations::lcs, Space::cuda));
  EXPECT_EQ(machine.call(work).chosen, Space::cuda);

  machine.dispatcher.observe_failure(Operations::lcs, Space::cuda);
  machine.dispatcher.observe_failure(Operations::lcs, Space::cuda);
  EXPECT_TRUE(machine.dispatcher.breaker_open(Operations::lcs, Space::cuda));
  const auto refused = machine.call(work);
  EXPECT_EQ(refused.chosen, Space::openmp);
  EXPECT_EQ(refused.why, Reason::fallback);
  EXPECT_FALSE(machine.dispatcher.breaker_open(Operations::spread, Space::cuda));

  machine.now += 10s;
  const auto trial = machine.dispatcher.decide(machine.workload(work));
  EXPECT_EQ(trial.chosen, Space::cuda);
  EXPECT_EQ(trial.why, Reason::probe);
  EXPECT_EQ(machine.dispatcher.decide(machine.workload(work)).chosen, Space::openmp)
      << "only one trial at a time";
  machine.dispatcher.observe_failure(Operations::lcs, Space::cuda);
  machine.now += 9s;
  EXPECT_TRUE(machine.dispatcher.breaker_open(Operations::lcs, Space::cuda)) << "opened again";
  machine.now += 1s;
  EXPECT_EQ(machine.call(work).chosen, Space::cuda) << "the trial succeeds";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(machine.call(work).chosen, Space::cuda);
  EXPECT_FALSE(machine.dispatcher.breaker_open(Operations::lcs, Space::cuda));
}

TEST(DispatcherFlaw, D_TheSuccessRateCountsOnlyTheLastCalls) {
  Dispatcher::Options options;
  options.window = 20;
  Machine machine(SpaceSet::all(), options);
  const auto fail_one_in = [&](int calls) {
    for (int i = 1; i < calls; ++i) machine.call(1e10, Space::cuda);
    machine.dispatcher.observe_failure(Operations::lcs, Space::cuda);
  };
  for (int i = 0; i < 50; ++i) fail_one_in(21);
  EXPECT_FALSE(machine.dispatcher.breaker_open(Operations::lcs, Space::cuda));
  fail_one_in(3);
  EXPECT_TRUE(machine.dispatcher.breaker_open(Operations::lcs, Space::cuda));
}

TEST(DispatcherFlaw, F_TheFallbackIsTheNextBestSpaceNotTheSlowest) {
  Machine machine;
  machine.calibrate();
  const auto next =
      machine.dispatcher.decide_without(machine.workload(1e10), SpaceSet().with(Space::cuda));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->chosen, Space::openmp);
  EXPECT_EQ(next->why, Reason::fallback);
  EXPECT_EQ(machine.dispatcher.decide_without(machine.workload(100), SpaceSet().with(Space::cuda))
                ->chosen,
            Space::serial);
  EXPECT_FALSE(machine.dispatcher.decide_without(machine.workload(1e10), SpaceSet::all()));
}

TEST(Dispatcher, AnswersEvenWhenEveryBreakerIsOpen) {
  Machine machine(SpaceSet::host());
  for (const Space space : {Space::serial, Space::openmp})
    for (int i = 0; i < 2; ++i) machine.dispatcher.observe_failure(Operations::lcs, space);
  EXPECT_EQ(machine.dispatcher.decide(machine.workload(1e10)).chosen, Space::openmp);
}

// --- explain, regret

TEST(Dispatcher, RegretIsTheTimeBeyondTheBestPrediction) {
  Machine machine;
  DispatchRecord record = machine.dispatcher.decide(machine.workload(1e6));
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
  DispatchRecord record;
  record.operation = Operations::spread;
  record.items = 12;
  record.predicted = {1.5, 0.25, std::nan("")};
  record.chosen = Space::openmp;
  record.why = Reason::hysteresis;
  record.taken = 0.125;
  record.threads = 4;
  record.starts = 7;
  record.first = true;
  EXPECT_EQ(
      to_json(record),
      R"({"op":"spread","items":12,"predicted":{"serial":1.5,"openmp":0.25},)"
      R"("chosen":"openmp","taken":0.125,"why":"hysteresis","threads":4,"starts":7.0,"first":true})");
}

// --- decision time, threads

TEST(Dispatcher, DecidesInLessThanAMicrosecondWithoutAllocation) {
  Dispatcher::Options options;
  options.probe_interval = 0ms;
  Dispatcher dispatcher(SpaceSet::all(), 8, options);
  for (int k = 4; k < 40; ++k)
    for (const Space space : all_spaces)
      dispatcher.calibrate(Operations::search, space, std::ldexp(1.0, k), std::ldexp(1e-9, k));
  std::vector<double> seconds;
  seconds.reserve(2000);
  Workload w{Operations::search, 1, 1000, 4096, SpaceSet::all()};
  DispatchRecord record;
  const std::size_t before = Testing::allocations();
  for (int i = 0; i < 2000; ++i) {
    w.work = 1000.0 * (1 + i % 500);
    constexpr int repeats = 20;
    const auto start = std::chrono::steady_clock::now();
    for (int r = 0; r < repeats; ++r) record = dispatcher.decide(w);
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats);
  }
  EXPECT_EQ(Testing::allocations(), before);
  std::nth_element(seconds.begin(), seconds.begin() + 1000, seconds.end());
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(seconds[1000], 1e-6);
#else
  EXPECT_LT(seconds[1000], 50e-6);
#endif
  RecordProperty("decide_nanoseconds", std::to_string(seconds[1000] * 1e9));
}

TEST(Dispatcher, ObservingAllocatesOnlyForANewSizeClass) {
  Machine machine;
  DispatchRecord record = machine.call(1e6, Space::serial);
  const std::size_t before = Testing::allocations();
  for (int i = 0; i < 300; ++i) machine.dispatcher.observe(record);
  EXPECT_EQ(Testing::allocations(), before);
}

TEST(Dispatcher, RejectsOptionsAndCalibrationsOutOfRange) {
  Dispatcher::Options options;
  options.window = 0;
  EXPECT_THROW(Dispatcher(SpaceSet::all(), 1, options), InvalidArgument);
  EXPECT_THROW(Dispatcher(SpaceSet::all(), 0, {}), InvalidArgument);
  EXPECT_THROW(Dispatcher(SpaceSet(), 1, {}), InvalidArgument);
  Dispatcher dispatcher(SpaceSet::host(), 1, {});
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, inf, std::nan("")}) {
    EXPECT_THROW(dispatcher.calibrate(Operations::lcs, Space::serial, bad, 1), InvalidArgument);
    EXPECT_THROW(dispatcher.calibrate(Operations::lcs, Space::serial, 1, bad), InvalidArgument);
    EXPECT_THROW(dispatcher.calibrate_transfer(bad, 1), InvalidArgument);
  }
  EXPECT_THROW(dispatcher.calibrate(Operations::lcs, Space::cuda, 1, 1), InvalidArgument);
  EXPECT_FALSE(dispatcher.calibrated());
}

}  // namespace DispatcherTest
