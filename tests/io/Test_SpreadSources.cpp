// SPDX-License-Identifier: Apache-2.0
#include "GraphTextSupport.hpp"
#include "io/SpreadSources.hpp"

namespace SpreadSourcesTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;

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
  NodeNames nodes;
  nodes.add("a");
  const auto reading = [&](WeightRange range) {
    return [&nodes, range](const std::string& path) { read_spread_sources(path, nodes, range); };
  };
  expect_refused_input(
      reading(WeightRange::unit),
      {
          {R"({"sources": [["x", 1]]})", "1: the node 'x' is not in the graph, which has 1 nodes"},
          {R"({"sources": [[1, 1]]})", "has 1 as a node"},
          {R"({"sources": [["a", "1"]]})", "has '1' as an activation"},
          {R"({"sources": [["a"]]})", "has a pair of 1"},
          {R"({"sources": [[]]})", "has a pair of 0"},
          {R"({"sources": [["a", 1, 1]]})", "has a pair of 3"},
          {R"({"sources": ["a", 1]})", ", but has 'a'"},
          {R"({"sources": 1})", ", but has 1"},
          {R"({"sources": [[["a"], 1]]})", "an array in a pair"},
          {R"({"sources": [["a", 1.5]]})", "1.5 is outside [0, 1]"},
          {R"({"sources": [["a", -1]]})", "-1 is outside [0, 1]"},
          {R"({"sources": [], "sources": []})", "is given twice"},
          {R"({"name": "q"})", "\"sources\" is missing"},
          {R"({"sources": [], "hops": -1})", "in [0, 10000], but is -1"},
          {R"({"sources": [], "hops": 10001})", ", but is 10001"},
          {R"({"sources": [], "hops": 1.5})", ", but is 1.5"},
          {R"({"sources": [], "hops": [1]})", ", but is an array"},
          {R"({"sources": [], "threshold": -0.5})", ", but is -0.5"},
          {R"({"sources": [], "threshold": "x"})", ", but is 'x'"},
          {R"({"sources": [], "decay": 1})", ", but is 1"},
          {R"({"sources": [], "decay": "constant:-1"})",
           "\"decay\": 'constant:-1' has no finite parameter"},
      });
  expect_refused_input(reading(WeightRange::finite),
                       {
                           {R"({"sources": [["a", 1e39]]})", "beyond float32"},
                           {R"({"sources": [["a", NaN]]})", "not JSON"},
                       });
  expect_refused_input(reading(WeightRange::nonnegative),
                       {
                           {R"({"sources": [["a", -1]]})", "-1 is below 0"},
                       });
}

}  // namespace SpreadSourcesTest
