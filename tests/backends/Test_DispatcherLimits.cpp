// SPDX-License-Identifier: Apache-2.0
// Options and measurements at and beyond their limits, and what a new measurement makes forgotten.
#include <kindred/backends/Dispatcher.hpp>
#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "Allocations.hpp"
#include "SimulatedMachine.hpp"

namespace DispatcherLimitsTest {

using namespace Kindred;
using namespace std::chrono_literals;
using nlohmann::json;
using Testing::CalibratedMachine;
using Testing::Machine;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(DispatcherLimits, OptionsAndMeasurementsBeyondTheirLimitsAreRefused) {
  using Options = Dispatcher::Options;
  const auto with = [](const Options& options) {
    return [options] { (void)Dispatcher(SpaceSet::all(), 2, options).usable(); };
  };
  Dispatcher dispatcher(SpaceSet::host(), 8, {});
  const Operation lcs = Operations::lcs;
  constexpr Space serial = Space::serial;
  std::vector<std::pair<std::string, std::function<void()>>> refused{
      {"no window", with({.window = 0})},
      {"a long window", with({.window = 100'001})},
      {"a threshold below another", with({.device_items_min = 1000, .device_items_from = 999})},
      {"no threads", [] { Dispatcher(SpaceSet::all(), 0, {}); }},
      {"no space", [] { Dispatcher(SpaceSet(), 1, {}); }},
      {"a space that is not usable", [&] { dispatcher.calibrate(lcs, Space::cuda, 1, 1); }},
      {"a team of three", [&] { dispatcher.calibrate(lcs, Space::openmp, 1, 1, 3); }},
      {"a team of serial", [&] { dispatcher.calibrate(lcs, serial, 1, 1, 2); }},
      {"the start of a large team", [&] { dispatcher.calibrate_start(Space::openmp, 1e-6, 16); }},
      {"a negative number of threads", [&] { dispatcher.force_threads(-1); }},
      {"more threads than there are", [&] { dispatcher.force_threads(9); }},
      {"an empty batch", [&] { dispatcher.calibrate_batch(lcs, 0); }},
      {"no operation", [&] {
         dispatcher.register_operations({lcs, Operation()});
       }}};
  for (const double bad : {0.0, -1.0, infinity, std::nan("")}) {
    const std::string of = " of " + std::to_string(bad);
    refused.push_back(
        {"work" + of, [=, &dispatcher] { dispatcher.calibrate(lcs, serial, bad, 1); }});
    refused.push_back(
        {"a time" + of, [=, &dispatcher] { dispatcher.calibrate(lcs, serial, 1, bad); }});
    refused.push_back({"a rate" + of, [=, &dispatcher] { dispatcher.calibrate_transfer(bad, 1); }});
    if (bad == 0) continue;
    refused.push_back(
        {"a latency" + of, [=, &dispatcher] { dispatcher.calibrate_transfer(1e9, bad); }});
    refused.push_back(
        {"a start" + of, [=, &dispatcher] { dispatcher.calibrate_start(serial, bad); }});
    if (bad != infinity) refused.push_back({"a loss" + of, with({.probe_loss_max = bad})});
  }
  const std::string before = dispatcher.profile_json();
  for (const auto& [what, call] : refused) {
    EXPECT_THROW(call(), InvalidArgument) << what;
    EXPECT_EQ(dispatcher.profile_json(), before) << what;
  }
  EXPECT_FALSE(dispatcher.calibrated());
  for (const Options& at_a_limit :
       {Options{.window = 1}, Options{.window = 100'000}, Options{.probe_loss_max = 0},
        Options{.device_items_min = 1000, .device_items_from = 1000}})
    EXPECT_NO_THROW(with(at_a_limit)());
  EXPECT_NO_THROW(dispatcher.calibrate_start(Space::serial, 0));
  EXPECT_NO_THROW(dispatcher.calibrate_transfer(0.5, 0));
  dispatcher.calibrate_batch(lcs, 1);
  EXPECT_EQ(dispatcher.batch_bytes(lcs), 1U);
  const json profile = json::parse(dispatcher.profile_json());
  EXPECT_EQ(profile.at("machines").begin()->at("batches").size(), 1U);
}

TEST(DispatcherLimits, CallsThatRunOutOfMemoryReportIt) {
  Dispatcher dispatcher(SpaceSet::host(), 2, {});
  const std::string before = dispatcher.profile_json();
  const std::vector<std::function<void()>> calls{
      [] { Dispatcher(SpaceSet::host(), 2, {}); },
      [&] { dispatcher.register_operations({Operations::lcs}); },
      [&] { (void)dispatcher.operations(); }, [&] { (void)dispatcher.profile_json(); }};
  for (const auto& call : calls)
    EXPECT_GT(Testing::fail_every_allocation(0, call, [](std::size_t) {}), 0U);
  EXPECT_EQ(dispatcher.profile_json(), before);
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
    before = now_predicted();
    for (int i = 0; i < 20; ++i) take(3 * before, 1e6, Space::serial);
    EXPECT_NEAR(now_predicted(), 3 * before, 0.01 * before);
  }
  double now_predicted() const { return predicted(Space::serial, 1e6); }

  double before = 0;
};

TEST(DispatcherLimits, ANewMeasurementMakesObservationsForgotten) {
  SlowMachine machine;
  machine.dispatcher.calibrate(Operations::lcs, Space::serial, 1 << 4, 1e-6 + 16e-9);
  EXPECT_DOUBLE_EQ(machine.now_predicted(), machine.before);
  SlowMachine other;
  other.dispatcher.calibrate_start(Space::serial, 0);
  EXPECT_DOUBLE_EQ(other.now_predicted(), other.before);
  SlowMachine with_profile;
  Machine fresh(SpaceSet::host());
  fresh.dispatcher.calibrate(Operations::difflib, Space::serial, 1e6, 3);
  with_profile.dispatcher.load_profile_json(fresh.dispatcher.profile_json());
  EXPECT_EQ(with_profile.now_predicted(), fresh.predicted(Space::serial, 1e6));
}

TEST(DispatcherLimits, NothingIsLearntFromATimeThatIsNone) {
  SlowMachine machine;
  const double before = machine.now_predicted();
  const auto regret = machine.dispatcher.regret();
  for (const double taken : {0.0, -1.0, infinity, std::nan("")})
    for (int i = 0; i < 100; ++i) machine.take(taken, 1e6, Space::serial);
  EXPECT_EQ(machine.now_predicted(), before);
  EXPECT_EQ(machine.dispatcher.regret().taken, regret.taken);
  EXPECT_EQ(machine.dispatcher.regret().decisions, regret.decisions + 400);
}

TEST(DispatcherLimits, WorkOfSomePiecesGetsTheSmallestTeamThatHasAThreadForEach) {
  CalibratedMachine machine(SpaceSet::host());
  for (const int threads : {2, 4, 8})
    machine.calibrate(Space::openmp, {1e-6, 0.9e9 * threads}, threads);
  Workload workload = machine.workload(1e8);
  for (const auto& [pieces, threads] :
       {std::pair(0U, 8), {1U, 1}, {2U, 2}, {3U, 4}, {4U, 4}, {5U, 8}, {8U, 8}, {100U, 8}}) {
    workload.pieces = pieces;
    EXPECT_EQ(machine.dispatcher.decide(workload, Space::openmp).threads, threads) << pieces;
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
  EXPECT_EQ(dispatcher.decide({.operation = Operations::lcs, .work = 1024, .starts = 0}).threads,
            2);
}

TEST(DispatcherLimits, ASpaceIsSwitchedToOnceItIsATenthFaster) {
  Dispatcher dispatcher(SpaceSet::host(), 2, {});
  dispatcher.calibrate(Operations::lcs, Space::serial, 1024, 3);
  dispatcher.calibrate(Operations::lcs, Space::openmp, 1024, 2);
  dispatcher.calibrate_start(Space::openmp, 1);
  // openmp takes 2 s and the starts, serial 3 s.
  for (const auto& [starts, space] : {std::pair(0.0, Space::openmp),
                                      {1.0, Space::openmp},
                                      {1.33, Space::openmp},
                                      {1.34, Space::serial}}) {
    const Workload workload{.operation = Operations::lcs, .work = 1024, .starts = starts};
    EXPECT_EQ(dispatcher.decide(workload).chosen, space) << starts;
  }
}

TEST(DispatcherLimits, ASpaceThatIsExactlyATenthFasterIsNotSwitchedTo) {
  Dispatcher dispatcher(SpaceSet::host(), 2, {});
  dispatcher.calibrate(Operations::lcs, Space::serial, 1024, (1 - 0.1) * 3);
  dispatcher.calibrate_start(Space::serial, 0);
  dispatcher.calibrate(Operations::lcs, Space::openmp, 1024, 2);
  dispatcher.calibrate_start(Space::openmp, 1);
  Workload workload{.operation = Operations::lcs, .work = 1024, .starts = 0};
  EXPECT_EQ(dispatcher.decide(workload).chosen, Space::openmp);
  workload.starts = 1;
  const DispatchRecord record = dispatcher.decide(workload);
  EXPECT_EQ(record.predicted[space_index(Space::openmp)], 3);
  EXPECT_EQ(record.chosen, Space::openmp);
  EXPECT_EQ(record.why, Reason::hysteresis);
}

TEST(DispatcherLimits, ASpaceThatIsLeftKeepsItsNewestObservations) {
  Machine machine(SpaceSet::host(), {}, 2);
  machine.dispatcher.calibrate(Operations::lcs, Space::serial, 1024, 3);
  machine.dispatcher.calibrate_start(Space::serial, 0);
  machine.dispatcher.calibrate(Operations::lcs, Space::openmp, 1024, 2);
  machine.dispatcher.calibrate_start(Space::openmp, 2);
  Workload workload = machine.workload(1024);
  for (int i = 0; i < 38; ++i) {
    DispatchRecord record = machine.dispatcher.decide(workload);  // openmp takes 4 s
    ASSERT_EQ(record.chosen, Space::serial);
    record.taken = i < 30 ? 3 : 6;
    machine.dispatcher.observe(record);
  }
  EXPECT_EQ(machine.dispatcher.predict(workload)[space_index(Space::serial)], 3);
  workload.starts = 0;
  ASSERT_EQ(machine.dispatcher.decide(workload).chosen, Space::openmp);
  EXPECT_EQ(machine.dispatcher.predict(workload)[space_index(Space::serial)], 6)
      << "as in the last 8 calls";
}

TEST(DispatcherLimits, AChosenSpaceKeepsAllObservationsOfTheWindow) {
  CalibratedMachine machine(SpaceSet::host());
  const double work = 1000;
  const double before = machine.predicted(Space::serial, work);
  for (int i = 0; i < 90; ++i) {
    const double seconds = (i < 60 ? 1 : 2) * machine.truth(Space::serial, work);
    ASSERT_EQ(machine.take(seconds, work).chosen, Space::serial);
  }
  EXPECT_NEAR(machine.predicted(Space::serial, work), before, 1e-3 * before)
      << "most of the last 100 calls took as long as calibrated";
}

TEST(DispatcherLimits, ACallAfterALongPauseIsNoProbeOfTheSpaceThatIsFastest) {
  CalibratedMachine machine;
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
  Dispatcher::Options options{.probe_interval = 5s};
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
  CalibratedMachine machine(SpaceSet::host());
  const double work = 8000;  // serial is faster, but openmp not much slower
  machine.fail(Space::openmp, 2);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(machine.call(work).chosen, Space::serial);
  machine.now += 10s;
  DispatchRecord probe = machine.decide(work);
  ASSERT_EQ(probe.chosen, Space::openmp);
  EXPECT_EQ(probe.why, Reason::probe);
  EXPECT_TRUE(machine.is_open(Space::openmp));
  probe.taken = machine.truth(Space::openmp, work);
  machine.dispatcher.observe(probe);
  EXPECT_FALSE(machine.is_open(Space::openmp));
}

TEST(DispatcherLimits, WhereTheDeviceIsSetNoOtherSpaceIsProbed) {
  CalibratedMachine machine(SpaceSet::all(), {.device_items_from = 0});
  for (int i = 0; i < 1000; ++i) {
    const DispatchRecord record = machine.call(1e6);
    ASSERT_EQ(record.chosen, Space::cuda) << i;
    ASSERT_EQ(record.why, Reason::threshold) << i;
    machine.now += 100ms;
  }
}

TEST(DispatcherLimits, TheOnlySpaceThatIsLeftMayHaveNoRoom) {
  Dispatcher dispatcher(SpaceSet::all(), 2,
                        {.device_memory_left = [] { return std::uint64_t{0}; }});
  const Workload workload{.operation = Operations::lcs, .work = 1e6, .device_bytes = 1};
  const auto record = dispatcher.decide_without(workload, SpaceSet::host());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->chosen, Space::cuda);
}

}  // namespace DispatcherLimitsTest
