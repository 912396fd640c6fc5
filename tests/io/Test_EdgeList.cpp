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

}  // namespace EdgeListTest
