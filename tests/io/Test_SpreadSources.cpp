// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "GraphTextSupport.hpp"
#include "io/SpreadSources.hpp"

namespace SpreadSourcesTest {

using namespace Kindred;
using namespace Kindred::Tools;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::refusal;
using Testing::TempFolder;

TEST(SpreadSources, AreReadInOrder) {
  const TempFolder folder;
  NodeNames nodes;
  nodes.add("a");
  nodes.add("b");
  const Tools::SpreadSources sources = read_spread_sources(
      folder.write(
          "s", "{\"name\": \"q\", \"sources\": [[\"b\", 1], [\"a\", 0.25]]}\n{\"sources\": []}"),
      nodes, WeightRange::unit);
  EXPECT_THAT(sources.activations[0], ElementsAre(Activation{1, 1.0F}, Activation{0, 0.25F}));
  EXPECT_THAT(sources.activations[1], IsEmpty());
  EXPECT_EQ(sources.names[0], "q");
  EXPECT_EQ(sources.names[1], std::nullopt);
}

TEST(SpreadSources, ReportWhatTheySpreadByWhereALineSaysSo) {
  const TempFolder folder;
  NodeNames nodes;
  nodes.add("a");
  const SpreadQuery defaults{7, {Decay::Kind::power, 2}, 0.5};
  const auto queries = [&](const std::string& text) {
    return read_spread_sources(folder.write("s", text), nodes, WeightRange::unit, defaults).queries;
  };
  EXPECT_THAT(queries("{\"sources\": [[\"a\", 1]]}\n{\"sources\": []}"), IsEmpty());
  const auto reported = queries(
      "{\"sources\": []}\n{\"hops\": 2, \"sources\": [[\"a\", 1]], \"threshold\": 0}\n"
      "{\"sources\": [[\"a\", 1]], \"decay\": \"linear:0.25\"}\n{\"sources\": []}");
  ASSERT_EQ(reported.size(), 4U);
  for (const std::size_t plain : {0, 3}) {
    EXPECT_EQ(reported[plain].hops, 7U);
    EXPECT_EQ(reported[plain].decay.kind, Decay::Kind::power);
    EXPECT_EQ(reported[plain].threshold, 0.5);
  }
  EXPECT_EQ(reported[1].hops, 2U);
  EXPECT_EQ(reported[1].threshold, 0.0);
  EXPECT_EQ(reported[1].decay.parameter, 2.0);
  EXPECT_EQ(reported[2].hops, 7U);
  EXPECT_EQ(reported[2].decay.kind, Decay::Kind::linear);
  EXPECT_EQ(reported[2].decay.parameter, 0.25);
}

TEST(SpreadSources, ReportFileLineAndValueOfABadRecord) {
  const TempFolder folder;
  NodeNames nodes;
  nodes.add("a");
  const auto refused = [&](const std::string& text, WeightRange range = WeightRange::unit) {
    return refusal(folder, text,
                   [&](const std::string& path) { read_spread_sources(path, nodes, range); });
  };
  EXPECT_THAT(refused(R"({"sources": [["x", 1]]})"),
              HasSubstr("1: the node 'x' is not in the graph, which has 1 nodes"));
  EXPECT_THAT(refused(R"({"sources": [[1, 1]]})"), HasSubstr("has 1 as a node"));
  EXPECT_THAT(refused(R"({"sources": [["a", "1"]]})"), HasSubstr("has '1' as an activation"));
  EXPECT_THAT(refused(R"({"sources": [["a"]]})"), HasSubstr("has a pair of 1"));
  EXPECT_THAT(refused(R"({"sources": [[]]})"), HasSubstr("has a pair of 0"));
  EXPECT_THAT(refused(R"({"sources": [["a", 1, 1]]})"), HasSubstr("has a pair of 3"));
  EXPECT_THAT(refused(R"({"sources": ["a", 1]})"), HasSubstr(", but has 'a'"));
  EXPECT_THAT(refused(R"({"sources": 1})"), HasSubstr(", but has 1"));
  EXPECT_THAT(refused(R"({"sources": [[["a"], 1]]})"), HasSubstr("an array in a pair"));
  EXPECT_THAT(refused(R"({"sources": [["a", 1.5]]})"), HasSubstr("1.5 is outside [0, 1]"));
  EXPECT_THAT(refused(R"({"sources": [["a", -1]]})"), HasSubstr("-1 is outside [0, 1]"));
  EXPECT_THAT(refused(R"({"sources": [["a", 1e39]]})", WeightRange::finite),
              HasSubstr("beyond float32"));
  EXPECT_THAT(refused(R"({"sources": [["a", NaN]]})", WeightRange::finite), HasSubstr("not JSON"));
  EXPECT_THAT(refused(R"({"sources": [], "sources": []})"), HasSubstr("is given twice"));
  EXPECT_THAT(refused(R"({"name": "q"})"), HasSubstr("\"sources\" is missing"));
  EXPECT_THAT(refused(R"({"sources": [], "hops": -1})"), HasSubstr("in [0, 10000], but is -1"));
  EXPECT_THAT(refused(R"({"sources": [], "hops": 10001})"), HasSubstr(", but is 10001"));
  EXPECT_THAT(refused(R"({"sources": [], "hops": 1.5})"), HasSubstr(", but is 1.5"));
  EXPECT_THAT(refused(R"({"sources": [], "hops": [1]})"), HasSubstr(", but is an array"));
  EXPECT_THAT(refused(R"({"sources": [], "threshold": -0.5})"), HasSubstr(", but is -0.5"));
  EXPECT_THAT(refused(R"({"sources": [], "threshold": "x"})"), HasSubstr(", but is 'x'"));
  EXPECT_THAT(refused(R"({"sources": [], "decay": 1})"), HasSubstr(", but is 1"));
  EXPECT_THAT(refused(R"({"sources": [], "decay": "constant:-1"})"),
              HasSubstr("\"decay\": 'constant:-1' has no finite parameter"));
  EXPECT_THAT(refused(R"({"sources": [["a", -1]]})", WeightRange::nonnegative),
              HasSubstr("-1 is below 0"));
}

}  // namespace SpreadSourcesTest
