// SPDX-License-Identifier: Apache-2.0
#include "GraphTextSupport.hpp"
#include "io/MatrixMarket.hpp"

namespace MatrixMarketTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;

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
