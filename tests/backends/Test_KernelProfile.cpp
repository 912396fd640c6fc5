// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/Trace.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "Support.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace KernelProfileTest {

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
  std::uint64_t host = 0;
  std::uint64_t device = 0;
  for (const Space space : Testing::spaces()) {
    for (int i = 0; i < 3; ++i) launch_on(space, "Kindred::Testing::a");
    (space == Space::cuda ? device : host) += 3;
  }
  std::uint64_t host_seen = 0;
  std::uint64_t device_seen = 0;
  for (const KernelTime& time : profile.kernels()) {
    EXPECT_EQ(time.label, "Kindred::Testing::a");
    EXPECT_GT(time.seconds, 0);
    EXPECT_GE(time.seconds, time.longest);
    EXPECT_GE(time.longest * static_cast<double>(time.count), time.seconds * 0.999999);
    (time.device ? device_seen : host_seen) += time.count;
  }
  EXPECT_EQ(host_seen, host);
  EXPECT_EQ(device_seen, device);
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

std::uint64_t other_begun = 0;
std::uint64_t other_ended = 0;

TEST(KernelProfile, ForwardsToAnExistingToolAndRestoresIt) {
  Testing::context();
  namespace Tools = Kokkos::Tools::Experimental;
  const Tools::EventSet original = Tools::get_callbacks();
  Tools::set_begin_parallel_for_callback(
      [](const char*, std::uint32_t, std::uint64_t* id) { *id = 1000 + other_begun++; });
  Tools::set_end_parallel_for_callback([](std::uint64_t id) {
    EXPECT_EQ(id, 1000 + other_ended);
    ++other_ended;
  });
  const auto other = Tools::get_callbacks().begin_parallel_for;
  {
    const KernelProfile profile;
    launch_on(Space::serial, "Kindred::Testing::a");
    EXPECT_EQ(profile.kernels().size(), 1U);
  }
  EXPECT_EQ(Tools::get_callbacks().begin_parallel_for, other);
  launch_on(Space::serial, "Kindred::Testing::a");
  Tools::set_callbacks(original);
  EXPECT_EQ(other_begun, 2U);
  EXPECT_EQ(other_ended, 2U);
}

TEST(Trace, WritesSpansDispatchesAndKernelsAsChromeEvents) {
  Testing::context();
  Trace trace;
  const std::string odd = "load \"x\"\n\xFF";
  {
    const auto outer = trace.span(odd);
    launch_on(Space::serial, "Kindred::Testing::a");
    DispatchRecord record;
    record.operation = Operations::search;
    record.taken = 0.25;
    trace.add(record);
  }
  const auto path = std::filesystem::temp_directory_path() /
                    ("kindred-test-trace-" + std::to_string(::getpid()) + ".json");
  trace.write(path.string());
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file);
  std::filesystem::remove(path);

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

}  // namespace KernelProfileTest
