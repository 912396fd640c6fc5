// SPDX-License-Identifier: Apache-2.0
#include "GraphTextSupport.hpp"
#include "io/MatrixMarket.hpp"

namespace MatrixMarketTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;

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

}  // namespace MatrixMarketTest
