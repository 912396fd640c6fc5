// SPDX-License-Identifier: Apache-2.0
#include "ReaderSupport.hpp"
#include "io/Candidates.hpp"
#include "io/SpreadSources.hpp"

#include <tuple>

namespace JsonLinesTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;

TEST(Candidates, AreReadInOrder) {
  const auto read = read_text("{\"name\": \"q\", \"ids\": [4, 0, 4]}\n{\"ids\": []}",
                              [](const std::string& path) { return read_candidates(path, 5); });
  EXPECT_THAT(read.ids[0], ElementsAre(4U, 0U, 4U));
  EXPECT_THAT(read.ids[1], IsEmpty());
  EXPECT_EQ(read.names[0], "q");
  EXPECT_EQ(read.names[1], std::nullopt);
}

TEST(Candidates, RefuseAnIdThatIsNoRow) {
  expect_refused_input(
      [](const std::string& path) { read_candidates(path, 5); },
      {
          {R"({"ids": [5]})", "2: \"ids\" has 5; an id must be in [0, 5)"},
          {R"({"ids": [-1]})", "has -1; an id"},
          {R"({"ids": [18446744073709551615]})", "has 18446744073709551615; an id"},
          {R"({"ids": [18446744073709551616]})",
           "has 18446744073709551616, which is not a whole number"},
          {R"({"ids": [1.0]})", "has 1.0, which"},
          {R"({"ids": ["1"]})", "has '1', which"},
          {R"({"ids": 1})", "must be an array, but is 1"},
          {R"({"ids": [[1]]})", "has an array in it"},
          {R"({"ids": [], "ids": []})", "is given twice"},
          {R"({"name": "q"})", "2: \"ids\" is missing"},
      },
      "{\"ids\": [1]}\n");
}

NodeNames two_nodes() {
  NodeNames nodes;
  nodes.add("a");
  nodes.add("b");
  return nodes;
}

Tools::SpreadSources read(const std::string& text, const SpreadQuery& defaults = {}) {
  return read_text(text, [&](const std::string& path) {
    return read_spread_sources(path, two_nodes(), WeightRange::unit, defaults);
  });
}

TEST(SpreadSources, AreReadInOrder) {
  const auto sources =
      read("{\"name\": \"q\", \"sources\": [[\"b\", 1], [\"a\", 0.25]]}\n{\"sources\": []}");
  EXPECT_THAT(sources.activations[0], ElementsAre(Activation{1, 1.0F}, Activation{0, 0.25F}));
  EXPECT_THAT(sources.activations[1], IsEmpty());
  EXPECT_EQ(sources.names[0], "q");
  EXPECT_EQ(sources.names[1], std::nullopt);
  EXPECT_THAT(sources.queries, IsEmpty());
}

TEST(SpreadSources, MaySetTheOptionsOfTheirQuery) {
  const auto queries = read(
                           "{\"sources\": []}\n"
                           "{\"hops\": 2, \"sources\": [[\"a\", 1]], \"threshold\": 0}\n"
                           "{\"sources\": [[\"a\", 1]], \"decay\": \"linear:0.25\"}\n"
                           "{\"sources\": []}",
                           {7, {Decay::Kind::power, 2}, 0.5})
                           .queries;
  const auto options = [](const SpreadQuery& query) {
    return std::tuple(query.hops, query.decay.kind, query.decay.parameter, query.threshold);
  };
  const auto expected = [](std::uint32_t hops, Decay::Kind kind, double parameter,
                           double threshold) {
    return std::tuple(hops, kind, parameter, std::optional(threshold));
  };
  ASSERT_EQ(queries.size(), 4U);
  EXPECT_EQ(options(queries[0]), expected(7, Decay::Kind::power, 2, 0.5));
  EXPECT_EQ(options(queries[1]), expected(2, Decay::Kind::power, 2, 0));
  EXPECT_EQ(options(queries[2]), expected(7, Decay::Kind::linear, 0.25, 0.5));
  EXPECT_EQ(options(queries[3]), expected(7, Decay::Kind::power, 2, 0.5));
}

TEST(SpreadSources, ReportFileLineAndValueOfABadRecord) {
  const auto reading = [](WeightRange range) {
    return [range](const std::string& path) { read_spread_sources(path, two_nodes(), range); };
  };
  expect_refused_input(
      reading(WeightRange::unit),
      {
          {R"({"sources": [["x", 1]]})", "1: the node 'x' is not in the graph, which has 2 nodes"},
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

}  // namespace JsonLinesTest
