// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "GraphTextSupport.hpp"
#include "io/MatrixMarket.hpp"

namespace MatrixMarketTest {

using namespace Kindred;
using namespace Kindred::Tools;
using Testing::edges;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::names;
using Testing::refusal;
using Testing::TempFolder;
using Testing::Triple;

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

}  // namespace MatrixMarketTest
