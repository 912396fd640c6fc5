// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/sequence/Postings.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/reference/Reference.hpp>

#include <gtest/gtest.h>

#include "RaggedRows.hpp"
#include "Support.hpp"
#include "sequence/PostingsIndex.hpp"

#include <algorithm>
#include <map>

namespace PostingsTest {

using namespace Kindred;
using namespace Kindred::Impl;
using Testing::ragged;
using Sequences = std::vector<std::vector<Symbol>>;

/// Sequences with a few frequent and many rare symbols.
Sequences random_sequences(std::mt19937_64& generator, std::size_t count, std::size_t longest,
                           Symbol vocabulary) {
  Sequences rows(count);
  for (auto& row : rows) {
    row.resize(generator() % (longest + 1));
    for (Symbol& symbol : row) {
      symbol = static_cast<Symbol>(generator() % (1 + generator() % vocabulary));
    }
  }
  return rows;
}

/// The number of common symbols, each counted as often as in the sequence that has fewer of it.
std::uint64_t shared(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  std::map<Symbol, int> counts;
  for (const Symbol symbol : a) ++counts[symbol];
  std::uint64_t both = 0;
  for (const Symbol symbol : b) both += counts[symbol]-- > 0 ? 1 : 0;
  return both;
}

/// The patterns that the plan of \p query lists on \p space, in ascending order, and the LCS of
/// each.
std::map<std::uint32_t, std::uint32_t> listed(Space space, const HostPatterns& store,
                                              const PostingsIndex& index,
                                              const std::vector<Symbol>& dense,
                                              const PostingsPlan& plan) {
  std::map<std::uint32_t, std::uint32_t> found;
  Context& context = Testing::context();
  with_instance(context, space, [&](const auto& exec_space) {
    using space_type = std::decay_t<decltype(exec_space)>;
    using memory_space = typename space_type::memory_space;
    MemoryResource& memory = context.memory(space);
    const auto tiles = copy_tiles(exec_space, memory, store.tiles);
    const auto place = [&](const auto& values) {
      using value_type = std::decay_t<decltype(values[0])>;
      Buffer<value_type, memory_space> buffer(memory, "Kindred::Test::placed", values.size());
      upload(exec_space, buffer.view(), values.data(), values.size());
      return buffer;
    };
    const auto slots = place(std::span(index.slots().data(), index.slots().size()));
    const auto lists = place(plan.lists);
    Buffer<std::uint32_t, memory_space> list(memory, "Kindred::Test::list", tiles.view().slots());
    Buffer<std::uint32_t, memory_space> counters(memory, "Kindred::Test::counters", 2);
    count_postings<space_type>(exec_space, tiles.view(), slots.const_view(), lists.const_view(),
                               plan.bound, list.view(), counters.view());
    std::uint32_t count = 0;
    download(exec_space, &count, counters.view(), 1);

    const auto words = static_cast<std::uint32_t>((dense.size() + 63) / 64);
    std::map<Symbol, std::vector<std::uint64_t>> masks_of;
    for (std::size_t j = 0; j < dense.size(); ++j) {
      if (dense[j] >= store.symbols.size()) continue;
      auto& own = masks_of.try_emplace(dense[j], words).first->second;
      own[j / 64] |= std::uint64_t{1} << (j % 64);
    }
    std::vector<Symbol> symbols;
    std::vector<std::uint64_t> masks;
    for (const auto& [symbol, own] : masks_of) {
      symbols.push_back(symbol);
      masks.insert(masks.end(), own.begin(), own.end());
    }
    const auto placed_symbols = place(symbols);
    const auto placed_masks = place(masks);
    Buffer<std::uint32_t, memory_space> matched(memory, "Kindred::Test::matched",
                                                tiles.view().slots());
    lcs_of_list<space_type>(exec_space, tiles.view(),
                            {placed_symbols.const_view(), placed_masks.const_view(), words},
                            list.const_view(), count, matched.view());
    std::vector<std::uint32_t> host_list(count);
    std::vector<std::uint32_t> host_matched(matched.size());
    download(exec_space, host_list.data(), list.view(), count);
    download(exec_space, host_matched.data(), matched.view(), matched.size());
    for (const std::uint32_t slot : host_list) {
      EXPECT_TRUE(found.emplace(store.tiles.indices.data()[slot], host_matched[slot]).second)
          << "a pattern must be listed only once";
    }
  });
  return found;
}

TEST(Postings, ListExactlyThePatternsThatShareEnough) {
  auto generator = Testing::generator("Postings");
  for (const Symbol vocabulary : {3U, 300U, 5000U}) {
    for (const std::size_t count : {1U, 31U, 33U, 900U, 40000U}) {
      if (count > 1000 && vocabulary != 300) continue;
      const Sequences patterns = random_sequences(generator, count, 40, vocabulary);
      const HostPatterns store(Testing::context(), ragged(patterns));
      const PostingsIndex index(Testing::context().memory(Space::serial), store.tiles);
      for (const double threshold : {0.05, 0.3, 0.6, 0.9, 1.0}) {
        std::vector<Symbol> query = random_sequences(generator, 1, 90, vocabulary)[0];
        query.push_back(vocabulary + 7);  // contained in no pattern
        std::vector<Symbol> dense;
        for (const Symbol symbol : query) dense.push_back(store.symbols[symbol]);
        const PostingsPlan plan(index, store, dense, threshold);
        for (const Space space : Testing::spaces()) {
          const auto found = listed(space, store, index, dense, plan);
          for (std::uint32_t i = 0; i < patterns.size(); ++i) {
            const std::uint64_t total = patterns[i].size() + query.size();
            const bool enough = similarity(shared(patterns[i], query), total) >= threshold;
            const auto at = found.find(i);
            ASSERT_TRUE(!enough || at != found.end())
                << "pattern " << i << ", threshold " << threshold;
            if (at == found.end()) continue;
            // Lists that were not read may add a pattern as a candidate, but no more than the bound
            // allows.
            EXPECT_GE(similarity(shared(patterns[i], query) + plan.bound.skipped, total),
                      threshold);
            EXPECT_EQ(at->second, Reference::lcs(patterns[i], query));
          }
        }
      }
    }
  }
}

TEST(Postings, ASecondListHoldsSecondOccurrences) {
  const HostPatterns store(Testing::context(), ragged(Sequences{{1, 2, 1, 1}, {1}, {2, 1, 1}, {}}));
  const PostingsIndex index(Testing::context().memory(Space::serial), store.tiles);
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
  auto generator = Testing::generator("Postings skip");
  const Sequences patterns = random_sequences(generator, 3000, 60, 2000);
  const HostPatterns store(Testing::context(), ragged(patterns));
  const PostingsIndex index(Testing::context().memory(Space::serial), store.tiles);
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
