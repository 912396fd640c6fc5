// SPDX-License-Identifier: Apache-2.0
#include "report/Report.hpp"

#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace Kindred::Tools {
namespace ReportTest {

constexpr const char* hostile = "</script><script>alert(1)</script><!-- %SCRIPT% \" \\ \xFF";

ReportSweep sweep_of(std::vector<std::array<double, 3>> taken) {
  ReportSweep sweep{"lcs", "pairs", {}};
  double items = 1;
  for (const auto& seconds : taken) {
    sweep.points.push_back({items, seconds, seconds, Space::serial});
    items *= 2;
  }
  return sweep;
}

ReportData hostile_report() {
  ReportData data;
  data.title = hostile;
  data.subtitle = hostile;
  data.query = hostile;
  data.run.emplace_back(hostile, hostile);
  data.claims.push_back({hostile, ClaimState::fails, hostile});
  data.hits.push_back({hostile, hostile, 1.0, {{hostile, 1, 0.5, 0.1, hostile}}});
  data.decisions.push_back({});
  data.sweeps.push_back(sweep_of({{1, 2, not_known}, {2, 1, not_known}}));
  data.kernels.push_back({hostile, "host", 3, 0.25});
  data.environment.emplace_back(hostile, hostile);
  return data;
}

nlohmann::json block_of(const std::string& html) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t begin = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

TEST(Report, NoTextCanEndTheScriptThatHoldsIt) {
  const std::string html = report_html(hostile_report());
  EXPECT_EQ(count_of(html, "<script"), 2U);
  EXPECT_EQ(count_of(html, "</script>"), 2U);
  EXPECT_EQ(html.find("alert(1)</script>"), std::string::npos);
  const nlohmann::json data = block_of(html);
  EXPECT_THAT(data["kernels"][0]["name"].get<std::string>(),
              testing::StartsWith("</script><script>alert(1)</script><!-- %SCRIPT%"));
}

TEST(Report, FetchesNothing) {
  const std::string html = report_html(hostile_report());
  EXPECT_FALSE(
      std::regex_search(html, std::regex(R"(https?://|\bsrc\s*=|\bimport\b|@import|url\()")));
  EXPECT_FALSE(std::regex_search(html, std::regex(R"(<(link|img|iframe|object|embed|base)\b)")));
  EXPECT_THAT(html,
              testing::HasSubstr(
                  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"));
}

TEST(Report, KeepsEveryPartOfTheData) {
  const nlohmann::json data = block_of(report_html(hostile_report()));
  EXPECT_EQ(data["run"].size(), 1U);
  EXPECT_EQ(data["claims"][0]["state"], "fails");
  EXPECT_EQ(data["hits"][0]["reasons"][0]["place"], 1);
  EXPECT_EQ(data["decisions"]["total"], 1);
  EXPECT_EQ(data["kernels"][0]["calls"], 3);
  EXPECT_EQ(data["sweeps"][0]["points"].size(), 2U);
  EXPECT_TRUE(data["sweeps"][0]["points"][0]["taken"][2].is_null());
  EXPECT_EQ(data["sweeps"][0]["crossover"]["taken"][1], 2.0);
  EXPECT_EQ(data["environment"].size(), 1U);
}

TEST(Report, AnEmptyReportIsAValidPage) {
  const nlohmann::json data = block_of(report_html({}));
  EXPECT_TRUE(data["hits"].empty());
  EXPECT_EQ(data["decisions"]["total"], 0);
}

TEST(Report, StaysBelowTwoMegabytesAndKeepsTheLargestRegret) {
  ReportData data;
  for (std::size_t i = 0; i < 50'000; ++i) {
    DispatchRecord record;
    record.items = i;
    record.predicted = {1e-3, 1e-3, not_known};
    record.taken = i == 31'415 ? 9.0 : 1e-3;
    data.decisions.push_back(record);
    data.kernels.push_back({"Kindred::Class::method::kernel", "host", i, 1e-6});
  }
  data.hits.assign(500, {std::string(5000, 'x'), std::string(5000, 'y'), 1.0, {}});
  const std::string html = report_html(data);
  EXPECT_LT(html.size(), 2'000'000U);
  const nlohmann::json block = block_of(html);
  EXPECT_EQ(block["decisions"]["total"], 50'000);
  EXPECT_EQ(block["decisions"]["summary"][0]["calls"], 50'000);
  bool kept = false;
  for (const auto& row : block["decisions"]["rows"]) kept = kept || row["items"] == 31'415;
  EXPECT_TRUE(kept);
}

TEST(Report, WritesTheWholeFileOrThrows) {
  const std::filesystem::path path = std::filesystem::path(KINDRED_TEST_FOLDER) / "report.html";
  write_report(path.string(), hostile_report());
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), report_html(hostile_report()));
  EXPECT_THROW(write_report(KINDRED_TEST_FOLDER "/no/such/folder/report.html", {}), Error);
}

TEST(Crossover, IsTheSizeFromWhichASpaceStaysFaster) {
  const auto at = [](std::vector<std::array<double, 3>> taken, Space space) {
    return crossover(sweep_of(std::move(taken)), space, &ReportSweepPoint::taken);
  };
  EXPECT_EQ(at({{1, 2, 3}, {2, 1, 3}, {4, 2, 1}}, Space::openmp), 2);
  EXPECT_EQ(at({{1, 2, 3}, {2, 1, 3}, {4, 2, 1}}, Space::cuda), 4);
  EXPECT_EQ(at({{2, 1, 3}, {1, 2, 3}, {2, 1, 3}}, Space::openmp), 4)
      << "a lead that is lost again does not count";
  EXPECT_EQ(at({{2, 1, 3}, {2, 1, 3}}, Space::openmp), 1);
  EXPECT_TRUE(std::isnan(at({{1, 2, 3}, {1, 1, 3}}, Space::openmp))) << "a tie is not a win";
  EXPECT_TRUE(std::isnan(at({{2, 1, not_known}}, Space::cuda)));
  EXPECT_TRUE(std::isnan(at({{2, 1, 1}}, Space::serial)));
  EXPECT_TRUE(std::isnan(at({}, Space::openmp)));
}

}  // namespace ReportTest
}  // namespace Kindred::Tools
