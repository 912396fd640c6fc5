// SPDX-License-Identifier: Apache-2.0
// The routing rules of KA Lattice, each compared with the decisions of the dispatcher on simulated
// spaces: one thread, and a device.
#include <kindred/backends/Dispatcher.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/LatticeOperationInfo.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <set>

namespace KaLatticeRoutingTest {

using namespace Kindred;

constexpr SpaceSet thread_and_device = SpaceSet().with(Space::serial).with(Space::cuda);
constexpr std::uint64_t never = 0;

/// An operation type: the observed decisions of KA Lattice's router, and Kindred's equivalent.
struct Rule {
  const char* type;
  std::uint64_t theirs;  // elements from which KA Lattice's router chose a GPU
  Operation operation;
  double power;  // work is per_item * elements ^ power
  double per_item;
  double transfers;                        // bytes per element that every call transfers
  std::optional<std::uint64_t> ours = {};  // where it differs: from which the prior chooses one

  std::uint64_t threshold() const { return ours.value_or(theirs); }
};

/// Explanations:
/// - lattice-build: the rows return to the host in every call, which costs as much as computing
/// them: the prior never chooses the device, as in KA Lattice, and calibrations decide.
/// - graph types: KA Lattice's device scanned all edges for every node (9 s). Kindred's processes
/// 64 nodes at a time and pays off once the launches are short compared with the work; spreading
/// does so from 512 nodes, as in Engram. (`Lattice::measure` is not dispatched: it runs on the
/// calling thread.)
/// - unknown: Kindred has no such operation.
const Rule rules[] = {{"matrix_multiply", 1024, Operations::matrix_multiply, 1.5, 1, 0},
                      {"random_generation", 10000, Operations::random_generation, 1, 1, 0},
                      {"element_wise", 5000, Operations::element_wise, 1, 1, 0},
                      {"reduction", 10000, Operations::reduction, 1, 1, 0},
                      {"transform", never, Operations::transform, 1, 1, 0},
                      {"matrix_add", never, Operations::matrix_add, 1, 1, 0},
                      {"lattice_creation", never, Operations::lattice_build, 1, 8, 40},
                      {"graph_algorithm", never, Operations::spread, 1, 40, 0, 512},
                      {"path_finding", never, Operations::lattice_search, 1, 8, 0, 65536}};

Workload workload(const Rule& rule, std::uint64_t elements) {
  return {
      .operation = rule.operation,
      .items = elements,
      .work = rule.per_item * std::pow(static_cast<double>(elements), rule.power),
      .transfer_bytes = static_cast<std::uint64_t>(rule.transfers * static_cast<double>(elements))};
}

/// The decision of a dispatcher without any measurements.
Space decided(const Workload& w, SpaceSet usable = thread_and_device,
              const Dispatcher::Options& options = {}) {
  return Dispatcher(usable, 1, options).decide(w).chosen;
}

/// The sizes of KA Lattice's table and tests, and the neighbors of both thresholds.
std::vector<std::uint64_t> sizes_of(const Rule& rule) {
  std::set<std::uint64_t> sizes{1,     5,     100,    999,    1000,    1001,
                                1023,  1024,  4999,   5000,   9999,    10000,
                                19999, 20000, 100000, 262144, 1 << 20, 100'000'000};
  for (const std::uint64_t threshold : {rule.threshold(), std::uint64_t{10000}})
    for (const int step : {-1, 0, 1})
      if (threshold > 1) sizes.insert(threshold + static_cast<std::uint64_t>(step));
  return {sizes.begin(), sizes.end()};
}

TEST(Routing, EveryOperationTypeIsRoutedAsKaLatticeDoesOrAsTheTableSays) {
  for (const Rule& rule : rules) {
    for (const std::uint64_t elements : sizes_of(rule)) {
      const bool on_device = rule.threshold() != never && elements >= rule.threshold();
      EXPECT_EQ(decided(workload(rule, elements)), on_device ? Space::cuda : Space::serial)
          << rule.type << " of " << elements;
      EXPECT_NE(decided(workload(rule, elements), SpaceSet::host()), Space::cuda) << rule.type;
    }
  }
}

TEST(Routing, TransfersToTheDeviceArePredictedWithTheCall) {
  // float32 in host memory, transferred there and back at the assumed rate: only products and
  // random numbers gain more per byte than the transfer costs.
  const auto pays = [](const Rule& rule, double bytes) {
    for (std::uint64_t elements = 1; elements <= 1U << 30U; elements *= 2) {
      Workload w = workload(rule, elements);
      w.transfer_bytes = static_cast<std::uint64_t>(bytes * static_cast<double>(elements));
      if (decided(w) == Space::cuda) return elements;
    }
    return std::uint64_t{0};
  };
  EXPECT_EQ(pays(rules[0], 12), 1U << 16U) << "two matrices there, one back";
  EXPECT_EQ(pays(rules[1], 4), 1U << 16U) << "numbers back";
  EXPECT_EQ(pays(rules[2], 8), 0U);
  EXPECT_EQ(pays(rules[3], 4), 0U);
}

TEST(Routing, ACallThatDoesNotFitOnTheDeviceRunsOnTheHost) {
  std::uint64_t memory_left = 0;
  const Dispatcher::Options options{.device_memory_left = [&] { return memory_left; }};
  for (const Rule& rule : rules) {
    if (rule.threshold() == never) continue;
    Dispatcher dispatcher(thread_and_device, 1, options);
    Workload w = workload(rule, 1 << 20);
    w.device_bytes = 8U << 20U;  // KA Lattice's estimate: 8 bytes per element
    const auto expect = [&](std::uint64_t bytes, Space space, Reason why) {
      memory_left = bytes;
      const DispatchRecord record = dispatcher.decide(w);
      EXPECT_EQ(record.chosen, space) << rule.type << " with memory for " << bytes;
      EXPECT_EQ(record.why, why) << rule.type << " with memory for " << bytes;
    };
    expect(w.device_bytes - 1, Space::serial, Reason::memory);
    expect(w.device_bytes, Space::cuda, Reason::predicted);
    expect(0, Space::serial, Reason::memory);
    w.resident = SpaceSet().with(Space::cuda);
    EXPECT_EQ(dispatcher.decide(w).why, Reason::only)
        << "the record must report that memory was short";
    w.resident = SpaceSet::all();
    w.device_bytes = 0;
    expect(0, Space::cuda, Reason::predicted);
    w.device_bytes = 1;
    EXPECT_EQ(dispatcher.decide_without(w, SpaceSet().with(Space::openmp))->chosen, Space::serial);
  }
  Workload small = workload(rules[0], 5);
  small.device_bytes = 1;
  memory_left = 0;
  EXPECT_EQ(Dispatcher(thread_and_device, 1, options).decide(small).why, Reason::predicted)
      << "the host is faster anyway";
}

// --- thresholds of the options: KA Lattice's settings

TEST(Routing, ThresholdsOfTheOptionsPrecedeThePrediction) {
  for (const Rule& rule : rules) {
    Dispatcher::Options options{.device_items_min = 1000, .device_items_from = 50000};
    const auto decide = [&](std::uint64_t elements, const Dispatcher::Options& with,
                            SpaceSet usable = thread_and_device) {
      return Dispatcher(usable, 1, with).decide(workload(rule, elements));
    };
    EXPECT_EQ(decide(999, options).chosen, Space::serial) << rule.type;
    for (const std::uint64_t between : {1000, 49999})
      EXPECT_EQ(decide(between, options).chosen, decide(between, {}).chosen) << rule.type;
    EXPECT_EQ(decide(50000, options).chosen, Space::cuda) << rule.type;
    EXPECT_EQ(decide(50000, options).why, Reason::threshold) << rule.type;
    EXPECT_NE(decide(50000, options, SpaceSet::host()).chosen, Space::cuda) << "there is no device";
    options.device_items_min.reset();
    options.device_items_from = 0;
    EXPECT_EQ(decide(1, options).chosen, Space::cuda) << rule.type << ", routing off";
  }
  const DispatchRecord kept = Dispatcher(thread_and_device, 1, {.device_items_min = 10'000'000})
                                  .decide(workload(rules[0], 1 << 20));
  EXPECT_EQ(kept.chosen, Space::serial);
  EXPECT_EQ(kept.why, Reason::threshold);
}

TEST(Routing, AThresholdDoesNotSendCallsToADeviceThatFailsOrIsFull) {
  Dispatcher dispatcher(thread_and_device, 1, {.device_items_from = 0, .device_memory_left = [] {
                                                 return std::uint64_t{10};
                                               }});
  Workload w = workload(rules[0], 100);
  w.device_bytes = 11;
  EXPECT_EQ(dispatcher.decide(w).chosen, Space::serial);
  w.device_bytes = 10;
  EXPECT_EQ(dispatcher.decide(w).chosen, Space::cuda);
  for (int i = 0; i < 2; ++i) dispatcher.observe_failure(w.operation, Space::cuda);
  EXPECT_EQ(dispatcher.decide(w).chosen, Space::serial);
}

}  // namespace KaLatticeRoutingTest
