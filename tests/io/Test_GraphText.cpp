// SPDX-License-Identifier: Apache-2.0
#include "ReaderSupport.hpp"
#include "io/EdgeList.hpp"
#include "io/MatrixMarket.hpp"

#include <cstdint>
#include <tuple>

namespace GraphTextTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;

using Triple = std::tuple<std::uint32_t, std::uint32_t, float>;

std::vector<Triple> edges(const Graph& graph) {
  std::vector<Triple> out;
  for (const Edge& edge : graph.edges) out.emplace_back(edge.from, edge.to, edge.weight);
  return out;
}

std::vector<std::string> names(const NodeNames& nodes) {
  std::vector<std::string> out(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) out[i] = nodes.text(i);
  return out;
}

Graph unit(const std::string& path) { return read_edge_list(path, WeightRange::unit); }
Graph finite(const std::string& path) { return read_edge_list(path, WeightRange::finite); }

TEST(EdgeList, ReadsNodesByFirstAppearanceAndEdgesInOrder) {
  const struct {
    const char* text;
    Graph (*read)(const std::string&);
    std::vector<std::string> nodes;
    std::vector<Triple> edges;
  } cases[] = {{"", unit, {}, {}},
               {"# a graph\nb a 0.5\n\n  a   c  1 \nc b 0.25",
                unit,
                {"b", "a", "c"},
                {{0, 1, 0.5F}, {1, 2, 1.0F}, {2, 0, 0.25F}}},
               {"big cat\tlion\t0.5\r\n", unit, {"big cat", "lion"}, {{0, 1, 0.5F}}},
               {"a b -2.5\na b 1e30", finite, {"a", "b"}, {{0, 1, -2.5F}, {0, 1, 1e30F}}},
               {"a b\nb c\n", unit, {"a", "b", "c"}, {{0, 1, 1.0F}, {1, 2, 1.0F}}}};
  for (const auto& [text, read, nodes, expected] : cases) {
    const Graph graph = read_text(text, read);
    EXPECT_EQ(names(graph.nodes), nodes) << text;
    EXPECT_EQ(edges(graph), expected) << text;
  }
}

TEST(EdgeList, ReportsFileLineAndValueOfABadEdge) {
  expect_refused_input(
      unit,
      {{"a b 1\na b", "2: 2 fields"},
       {"a b 1 2", "1: 4 fields"},
       {"a b x", "1: the weight 'x' is not a finite number"},
       {"a b 1.5", "the weight 1.5 is outside [0, 1]"},
       {"a b -0.1", "the weight -0.1 is outside [0, 1]"},
       {"a\t\t1", "empty name"},
       {"a \xC3 1", "1: not UTF-8"},
       {"a b\nb c 1\n", "2: 3 fields; the edge on line 1 has 2; either all edges have a weight"},
       {"a,b,1\n", "name a file with commas *.csv"},
       {"a b 1 2\n", "--edge-kinds"}});
  expect_refused_input(finite, {{"a b nan", "the weight 'nan' is not a finite"},
                                {"a b -inf", "the weight '-inf' is not a finite"},
                                {"a b 1e999", "the weight '1e999' is not a finite"},
                                {"a b 1e39", "beyond float32"}});
}

TEST(EdgeList, SkipsAHeaderWithANote) {
  const TempFolder folder;
  std::vector<std::string> notes;
  const auto read = [&](const std::string& text, EdgeListForm form = {}) {
    notes.clear();
    form.note = [&](const std::string& note) { notes.push_back(note); };
    return read_edge_list(folder.write("g", text), WeightRange::finite, {}, form);
  };
  const Graph graph = read("# made\nfrom\tto\tweight\na\tb\t2\n");
  EXPECT_THAT(notes, ElementsAre(folder / "g" +
                                 ":2: skipped as a header: 'from\\x09to\\x09weight' (--no-header "
                                 "reads it as an edge)"));
  EXPECT_THAT(names(graph.nodes), ElementsAre("a", "b"));
  EXPECT_THAT(edges(graph), ElementsAre(Triple(0, 1, 2.0F)));
  EXPECT_EQ(read("from,to,weight,kind\na,b,1,7\n", {.csv = true, .kinds = true}).edge_kinds,
            std::vector<std::uint8_t>{7});
  EXPECT_EQ(notes.size(), 1U);
  for (const auto& [text, header, count] : {std::tuple("a b 2\n", HeaderLine::automatic, 1U),
                                            {"from to\na b\n", HeaderLine::present, 1U},
                                            {"from to\na b\n", HeaderLine::absent, 2U}}) {
    EXPECT_EQ(read(text, {.header = header}).edges.size(), count);
    EXPECT_THAT(notes, IsEmpty());
  }
}

TEST(EdgeList, RefusesAFirstLineThatMayBeAHeaderOrAnEdge) {
  expect_refused_input(finite,
                       {{"source target\na b\n",
                         "1: 'source' and 'target' may be a header or an edge; give --header"},
                        {"1 2 heavy\n3 4 1\n",
                         "1: the weight 'heavy' is not a finite number; if the line is a header"},
                        {"from to weight\n", "no edge follows"},
                        {"a b c\nd e f\n", "2: the weight 'f' is not a finite number"},
                        {"a b 1x\nd e 1\n", "1: the weight '1x'"},
                        {"a b nan\nd e 1\n", "1: the weight 'nan'"}});
}

TEST(EdgeList, ReadsFieldsInQuotes) {
  const Graph graph = read_text("\"a, \"\"b\"\"\",\"c\",1\n", [](const std::string& path) {
    return read_edge_list(path, WeightRange::unit, {}, {.csv = true});
  });
  EXPECT_THAT(names(graph.nodes), ElementsAre("a, \"b\"", "c"));
}

TEST(EdgeList, ReadsUndirectedEdgesInBothDirections) {
  const Graph graph = read_text("a b 0.5 1\nb b 1 2\n", [](const std::string& path) {
    return read_edge_list(path, WeightRange::unit, {}, {.kinds = true, .undirected = true});
  });
  EXPECT_THAT(edges(graph),
              ElementsAre(Triple(0, 1, 0.5F), Triple(1, 0, 0.5F), Triple(1, 1, 1.0F)));
  EXPECT_THAT(graph.edge_kinds, ElementsAre(1, 1, 2));
}

TEST(MatrixMarket, ReadsEveryKind) {
  const std::string head = "%%MatrixMarket matrix coordinate ";
  const std::vector<std::pair<std::string, std::vector<Triple>>> cases{
      {head + "real general\n% c\n\n3 3 2\n1 2 0.5\n% d\n3 1 -1e3\n",
       {{0, 1, 0.5F}, {2, 0, -1000.0F}}},
      {"%%matrixmarket MATRIX Coordinate Integer Symmetric\n3 3 2\n2 1 7\n3 3 2",
       {{1, 0, 7.0F}, {0, 1, 7.0F}, {2, 2, 2.0F}}},
      {head + "pattern general\n3 3 1\n1 1", {{0, 0, 1.0F}}},
      {head + "pattern general\n3 3 0\n", {}}};
  for (const auto& [text, expected] : cases) {
    const Graph graph = read_text(text, [](const std::string& path) {
      return read_matrix_market(path, WeightRange::finite);
    });
    EXPECT_EQ(edges(graph), expected) << text;
    EXPECT_THAT(names(graph.nodes), ElementsAre("1", "2", "3"));
  }
}

TEST(NodeNames, OfNumbersAreThoseOfNodesThatAreThere) {
  const NodeNames all = NodeNames::numbers(3);
  const NodeNames some = NodeNames::numbers(3, [](std::uint32_t node) { return node != 1; });
  EXPECT_EQ(all.find("2"), 1U);
  EXPECT_EQ(some.find("2"), std::nullopt);
  EXPECT_EQ(some.find("3"), 2U);
  EXPECT_EQ(some.size(), 3U);
  for (const char* name : {"0", "4", "03", "x", ""}) EXPECT_EQ(all.find(name), std::nullopt);
}

TEST(MatrixMarket, RefusesAHeaderItCannotRead) {
  const auto read = [](const std::string& path) { read_matrix_market(path, WeightRange::unit); };
  const std::string kind = "%%MatrixMarket matrix ";
  expect_refused_input(read, {{"", "no Matrix Market file"},
                              {"1 2 3\n", "1: no Matrix Market file"},
                              {kind + "array real general\n", "format 'array'"},
                              {kind + "coordinate complex general\n", "field 'complex'"},
                              {kind + "coordinate real hermitian\n", "symmetry 'hermitian'"}});
}

TEST(MatrixMarket, ReportsFileLineAndValueOfABadFile) {
  expect_refused_input(
      [](const std::string& path) { read_matrix_market(path, WeightRange::unit); },
      {
          {"", "the size line"},
          {"3 3\n", "2: 2 numbers where the size line"},
          {"3 -3 1\n", "the size '-3'"},
          {"3 4 1\n1 1 1\n", "square"},
          {"5000000000 5000000000 1\n1 1 1\n", "the limit is"},
          {"3 3 1000000000000\n1 1 1\n",
           "2: the header says 1000000000000 entries, 6 bytes follow"},
          {"3 3 2\n1 1 1.00000000\n", "the file ends after 1 entries, the header says 2"},
          {"3 3 1\n1 1 1\n2 2 1\n", "4: more entries than the 1"},
          {"3 3 1\n1 4 1\n", "3: the index '4' is not in 1 … 3"},
          {"3 3 1\n0 1 1\n", "the index '0'"},
          {"3 3 1\n1 1.5 1\n", "the index '1.5'"},
          {"3 3 1\n1 1   \n", "2 fields; an entry has 3"},
          {"3 3 1\n1 1 nan\n", "not a finite number"},
          {"3 3 1\n1 1 2\n", "outside [0, 1]"},
      },
      "%%MatrixMarket matrix coordinate real general\n");
}

}  // namespace GraphTextTest
