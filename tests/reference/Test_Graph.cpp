// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::GraphTest {

using Reference::Link;
using Reference::Node;
using Reference::SpreadSettings;
using ::testing::ElementsAre;
using Links = std::vector<Link>;
using Nodes = std::vector<Node>;
using Values = std::vector<float>;

SpreadSettings constant(double decay, std::uint32_t hops = 4) {
  SpreadSettings settings;
  settings.decay = {Decay::Kind::constant, decay};
  settings.hops = hops;
  return settings;
}
SpreadSettings with_threshold(double threshold, SpreadSettings settings) {
  settings.threshold = threshold;
  return settings;
}

TEST(ReferenceGraph, EngineModeByHand) {
  const Links chain{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}};
  const Links quarter{{0, 1, 0.25F}, {1, 2, 1}};
  const Links merging{{0, 1, 1}, {2, 1, 1}, {1, 3, 0.5F}};
  const Links twice{{0, 3, 0.03F}, {0, 1, 1}, {1, 2, 1}, {2, 3, 0.0625F}, {2, 4, 0.0625F}};
  const Nodes first{{0, 1}}, three{{0, 1}, {2, 1}, {1, 0.75F}};
  const auto at = [](double threshold) { return with_threshold(threshold, constant(1)); };
  SpreadSettings by_power, linear;
  by_power.decay = {Decay::Kind::power, 1};
  linear.decay = {Decay::Kind::linear, 0.75};
  const auto d1 = static_cast<float>(std::exp(-0.7)), d2 = static_cast<float>(std::exp(-1.4));
  const auto third = static_cast<float>(1.0 / 3);
  struct Case {
    Links links;
    Nodes sources;
    SpreadSettings settings;
    Values expected;
  };
  for (const Case& c : std::vector<Case>{
           {{}, {}, {}, {}},
           {chain, {}, {}, {0, 0, 0, 0}},
           {chain, {{0, 0.5F}}, constant(1, 0), {0.5F, 0, 0, 0}},
           {chain, first, with_threshold(0, constant(0.5)), {1, 0.5F, 0.25F, 0.125F}},
           {chain, first, constant(0.5, 2), {1, 0.5F, 0.25F, 0}},
           // The default decay is exponential and stops at the cold tier.
           {chain, first, {}, {1, d1, static_cast<float>(static_cast<double>(d2) * d1), 0}},
           {{chain[0], chain[1]}, first, with_threshold(0, by_power), {1, 0.5F, 0.5F * third}},
           {{chain[0], chain[1]}, first, with_threshold(0, linear), {1, 0.25F, 0}},
           // Node 1 starts at 3/4 and is offered 2: it accepts 1/4 and passes on that 1/4 in
           // addition to its own 3/4.
           {merging, three, constant(1), {1, 1, 1, 0.5F}},
           {merging, three, constant(1, 1), {1, 1, 1, 0.375F}},
           // Duplicate sources add, then clamp.
           {{}, {{0, 0.25F}, {0, 0.5F}}, {}, {0.75F}},
           {{}, {{0, 0.75F}, {0, 0.5F}}, {}, {1}},
           // Node 3 is touched at hop 1 by 3/100, below the warm threshold 5/100, and again at hop
           // 3 by 1/16: still warm. Node 4 is first touched at hop 3 by 1/16: cold, below 10/100.
           {twice, first, constant(1), {1, 1, 1, 0.0625F, 0}},
           // A source is hot: 2/100 is enough to change it.
           {{{0, 1, 0.02F}}, {{0, 1}, {1, 0.5F}}, constant(1), {1, 0.5F + 0.02F}},
           {{{0, 1, 0.02F}}, first, constant(1), {1, 0}},
           // What is at the threshold is kept, and passed on only above it.
           {quarter, first, at(0.25), {1, 0.25F, 0}},
           {quarter, first, at(0.125), {1, 0.25F, 0.25F}},
           {quarter, first, at(0.26), {1, 0, 0}},
           // A small contribution to an active node is kept but not passed on.
           {{{0, 1, 0.125F}, {1, 2, 1}}, {{0, 1}, {1, 0.5F}}, at(0.25), {1, 0.625F, 0.5F}},
           {{{0, 1, 0.25F}, {0, 1, 0.25F}}, first, constant(1), {1, 0.5F}}})
    EXPECT_EQ(Reference::spread_engine(c.expected.size(), c.links, c.sources, c.settings),
              c.expected);
}

TEST(ReferenceGraph, LinearModeByHand) {
  constexpr float huge = 9007199254740992.0F;
  const Nodes ones{{0, 1}, {1, 1}, {2, 1}};
  struct Case {
    Links links;
    Nodes sources;
    SpreadSettings settings;
    std::size_t node;
    float expected;
  };
  for (const Case& c :
       std::vector<Case>{{{}, {{0, 0.75F}, {0, 0.5F}}, {}, 0, 1.25F},  // not clamped
                         {{{0, 0, 2}}, {{0, 1}}, constant(1, 3), 0, 15},
                         {{{0, 1, 2}, {1, 0, -1}}, {{0, 1}}, constant(1, 3), 0, -1},
                         {{{0, 1, 2}, {1, 0, -1}}, {{0, 1}}, constant(1, 3), 1, -2},
                         {{{0, 1, 1}, {1, 2, 1}}, {{0, 8}}, constant(0.5), 2, 2},
                         // Rows are summed by source, then in input order: sources 0 and 2 are
                         // added first, they cancel, and the 1 remains.
                         {{{0, 3, huge}, {2, 3, -huge}, {1, 3, 1}}, ones, constant(1, 1), 3, 1},
                         {{{0, 3, huge}, {0, 3, 1}, {0, 3, -huge}}, ones, constant(1, 1), 3, 1},
                         {{{0, 3, huge}, {0, 3, -huge}, {0, 3, 1}}, ones, constant(1, 1), 3, 0}})
    EXPECT_EQ(Reference::spread_linear(4, c.links, c.sources, c.settings)[c.node], c.expected);
}

TEST(ReferenceGraph, RankedNodesOmitZeros) {
  EXPECT_THAT(Reference::ranked_nodes(Values{0, 1, -2, -0.0F, 1}, 10),
              ElementsAre(Node{1, 1}, Node{4, 1}, Node{2, -2}));
  EXPECT_THAT(Reference::ranked_nodes(Values{0, 1, -2, -0.0F, 1}, 1), ElementsAre(Node{1, 1}));
}

}  // namespace Kindred::Testing::GraphTest
