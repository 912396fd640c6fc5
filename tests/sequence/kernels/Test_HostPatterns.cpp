// SPDX-License-Identifier: Apache-2.0
// What is prepared of the patterns of a matcher: which are equal, in which tiles those of some
// lengths are, and lists of those that have a symbol.
#include "Properties.hpp"
#include "SequenceSupport.hpp"
#include "sequence/HostPatterns.hpp"
#include "sequence/PostingsIndex.hpp"
#include "sequence/QueryBuffers.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/Lcs.hpp>
#include <kindred/core/sequence/LengthBound.hpp>

namespace HostPatternsTest {

using namespace Kindred;
using namespace Kindred::Impl;
using namespace Kindred::Testing;

/// By definition; empty patterns have no results.
std::vector<std::uint32_t> by_definition(const SymbolRows& patterns) {
  std::vector<std::uint32_t> first;
  for (std::uint32_t i = 0; i < patterns.size(); ++i) {
    const auto equal = std::find(patterns.begin(), patterns.begin() + i, patterns[i]);
    first.push_back(patterns[i].empty() ? i : static_cast<std::uint32_t>(equal - patterns.begin()));
  }
  return first;
}

TEST(EqualPatterns, MatchTheDefinition) {
  expect_property("first_equal is the first equal pattern", [] {
    const auto vocabulary = *rc::gen::element<Symbol>(2, 300, 70000);
    // Several tiles with patterns of few lengths, so that equal ones lie in different tiles.
    auto patterns = *rc::gen::container<SymbolRows>(
        *rc::gen::inRange<std::size_t>(0, 200),
        rc::gen::resize(4, rc::gen::container<Symbols>(rc::gen::inRange<Symbol>(0, 2))));
    Symbols all(vocabulary);
    for (Symbol symbol = 0; symbol < vocabulary; ++symbol) all[symbol] = symbol;
    patterns.insert(patterns.begin() + *rc::gen::inRange<std::size_t>(0, patterns.size() + 1), all);
    patterns.push_back(all);
    RC_ASSERT(HostPatterns(context(), ragged(patterns)).first_equal() == by_definition(patterns));
  });
}

TEST(LengthBound, ContainsExactlyTheLengthsThatCanReachASimilarity) {
  for (const auto scale : {SimilarityScale::total, SimilarityScale::longest}) {
    for (std::uint32_t a = 1; a <= 150; ++a) {
      for (std::uint32_t b = 1; b <= 150; ++b) {
        const double most = similarity(scale, std::min(a, b), a, b);
        const auto contains = [&](double threshold) {
          return lengths_within(length_ratio(scale, threshold), a).contains(b);
        };
        ASSERT_TRUE(contains(most)) << a << ", " << b;
        ASSERT_TRUE(contains(static_cast<double>(static_cast<float>(most)))) << a << ", " << b;
        ASSERT_TRUE(contains(0.0)) << a << ", " << b;
        if (most < 0.999) {
          ASSERT_FALSE(contains(most * 1.0001)) << a << ", " << b;
        }
      }
    }
  }
  const LengthBound large = lengths_within(length_ratio(SimilarityScale::total, 1e-9), 1U << 30U);
  EXPECT_EQ(large.most, 0xFFFFFFFFU);
}

/// The counts of all slots under `lcs` or `levenshtein`.
std::vector<std::uint32_t> counts_of(Space space, const HostPatterns& store, const Symbols& query,
                                     bool edits, double threshold) {
  std::vector<std::uint32_t> out;
  with_instance(context(), space, [&](const auto& exec_space) {
    using space_type = std::decay_t<decltype(exec_space)>;
    using memory_space = typename space_type::memory_space;
    MemoryResource& memory = context().memory(space);
    const auto copy = copy_tiles(exec_space, memory, store.tiles);
    const auto tiles = copy.view();
    QueryBuffers<space_type> queries(memory);
    const Ragged<Symbol> dense = store.symbols.translate(ragged(SymbolRows{query}));
    const auto tables = queries.place(exec_space, dense, {0}, tiles.vocabulary);
    Buffer<std::uint32_t, memory_space> matched(memory, "Kindred::Testing::matched", tiles.slots());
    constexpr EditKind kind = EditKind::levenshtein;
    const std::uint64_t words = edits ? edit_carry_words(tiles, 1, tables.segments_max, kind)
                                      : lcs_carry_words(tiles, 1, tables.segments_max);
    Buffer<std::uint64_t, memory_space> carry(memory, "Kindred::Testing::carry", words);
    if (edits) {
      edit_matched<space_type>(exec_space, tiles, tables, kind, threshold, carry.view(),
                               matched.view());
    } else {
      lcs_lengths<space_type>(exec_space, tiles, tables, threshold, carry.view(), matched.view());
    }
    out.resize(matched.size());
    download(exec_space, out.data(), matched.view(), out.size());
  });
  return out;
}

TEST(LengthBound, NoRowsAreScannedAfterTheLongestPatternThatMatters) {
  // The long pattern ends with the query: its count shows how far it was scanned.
  for (const std::uint32_t length : {20U, 600U}) {
    Symbols query(length);
    for (std::uint32_t i = 0; i < length; ++i) query[i] = i % 7;
    SymbolRows patterns(40, query);
    Symbols longer(100 * length, 9);
    longer.insert(longer.end(), query.begin(), query.end());
    patterns.push_back(longer);
    const HostPatterns store(context(), ragged(patterns));
    for (const Space space : spaces()) {
      for (const bool edits : {false, true}) {
        for (const double threshold : {0.0, 0.9}) {
          const auto counts = counts_of(space, store, query, edits, threshold);
          EXPECT_EQ(counts[store.slot_of[0]], length) << to_string(space);
          EXPECT_EQ(counts[store.slot_of.back()], threshold > 0.0 ? 0 : length) << to_string(space);
        }
      }
    }
  }
}

TEST(LengthBound, SelectsTheTilesWithPatternsOfTheseLengths) {
  SymbolRows patterns;
  for (std::size_t length = 1; length <= 100; ++length)
    patterns.emplace_back(length, static_cast<Symbol>(1));
  const HostPatterns store(context(), ragged(patterns));
  EXPECT_EQ(store.tiles_of({}), (TileRange{0, 4}));
  EXPECT_EQ(store.patterns_in({0, 4}), 100U);
  EXPECT_EQ(store.patterns_in({0, 1}), 4U) << "28 slots of the first tile hold no pattern";
  EXPECT_EQ(store.tiles_of({1, 4}), (TileRange{0, 1}));
  EXPECT_EQ(store.tiles_of({5, 36}), (TileRange{1, 2}));
  EXPECT_EQ(store.tiles_of({36, 37}), (TileRange{1, 3}));
  EXPECT_EQ(store.tiles_of({101, 200}).count(), 0U);
  EXPECT_EQ(store.rows_in({0, 2}, 100), 4U + 36U);
  EXPECT_EQ(store.rows_in({0, 2}, 30), 4U + 30U);
}

TEST(Postings, ASecondListHoldsSecondOccurrences) {
  const HostPatterns store(context(), ragged(SymbolRows{{1, 2, 1, 1}, {1}, {2, 1, 1}, {}}));
  const PostingsIndex index(context().memory(Space::serial), store.tiles);
  const Symbol one = store.symbols[1];
  ASSERT_EQ(index.lists(one), 3U);
  std::vector<std::vector<std::uint32_t>> patterns;
  for (std::uint32_t times = 0; times < 3; ++times) {
    auto& found = patterns.emplace_back();
    const PostingList list = index.list(one, times);
    for (std::uint64_t p = list.begin; p < list.end; ++p)
      found.push_back(store.tiles.indices.data()[index.slots().data()[p]]);
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
  Symbols dense;
  for (const Symbol symbol : *longest) dense.push_back(store.symbols[symbol]);
  const PostingsPlan low(index, store, dense, 0.1);
  const PostingsPlan high(index, store, dense, 0.9);
  EXPECT_LT(high.cost, low.cost / 4);
  EXPECT_GT(high.bound.skipped, 10U);
  const PostingsPlan longer(index, store, Symbols(100000, 0), 0.9);
  EXPECT_TRUE(longer.lists.empty()) << "no pattern is long enough";
}

}  // namespace HostPatternsTest
