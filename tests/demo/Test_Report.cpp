// SPDX-License-Identifier: Apache-2.0
#include "TempFolder.hpp"
#include "io/ShellText.hpp"
#include "report/Report.hpp"

#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

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
  for (std::string* text : {&data.title, &data.subtitle, &data.command, &data.date, &data.version,
                            &data.machine, &data.ran, &data.query})
    *text = hostile;
  data.inputs.push_back({hostile, hostile, hostile, 1});
  ReportTable table;
  table.title = table.note = hostile;
  table.columns = {{hostile, ColumnKind::text}, {hostile, ColumnKind::bar}};
  table.groups.push_back({hostile, hostile, {}});
  table.add_row({{hostile}, bar_cell(hostile, 1, 0.5)});
  data.results.emplace_back(table);
  data.results.emplace_back(
      ReportPicture{hostile, hostile, {{hostile, 1, true}, {hostile, 0.5, false}}, {{0, 1, 1}}});
  data.seeds.states.push_back({hostile, std::vector<std::uint64_t>(11, 1)});
  data.seeds.seeds.push_back({hostile, hostile, hostile, -1, 0, 0, 0, hostile});
  data.seeds.epochs.push_back({hostile, {1}, {1}, {1}, {1}});
  data.phases.emplace_back(hostile, 1.0);
  data.run.emplace_back(hostile, hostile);
  data.claims.push_back({hostile, ClaimState::fails, hostile});
  data.hits.push_back({hostile, hostile, 1.0, {{hostile, 1, 0.5, 0.1, hostile}}});
  data.decisions.push_back({});
  data.sweeps.push_back(sweep_of({{1, 2, not_known}, {2, 1, not_known}}));
  data.kernels.push_back({hostile, "host", 3, 0.25});
  data.environment.emplace_back(hostile, hostile);
  return data;
}

/// What the first group of \p pattern is in each of its matches in \p text.
std::vector<std::string> matches_of(const std::string& pattern, const std::string& text) {
  const std::regex expression(pattern);
  const std::sregex_token_iterator first(text.begin(), text.end(), expression, 1);
  return {first, std::sregex_token_iterator()};
}

TEST(Report, NoTextBecomesMarkup) {
  const std::string html = report_html(hostile_report());
  EXPECT_EQ(matches_of("(</?script)", html).size(), 2U);
  EXPECT_EQ(html.find("alert(1)</script>"), std::string::npos);
  EXPECT_THAT(html,
              testing::HasSubstr("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!-- "
                                 "%SCRIPT% &quot; \\ \xEF\xBF\xBD"))
      << "markup is escaped, and a byte that is not UTF-8 is replaced";
}

TEST(Report, FetchesNothing) {
  const std::string html = report_html(hostile_report());
  EXPECT_FALSE(
      std::regex_search(html, std::regex(R"(https?://|\bsrc\s*=|\bimport\b|@import|url\((?!#))")));
  EXPECT_FALSE(std::regex_search(html, std::regex(R"(<(link|img|iframe|object|embed|base)\b)")));
  EXPECT_THAT(html,
              testing::HasSubstr(
                  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"));
}

TEST(Report, BeginsWithTheInputsAndEndsWithWhatRanWhere) {
  const std::string html = report_html(hostile_report());
  EXPECT_THAT(matches_of("<section id=\"(\\w+)\">", html),
              testing::ElementsAre("inputs", "results", "proof", "sweep", "run"));
  EXPECT_LT(html.find("<pre id=\"command\">"), html.find("<section"));
  EXPECT_THAT(html, testing::HasSubstr("pays from 2"));
}

TEST(Report, AnEmptyReportIsAValidPage) {
  const std::string html = report_html({});
  EXPECT_EQ(html.find("<section"), std::string::npos);
  EXPECT_THAT(html, testing::HasSubstr("<h1>Kindred report</h1>"));
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
  const std::string quotes(5000, '"');  // a character that takes six bytes on the page
  data.hits.assign(500, {quotes, quotes, 1.0, {{quotes, 1, 0.5, 0.1, quotes}}});
  ReportTable table;
  table.columns = {{"name", ColumnKind::text}, {"score", ColumnKind::bar}};
  for (std::size_t i = 0; i < 2'000; ++i) table.add_row({{quotes}, bar_cell(quotes, 1, 1)});
  for (int i = 0; i < 5; ++i) data.results.emplace_back(table);
  data.seeds.seeds.resize(50'000);
  data.seeds.states.assign(1000, {quotes, std::vector<std::uint64_t>(11, 5)});
  data.seeds.epochs.assign(100, {quotes, std::vector<double>(2'000, 0.1), {}, {}, {}});
  std::vector<std::array<double, 3>> times(3000, {1e-3, 2e-3, 3e-3});
  data.sweeps.assign(50, sweep_of(times));
  const std::string html = report_html(data);
  EXPECT_LT(html.size(), 2'000'000U);
  EXPECT_THAT(html, testing::HasSubstr("50\u202f000"));
  EXPECT_THAT(html, testing::HasSubstr("31\u202f415")) << "the call with the largest regret";
}

TEST(Report, CommandLinesAreQuotedForAShell) {
  EXPECT_EQ(shell_text({"kindred", "match", "--lines=a/b.txt", "it's", "", "a b", "$x"}),
            "kindred match --lines=a/b.txt 'it'\\''s' '' 'a b' '$x'");
}

TEST(Picture, PlacesNodesByTheirDistanceFromTheSources) {
  ReportPicture picture{"title", "note", {{"s", 1, true}}, {}};
  for (const char* const name : {"near", "far", "apart"})
    picture.nodes.push_back({name, 0.5, false});
  picture.edges = {{1, 2, 1}, {0, 1, 1}, {2, 0, 1}};
  std::string html;
  append_picture(html, picture);
  std::vector<double> left;
  for (const std::string& place : matches_of("class=\"node[^\"]*\" style=\"left:([\\d.]+)%", html))
    left.push_back(std::stod(place));
  ASSERT_EQ(left.size(), 4U);
  EXPECT_LT(left[0], left[1]);
  EXPECT_LT(left[1], left[2]);
  EXPECT_LT(left[2], left[3]) << "a node that no edge leads to is last";
  EXPECT_EQ(matches_of("class=\"(back)\"", html).size(), 1U);
}

TEST(Report, WritesTheWholeFileOrThrows) {
  const Testing::TempFolder folder;
  write_report(folder / "report.html", hostile_report());
  EXPECT_EQ(Testing::read_all(folder / "report.html"), report_html(hostile_report()));
  EXPECT_THROW(write_report(folder / "no/such/folder/report.html", {}), Error);
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
