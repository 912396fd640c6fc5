// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/RankFusion.hpp>

#include "Properties.hpp"
#include "RankFusionReference.hpp"

namespace RankFusionPropertiesTest {

using namespace Kindred;

TEST(RankFusionProperties, MatchesReference) {
  Testing::expect_property("fused rankings equal the reference", [] {
    const auto ids =
        rc::gen::unique<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 30));
    const auto rankings_of_ids =
        *rc::gen::resize(20, rc::gen::container<std::vector<std::vector<std::uint64_t>>>(ids));
    std::vector<std::vector<RankedItem>> rankings;
    for (const std::vector<std::uint64_t>& list : rankings_of_ids) {
      rankings.emplace_back();
      for (const std::uint64_t id : list)
        rankings.back().push_back({id, 1.0 / static_cast<double>(rankings.back().size() + 1)});
    }
    FusionOptions options;
    options.rule = *rc::gen::element(FusionRule::reciprocal_rank, FusionRule::borda);
    options.constant = *rc::gen::element(0.0, 1.0, 60.0);
    options.top = *rc::gen::element<std::size_t>(1, 10, 100);
    if (*rc::gen::arbitrary<bool>()) {
      options.weights = *rc::gen::container<std::vector<double>>(
          rankings.size(), rc::gen::element(0.0, 0.5, 1.0, 3.0));
    }
    const std::vector<FusedHit> expected = Reference::fuse_rankings(rankings, options);
    const std::vector<FusedHit> found = fuse_rankings(rankings, options);
    RC_ASSERT(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      RC_ASSERT(found[i].id == expected[i].id);
      RC_ASSERT(found[i].score == expected[i].score);
      RC_ASSERT(found[i].reasons.size() == expected[i].reasons.size());
      for (std::size_t r = 0; r < found[i].reasons.size(); ++r) {
        RC_ASSERT(found[i].reasons[r].ranking == expected[i].reasons[r].ranking);
        RC_ASSERT(found[i].reasons[r].place == expected[i].reasons[r].place);
        RC_ASSERT(found[i].reasons[r].score == expected[i].reasons[r].score);
        RC_ASSERT(found[i].reasons[r].contribution == expected[i].reasons[r].contribution);
      }
    }
  });
}

}  // namespace RankFusionPropertiesTest
