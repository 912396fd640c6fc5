// SPDX-License-Identifier: Apache-2.0
// A value that is no space is an invalid argument of every call that has a space.
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/VectorFunctions.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace UnknownSpaceTest {

using namespace Kindred;
using Testing::context;

constexpr auto unknown = static_cast<Space>(7);
const std::vector<float> values(16, 1.0F);

TEST(UnknownSpace, IsRejectedByVectors) {
  const VectorIndex index(context(), values, 4);
  const std::span<const float> query = std::span(values).first(4);
  SearchOptions search;
  search.space = unknown;
  EXPECT_THROW(index.search(query, search), InvalidArgument);
  EXPECT_THROW(index.search_at_least(query, 0, search), InvalidArgument);
  Ragged<std::uint64_t> candidates;
  candidates.push_row(std::vector<std::uint64_t>{1});
  EXPECT_THROW(index.score(query, candidates, search), InvalidArgument);
  std::vector<float> out(4);
  ScoreOptions scores;
  scores.space = unknown;
  EXPECT_THROW(index.score_all(query, out, scores), InvalidArgument);
  EXPECT_THROW(PreparedScore(index, 4, search), InvalidArgument);
  HnswIndex graph(context(), 4);
  graph.add(values);
  HnswSearchOptions walk;
  walk.space = unknown;
  EXPECT_THROW(graph.search(query, walk), InvalidArgument);
  RowOptions row;
  row.space = unknown;
  EXPECT_THROW(row_scores(context(), query, VectorSpan(values, 4), out, row), InvalidArgument);
  VectorFunctionOptions function;
  function.space = unknown;
  EXPECT_THROW(weighted_average(context(), VectorSpan(values, 4), query, function),
               InvalidArgument);
}

TEST(UnknownSpace, IsRejectedBySequencesAndGraphs) {
  Ragged<Symbol> rows;
  rows.push_row(std::vector<Symbol>{1, 2});
  MatchOptions match;
  match.space = unknown;
  EXPECT_THROW(SequenceMatcher(context(), rows).match(rows, match), InvalidArgument);
  const std::vector<Edge> edges{{0, 1, 0.5F}};
  const SpreadingEngine engine(context(), {3, edges});
  Ragged<Activation> sources;
  sources.push_row(std::vector<Activation>{{0, 1.0F}});
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear, SpreadMode::pagerank}) {
    SpreadOptions spread;
    spread.mode = mode;
    spread.space = unknown;
    EXPECT_THROW(engine.spread(sources, spread), InvalidArgument);
  }
  LatticeOptions lattice;
  lattice.space = unknown;
  const std::vector<LatticePair> pairs{{0, 8}};
  EXPECT_THROW((void)Lattice(context(), 2, 3).paths(pairs, lattice), InvalidArgument);
}

TEST(UnknownSpace, IsRejectedByBulkLayersAndSeeds) {
  const std::vector<std::span<const float>> arrays{values};
  std::vector<float> out(values.size());
  const std::vector<std::span<float>> results{out};
  BulkOptions bulk;
  bulk.space = unknown;
  EXPECT_THROW(Bulk(context()).element_wise(ElementWise::square, arrays, {}, results, bulk),
               InvalidArgument);
  EXPECT_THROW(
      Bulk::prepare_element_wise(context(), ElementWise::square, arrays, {}, results, bulk),
      InvalidArgument);
  NormLayer layer;
  layer.x = matrix_array(std::span(values), 4, 4);
  layer.y = matrix_array(std::span(out), 4, 4);
  LayerOptions norm;
  norm.space = unknown;
  EXPECT_THROW(run_layers(context(), std::span(&layer, 1), norm), InvalidArgument);
  EXPECT_THROW(prepare_layers(context(), std::span(&layer, 1), norm), InvalidArgument);
  SeedLayerOptions options;
  options.hidden = 4;
  options.seeds = 2;
  SeedLayer seeds(context(), options);
  SeedForwardOptions forward;
  forward.space = unknown;
  EXPECT_THROW(seeds.forward(std::span(values), std::span(out), forward), InvalidArgument);
  EXPECT_THROW(SeedSequence(context(), unknown), InvalidArgument);
}

}  // namespace UnknownSpaceTest
