// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "GraphOfFile.hpp"
#include "MutatedBytes.hpp"
#include "Properties.hpp"
#include "RaggedRows.hpp"
#include "RefusedCalls.hpp"
#include "TempFolder.hpp"

namespace LatticeTest {

using namespace Kindred;
using Testing::context;
using Testing::expect_property;
using Testing::to_vector;

using Nodes = std::vector<std::uint64_t>;
using Pairs = std::vector<LatticePair>;

/// What a shape says of its lattice, and what is measured of a graph.
template <class Structure>
auto figures_of(const Structure& of) {
  return std::tuple(of.nodes, of.edges, of.least_degree, of.greatest_degree, of.average_degree,
                    of.density, of.diameter);
}
/// The edges of \p rows, whose weight is 1.
std::vector<Edge> edges_of(const LatticeRows& rows) {
  std::vector<Edge> edges;
  for (std::uint32_t node = 0; node + 1 < rows.offsets.size(); ++node)
    for (std::uint64_t i = rows.offsets[node]; i < rows.offsets[node + 1]; ++i)
      edges.push_back({node, rows.ends[i], 1});
  return edges;
}

std::vector<Nodes> to_vectors(const Ragged<std::uint64_t>& rows) {
  std::vector<Nodes> out;
  for (std::size_t row = 0; row < rows.rows(); ++row) out.push_back(to_vector(rows[row]));
  return out;
}

// --- shapes

TEST(LatticeShape, CountsEdgesBeyond64Bits) {
  const LatticeShape shape(20, 9);
  EXPECT_EQ(shape.nodes(), 12157665459056928801U);
  EXPECT_TRUE(shape.edges() == WideCount{12157665459056928801U} / 9 * 160);
  EXPECT_EQ(shape.diameter(), 160U);
  const std::uint64_t last = shape.nodes() - 1;
  EXPECT_EQ(shape.index(shape.coordinates(last)), last);
  EXPECT_EQ(shape.distance(0, last), 160U);
}

// --- rows and structure

/// Shapes whose innermost lines are one word, part of a word or many words, without and with outer
/// dimensions.
const std::vector<std::pair<std::uint32_t, std::uint32_t>> shapes{
    {1, 2}, {1, 63}, {1, 64}, {1, 65}, {1, 1000}, {2, 2}, {2, 17}, {2, 40}, {2, 70}, {3, 3},
    {3, 7}, {3, 16}, {4, 2},  {4, 5},  {4, 8},    {5, 4}, {7, 3},  {11, 2}, {12, 2}};

/// Neighbor lists as sorted rows.
LatticeRows sorted_rows(std::vector<Nodes> neighbours) {
  LatticeRows rows;
  rows.offsets = {0};
  for (Nodes& row : neighbours) {
    std::ranges::sort(row);
    rows.ends.insert(rows.ends.end(), row.begin(), row.end());
    rows.offsets.push_back(rows.ends.size());
  }
  return rows;
}

TEST(Lattice, RowsMatchReferenceOnEverySpaceAndClosedFormsTheirStructure) {
  for (const auto& [dimensions, size] : shapes) {
    SCOPED_TRACE(std::to_string(dimensions) + " dimensions of " + std::to_string(size));
    const Lattice lattice(context(), dimensions, size);
    const LatticeRows expected = sorted_rows(Reference::lattice_neighbours(lattice.shape()));
    for (const Space space : Testing::spaces()) {
      const LatticeRows rows = lattice.rows({space});
      ASSERT_EQ(rows.offsets, expected.offsets) << to_string(space);
      ASSERT_EQ(rows.ends, expected.ends) << to_string(space);
    }
    const GraphStructure found = lattice.measure();
    EXPECT_TRUE(figures_of(found) == figures_of(lattice.statistics()));
    EXPECT_EQ(found.clustering, lattice.statistics().clustering);
    EXPECT_TRUE(found.is_connected());
    // In a hypercube all nodes have the same eccentricity, so no bound saves a search from
    // any node.
    EXPECT_TRUE(size == 2 || found.searches <= 200) << found.searches << " of " << found.nodes;
  }
}

TEST(Lattice, TheDenseMatrixHasTheSameEntries) {
  const Lattice lattice(context(), 3, 3);
  std::vector<std::uint8_t> expected(27 * 27);
  for (const Edge& edge : edges_of(lattice.rows())) expected[edge.from * 27 + edge.to] = 1;
  EXPECT_EQ(lattice.dense(), expected);
}

TEST(Lattice, ASavedLatticeIsAGraphOfItsRows) {
  const Testing::TempFolder folder;
  const Lattice lattice(context(), 3, 4);
  lattice.save(folder / "lattice.knd");
  const GraphFileInfo info = SpreadingEngine::inspect(folder / "lattice.knd");
  EXPECT_EQ(info.nodes, 64U);
  EXPECT_EQ(info.edges, 2 * 144U);
  EXPECT_EQ(info.weights, EdgeWeights::none);
  const std::vector<Edge> edges = edges_of(lattice.rows());
  SpreadingEngine(context(), GraphSpan{64, edges}, {.weights = EdgeWeights::none})
      .save(folder / "edges.knd");
  EXPECT_EQ(Testing::read_all(folder / "lattice.knd"), Testing::read_all(folder / "edges.knd"));
}

TEST(Lattice, AMutatedFileIsRejectedOrIsAGraphThatWorks) {
  const Testing::TempFolder folder;
  Lattice(context(), 3, 3).save(folder / "lattice");
  const auto files = Testing::use_mutated(
      "Lattice.MutatedFiles", Testing::read_all(folder / "lattice"), [](const std::string& path) {
        SpreadingEngine engine = SpreadingEngine::load(context(), path, {}, 1);
        Testing::expect_whole_graph(context(), engine, path);
      });
  EXPECT_GT(files.used, 20);
  EXPECT_GT(files.refused, 1000);
}

// --- properties

/// A lattice with few nodes, some of them blocked.
struct Maze {
  std::uint32_t dimensions = 1;
  std::uint32_t size = 2;
  Nodes blocked;
  Pairs cut;
  Nodes open;

  Lattice lattice() const { return {context(), dimensions, size, {blocked, cut}}; }
  Reference::BlockedLattice reference() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
    for (const LatticePair& edge : cut) edges.emplace_back(edge.from, edge.to);
    return {LatticeShape(dimensions, size), blocked, edges};
  }
  std::uint64_t any_open() const { return *rc::gen::elementOf(open); }
};

Maze any_maze(std::uint64_t nodes_max = 3000) {
  Maze maze;
  maze.dimensions = *rc::gen::inRange<std::uint32_t>(1, 7);
  std::uint32_t size = 2;
  while (std::pow(size + 1, maze.dimensions) <= static_cast<double>(nodes_max) && size < 70) ++size;
  maze.size = *rc::gen::inRange<std::uint32_t>(2, size + 1);
  const LatticeShape shape(maze.dimensions, maze.size);
  // Walls are dense enough to cut off parts, and sparse enough to leave long paths.
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const std::uint64_t share = *rc::gen::element(0U, 3U, 10U, 30U);
  for (std::uint64_t node = 0; node < shape.nodes(); ++node) {
    (random() % 100 < share ? maze.blocked : maze.open).push_back(node);
    for (const std::uint64_t end : shape.neighbours(node))
      if (random() % 200 < share) maze.cut.push_back({node, end});
  }
  if (maze.open.empty()) maze.open.push_back(std::exchange(maze.blocked, {}).front());
  return maze;
}

TEST(LatticeProperties, DistancesMatchReferenceOnEverySpace) {
  expect_property("distances", [] {
    const Maze maze = any_maze();
    Nodes sources;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) sources.push_back(maze.any_open());
    const std::vector<std::uint32_t> expected = maze.reference().distances(sources);
    const Lattice lattice = maze.lattice();
    for (const Space space : Testing::spaces()) {
      const LatticeDistances found = lattice.distances(sources, {}, {space});
      RC_ASSERT(found.distances == expected);
      auto reached = expected;
      std::erase(reached, LatticeDistances::unreached);
      RC_ASSERT(found.reached == reached.size());
      RC_ASSERT(found.farthest == (reached.empty() ? 0 : std::ranges::max(reached)));
      const Nodes targets{0, lattice.shape().nodes() - 1, 0};
      const LatticeDistances some = lattice.distances(sources, targets, {space});
      RC_ASSERT(some.distances ==
                (std::vector<std::uint32_t>{expected.front(), expected.back(), expected.front()}));
    }
  });
}

TEST(LatticeProperties, PathsMatchReferenceOnEverySpace) {
  expect_property("paths", [] {
    const Maze maze = any_maze();
    const Lattice lattice = maze.lattice();
    const Reference::BlockedLattice reference = maze.reference();
    Pairs pairs;
    for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
      // Some pairs share their start.
      const std::uint64_t from =
          i % 2 == 0 && !pairs.empty() ? pairs.front().from : maze.any_open();
      pairs.push_back({from, maze.any_open()});
    }
    std::vector<Nodes> expected;
    for (const auto& [from, to] : pairs) expected.push_back(reference.path(from, to));
    for (const Space space : Testing::spaces()) {
      const LatticePaths found = lattice.paths(pairs, {space});
      RC_ASSERT(pairs.empty() || found.record.chosen == space);
      RC_ASSERT(to_vectors(found.paths) == expected);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        RC_ASSERT(lattice.path(pairs[i].from, pairs[i].to, {space}) == expected[i]);
    }
  });
}

TEST(LatticeProperties, AnOpenPathIsAsLongAsTheManhattanDistance) {
  expect_property("Manhattan", [] {
    const auto dimensions = *rc::gen::inRange<std::uint32_t>(1, 21);
    const auto size = *rc::gen::inRange<std::uint32_t>(2, dimensions > 6 ? 9 : 1001);
    const Lattice lattice(context(), dimensions, size);
    const LatticeShape& shape = lattice.shape();
    const std::uint64_t from = *rc::gen::inRange<std::uint64_t>(0, shape.nodes());
    const std::uint64_t to = *rc::gen::inRange<std::uint64_t>(0, shape.nodes());
    const Nodes path = lattice.path(from, to);
    RC_ASSERT(path.size() == shape.distance(from, to) + 1);
    RC_ASSERT(path.front() == from);
    RC_ASSERT(path.back() == to);
    for (std::size_t i = 1; i < path.size(); ++i)
      RC_ASSERT(shape.are_neighbours(path[i - 1], path[i]));
    RC_ASSERT(shape.index(shape.coordinates(from)) == from);
  });
}

TEST(LatticeProperties, AllPathsMatchReferenceWithoutDuplicates) {
  expect_property("all paths", [] {
    const Maze maze = any_maze(60);
    const std::uint64_t from = maze.any_open();
    const std::uint64_t to = maze.any_open();
    const std::uint64_t edges_max = *rc::gen::inRange<std::uint64_t>(0, 8);
    RC_ASSERT(to_vectors(maze.lattice().all_paths(from, to, edges_max)) ==
              maze.reference().all_paths(from, to, edges_max));
  });
}

TEST(LatticeProperties, AnyGraphIsMeasuredLikeTheReference) {
  expect_property("structure", [] {
    const auto nodes = *rc::gen::inRange<std::uint64_t>(0, 60);
    const auto edges = nodes < 2 ? 0 : *rc::gen::inRange<std::uint64_t>(0, 3 * nodes);
    std::vector<Nodes> rows(nodes);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    for (std::uint64_t i = 0; i < edges; ++i) {
      const std::uint64_t a = random() % nodes;
      const std::uint64_t b = random() % nodes;
      if (a == b || std::ranges::find(rows[a], b) != rows[a].end()) continue;
      rows[a].push_back(b);
      rows[b].push_back(a);
    }
    const LatticeRows sorted = sorted_rows(rows);
    const GraphStructure found = measure_structure(sorted.offsets, sorted.ends);
    const GraphStructure expected = Reference::graph_structure(rows);
    RC_ASSERT(figures_of(found) == figures_of(expected));
    RC_ASSERT(found.components == expected.components);
    RC_ASSERT(std::abs(found.clustering - expected.clustering) < 1e-12);
  });
}

// --- long paths, and rejected calls

TEST(Lattice, APathThatWindsThroughWallsIsFoundOnEverySpace) {
  // Walls across the lattice, open at alternate ends: the frontier is one or two nodes and the path
  // has about n / 2 nodes.
  constexpr std::uint32_t size = 61;
  Nodes walls;
  for (std::uint64_t row = 1; row < size; row += 2)
    for (std::uint64_t column = 0; column < size; ++column)
      if (column != (row % 4 == 1 ? size - 1 : 0)) walls.push_back(row * size + column);
  const Lattice lattice(context(), 2, size, {walls, {}});
  const std::uint64_t last = size * size - 1;
  for (const Space space : Testing::spaces()) {
    EXPECT_EQ(lattice.path(0, last, {space}).size(), 31U * 60 + 30 * 2 + 1);
    const LatticeDistances found = lattice.distances(Nodes{0}, {}, {space});
    EXPECT_EQ(found.reached, lattice.shape().nodes() - walls.size());
    EXPECT_EQ(found.farthest, 31U * 60 + 30 * 2);
  }
}

TEST(Lattice, RejectsValuesOutOfRangeAndWhatIsTooLargeBeforeItIsAllocated) {
  const LatticeShape shape(2, 3);
  const std::vector<std::uint32_t> too_far{1, 3};
  const std::vector<std::uint32_t> too_few{1};
  const Nodes walls{4};
  const Lattice lattice(context(), 2, 3, {walls, {}});
  EXPECT_TRUE(lattice.is_blocked(4));
  EXPECT_FALSE(lattice.is_blocked(5));
  const Lattice large(context(), 6, 1000);  // 10^18 nodes
  const Pairs far{{0, 1}, {9, 0}};
  const auto with = [](const Nodes& nodes, const Pairs& cut) {
    return [=] { Lattice(context(), 2, 3, {nodes, cut}); };
  };
  const auto distances = [](const Lattice& of, const Nodes& sources, const Nodes& targets = {}) {
    return [=, &of] { of.distances(sources, targets); };
  };
  Testing::expect_refused({
      {[] { LatticeShape(0, 5); }, "0 dimensions; 1 to 20"},
      {[] { LatticeShape(21, 2); }, "21 dimensions"},
      {[] { LatticeShape(3, 1); }, "is 1; 2 to 1000"},
      {[] { LatticeShape(3, 1001); }, "1001"},
      {[] { LatticeShape(7, 1000); }, "more nodes than 64 bits"},
      {[&] { shape.coordinates(9); }, "is 9; the lattice's nodes are 0 to 8"},
      {[&] { shape.neighbours(9); }, "9"},
      {[&] { shape.index(too_far); }, "coordinate 1 is 3"},
      {[&] { shape.index(too_few); }, "1 coordinates"},
      {[&] { lattice.path(4, 0); }, "node 4, which is blocked"},
      {[&] { lattice.path(0, 4); }, "the end of the path"},
      {[&] { lattice.path(0, 9); }, "is 9; the lattice's nodes are 0 to 8"},
      {[&] { lattice.paths(far); }, "is 9"},
      {distances(lattice, {0, 4}), "blocked"},
      {distances(lattice, {0}, {9}), "a target is 9"},
      {[&] { lattice.all_paths(0, 4, 3); }, "blocked"},
      {[&] { lattice.all_paths(0, 8, 8, 1); }, "more than 1 paths"},
      {with({9}, {}), "is 9"},
      {with({}, {{2, 3}}), "2 – 3 is not an edge of the lattice"},
      {with({}, {{1, 1}}), "1 – 1"},
      {[&] { large.rows(); }, "a graph has at most"},
      {distances(large, {0}), "64 · 2³²"},
  });
  EXPECT_THROW(large.dense(), OutOfMemory);
  EXPECT_THROW(Lattice(context(), 9, 10).dense(), OutOfMemory);
  EXPECT_EQ(large.path(0, 5).size(), 6U) << "a call that needs no memory must succeed";
}

}  // namespace LatticeTest
