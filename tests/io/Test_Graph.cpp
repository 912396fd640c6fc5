// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "TempFolder.hpp"
#include "io/EdgeList.hpp"
#include "io/InputError.hpp"
#include "io/MatrixMarket.hpp"
#include "io/Sources.hpp"

#include <tuple>

namespace GraphTest {

using namespace Kindred;
using namespace Kindred::Tools;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::TempFolder;

using Triple = std::tuple<std::uint32_t, std::uint32_t, float>;

std::vector<Triple> edges(const Graph& graph) {
  std::vector<Triple> out;
  for (const Edge& edge : graph.edges) out.emplace_back(edge.from, edge.to, edge.weight);
  return out;
}

std::vector<std::string> names(const NodeNames& nodes) {
  std::vector<std::string> out(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) nodes.append(out[i], i);
  return out;
}

/// The error message for \p text, without the path, of a reader that must reject it.
template <class Reader>
std::string refusal(const TempFolder& folder, const std::string& text, const Reader& reader) {
  const auto path = folder.write("g", text);
  const auto message = Testing::message_of<InputError>([&] { reader(path); });
  EXPECT_THAT(message, ::testing::StartsWith(path + ":"));
  return message.substr(std::min(message.size(), path.size() + 1));
}

TEST(EdgeList, NumbersNodesByFirstAppearance) {
  const TempFolder folder;
  const Graph graph = read_edge_list(
      folder.write("g", "# a graph\nb a 0.5\n\n  a   c  1 \nc b 0.25"), WeightRange::unit);
  EXPECT_THAT(names(graph.nodes), ElementsAre("\"b\"", "\"a\"", "\"c\""));
  EXPECT_THAT(edges(graph),
              ElementsAre(Triple(0, 1, 0.5F), Triple(1, 2, 1.0F), Triple(2, 0, 0.25F)));
}

TEST(EdgeList, DividesAtTabsWhereThereAreTabs) {
  const TempFolder folder;
  const Graph graph =
      read_edge_list(folder.write("g", "big cat\tlion\t0.5\r\n"), WeightRange::unit);
  EXPECT_THAT(names(graph.nodes), ElementsAre("\"big cat\"", "\"lion\""));
}

TEST(EdgeList, TakesAnyFiniteWeightWhereThatIsMeant) {
  const TempFolder folder;
  const auto path = folder.write("g", "a b -2.5\na b 1e30");
  EXPECT_THAT(edges(read_edge_list(path, WeightRange::finite)),
              ElementsAre(Triple(0, 1, -2.5F), Triple(0, 1, 1e30F)));
  EXPECT_EQ(read_edge_list(folder.write("e", ""), WeightRange::unit).nodes.size(), 0U);
}

TEST(EdgeList, ReportsFileLineAndValueOfABadEdge) {
  const TempFolder folder;
  const auto unit = [](const std::string& path) { read_edge_list(path, WeightRange::unit); };
  const auto finite = [](const std::string& path) { read_edge_list(path, WeightRange::finite); };
  EXPECT_THAT(refusal(folder, "a b 1\na b", unit), HasSubstr("2: 2 fields"));
  EXPECT_THAT(refusal(folder, "a b 1 2", unit), HasSubstr("1: 4 fields"));
  EXPECT_THAT(refusal(folder, "a b x", unit),
              HasSubstr("1: the weight 'x' is not a finite number"));
  EXPECT_THAT(refusal(folder, "a b nan", finite), HasSubstr("the weight 'nan' is not a finite"));
  EXPECT_THAT(refusal(folder, "a b -inf", finite), HasSubstr("the weight '-inf' is not a finite"));
  EXPECT_THAT(refusal(folder, "a b 1e999", finite),
              HasSubstr("the weight '1e999' is not a finite"));
  EXPECT_THAT(refusal(folder, "a b 1e39", finite), HasSubstr("beyond float32"));
  EXPECT_THAT(refusal(folder, "a b 1.5", unit), HasSubstr("the weight 1.5 is outside [0, 1]"));
  EXPECT_THAT(refusal(folder, "a b -0.1", unit), HasSubstr("the weight -0.1 is outside [0, 1]"));
  EXPECT_THAT(refusal(folder, "a\t\t1", unit), HasSubstr("empty name"));
  EXPECT_THAT(refusal(folder, "a \xC3 1", unit), HasSubstr("1: not UTF-8"));
}

TEST(NodeNames, NumbersThatAreNotThereAreNoNames) {
  const NodeNames all = NodeNames::numbers(3);
  const NodeNames some = NodeNames::numbers(3, [](std::uint32_t node) { return node != 1; });
  EXPECT_EQ(all.find("2"), 1U);
  EXPECT_EQ(some.find("2"), std::nullopt);
  EXPECT_EQ(some.find("3"), 2U);
  EXPECT_EQ(some.size(), 3U);
}

TEST(MatrixMarket, ReadsEveryKind) {
  const TempFolder folder;
  const auto read = [&](const std::string& text) {
    return read_matrix_market(folder.write("g.mtx", text), WeightRange::finite);
  };
  const Graph real =
      read("%%MatrixMarket matrix coordinate real general\n% c\n\n3 3 2\n1 2 0.5\n% d\n3 1 -1e3\n");
  EXPECT_THAT(edges(real), ElementsAre(Triple(0, 1, 0.5F), Triple(2, 0, -1000.0F)));
  EXPECT_THAT(names(real.nodes), ElementsAre("\"1\"", "\"2\"", "\"3\""));
  EXPECT_EQ(real.nodes.find("3"), 2U);
  for (const char* name : {"0", "4", "03", "x", ""}) EXPECT_EQ(real.nodes.find(name), std::nullopt);
  const Graph integer =
      read("%%matrixmarket MATRIX Coordinate Integer Symmetric\n3 3 2\n2 1 7\n3 3 2");
  EXPECT_THAT(edges(integer),
              ElementsAre(Triple(1, 0, 7.0F), Triple(0, 1, 7.0F), Triple(2, 2, 2.0F)));
  const Graph pattern = read("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1");
  EXPECT_THAT(edges(pattern), ElementsAre(Triple(0, 0, 1.0F)));
  EXPECT_THAT(edges(read("%%MatrixMarket matrix coordinate pattern general\n5 5 0\n")), IsEmpty());
}

TEST(MatrixMarket, RefusesAHeaderItCannotRead) {
  const TempFolder folder;
  const auto read = [](const std::string& path) { read_matrix_market(path, WeightRange::unit); };
  const std::string kind = "%%MatrixMarket matrix ";
  EXPECT_THAT(refusal(folder, "", read), HasSubstr("no Matrix Market file"));
  EXPECT_THAT(refusal(folder, "1 2 3\n", read), HasSubstr("1: no Matrix Market file"));
  EXPECT_THAT(refusal(folder, kind + "array real general\n", read), HasSubstr("format 'array'"));
  EXPECT_THAT(refusal(folder, kind + "coordinate complex general\n", read),
              HasSubstr("field 'complex'"));
  EXPECT_THAT(refusal(folder, kind + "coordinate real hermitian\n", read),
              HasSubstr("symmetry 'hermitian'"));
}

TEST(MatrixMarket, ReportsFileLineAndValueOfABadFile) {
  const TempFolder folder;
  const auto refused = [&](const std::string& text) {
    return refusal(folder, "%%MatrixMarket matrix coordinate real general\n" + text,
                   [](const std::string& path) { read_matrix_market(path, WeightRange::unit); });
  };
  EXPECT_THAT(refused(""), HasSubstr("the size line"));
  EXPECT_THAT(refused("3 3\n"), HasSubstr("2: 2 numbers where the size line"));
  EXPECT_THAT(refused("3 -3 1\n"), HasSubstr("the size '-3'"));
  EXPECT_THAT(refused("3 4 1\n1 1 1\n"), HasSubstr("square"));
  EXPECT_THAT(refused("5000000000 5000000000 1\n1 1 1\n"), HasSubstr("the limit is"));
  EXPECT_THAT(refused("3 3 1000000000000\n1 1 1\n"),
              HasSubstr("2: the header says 1000000000000 entries, 6 bytes follow"));
  EXPECT_THAT(refused("3 3 2\n1 1 1.00000000\n"),
              HasSubstr("the file ends after 1 entries, the header says 2"));
  EXPECT_THAT(refused("3 3 1\n1 1 1\n2 2 1\n"), HasSubstr("4: more entries than the 1"));
  EXPECT_THAT(refused("3 3 1\n1 4 1\n"), HasSubstr("3: the index '4' is not in 1 … 3"));
  EXPECT_THAT(refused("3 3 1\n0 1 1\n"), HasSubstr("the index '0'"));
  EXPECT_THAT(refused("3 3 1\n1 1.5 1\n"), HasSubstr("the index '1.5'"));
  EXPECT_THAT(refused("3 3 1\n1 1   \n"), HasSubstr("2 fields; an entry has 3"));
  EXPECT_THAT(refused("3 3 1\n1 1 nan\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(refused("3 3 1\n1 1 2\n"), HasSubstr("outside [0, 1]"));
}

TEST(Sources, AreReadInOrder) {
  const TempFolder folder;
  NodeNames nodes;
  nodes.add("a");
  nodes.add("b");
  const Sources sources = read_sources(
      folder.write(
          "s", "{\"name\": \"q\", \"sources\": [[\"b\", 1], [\"a\", 0.25]]}\n{\"sources\": []}"),
      nodes, WeightRange::unit);
  EXPECT_THAT(sources.activations[0], ElementsAre(Activation{1, 1.0F}, Activation{0, 0.25F}));
  EXPECT_THAT(sources.activations[1], IsEmpty());
  EXPECT_EQ(sources.names[0], "q");
  EXPECT_EQ(sources.names[1], std::nullopt);
}

TEST(Sources, ReportWhatTheySpreadByWhereALineSaysSo) {
  const TempFolder folder;
  NodeNames nodes;
  nodes.add("a");
  const SpreadQuery defaults{7, {Decay::Kind::power, 2}, 0.5};
  const auto queries = [&](const std::string& text) {
    return read_sources(folder.write("s", text), nodes, WeightRange::unit, defaults).queries;
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

TEST(Sources, ReportFileLineAndValueOfABadRecord) {
  const TempFolder folder;
  NodeNames nodes;
  nodes.add("a");
  const auto refused = [&](const std::string& text, WeightRange range = WeightRange::unit) {
    return refusal(folder, text,
                   [&](const std::string& path) { read_sources(path, nodes, range); });
  };
  EXPECT_THAT(refused(R"({"sources": [["x", 1]]})"),
              HasSubstr("1: the node 'x' is not in the graph, which has 1 nodes"));
  EXPECT_THAT(refused(R"({"sources": [[1, 1]]})"), HasSubstr("has 1 as a node"));
  EXPECT_THAT(refused(R"({"sources": [["a", "1"]]})"), HasSubstr("has '1' as an activation"));
  EXPECT_THAT(refused(R"({"sources": [["a"]]})"), HasSubstr("has a pair of 1"));
  EXPECT_THAT(refused(R"({"sources": [[]]})"), HasSubstr("has a pair of 0"));
  EXPECT_THAT(refused(R"({"sources": [["a", 1, 1]]})"), HasSubstr("has a pair of 3"));
  EXPECT_THAT(refused(R"({"sources": ["a", 1]})"), HasSubstr("and has 'a'"));
  EXPECT_THAT(refused(R"({"sources": 1})"), HasSubstr("and has 1"));
  EXPECT_THAT(refused(R"({"sources": [[["a"], 1]]})"), HasSubstr("an array in a pair"));
  EXPECT_THAT(refused(R"({"sources": [["a", 1.5]]})"), HasSubstr("1.5 is outside [0, 1]"));
  EXPECT_THAT(refused(R"({"sources": [["a", -1]]})"), HasSubstr("-1 is outside [0, 1]"));
  EXPECT_THAT(refused(R"({"sources": [["a", 1e39]]})", WeightRange::finite),
              HasSubstr("beyond float32"));
  EXPECT_THAT(refused(R"({"sources": [["a", NaN]]})", WeightRange::finite), HasSubstr("not JSON"));
  EXPECT_THAT(refused(R"({"sources": [], "sources": []})"), HasSubstr("is given twice"));
  EXPECT_THAT(refused(R"({"name": "q"})"), HasSubstr("\"sources\" is missing"));
  EXPECT_THAT(refused(R"({"sources": [], "hops": -1})"), HasSubstr("in [0, 10000] and is -1"));
  EXPECT_THAT(refused(R"({"sources": [], "hops": 10001})"), HasSubstr("and is 10001"));
  EXPECT_THAT(refused(R"({"sources": [], "hops": 1.5})"), HasSubstr("and is 1.5"));
  EXPECT_THAT(refused(R"({"sources": [], "hops": [1]})"), HasSubstr("and is an array"));
  EXPECT_THAT(refused(R"({"sources": [], "threshold": -0.5})"), HasSubstr("and is -0.5"));
  EXPECT_THAT(refused(R"({"sources": [], "threshold": "x"})"), HasSubstr("and is 'x'"));
  EXPECT_THAT(refused(R"({"sources": [], "decay": 1})"), HasSubstr("and is 1"));
  EXPECT_THAT(refused(R"({"sources": [], "decay": "constant:-1"})"),
              HasSubstr("\"decay\": 'constant:-1' has no finite parameter"));
  EXPECT_THAT(refused(R"({"sources": [["a", -1]]})", WeightRange::nonnegative),
              HasSubstr("-1 is below 0"));
}

}  // namespace GraphTest
