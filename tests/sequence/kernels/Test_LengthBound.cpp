// SPDX-License-Identifier: Apache-2.0
#include "sequence/HostPatterns.hpp"
#include "sequence/QueryBuffers.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/Lcs.hpp>
#include <kindred/core/sequence/LengthBound.hpp>

#include <gtest/gtest.h>

#include "RaggedRows.hpp"
#include "Support.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace LengthBoundTest {

using namespace Kindred;
using namespace Kindred::Impl;
using Sequences = std::vector<std::vector<Symbol>>;

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
std::vector<std::uint32_t> counts_of(Space space, const HostPatterns& store,
                                     const std::vector<Symbol>& query, bool edits,
                                     double threshold) {
  std::vector<std::uint32_t> out;
  Context& context = Testing::context();
  with_instance(context, space, [&](const auto& exec_space) {
    using space_type = std::decay_t<decltype(exec_space)>;
    using memory_space = typename space_type::memory_space;
    MemoryResource& memory = context.memory(space);
    const auto copy = copy_tiles(exec_space, memory, store.tiles);
    const auto tiles = copy.view();
    QueryBuffers<space_type> queries(memory);
    const Ragged<Symbol> dense = store.symbols.translate(Testing::ragged(Sequences{query}));
    const auto tables = queries.place(exec_space, dense, {0}, tiles.vocabulary);
    Buffer<std::uint32_t, memory_space> matched(memory, "Kindred::Test::matched", tiles.slots());
    constexpr EditKind kind = EditKind::levenshtein;
    const std::uint64_t words = edits ? edit_carry_words(tiles, 1, tables.segments_max, kind)
                                      : lcs_carry_words(tiles, 1, tables.segments_max);
    Buffer<std::uint64_t, memory_space> carry(memory, "Kindred::Test::carry", words);
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
    std::vector<Symbol> query(length);
    for (std::uint32_t i = 0; i < length; ++i) query[i] = i % 7;
    Sequences patterns(40, query);
    std::vector<Symbol> longer(100 * length, 9);
    longer.insert(longer.end(), query.begin(), query.end());
    patterns.push_back(longer);
    const HostPatterns store(Testing::context(), Testing::ragged(patterns));
    for (const Space space : Testing::spaces()) {
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
  Sequences patterns;
  for (std::size_t length = 1; length <= 100; ++length)
    patterns.emplace_back(length, static_cast<Symbol>(1));
  const HostPatterns store(Testing::context(), Testing::ragged(patterns));
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

}  // namespace LengthBoundTest
