// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace GraphTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Reference::Link;
using Reference::Node;
using Reference::SpreadSettings;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

SpreadSettings constant(double decay, std::uint32_t hops = 4) {
  SpreadSettings settings;
  settings.decay = {Decay::Kind::constant, decay};
  settings.hops = hops;
  return settings;
}
SpreadSettings constant_at(double decay, double threshold) {
  SpreadSettings settings = constant(decay);
  settings.threshold = threshold;
  return settings;
}
std::vector<float> engine(std::size_t nodes, const std::vector<Link>& links,
                          const std::vector<Node>& sources, const SpreadSettings& settings = {}) {
  return Reference::spread_engine(nodes, links, sources, settings);
}
std::vector<float> linear(std::size_t nodes, const std::vector<Link>& links,
                          const std::vector<Node>& sources, const SpreadSettings& settings = {}) {
  return Reference::spread_linear(nodes, links, sources, settings);
}

TEST(ReferenceGraph, NothingSpreadsWithoutSources) {
  EXPECT_THAT(engine(0, {}, {}), IsEmpty());
  EXPECT_THAT(linear(0, {}, {}), IsEmpty());
  EXPECT_THAT(engine(2, {{0, 1, 1}}, {}), ElementsAre(0, 0));
  EXPECT_THAT(engine(2, {{0, 1, 1}}, {{0, 0.5F}}, constant(1, 0)), ElementsAre(0.5F, 0));
}

TEST(ReferenceGraph, AChainDecaysWithEveryHop) {
  EXPECT_THAT(engine(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}, {{0, 1}}, constant_at(0.5, 0)),
              ElementsAre(1, 0.5F, 0.25F, 0.125F));
  EXPECT_THAT(engine(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}, {{0, 1}}, constant(0.5, 2)),
              ElementsAre(1, 0.5F, 0.25F, 0));
}

TEST(ReferenceGraph, DefaultDecayIsExponentialAndStopsAtTheColdTier) {
  const std::vector<float> act = engine(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}, {{0, 1}});
  const auto d1 = static_cast<float>(std::exp(-0.7));
  const auto d2 = static_cast<float>(std::exp(-1.4));
  EXPECT_THAT(act, ElementsAre(1, d1, static_cast<float>(static_cast<double>(d2) * d1), 0));
  EXPECT_NEAR(act[1], 0.4966, 1e-4);
  EXPECT_NEAR(act[2], 0.1225, 1e-4);
}

TEST(ReferenceGraph, OtherDecays) {
  const std::vector<Link> chain{{0, 1, 1}, {1, 2, 1}};
  SpreadSettings settings;
  settings.threshold = 0;
  settings.decay = {Decay::Kind::power, 1};
  EXPECT_THAT(engine(3, chain, {{0, 1}}, settings),
              ElementsAre(1, 0.5F, static_cast<float>(0.5 * static_cast<float>(1.0 / 3))));
  settings.decay = {Decay::Kind::linear, 0.75};
  EXPECT_THAT(engine(3, chain, {{0, 1}}, settings), ElementsAre(1, 0.25F, 0));
}

TEST(ReferenceGraph, SaturatesAndPassesOnTheDelta) {
  // Node 1 starts at 3/4 and is offered 2: it accepts 1/4 and passes on that 1/4 in addition to its
  // own 3/4.
  EXPECT_THAT(
      engine(4, {{0, 1, 1}, {2, 1, 1}, {1, 3, 0.5F}}, {{0, 1}, {2, 1}, {1, 0.75F}}, constant(1)),
      ElementsAre(1, 1, 1, 0.5F));
  EXPECT_THAT(
      engine(4, {{0, 1, 1}, {2, 1, 1}, {1, 3, 0.5F}}, {{0, 1}, {2, 1}, {1, 0.75F}}, constant(1, 1)),
      ElementsAre(1, 1, 1, 0.375F));
}

TEST(ReferenceGraph, DuplicateSourcesAddThenClampInEngineModeOnly) {
  EXPECT_THAT(engine(1, {}, {{0, 0.25F}, {0, 0.5F}}), ElementsAre(0.75F));
  EXPECT_THAT(engine(1, {}, {{0, 0.75F}, {0, 0.5F}}), ElementsAre(1));
  EXPECT_THAT(linear(1, {}, {{0, 0.75F}, {0, 0.5F}}), ElementsAre(1.25F));
}

TEST(ReferenceGraph, TheFirstTouchFixesTheTier) {
  // Node 3 is touched at hop 1 by 3/100, below the warm threshold 5/100, and again at hop 3 by
  // 1/16: still warm. Node 4 is first touched at hop 3 by 1/16: cold, below 10/100.
  const std::vector<Link> links{
      {0, 3, 0.03F}, {0, 1, 1}, {1, 2, 1}, {2, 3, 0.0625F}, {2, 4, 0.0625F}};
  EXPECT_THAT(engine(5, links, {{0, 1}}, constant(1)), ElementsAre(1, 1, 1, 0.0625F, 0));
  // A source is hot: 2/100 is enough to change it.
  EXPECT_THAT(engine(2, {{0, 1, 0.02F}}, {{0, 1}, {1, 0.5F}}, constant(1)),
              ElementsAre(1, 0.5F + 0.02F));
  EXPECT_THAT(engine(2, {{0, 1, 0.02F}}, {{0, 1}}, constant(1)), ElementsAre(1, 0));
}

TEST(ReferenceGraph, KeepsAtTheThresholdAndPassesOnOnlyAboveIt) {
  const std::vector<Link> chain{{0, 1, 0.25F}, {1, 2, 1}};
  EXPECT_THAT(engine(3, chain, {{0, 1}}, constant_at(1, 0.25)), ElementsAre(1, 0.25F, 0));
  EXPECT_THAT(engine(3, chain, {{0, 1}}, constant_at(1, 0.125)), ElementsAre(1, 0.25F, 0.25F));
  EXPECT_THAT(engine(3, chain, {{0, 1}}, constant_at(1, 0.26)), ElementsAre(1, 0, 0));
}

TEST(ReferenceGraph, ASmallContributionToAnActiveNodeIsKeptButNotPassedOn) {
  EXPECT_THAT(engine(3, {{0, 1, 0.125F}, {1, 2, 1}}, {{0, 1}, {1, 0.5F}}, constant_at(1, 0.25)),
              ElementsAre(1, 0.625F, 0.5F));
}

TEST(ReferenceGraph, ParallelEdgesAndLoopsAdd) {
  EXPECT_THAT(engine(2, {{0, 1, 0.25F}, {0, 1, 0.25F}}, {{0, 1}}, constant(1)),
              ElementsAre(1, 0.5F));
  EXPECT_THAT(linear(1, {{0, 0, 2}}, {{0, 1}}, constant(1, 3)), ElementsAre(15));
}

TEST(ReferenceGraph, LinearByHand) {
  EXPECT_THAT(linear(2, {{0, 1, 2}, {1, 0, -1}}, {{0, 1}}, constant(1, 3)), ElementsAre(-1, -2));
  EXPECT_THAT(linear(3, {{0, 1, 1}, {1, 2, 1}}, {{0, 8}}, constant(0.5)), ElementsAre(8, 4, 2));
}

TEST(ReferenceGraph, RowsAreSummedBySourceThenInputOrder) {
  constexpr float huge = 9007199254740992.0F;
  const std::vector<Node> ones{{0, 1}, {1, 1}, {2, 1}};
  // Sources 0 and 2 are added first: they cancel, and the 1 remains.
  EXPECT_EQ(linear(4, {{0, 3, huge}, {2, 3, -huge}, {1, 3, 1}}, ones, constant(1, 1))[3], 1);
  EXPECT_EQ(linear(4, {{0, 3, huge}, {0, 3, 1}, {0, 3, -huge}}, ones, constant(1, 1))[3], 1);
  EXPECT_EQ(linear(4, {{0, 3, huge}, {0, 3, -huge}, {0, 3, 1}}, ones, constant(1, 1))[3], 0);
}

TEST(ReferenceGraph, RankedNodesOmitZeros) {
  EXPECT_THAT(Reference::ranked_nodes(std::vector<float>{0, 1, -2, -0.0F, 1}, 10),
              ElementsAre(Node{1, 1}, Node{4, 1}, Node{2, -2}));
  EXPECT_THAT(Reference::ranked_nodes(std::vector<float>{0, 1, -2, -0.0F, 1}, 1),
              ElementsAre(Node{1, 1}));
}

}  // namespace GraphTest
