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

#include "ColumnsOf.hpp"
#include "Support.hpp"

#include <span>

namespace UnknownSpaceTest {

using namespace Kindred;
using Testing::columns_of;
using Testing::context;

constexpr auto unknown = static_cast<Space>(7);
const std::vector<float> values(16, 1.0F);

TEST(UnknownSpace, IsRejectedByVectors) {
  const VectorIndex index(context(), values, 4);
  const VectorSpan rows(values, 4);
  const std::span<const float> query = std::span(values).first(4);
  std::vector<float> out(4);
  Ragged<std::uint64_t> candidates;
  candidates.push_row(std::vector<std::uint64_t>{1});
  const SearchOptions search{.space = unknown};
  EXPECT_THROW(index.search(query, search), InvalidArgument);
  EXPECT_THROW(index.search_at_least(query, 0, search), InvalidArgument);
  EXPECT_THROW(index.score(query, candidates, search), InvalidArgument);
  EXPECT_THROW(index.score_all(query, out, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(PreparedScore(index, 4, search), InvalidArgument);
  HnswIndex graph(context(), 4);
  graph.add(values);
  EXPECT_THROW(graph.search(query, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(row_scores(context(), query, rows, out, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(weighted_average(context(), rows, query, {.space = unknown}), InvalidArgument);
}

TEST(UnknownSpace, IsRejectedBySequencesAndGraphs) {
  Ragged<Symbol> rows;
  rows.push_row(std::vector<Symbol>{1, 2});
  const SequenceMatcher matcher(context(), rows);
  EXPECT_THROW(matcher.match(rows, {.space = unknown}), InvalidArgument);
  const std::vector<Edge> edges{{0, 1, 0.5F}};
  const SpreadingEngine engine(context(), {3, edges});
  Ragged<Activation> sources;
  sources.push_row(std::vector<Activation>{{0, 1.0F}});
  for (const SpreadMode mode : {SpreadMode::engine, SpreadMode::linear, SpreadMode::pagerank})
    EXPECT_THROW(engine.spread(sources, {.mode = mode, .space = unknown}), InvalidArgument);
  const std::vector<LatticePair> pairs{{0, 8}};
  EXPECT_THROW((void)Lattice(context(), 2, 3).paths(pairs, {unknown}), InvalidArgument);
}

TEST(UnknownSpace, IsRejectedByBulkLayersAndSeeds) {
  const std::vector<std::span<const float>> arrays{values};
  std::vector<float> out(values.size());
  const std::vector<std::span<float>> results{out};
  const Bulk bulk(context());
  const BulkOptions on{unknown};
  constexpr auto square = ElementWise::square;
  EXPECT_THROW(bulk.element_wise(square, arrays, {}, results, on), InvalidArgument);
  EXPECT_THROW(Bulk::prepare_element_wise(context(), square, arrays, {}, results, on),
               InvalidArgument);
  const NormLayer layer{.x = columns_of(values, 4), .y = columns_of(out, 4)};
  const std::span layers(&layer, 1);
  EXPECT_THROW(run_layers(context(), layers, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(prepare_layers(context(), layers, {.space = unknown}), InvalidArgument);
  SeedLayer seeds(context(), {.hidden = 4, .seeds = 2});
  EXPECT_THROW(seeds.forward(std::span(values), std::span(out), {.space = unknown}),
               InvalidArgument);
  EXPECT_THROW(SeedSequence(context(), unknown), InvalidArgument);
}

}  // namespace UnknownSpaceTest
