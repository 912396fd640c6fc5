// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "GraphTextSupport.hpp"
#include "io/EdgeList.hpp"

namespace EdgeListTest {

using namespace Kindred;
using namespace Kindred::Tools;
using Testing::edges;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Testing::names;
using Testing::refusal;
using Testing::TempFolder;
using Testing::Triple;

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

/// Reads \p text and returns the notes.
std::vector<std::string> notes(const TempFolder& folder, const std::string& text, Graph& graph,
                               EdgeListForm form = {}) {
  std::vector<std::string> notes;
  form.note = [&](const std::string& note) { notes.push_back(note); };
  graph = read_edge_list(folder.write("g", text), WeightRange::finite, {}, form);
  return notes;
}

TEST(EdgeList, SkipsAHeaderWithANote) {
  const TempFolder folder;
  Graph graph;
  EXPECT_THAT(
      notes(folder, "# made\nfrom\tto\tweight\na\tb\t2\n", graph),
      ElementsAre(folder / "g" +
                  ":2: skipped as a header: 'from\\x09to\\x09weight' (--no-header reads it as "
                  "an edge)"));
  EXPECT_THAT(names(graph.nodes), ElementsAre("\"a\"", "\"b\""));
  EXPECT_THAT(edges(graph), ElementsAre(Triple(0, 1, 2.0F)));
  EXPECT_THAT(notes(folder, "a b 2\n", graph), ::testing::IsEmpty());
  EXPECT_THAT(notes(folder, "from to\na b\n", graph, {.header = HeaderLine::present}),
              ::testing::IsEmpty());
  EXPECT_EQ(graph.edges.size(), 1U);
  EXPECT_THAT(notes(folder, "from to\na b\n", graph, {.header = HeaderLine::absent}),
              ::testing::IsEmpty());
  EXPECT_EQ(graph.edges.size(), 2U);
  EXPECT_THAT(notes(folder, "from,to,weight,kind\na,b,1,7\n", graph, {.csv = true, .kinds = true}),
              ::testing::SizeIs(1));
  EXPECT_THAT(graph.edge_kinds, ElementsAre(7));
}

TEST(EdgeList, RefusesAFirstLineThatMayBeAHeaderOrAnEdge) {
  const TempFolder folder;
  const auto finite = [](const std::string& path) { read_edge_list(path, WeightRange::finite); };
  EXPECT_THAT(refusal(folder, "source target\na b\n", finite),
              HasSubstr("1: 'source' and 'target' may be a header or an edge; give --header"));
  EXPECT_THAT(refusal(folder, "1 2 heavy\n3 4 1\n", finite),
              HasSubstr("1: the weight 'heavy' is not a finite number; if the line is a header"));
  EXPECT_THAT(refusal(folder, "from to weight\n", finite), HasSubstr("no edge follows"));
  EXPECT_THAT(refusal(folder, "a b c\nd e f\n", finite),
              HasSubstr("2: the weight 'f' is not a finite number"));
  EXPECT_THAT(refusal(folder, "a b 1x\nd e 1\n", finite), HasSubstr("1: the weight '1x'"));
  EXPECT_THAT(refusal(folder, "a b nan\nd e 1\n", finite), HasSubstr("1: the weight 'nan'"));
}

TEST(EdgeList, GivesEdgesOfTwoColumnsTheWeightOne) {
  const TempFolder folder;
  const auto unit = [](const std::string& path) { read_edge_list(path, WeightRange::unit); };
  EXPECT_THAT(edges(read_edge_list(folder.write("g", "a b\nb c\n"), WeightRange::unit)),
              ElementsAre(Triple(0, 1, 1.0F), Triple(1, 2, 1.0F)));
  EXPECT_THAT(refusal(folder, "a b\nb c 1\n", unit),
              HasSubstr("2: 3 fields; the edge on line 1 has 2; either all edges have a weight"));
  EXPECT_THAT(refusal(folder, "a,b,1\n", unit), HasSubstr("name a file with commas *.csv"));
  EXPECT_THAT(refusal(folder, "a b 1 2\n", unit), HasSubstr("--edge-kinds"));
}

TEST(EdgeList, ReadsUndirectedEdgesInBothDirections) {
  const TempFolder folder;
  const auto path = folder.write("g", "a b 0.5 1\nb b 1 2\n");
  const Graph graph =
      read_edge_list(path, WeightRange::unit, {}, {.kinds = true, .undirected = true});
  EXPECT_THAT(edges(graph),
              ElementsAre(Triple(0, 1, 0.5F), Triple(1, 0, 0.5F), Triple(1, 1, 1.0F)));
  EXPECT_THAT(graph.edge_kinds, ElementsAre(1, 1, 2));
}

}  // namespace EdgeListTest
