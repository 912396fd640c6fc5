// SPDX-License-Identifier: Apache-2.0
#include "DamagedFiles.hpp"
#include "GraphOfFile.hpp"
#include "MutatedBytes.hpp"
#include "SectionLengths.hpp"
#include "SpreadingSupport.hpp"
#include "TempFolder.hpp"
#include "TextRows.hpp"
#include "graph/StoredGraph.hpp"

#include <kindred/matcher/SectionFileKind.hpp>

#include <sys/stat.h>

namespace Kindred::Testing::Graphs::StoredGraphTest {

using ::testing::ContainsRegex;
using ::testing::Matcher;

constexpr EdgeWeights all_weights[] = {EdgeWeights::float32, EdgeWeights::bfloat16,
                                       EdgeWeights::none};

/// A graph with every feature, one removed node and one rebuilt row.
SpreadingEngine small_graph(EdgeWeights weights = EdgeWeights::float32) {
  const std::vector<Edge> edges{{0, 1, 1}, {2, 1, 1}, {2, 1, 1}, {4, 4, 1}, {1, 3, 1}};
  const std::vector<std::uint8_t> edge_kinds{5, 6, 7, 8, 9};
  const std::vector<std::uint8_t> node_kinds{1, 2, 3, 4, 5};
  const Ragged<char> names = text_rows({"a", "", "\xC3\xA9", "d", "e"});
  SpreadingEngine engine = engine_of({5, edges, edge_kinds, node_kinds, names}, by_hand(weights));
  engine.remove_nodes({{3}});
  const std::uint8_t kind = 3;
  engine.add_edges({{{0, 2, 1}}}, {&kind, 1});
  return engine;
}

/// The file of a graph, in memory.
std::string file_of(const SpreadingEngine& engine) {
  const std::vector<std::byte> bytes = engine.to_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
SpreadingEngine reloaded(const SpreadingEngine& engine) {
  return SpreadingEngine::load(context(), engine.to_bytes());
}
GraphFileInfo info_of(const SpreadingEngine& engine) {
  return SpreadingEngine::inspect(engine.to_bytes());
}
SpreadingEngine load(const std::string& path) {
  return SpreadingEngine::load(context(), path, {}, 1);
}
GraphFileInfo inspect(const std::string& path) { return SpreadingEngine::inspect(path, 1); }

TEST(StoredGraph, RestoresWhatWasSavedAndChangesDoNotModifyTheFile) {
  const TempFolder folder;
  for (const auto& [weights, edge_bytes] : {std::pair(EdgeWeights::float32, 9U),
                                            {EdgeWeights::bfloat16, 7U},
                                            {EdgeWeights::none, 5U}}) {
    const auto expect_numbers = [weights = weights](const auto& found) {
      EXPECT_EQ(found.nodes, 5U);
      EXPECT_EQ(found.edges, 5U);
      EXPECT_EQ(found.removed_nodes, 1U);
      EXPECT_EQ(found.weights, weights);
      EXPECT_TRUE(found.edge_kinds && found.node_kinds);
    };
    small_graph(weights).save(folder / "a");
    const SpreadingEngine loaded = SpreadingEngine::load(context(), folder / "a");
    expect_numbers(loaded.statistics());
    EXPECT_EQ(loaded.find("\xC3\xA9"), 2U);
    EXPECT_EQ(loaded.find(""), 1U);
    EXPECT_FALSE(loaded.find("d")) << "the node was removed";
    EXPECT_EQ(loaded.statistics().rebuilt_rows, 0U);
    loaded.save(folder / "b");
    EXPECT_EQ(read_all(folder / "a"), read_all(folder / "b"));
    loaded.save(folder / "a");  // over the file that is mapped
    EXPECT_EQ(read_all(folder / "a"), read_all(folder / "b"));
    const GraphFileInfo info = SpreadingEngine::inspect(folder / "a");
    expect_numbers(info);
    EXPECT_TRUE(info.names);
    EXPECT_EQ(info.edge_bytes, 2 * 5 * edge_bytes);
    EXPECT_EQ(info.offset_bytes, 2 * 6 * 8U);
    EXPECT_EQ(info.bytes, read_all(folder / "a").size());
    SpreadingEngine changed = load(folder / "a");
    changed.remove_nodes({{2}});
    changed.merge();
    EXPECT_THAT(changed.add_nodes(std::vector<std::string_view>{"d"}), ElementsAre(3));
    EXPECT_EQ(read_all(folder / "a"), read_all(folder / "b"));
  }
}

TEST(StoredGraph, StoresGraphsWithoutEdgesWhoseRemovedIdsStayRemoved) {
  for (const std::uint32_t nodes : {0U, 1U, 63U, 64U, 65U, 128U, 129U}) {
    SCOPED_TRACE(nodes);
    SpreadingEngine engine = engine_of({nodes});
    if (nodes > 0) engine.remove_nodes({{nodes - 1}});
    EXPECT_EQ(info_of(engine).nodes, nodes);
    EXPECT_EQ(info_of(engine).removed_nodes, nodes > 0 ? 1U : 0U);
    SpreadingEngine loaded = reloaded(engine);
    EXPECT_EQ(loaded.nodes(), nodes);
    EXPECT_EQ(loaded.edges(), 0U);
    for (std::uint32_t node = 0; node <= nodes; ++node) {
      EXPECT_EQ(engine.has_node(node), node + 1 < nodes) << node;
      EXPECT_EQ(loaded.has_node(node), node + 1 < nodes) << node;
    }
    EXPECT_EQ(loaded.add_nodes(2), nodes) << "ids are not reused";
    loaded.add_edges({{{nodes, nodes + 1, 0.5F}}});
    EXPECT_EQ(loaded.edges(), 1U);
    if (nodes > 0) expect_refused({{spreading(loaded, {{nodes - 1, 1}}), "it was removed"}});
  }
}

/// \p good with another number at \p at of a section, and matching checksums, must be refused by
/// whatever reads all of it.
template <class T>
void expect_forged_refused(const std::string& good, const std::string& section, std::size_t at,
                           T number, const Matcher<const std::string&>& words) {
  SCOPED_TRACE(section + ", element " + std::to_string(at));
  const std::string bad = with_forged(good, section, at, number);
  EXPECT_THAT(refusal_of(bad, load), words);
  EXPECT_THAT(refusal_of(bad, inspect), words);
}

TEST(StoredGraph, RejectsForgedNumbers) {
  std::string good = file_of(small_graph());
  const auto refuse = [&](const char* section, std::size_t at, auto number, const char* words) {
    expect_forged_refused(good, section, at, number, HasSubstr(words));
  };
  refuse("head", 0, 3UL, "3 is not a valid storage of weights");
  refuse("head", 0, 1UL, "'out.weights' has elements of 4 bytes");
  refuse("head", 1, 4UL, "6 elements; 5 are expected");
  refuse("head", 1, 1UL << 32U, "nodes; at most");
  refuse("head", 1, ~0UL, "nodes; at most");
  refuse("head", 1, 0xFFFFFFFEUL, "6 elements; 4294967295 are expected");
  refuse("head", 1, 0xFFFFFFFFUL, "nodes; at most");
  refuse("head", 2, 6UL, "'out.offsets', element 5");
  refuse("head", 2, ~0UL, "'out.offsets', element 5");
  for (const std::size_t flag : {3, 4, 5}) refuse("head", flag, 2UL, "2 is neither 0 nor 1");
  refuse("out.offsets", 0, 1UL, "is not 0");
  refuse("in.offsets", 2, 99UL, "ends decrease");
  refuse("in.ends", 1, 5U, "5 is not below 5");
  refuse("out.ends", 4, ~0U, "is not below 5");
  refuse("in.weights", 3, NAN, "the weight is not finite");
  refuse("out.weights", 0, INFINITY, "the weight is not finite");
  refuse("node.removed", 0, 1UL << 5U, "refers to a node that does not exist");
  refuse("node.removed", 0, 1UL, "node 0 has edges");
  refuse("vocabulary.ends", 0, 99UL, "ends decrease");
  refuse("vocabulary.text", 3, 'a', "the names: text 3 is the same as text 0");
  SpreadingEngine engine = engine_of(Graph{130, {{65, 66, 1}}});
  engine.remove_nodes({{129}});
  good = file_of(engine);
  refuse("node.removed", 1, 1UL << 1U, "'node.removed', element 1: node 65");
  refuse("node.removed", 1, 1UL << 2U, "'node.removed', element 1: node 66");
  refuse("node.removed", 2, 1UL << 2U,
         "'node.removed', element 2: refers to a node that does not exist");
}

/// Each direction is a valid graph, but they are different graphs.
TEST(StoredGraph, RejectsDirectionsThatContradictEachOther) {
  const std::string good = file_of(small_graph());
  const std::string short_weights = file_of(small_graph(EdgeWeights::bfloat16));
  const std::string two_ends = file_of(engine_of(Graph{3, {{0, 1, 1}, {0, 2, 1}}}));
  EXPECT_THAT(refusal_of(with_forged(two_ends, "out.ends", 1, 1U), inspect),
              HasSubstr("'out.ends', element 1: the edge from node 0 to node 1 is missing in the "
                        "other direction"));
  const auto differs = ContainsRegex(
      "'out.ends', element [0-4]: the edge from node [0-4] to node [0-4] has another weight or "
      "kind in the other direction");
  for (const std::string side : {"out.", "in."}) {
    expect_forged_refused(good, side + "ends", 0, 3U,
                          HasSubstr("is missing in the other direction"));
    for (const float weight : {0.5F, -1.5F})
      expect_forged_refused(good, side + "weights", 1, weight, differs);
    expect_forged_refused(good, side + "kinds", 2, std::uint8_t{77}, differs);
    expect_forged_refused(short_weights, side + "weights", 1, std::uint16_t{0x3F00}, differs);
  }
}

/// The number of edges of every node is the same in both directions, but the edges are not.
TEST(StoredGraph, RejectsDirectionsWithOtherEdges) {
  const auto missing = HasSubstr("is missing in the other direction");
  const std::string loop = file_of(engine_of(Graph{2, {{0, 0, 1}}}));
  for (const char* ends : {"in.ends", "out.ends"})
    expect_forged_refused(loop, ends, 0, 1U, missing);
  expect_forged_refused(file_of(engine_of(Graph{3, {{0, 1, 1}, {0, 2, 1}}})), "in.ends", 1, 1U,
                        missing);
  expect_forged_refused(file_of(engine_of(Graph{2, {{0, 1, 1}, {1, 1, 1}}})), "in.ends", 1, 0U,
                        missing);
  const std::string forward = file_of(engine_of(Graph{2, {{0, 1, 1}}}));
  expect_forged_refused(with_forged(forward, "in.ends", 0, 1U), "in.offsets", 1, 1UL, missing);
}

TEST(StoredGraph, RejectsEdgesInAnotherOrder) {
  const std::string two = file_of(engine_of(Graph{3, {{0, 2, 1}, {1, 2, 1}}}));
  expect_forged_refused(with_forged(two, "in.ends", 0, 1U), "in.ends", 1, 0U,
                        HasSubstr("is missing in the other direction"));
  const std::string parallel = file_of(engine_of(Graph{2, {{0, 1, 0.5F}, {0, 1, 0.25F}}}));
  const std::string swapped =
      with_forged(with_forged(parallel, "in.weights", 0, 0.25F), "in.weights", 1, 0.5F);
  EXPECT_THAT(refusal_of(swapped, inspect), HasSubstr("has another weight or kind"));
}

TEST(StoredGraph, RejectsColumnsOfOtherLengths) {
  const TempFolder folder;
  for (const EdgeWeights weights : {EdgeWeights::float32, EdgeWeights::bfloat16}) {
    small_graph(weights).save(folder / "a");
    expect_lengths_are_checked(folder / "a", "graph", [](const std::string& path) {
      Impl::names_of(Impl::load_graph(path, 1));
    });
  }
  const Ragged<char> names = text_rows({"a", "b"});  // none is empty, so another one may be
  engine_of({2, {}, {}, {}, names}).save(folder / "a");
  copy_with_length(folder / "a", folder / "b", "graph", "vocabulary.ends", true);
  expect_refused<CorruptFile>({{[&] { Impl::load_graph(folder / "b", 1); },
                                "'vocabulary.ends', element 0: 3 elements; 2 are expected"}});
}

/// Columns that fill whole lines of 64 bytes: what follows them is the next column.
TEST(StoredGraph, ReadsNothingBehindAColumn) {
  Graph graph{2, std::vector<Edge>(16, Edge{0, 1, 1})};
  graph.kinds.assign(16, 255);  // a weight of these bytes is not finite
  EXPECT_EQ(info_of(engine_of(graph)).outside_unit, 0U);
  EXPECT_EQ(info_of(engine_of(Graph{7, {{0, 1, 1}, {0, 2, 1}}})).edges, 2U)
      << "8 offsets, then the ends";
  std::vector<std::string> names;
  for (int i = 0; i < 512; ++i) names.push_back("a" + std::to_string(i));
  const Ragged<char> rows = text_rows(names);
  SpreadingEngine engine = engine_of({512, graph.edges, {}, {}, rows});
  engine.remove_nodes({{511}});
  EXPECT_EQ(info_of(engine).removed_nodes, 1U) << "8 words, then names";
}

TEST(StoredGraph, CountsWhatItHolds) {
  const TempFolder folder;
  const GraphFileInfo info =
      info_of(engine_of(Graph{3, {{0, 1, 1}, {1, 2, -0.5F}, {0, 2, 1.5F}, {2, 2, 0}}}));
  EXPECT_EQ(info.outside_unit, 2U);
  EXPECT_EQ(info.name_bytes, 0U);
  small_graph().save(folder / "b");
  EXPECT_EQ(inspect(folder / "b").outside_unit, 0U);
  EXPECT_EQ(inspect(folder / "b").name_bytes, 5U + 8 * 5) << "of a, é, d, e, and ends";
  EXPECT_EQ(section_file_kind(folder / "b"), "graph");
  folder.write("c", "a text of some length");
  folder.write("d", "K");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const char* other : {"c", "d", "none", ".", "pipe"})
    EXPECT_FALSE(section_file_kind(folder / other)) << "and nobody waits for a writer";
}

TEST(StoredGraph, AMutatedFileIsRejectedOrIsAGraphThatWorks) {
  for (const EdgeWeights weights : all_weights) {
    const auto files = use_mutated("StoredGraph.MutatedFiles", file_of(small_graph(weights)),
                                   [](const std::string& path) {
                                     SpreadingEngine engine = load(path);
                                     expect_whole_graph(context(), engine, path);
                                   });
    EXPECT_GT(files.used, 50);
    EXPECT_GT(files.refused, 1000);
  }
}

TEST(StoredGraph, RejectsAnotherKindOfFile) {
  const TempFolder folder;
  expect_refused<NotFound>(
      {{[&] { load(folder / "none"); }, ""}, {[&] { inspect(folder / "none"); }, ""}});
  small_graph().save(folder / "a");
  append_commit(folder / "a", "graph");
  expect_refused<CorruptFile>({{[&] { inspect(folder.write("x", "text")); }, ""},
                               {[&] { inspect(folder / "a"); }, "exactly one commit"}});
  EXPECT_THROW(small_graph().save(folder / "no/where"), InvalidArgument);
}

TEST(GraphBytes, AreThoseOfASavedFileAndAreChecked) {
  const TempFolder folder;
  for (const EdgeWeights weights : all_weights) {
    const SpreadingEngine engine = small_graph(weights);
    engine.save(folder / "graph");
    expect_bytes_checked(engine.to_bytes(), read_all(folder / "graph"), 41,
                         [](const auto& from) { SpreadingEngine::load(context(), from); });
  }
}

}  // namespace Kindred::Testing::Graphs::StoredGraphTest
