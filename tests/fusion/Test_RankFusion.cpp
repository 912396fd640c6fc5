// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/RankFusion.hpp>

#include <limits>

#include "Properties.hpp"
#include "RankFusionReference.hpp"
#include "RefusedCalls.hpp"
#include "ResultText.hpp"

namespace RankFusionTest {

using namespace Kindred;
using ::testing::ElementsAre;
using ::testing::FieldsAre;

using Ranking = std::vector<RankedItem>;

using Ids = std::vector<std::uint64_t>;

Ids ids(const std::vector<FusedHit>& hits) {
  Ids out;
  for (const FusedHit& hit : hits) out.push_back(hit.id);
  return out;
}

/// The fused rankings, which must be those of the reference.
std::vector<FusedHit> fused(const std::vector<Ranking>& rankings,
                            const FusionOptions& options = {}) {
  const std::vector<FusedHit> found = fuse_rankings(rankings, options);
  EXPECT_TRUE(Testing::text_of(found) ==
              Testing::text_of(Reference::fuse_rankings(rankings, options)));
  return found;
}

TEST(RankFusion, ReciprocalRanksAddUp) {
  const auto hits = fused({{{7, 0.9}, {8, 0.8}}, {{8, 5}, {9, 4}}});
  EXPECT_THAT(ids(hits), ElementsAre(8, 7, 9));
  EXPECT_EQ(hits[0].score, 1.0 / 62 + 1.0 / 61);
  EXPECT_EQ(hits[1].score, 1.0 / 61);
  EXPECT_EQ(hits[2].score, 1.0 / 62);
  EXPECT_THAT(hits[0].reasons,
              ElementsAre(FieldsAre(0U, 2U, 0.8, 1.0 / 62), FieldsAre(1U, 1U, 5, 1.0 / 61)));
}

TEST(RankFusion, BordaCountsWhatIsRankedBelow) {
  const auto hits =
      fused({{{1, 0}, {2, 0}, {3, 0}, {4, 0}}, {{2, 0}, {1, 0}}}, {.rule = FusionRule::borda});
  EXPECT_THAT(ids(hits), ElementsAre(2, 1, 3, 4));
  EXPECT_EQ(hits[0].score, 0.75 + 1.0);
  EXPECT_EQ(hits[1].score, 1.0 + 0.5);
  EXPECT_EQ(hits[3].score, 0.25);
}

TEST(RankFusion, EqualScoresAreOrderedByIdAndWeightsCount) {
  const std::vector<Ranking> rankings{{{9, 1}}, {{4, 1}}, {{6, 1}}};
  EXPECT_THAT(ids(fused(rankings)), ElementsAre(4, 6, 9));
  EXPECT_THAT(ids(fused(rankings, {.weights = {2, 1, 1}, .top = 1})), ElementsAre(9));
  // A weight of zero keeps only the reason.
  const auto hits = fused({{{1, 1}, {2, 1}}, {{2, 1}}}, {.weights = {0, 1}});
  EXPECT_THAT(ids(hits), ElementsAre(2, 1));
  EXPECT_EQ(hits[1].score, 0.0);
  EXPECT_EQ(hits[1].reasons.size(), 1U);
  EXPECT_TRUE(fused({}).empty());
  EXPECT_TRUE(fused({{}, {}}).empty());
}

TEST(RankFusion, MatchesReference) {
  Testing::expect_property("fused rankings equal the reference", [] {
    const auto ids = rc::gen::unique<Ids>(rc::gen::inRange<std::uint64_t>(0, 50));
    std::vector<Ranking> rankings;
    for (const auto& list : *rc::gen::resize(20, rc::gen::container<std::vector<Ids>>(ids))) {
      rankings.emplace_back();
      for (const std::uint64_t id : list)
        rankings.back().push_back({id, 1.0 / static_cast<double>(rankings.back().size() + 1)});
    }
    FusionOptions options;
    options.rule = *rc::gen::element(FusionRule::reciprocal_rank, FusionRule::borda);
    options.constant = *rc::gen::element(0.0, 1.0, 17.0, 60.0);
    options.top = *rc::gen::element<std::size_t>(1, 10, 30, 100);
    if (*rc::gen::arbitrary<bool>()) {
      options.weights = *rc::gen::container<std::vector<double>>(
          rankings.size(), rc::gen::element(0.0, 0.25, 0.5, 1.0, 3.0));
    }
    fused(rankings, options);
    RC_ASSERT(!::testing::Test::HasFailure());
  });
}

TEST(RankFusion, RejectsInputItCannotFuse) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto fuse = [](const FusionOptions& options) {
    return [options] { fuse_rankings(std::vector<Ranking>{{{1, 1}}, {{2, 1}}}, options); };
  };
  Testing::expect_refused({{fuse({.top = 0}), "top"},
                           {fuse({.constant = -1}), "constant"},
                           {fuse({.constant = nan}), "constant"},
                           {fuse({.weights = {1}}), "weights"},
                           {fuse({.weights = {1, -1}}), "weight"},
                           {fuse({.weights = {1, infinity}}), "weight"},
                           {[] {
                              fuse_rankings(std::vector<Ranking>{{{1, 1}, {2, 1}, {1, 0}}});
                            },
                            ""}});
}

}  // namespace RankFusionTest
