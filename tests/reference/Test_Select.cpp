// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace Kindred::Testing::SelectTest {

using Reference::Better;
using ::testing::ElementsAre;

std::vector<std::uint64_t> order(const std::vector<float>& scores, Better better,
                                 std::size_t k = 100) {
  std::vector<Reference::Item> items;
  for (const float score : scores) items.push_back({items.size(), score});
  std::vector<std::uint64_t> indices;
  for (const auto& item : Reference::top_k(items, k, better)) indices.push_back(item.index);
  return indices;
}

TEST(ReferenceSelect, OrdersByScoreThenIndexWithNaNLast) {
  EXPECT_THAT(order({1, 2, 1, 2}, Better::larger), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(order({1, 2, 1, 2}, Better::smaller), ElementsAre(0, 2, 1, 3));
  const std::vector<float> scores{quiet_nan, -0.0F, 0.0F, -infinity, quiet_nan, infinity};
  EXPECT_THAT(order(scores, Better::larger), ElementsAre(5, 1, 2, 3, 0, 4));
  EXPECT_THAT(order(scores, Better::smaller), ElementsAre(3, 1, 2, 5, 0, 4));
  EXPECT_TRUE(order({1}, Better::larger, 0).empty());
  EXPECT_THAT(order({1, 3, 2}, Better::larger, 2), ElementsAre(1, 2));
}

}  // namespace Kindred::Testing::SelectTest
