// SPDX-License-Identifier: Apache-2.0
// The fast path for a query of a single symbol.
#include "PredictionSupport.hpp"

namespace PredictionFastPathTest {

using namespace Kindred;
using namespace Kindred::Testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const PredictionOptions fast{.single_symbol_fast_path = true};

TEST(PredictionFastPath, TheFastPathReturnsThePatternsThatBeginWithTheSymbol) {
  Memory memory;
  memory.learn("long", each("a b c d e f g h i j k l m n o p q r s t u v w x y"))
      .learn("short", events("a b"))
      .learn("later", events("x a"))
      .learn("mid", events("a | b | c"));
  const auto predictions = memory.predict(each("a"), fast);
  // The similarity of the first, 1/13, is below the threshold, which the fast path ignores.
  EXPECT_THAT(names(predictions), ElementsAre("short", "mid", "long"));
  const Prediction& p = predictions[0];
  EXPECT_TRUE(p.flat);
  EXPECT_EQ(p.present, events("a"));
  EXPECT_EQ(p.future, events("b"));
  EXPECT_THAT(p.past, IsEmpty());
  EXPECT_THAT(p.missing, IsEmpty());
  EXPECT_THAT(p.extras, IsEmpty());
  EXPECT_EQ(p.confidence, 1);
  EXPECT_EQ(p.potential, 2.5);  // 2 + 1 / length
  EXPECT_EQ(p.bayesian_prior, 0);
  EXPECT_EQ(p.itfdf_similarity, 0);
  EXPECT_EQ(predictions[1].future, events("b c"));
}

TEST(PredictionFastPath, TheFastPathIgnoresTheRankingAndIsForSingleSymbolsOnly) {
  Memory memory;
  memory.learn("frequent", each("a b c"), 9).learn("short", each("a b")).learn("q", each("x a b"));
  PredictionOptions ranked = fast;
  ranked.rank_by = RankBy::frequency;
  ranked.top = 1;
  EXPECT_THAT(names(memory.predict(each("a"), ranked)), ElementsAre("short"));
  EXPECT_EQ(memory.predict(each("a b"), fast).size(), 3U);
  EXPECT_FALSE(memory.predict(each("a b"), fast)[0].flat);
  EXPECT_THAT(memory.predict(each("nowhere"), fast), IsEmpty());
}

}  // namespace PredictionFastPathTest
