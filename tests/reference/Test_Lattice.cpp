// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::LatticeTest {

using ::testing::ElementsAre;

constexpr std::uint32_t none = 0xFFFFFFFFU;

TEST(ReferenceLattice, NeighborsAreInTheOrderOfTheLattice) {
  // 0 1 2
  // 3 4 5
  // 6 7 8
  const auto rows = Reference::lattice_neighbours(LatticeShape(2, 3));
  EXPECT_THAT(rows[4], ElementsAre(1, 7, 3, 5));
  EXPECT_THAT(rows[0], ElementsAre(3, 1));
  EXPECT_THAT(rows[8], ElementsAre(5, 7));
}

TEST(ReferenceLattice, PathsGoAroundBlockedNodes) {
  using Edges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const std::vector<std::uint64_t> nodes{4};
  const Reference::BlockedLattice wall(LatticeShape(2, 3), nodes, Edges{{6, 3}});
  EXPECT_THAT(wall.distances(std::vector<std::uint64_t>{3}),
              ElementsAre(1, 2, 3, 0, none, 4, 7, 6, 5));
  EXPECT_THAT(wall.path(3, 5), ElementsAre(3, 0, 1, 2, 5));
  EXPECT_THAT(wall.path(3, 4), ElementsAre());
  EXPECT_THAT(wall.all_paths(3, 5, 4), ElementsAre(ElementsAre(3, 0, 1, 2, 5)));
}

TEST(ReferenceLattice, AllPathsOfASquareUseBothSides) {
  const Reference::BlockedLattice square(LatticeShape(2, 2), {}, {});
  EXPECT_THAT(square.all_paths(0, 3, 3), ElementsAre(ElementsAre(0, 2, 3), ElementsAre(0, 1, 3)));
  EXPECT_THAT(square.all_paths(0, 1, 3), ElementsAre(ElementsAre(0, 2, 3, 1), ElementsAre(0, 1)));
  EXPECT_THAT(square.all_paths(0, 0, 3), ElementsAre(ElementsAre(0)));
  EXPECT_THAT(square.path(0, 3), ElementsAre(0, 1, 3))
      << "the first neighbor of 3 that is closer to the start";
}

TEST(ReferenceLattice, ATriangleWithATailIsMeasuredByHand) {
  const std::vector<std::vector<std::uint64_t>> graph{{1, 2}, {0, 2}, {0, 1, 3}, {2}, {}};
  const auto found = Reference::graph_structure(graph);
  EXPECT_EQ(found.nodes, 5U);
  EXPECT_EQ(found.edges, 4U);
  EXPECT_EQ(found.components, 2U);
  EXPECT_EQ(found.least_degree, 0U);
  EXPECT_EQ(found.greatest_degree, 3U);
  EXPECT_DOUBLE_EQ(found.average_degree, 1.6);
  EXPECT_DOUBLE_EQ(found.density, 0.4);
  EXPECT_DOUBLE_EQ(found.clustering, (1.0 + 1.0 + 1.0 / 3) / 5);
  EXPECT_FALSE(found.diameter);
  EXPECT_EQ(Reference::graph_structure(std::span(graph).first(4)).diameter, 2U);
}

}  // namespace Kindred::Testing::LatticeTest
