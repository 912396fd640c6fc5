// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "SequenceSupport.hpp"
#include "sequence/PostingsIndex.hpp"

namespace PostingsTest {

using namespace Kindred;
using namespace Kindred::Impl;
using namespace Kindred::Testing;

TEST(Postings, ASecondListHoldsSecondOccurrences) {
  const HostPatterns store(context(), ragged(SymbolRows{{1, 2, 1, 1}, {1}, {2, 1, 1}, {}}));
  const PostingsIndex index(context().memory(Space::serial), store.tiles);
  const Symbol one = store.symbols[1];
  ASSERT_EQ(index.lists(one), 3U);
  std::vector<std::vector<std::uint32_t>> patterns;
  for (std::uint32_t times = 0; times < 3; ++times) {
    auto& found = patterns.emplace_back();
    const PostingList list = index.list(one, times);
    for (std::uint64_t p = list.begin; p < list.end; ++p) {
      found.push_back(store.tiles.indices.data()[index.slots().data()[p]]);
    }
    std::sort(found.begin(), found.end());
  }
  EXPECT_EQ(patterns, (std::vector<std::vector<std::uint32_t>>{{0, 1, 2}, {0, 2}, {0}}));
}

TEST(Postings, AHighThresholdSkipsTheLongLists) {
  auto random = generator("Postings skip");
  SymbolRows patterns = random_sequences(random, 3000, 0, 60, 2000);
  for (Symbols& pattern : patterns)  // a few frequent and many rare symbols
    for (Symbol& symbol : pattern) symbol = static_cast<Symbol>(random() % (1 + symbol));
  const HostPatterns store(context(), ragged(patterns));
  const PostingsIndex index(context().memory(Space::serial), store.tiles);
  const auto longest =
      std::max_element(patterns.begin(), patterns.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  ASSERT_EQ(longest->size(), 60U);
  std::vector<Symbol> dense;
  for (const Symbol symbol : *longest) dense.push_back(store.symbols[symbol]);
  const PostingsPlan low(index, store, dense, 0.1);
  const PostingsPlan high(index, store, dense, 0.9);
  EXPECT_LT(high.cost, low.cost / 4);
  EXPECT_GT(high.bound.skipped, 10U);
  const PostingsPlan longer(index, store, std::vector<Symbol>(100000, 0), 0.9);
  EXPECT_TRUE(longer.lists.empty()) << "no pattern is long enough";
}

}  // namespace PostingsTest
