// SPDX-License-Identifier: Apache-2.0
// Options and measurements at and beyond their limits, and what a new measurement makes forgotten.
#include <kindred/backends/Dispatcher.hpp>
#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "SimulatedMachine.hpp"

namespace DispatcherLimitsTest {

using namespace Kindred;
using namespace std::chrono_literals;
using nlohmann::json;
using Testing::Machine;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(DispatcherLimits, OptionsAreTakenAtTheirLimitsAndRefusedBeyond) {
  const auto with = [](const auto& change) {
    Dispatcher::Options options;
    change(options);
    return Dispatcher(SpaceSet::all(), 2, options).usable();
  };
  for (const std::size_t window : {1, 100'000})
    EXPECT_NO_THROW(with([&](auto& options) { options.window = window; }));
  for (const std::size_t window : {0, 100'001})
    EXPECT_THROW(with([&](auto& options) { options.window = window; }), InvalidArgument);
  EXPECT_NO_THROW(with([](auto& options) { options.probe_loss_max = 0; }));
  const auto from = [](std::uint64_t items) {
    return [items](auto& options) {
      options.device_items_min = 1000;
      options.device_items_from = items;
    };
  };
  EXPECT_NO_THROW(with(from(1000)));
  EXPECT_THROW(with(from(999)), InvalidArgument);
}

TEST(DispatcherLimits, MeasurementsAreFiniteAndStartsAndLatenciesMayBeZero) {
  Dispatcher dispatcher(SpaceSet::all(), 8, {});
  for (const double bad : {-1e-9, infinity, std::nan("")}) {
    EXPECT_THROW(dispatcher.calibrate_start(Space::serial, bad), InvalidArgument);
    EXPECT_THROW(dispatcher.calibrate_transfer(1e9, bad), InvalidArgument);
  }
  EXPECT_NO_THROW(dispatcher.calibrate_start(Space::serial, 0));
  EXPECT_NO_THROW(dispatcher.calibrate_transfer(0.5, 0));
  EXPECT_THROW(dispatcher.calibrate_batch(Operations::lcs, 0), InvalidArgument);
  dispatcher.calibrate_batch(Operations::lcs, 1);
  EXPECT_EQ(dispatcher.batch_bytes(Operations::lcs), 1U);
  const json profile = json::parse(dispatcher.profile_json());
  EXPECT_EQ(profile.at("machines").begin()->at("batches").size(), 1U);
}

TEST(DispatcherLimits, EveryNumberOfThreadsThatThereAreCanBeForced) {
  Machine machine(SpaceSet::host());
  machine.calibrate();
  for (const int threads : {1, 7, 8}) {
    machine.dispatcher.force_threads(threads);
    EXPECT_EQ(machine.dispatcher.decide(machine.workload(1e8)).threads, threads);
  }
}

TEST(DispatcherLimits, ASpaceWithoutANumberOfThreadsIsTheTeamOfAll) {
  Dispatcher dispatcher(SpaceSet::host(), 8, {});
  const double two = dispatcher.start_seconds(Space::openmp, 2);
  dispatcher.calibrate_start(Space::openmp, 3e-3);
  EXPECT_EQ(dispatcher.start_seconds(Space::openmp), 3e-3);
  EXPECT_EQ(dispatcher.start_seconds(Space::openmp, 8), 3e-3);
  EXPECT_EQ(dispatcher.start_seconds(Space::openmp, 2), two);
}

TEST(DispatcherLimits, AProfileHoldsTheStartsThatWereMeasured) {
  Dispatcher dispatcher(SpaceSet::host(), 2, {});
  const auto starts = [&] {
    const json profile = json::parse(dispatcher.profile_json());
    return profile.at("machines").begin()->value("starts", json::array()).size();
  };
  EXPECT_EQ(starts(), 0U);
  dispatcher.calibrate_start(Space::serial, 1e-6);
  EXPECT_EQ(starts(), 1U);
}

TEST(DispatcherLimits, ALoadedProfileLeavesNothingOfWhatWasMeasured) {
  Dispatcher fresh(SpaceSet::host(), 2, {});
  fresh.calibrate(Operations::difflib, Space::serial, 1e6, 3);
  Dispatcher dispatcher(SpaceSet::host(), 2, {});
  dispatcher.calibrate(Operations::lcs, Space::serial, 1e6, 7);
  dispatcher.calibrate_start(Space::openmp, 1);
  dispatcher.load_profile_json(fresh.profile_json());
  EXPECT_EQ(dispatcher.start_seconds(Space::openmp), fresh.start_seconds(Space::openmp));
  for (const Operation operation : {Operation(Operations::lcs), Operation(Operations::difflib)}) {
    const Workload workload{.operation = operation, .items = 1, .work = 1e6};
    for (const Space space : {Space::serial, Space::openmp})
      EXPECT_EQ(dispatcher.predict(workload)[space_index(space)],
                fresh.predict(workload)[space_index(space)]);
  }
  EXPECT_EQ(dispatcher.profile_json(), fresh.profile_json());
}

/// A machine that was seen to take three times as long as calibrated on `serial`.
struct SlowMachine : Machine {
  SlowMachine() : Machine(SpaceSet::host()) {
    calibrate();
    before = predicted();
    for (int i = 0; i < 20; ++i) {
      DispatchRecord record = dispatcher.decide(workload(1e6), Space::serial);
      record.taken = 3 * before;
      dispatcher.observe(record);
    }
    EXPECT_NEAR(predicted(), 3 * before, 0.01 * before);
  }
  double predicted() { return dispatcher.predict(workload(1e6))[space_index(Space::serial)]; }

  double before = 0;
};

TEST(DispatcherLimits, ANewMeasurementMakesObservationsForgotten) {
  SlowMachine machine;
  machine.dispatcher.calibrate(Operations::lcs, Space::serial, 1 << 4, 1e-6 + 16e-9);
  EXPECT_DOUBLE_EQ(machine.predicted(), machine.before);
  SlowMachine other;
  other.dispatcher.calibrate_start(Space::serial, 0);
  EXPECT_DOUBLE_EQ(other.predicted(), other.before);
}

TEST(DispatcherLimits, NothingIsLearntFromATimeThatIsNone) {
  SlowMachine machine;
  const double before = machine.predicted();
  const auto regret = machine.dispatcher.regret();
  DispatchRecord record = machine.dispatcher.decide(machine.workload(1e6), Space::serial);
  for (const double taken : {0.0, -1.0, infinity, std::nan("")}) {
    record.taken = taken;
    for (int i = 0; i < 100; ++i) machine.dispatcher.observe(record);
  }
  EXPECT_EQ(machine.predicted(), before);
  EXPECT_EQ(machine.dispatcher.regret().taken, regret.taken);
  EXPECT_EQ(machine.dispatcher.regret().decisions, regret.decisions + 400);
}

TEST(DispatcherLimits, AByteThatCrossesHasTheLatencyOfATransfer) {
  Dispatcher dispatcher(SpaceSet::all(), 2, {});
  dispatcher.calibrate_transfer(1e9, 2e-3);
  Workload workload{Operations::lcs, 1, 1e6, 0, SpaceSet::all()};
  const double without = dispatcher.predict(workload)[space_index(Space::cuda)];
  workload.transfer_bytes = 1;
  EXPECT_NEAR(dispatcher.predict(workload)[space_index(Space::cuda)] - without, 2e-3, 1e-8);
}

TEST(DispatcherLimits, ACrossoverIsWhereASpaceIsFasterNotAsFast) {
  Machine machine(SpaceSet::host());
  machine.lines[space_index(Space::openmp)] = machine.lines[space_index(Space::serial)];
  machine.calibrate();
  EXPECT_EQ(machine.dispatcher.crossover(Operations::lcs, Space::openmp), 0.0);
  EXPECT_EQ(machine.dispatcher.crossover(Operations::lcs, Space::cuda), 0.0) << "there is none";
  Dispatcher device(SpaceSet().with(Space::cuda), 1, {});
  EXPECT_EQ(device.crossover(Operations::lcs, Space::serial), 0.0) << "it is not usable";
}

TEST(DispatcherLimits, WorkOfSomePiecesGetsTheSmallestTeamThatHasAThreadForEach) {
  Machine machine(SpaceSet::host());
  machine.calibrate();
  for (const int threads : {2, 4, 8})
    machine.calibrate(Space::openmp, {1e-6, 0.9e9 * threads}, threads);
  Workload workload = machine.workload(1e8);
  for (const auto& [pieces, threads] :
       {std::pair(0U, 8), {1U, 2}, {2U, 2}, {3U, 4}, {4U, 4}, {5U, 8}, {8U, 8}, {100U, 8}}) {
    workload.pieces = pieces;
    EXPECT_EQ(machine.dispatcher.decide(workload, Space::openmp).threads, pieces == 1 ? 1 : threads)
        << pieces;
  }
}

TEST(DispatcherLimits, OnePieceGetsTheSmallestTeamWhereThereIsNoOtherSpace) {
  Dispatcher dispatcher(SpaceSet().with(Space::openmp), 8, {});
  for (const int threads : {2, 4, 8})
    dispatcher.calibrate(Operations::lcs, Space::openmp, 1024, 10.0 - threads, threads);
  Workload workload{.operation = Operations::lcs, .items = 1, .work = 1024};
  EXPECT_EQ(dispatcher.decide(workload).threads, 8);
  workload.pieces = 1;
  EXPECT_EQ(dispatcher.decide(workload).threads, 2);
}

TEST(DispatcherLimits, OfTeamsThatAreAsFastTheSmallestIsUsed) {
  Dispatcher dispatcher(SpaceSet::host(), 8, {});
  dispatcher.calibrate(Operations::lcs, Space::serial, 1024, 9);
  for (const int threads : {2, 4, 8})
    dispatcher.calibrate(Operations::lcs, Space::openmp, 1024, 5, threads);
  const Workload workload{.operation = Operations::lcs, .items = 1, .work = 1024, .starts = 0};
  EXPECT_EQ(dispatcher.decide(workload).threads, 2);
}

TEST(DispatcherLimits, ASpaceIsSwitchedToOnceItIsATenthFaster) {
  Dispatcher dispatcher(SpaceSet::host(), 2, {});
  dispatcher.calibrate(Operations::lcs, Space::serial, 1024, 3);
  dispatcher.calibrate(Operations::lcs, Space::openmp, 1024, 2);
  dispatcher.calibrate_start(Space::openmp, 1);
  Workload workload{.operation = Operations::lcs, .items = 1, .work = 1024, .starts = 0};
  ASSERT_EQ(dispatcher.decide(workload).chosen, Space::openmp);
  for (const double starts : {1.0, 1.33}) {  // openmp takes 2 s and the starts, serial 3 s
    workload.starts = starts;
    EXPECT_EQ(dispatcher.decide(workload).chosen, Space::openmp) << starts;
  }
  workload.starts = 1.34;
  EXPECT_EQ(dispatcher.decide(workload).chosen, Space::serial);
}

TEST(DispatcherLimits, AChosenSpaceKeepsAllObservationsOfTheWindow) {
  Machine machine(SpaceSet::host());
  machine.calibrate();
  const double work = 1000;
  const auto call = [&](double times) {
    DispatchRecord record = machine.dispatcher.decide(machine.workload(work));
    ASSERT_EQ(record.chosen, Space::serial);
    record.taken = times * machine.truth(Space::serial, work);
    machine.dispatcher.observe(record);
  };
  const double before = machine.dispatcher.predict(machine.workload(work))[0];
  for (int i = 0; i < 60; ++i) call(1);
  for (int i = 0; i < 30; ++i) call(2);
  EXPECT_NEAR(machine.dispatcher.predict(machine.workload(work))[0], before, 1e-3 * before)
      << "most of the last 100 calls took as long as calibrated";
}

TEST(DispatcherLimits, ACallAfterALongPauseIsNoProbeOfTheSpaceThatIsFastest) {
  Machine machine;
  machine.calibrate();
  ASSERT_EQ(machine.call(1000).chosen, Space::serial);
  machine.now += 1h;
  const DispatchRecord record = machine.call(1000);
  EXPECT_EQ(record.chosen, Space::serial);
  EXPECT_EQ(record.why, Reason::predicted);
}

/// Whether `openmp`, which is predicted to take \p times as long as the second that `serial` takes,
/// is probed \p pause after calls of \p seconds in total.
bool is_probed(const Dispatcher::Options& options, double times, int seconds,
               std::chrono::milliseconds pause) {
  Machine machine(SpaceSet::host(), options, 2);
  machine.dispatcher.calibrate(Operations::lcs, Space::serial, 1024, 1);
  machine.dispatcher.calibrate(Operations::lcs, Space::openmp, 1024, times);
  Workload workload = machine.workload(1024);
  workload.starts = 0;
  for (int i = 0; i < seconds; ++i) {
    DispatchRecord record = machine.dispatcher.decide(workload);
    EXPECT_EQ(record.chosen, Space::serial);
    EXPECT_EQ(record.predicted[space_index(Space::openmp)], times);
    record.taken = 1;
    machine.dispatcher.observe(record);
  }
  machine.now += pause;
  const DispatchRecord record = machine.dispatcher.decide(workload);
  EXPECT_EQ(record.chosen == Space::openmp, record.why == Reason::probe);
  return record.why == Reason::probe;
}

TEST(DispatcherLimits, AProbeIsMadeWhereItsTimeAndCostReachTheLimits) {
  Dispatcher::Options options;
  options.probe_interval = 5s;
  EXPECT_TRUE(is_probed(options, 4, 60, 5s)) << "3 s are lost, 5 % of 60 s";
  EXPECT_FALSE(is_probed(options, 4, 60, 4999ms));
  EXPECT_FALSE(is_probed(options, 4, 59, 5s));
  EXPECT_FALSE(is_probed(options, 4.01, 100, 5s));
  options.probe_loss_max = 3;
  EXPECT_TRUE(is_probed(options, 4, 60, 5s));
  options.probe_loss_max = 2.99;
  EXPECT_FALSE(is_probed(options, 4, 60, 5s));
}

TEST(DispatcherLimits, AProbeOfASpaceThatHasFailedIsItsOnlyTrial) {
  Machine machine(SpaceSet::host());
  machine.calibrate();
  const double work = 8000;  // serial is faster, but openmp not much slower
  for (int i = 0; i < 2; ++i) machine.dispatcher.observe_failure(Operations::lcs, Space::openmp);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(machine.call(work).chosen, Space::serial);
  machine.now += 10s;
  DispatchRecord probe = machine.dispatcher.decide(machine.workload(work));
  ASSERT_EQ(probe.chosen, Space::openmp);
  EXPECT_EQ(probe.why, Reason::probe);
  EXPECT_TRUE(machine.dispatcher.breaker_open(Operations::lcs, Space::openmp));
  probe.taken = machine.truth(Space::openmp, work);
  machine.dispatcher.observe(probe);
  EXPECT_FALSE(machine.dispatcher.breaker_open(Operations::lcs, Space::openmp));
}

TEST(DispatcherLimits, WhereTheDeviceIsSetNoOtherSpaceIsProbed) {
  Dispatcher::Options options;
  options.device_items_from = 0;
  Machine machine(SpaceSet::all(), options);
  machine.calibrate();
  for (int i = 0; i < 1000; ++i) {
    const DispatchRecord record = machine.call(1e6);
    ASSERT_EQ(record.chosen, Space::cuda) << i;
    ASSERT_EQ(record.why, Reason::threshold) << i;
    machine.now += 100ms;
  }
}

TEST(DispatcherLimits, TheOnlySpaceThatIsLeftMayHaveNoRoom) {
  Dispatcher::Options options;
  options.device_memory_left = [] { return std::uint64_t{0}; };
  Dispatcher dispatcher(SpaceSet::all(), 2, options);
  Workload workload{Operations::lcs, 1, 1e6, 0, SpaceSet::all()};
  workload.device_bytes = 1;
  const auto record = dispatcher.decide_without(workload, SpaceSet::host());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->chosen, Space::cuda);
}

TEST(DispatcherLimits, ASpaceThatWasLeftComesBackAfterAFewProbesHoweverLongItWasSlow) {
  Machine machine;
  machine.calibrate();
  const double work = 1e9;
  ASSERT_EQ(machine.call(work).chosen, Space::cuda);
  const Machine::Line healthy = machine.lines[space_index(Space::cuda)];
  machine.lines[space_index(Space::cuda)] = {1e-4, 2e9};
  for (int i = 0; i < 300; ++i) machine.call(work, Space::cuda);
  EXPECT_EQ(machine.call(work).chosen, Space::openmp);
  machine.lines[space_index(Space::cuda)] = healthy;
  int probes = 0;
  for (int i = 0; i < 5000; ++i) {
    const DispatchRecord record = machine.call(work);
    machine.now += 50ms;
    if (record.chosen == Space::cuda && record.why != Reason::probe) break;
    probes += record.why == Reason::probe ? 1 : 0;
  }
  EXPECT_LE(probes, 20);
  EXPECT_GT(probes, 0);
}

}  // namespace DispatcherLimitsTest
