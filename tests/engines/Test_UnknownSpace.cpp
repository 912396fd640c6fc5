// SPDX-License-Identifier: Apache-2.0
// A value that is no space is an invalid argument of every call that has a space.
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/matcher/VectorFunctions.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "ColumnsOf.hpp"
#include "EngineCalls.hpp"
#include "Support.hpp"

namespace UnknownSpaceTest {

using namespace Kindred;
using Testing::columns_of;
using Testing::context;

constexpr auto unknown = static_cast<Space>(7);
const std::vector<float> values(16, 1.0F);

class UnknownSpaceOfCalls : public testing::TestWithParam<Testing::EngineCall> {};

TEST_P(UnknownSpaceOfCalls, IsRejected) {
  const auto run = GetParam().make(context());
  EXPECT_THROW(run(unknown), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Calls, UnknownSpaceOfCalls, testing::ValuesIn(Testing::engine_calls()),
                         Testing::name_of_engine_call);

TEST(UnknownSpace, IsRejectedByOtherCallsOfVectors) {
  const VectorIndex index(context(), values, 4);
  const VectorSpan rows(values, 4);
  const std::span<const float> query = std::span(values).first(4);
  std::vector<float> out(4);
  const SearchOptions search{.space = unknown};
  EXPECT_THROW(index.search_at_least(query, 0, search), InvalidArgument);
  EXPECT_THROW(PreparedScore(index, 4, search), InvalidArgument);
  HnswIndex graph(context(), 4);
  graph.add(values);
  EXPECT_THROW(graph.search(query, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(row_scores(context(), query, rows, out, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(weighted_average(context(), rows, query, {.space = unknown}), InvalidArgument);
}

TEST(UnknownSpace, IsRejectedByLayersAndSequencesOfSeeds) {
  std::vector<float> out(values.size());
  const NormLayer layer{.x = columns_of(values, 4), .y = columns_of(out, 4)};
  const std::span layers(&layer, 1);
  EXPECT_THROW(run_layers(context(), layers, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(prepare_layers(context(), layers, {.space = unknown}), InvalidArgument);
  EXPECT_THROW(SeedSequence(context(), unknown), InvalidArgument);
}

}  // namespace UnknownSpaceTest
