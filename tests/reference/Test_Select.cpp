// SPDX-License-Identifier: Apache-2.0
#include "ReferenceSupport.hpp"

namespace SelectTest {

using namespace Kindred;
using namespace Kindred::Testing;
using Reference::Better;
using Reference::Item;
using ::testing::ElementsAre;

std::vector<std::uint64_t> order(const std::vector<float>& scores, Better better,
                                 std::size_t k = 100) {
  std::vector<std::uint64_t> indices;
  for (const Item& item : Reference::top_k(scores, k, better)) indices.push_back(item.index);
  return indices;
}

TEST(ReferenceSelect, TiesGoToTheLowerIndex) {
  EXPECT_THAT(order({1, 2, 1, 2}, Better::larger), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(order({1, 2, 1, 2}, Better::smaller), ElementsAre(0, 2, 1, 3));
}

TEST(ReferenceSelect, NaNIsLastAndZerosAreEqual) {
  const std::vector<float> scores{quiet_nan, -0.0F, 0.0F, -infinity, quiet_nan, infinity};
  EXPECT_THAT(order(scores, Better::larger), ElementsAre(5, 1, 2, 3, 0, 4));
  EXPECT_THAT(order(scores, Better::smaller), ElementsAre(3, 1, 2, 5, 0, 4));
}

TEST(ReferenceSelect, KeepsAtMostK) {
  EXPECT_TRUE(order({}, Better::larger).empty());
  EXPECT_TRUE(order({1}, Better::larger, 0).empty());
  EXPECT_THAT(order({1, 3, 2}, Better::larger, 2), ElementsAre(1, 2));
}

TEST(ReferenceSelect, MergeOrdersAcrossLists) {
  const std::vector<std::vector<Item>> lists{
      {{4, 2.0F}, {6, 1.0F}}, {}, {{1, 2.0F}, {2, quiet_nan}}};
  const std::vector<Item> merged = Reference::merge_top_k(lists, 3, Better::larger);
  EXPECT_THAT(merged, ElementsAre(Item{1, 2.0F}, Item{4, 2.0F}, Item{6, 1.0F}));
}

}  // namespace SelectTest
