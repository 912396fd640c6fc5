// SPDX-License-Identifier: Apache-2.0
// What is recorded of kernels and calls.
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/Trace.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <nlohmann/json.hpp>

#include "Support.hpp"
#include "TempFolder.hpp"

#include <map>
#include <set>

namespace ReportsTest {

using namespace Kindred;

template <class ExecutionSpace>
void launch(const ExecutionSpace& exec_space, const char* label) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec_space, 0, 8),
                       KOKKOS_LAMBDA(int){});
  exec_space.fence("Kindred::Testing::launch");
}

void launch_on(Space space, const char* label) {
  Impl::with_instance(Testing::context(), space,
                      [&](const auto& exec_space) { launch(exec_space, label); });
}

TEST(KernelProfile, CountsEveryKernelByLabelAndSpace) {
  Testing::context();
  const KernelProfile profile;
  std::map<bool, std::uint64_t> launched, seen;  // on the device, and on the host
  for (const Space space : Testing::spaces()) {
    for (int i = 0; i < 3; ++i) launch_on(space, "Kindred::Testing::a");
    launched[space == Space::cuda] += 3;
  }
  for (const KernelTime& time : profile.kernels()) {
    EXPECT_EQ(time.label, "Kindred::Testing::a");
    EXPECT_GT(time.seconds, 0);
    EXPECT_GE(time.seconds, time.longest);
    EXPECT_GE(time.longest * static_cast<double>(time.count), time.seconds * 0.999999);
    seen[time.device] += time.count;
  }
  EXPECT_EQ(seen, launched);
}

TEST(KernelProfile, RecordsReductionsAndScans) {
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::serial);
  const Kokkos::RangePolicy<HostSpace> range(exec_space, 0, 4);
  const KernelProfile profile;
  int sum = 0;
  Kokkos::parallel_reduce(
      "Kindred::Testing::reduce", range, [](int i, int& part) { part += i; }, sum);
  Kokkos::parallel_scan("Kindred::Testing::scan", range, [](int i, int& part, bool) { part += i; });
  exec_space.fence("Kindred::Testing::reductions");
  EXPECT_EQ(sum, 6);
  std::set<std::string> labels;
  for (const KernelTime& time : profile.kernels()) labels.insert(time.label);
  EXPECT_EQ(labels, (std::set<std::string>{"Kindred::Testing::reduce", "Kindred::Testing::scan"}));
}

TEST(KernelProfile, RecordsOnlyWhileItIsActive) {
  launch_on(Space::serial, "Kindred::Testing::before");
  KernelProfile first;
  EXPECT_TRUE(first.kernels().empty());
  {
    const KernelProfile second;
    launch_on(Space::serial, "Kindred::Testing::both");
    EXPECT_EQ(second.kernels().size(), 1U);
  }
  launch_on(Space::serial, "Kindred::Testing::one");
  EXPECT_EQ(first.kernels().size(), 2U);
  first.reset();
  EXPECT_TRUE(first.kernels().empty());
}

/// Another tool, with ids of its own, which calls the callbacks that were set before it.
template <int number>
struct OtherTool {
  using EventSet = Kokkos::Tools::Experimental::EventSet;
  static inline EventSet before;
  static inline std::map<std::uint64_t, std::uint64_t> open;
  static inline std::uint64_t kernels = 0;

  static void add() {
    kernels = 0;
    before = Kokkos::Tools::Experimental::get_callbacks();
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
        [](const char* label, std::uint32_t device, std::uint64_t* id) {
          std::uint64_t below = 0;
          if (before.begin_parallel_for != nullptr)
            before.begin_parallel_for(label, device, &below);
          *id = number * 1000 + kernels++;
          open.emplace(*id, below);
        });
    Kokkos::Tools::Experimental::set_end_parallel_for_callback([](std::uint64_t id) {
      const auto found = open.find(id);
      ASSERT_NE(found, open.end()) << "tool " << number << " does not know kernel " << id;
      if (before.end_parallel_for != nullptr) before.end_parallel_for(found->second);
      open.erase(found);
    });
  }
  static void remove() {
    EXPECT_TRUE(open.empty()) << "tool " << number;
    Kokkos::Tools::Experimental::set_callbacks(before);
  }
};

TEST(KernelProfile, CanBeUsedAgainAfterAnotherToolWasAddedAboveIt) {
  Testing::context();
  const auto callback = [] {
    return Kokkos::Tools::Experimental::get_callbacks().begin_parallel_for;
  };
  const auto original = callback();
  using Below = OtherTool<1>;
  using Between = OtherTool<2>;
  using Above = OtherTool<3>;
  std::uint64_t launched = 0;
  const auto launches = [&] {
    launch_on(Space::serial, "Kindred::Testing::launch");
    ++launched;
  };
  const auto launches_in = [&](const KernelProfile& profile) {
    const auto recorded = [&] {
      std::uint64_t count = 0;
      for (const KernelTime& time : profile.kernels()) count += time.count;
      return count;
    };
    const std::uint64_t before = recorded();
    launches();
    EXPECT_EQ(recorded(), before + 1) << "recorded once";
  };
  Below::add();
  const auto below = callback();
  launches_in(KernelProfile());
  EXPECT_EQ(callback(), below) << "restored";
  {
    const KernelProfile profile;
    launches_in(profile);
    Between::add();
    launches_in(profile);
  }
  launches();
  {
    const KernelProfile profile;
    launches_in(profile);
    Above::add();
    launches_in(profile);
  }
  launches();
  launches_in(KernelProfile());
  EXPECT_EQ(Above::kernels, 3U);
  Above::remove();
  launches_in(KernelProfile());
  EXPECT_EQ(Between::kernels, 7U);
  Between::remove();
  launches_in(KernelProfile());
  launches();
  EXPECT_EQ(Below::kernels, launched) << "once per kernel";
  Below::remove();
  EXPECT_EQ(callback(), original);
  launches();
}

TEST(Trace, WritesSpansDispatchesAndKernelsAsChromeEvents) {
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::serial);
  Trace trace;
  const std::string odd = "load \"x\"\n\xFF";
  {
    const auto outer = trace.span(odd);
    Kokkos::parallel_for("Kindred::Testing::a", Kokkos::RangePolicy<HostSpace>(exec_space, 0, 8),
                         [](int) {});
    const DispatchRecord record{.operation = Operations::search, .taken = 0.25};
    trace.add(record);
  }
  const Testing::TempFolder folder;
  trace.write(folder / "trace.json");
  const auto json = nlohmann::json::parse(Testing::read_all(folder / "trace.json"));

  std::map<std::string, nlohmann::json> by_category;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("ph") != "X") continue;
    EXPECT_TRUE(event.at("ts").is_number());
    EXPECT_GE(event.at("dur").get<double>(), 0);
    by_category[event.at("cat")] = event;
  }
  ASSERT_EQ(by_category.size(), 3U);
  EXPECT_EQ(by_category["kernel"].at("name"), "Kindred::Testing::a");
  EXPECT_EQ(by_category["dispatch"].at("name"), "search on serial");
  EXPECT_DOUBLE_EQ(by_category["dispatch"].at("dur").get<double>(), 250000);
  EXPECT_EQ(by_category["dispatch"].at("args").at("op"), "search");
  EXPECT_EQ(by_category["span"].at("name"), "load \"x\"\n\xEF\xBF\xBD");
  EXPECT_LE(by_category["span"].at("ts").get<double>(),
            by_category["kernel"].at("ts").get<double>());
}

TEST(Trace, KeepsAtMostTheGivenNumberOfEvents) {
  Trace trace(Trace::Options{false, 2});
  for (int i = 0; i < 5; ++i) const auto span = trace.span("s");
  EXPECT_EQ(trace.dropped(), 3U);
}

TEST(Trace, ReportsThatItCannotWrite) {
  EXPECT_THROW(Trace(Trace::Options{false, 2}).write("/proc/nowhere/trace.json"), Error);
}

}  // namespace ReportsTest
