// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Trace.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <nlohmann/json.hpp>

#include "Support.hpp"
#include "TempFolder.hpp"

#include <map>

namespace TraceTest {

using namespace Kindred;

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

}  // namespace TraceTest
