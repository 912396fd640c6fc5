// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "TestGenerator.hpp"
#include "sequence/PatternSegment.hpp"

namespace StoredTilesTest {

using namespace Kindred;
using namespace Kindred::Impl;
using Testing::random_below;

/// Rows of up to \p length symbols, which leave gaps in the vocabulary.
Ragged<Symbol> random_rows(std::size_t rows, std::size_t length, Symbol vocabulary) {
  Ragged<Symbol> out;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t left = random_below(length + 1); left > 0; --left)
      out.values.push_back(static_cast<Symbol>(3 * random_below(vocabulary) + 1));
    out.close_row();
  }
  return out;
}

TEST(StoredTiles, MatchBuiltTiles) {
  Context& context = Testing::context();
  for (const Symbol vocabulary : {20U, 1000U, 500000U}) {
    for (const std::size_t size : {1U, 32U, 33U, 700U}) {
      const Ragged<Symbol> patterns = random_rows(size, vocabulary > 1000 ? 300 : 30, vocabulary);
      const Ragged<Symbol> queries = random_rows(5, 30, vocabulary);
      const PatternSegment built(context, patterns, Residency::automatic);
      const std::vector<Symbol> by_dense = built.store().symbols.by_dense();
      const PatternSegment stored(context, built.store().stored(by_dense), Residency::automatic);
      ASSERT_EQ(stored.size(), size);
      EXPECT_EQ(stored.store().longest, built.store().longest);
      EXPECT_EQ(stored.store().symbol_count, built.store().symbol_count);
      for (const Measure measure : {Measure::lcs, Measure::difflib}) {
        const MatchOptions options{.measure = measure, .threshold = 0};
        const auto matches = [&](const PatternSegment& segment, Space space) {
          std::vector<std::vector<Match>> answers;
          const Impl::DenseQueries dense = segment.dense(queries);
          PatternSegment::Matching{segment, dense, options, answers}(space);
          return answers;
        };
        for (const Space space : Testing::spaces())
          EXPECT_EQ(matches(stored, space), matches(built, space));
      }
      EXPECT_EQ(stored.blocks(size / 2, queries[0], {}), built.blocks(size / 2, queries[0], {}));
      EXPECT_EQ(stored.bytes(Space::serial), built.bytes(Space::serial));
    }
  }
}

TEST(StoredTiles, AddLittlePaddingToKatosWorkloads) {
  struct Workload {
    std::size_t least, most;  // symbols per event; a pattern has 2 to 5 events
  };
  for (const Workload& workload : {Workload{5, 20}, Workload{3, 15}, Workload{3, 10}}) {
    for (const std::size_t count : {1000U, 10000U}) {
      Ragged<Symbol> patterns;
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t events = 2 + random_below(4); events > 0; --events) {
          const std::size_t symbols =
              workload.least + random_below(workload.most - workload.least + 1);
          for (std::size_t s = 0; s < symbols; ++s)
            patterns.values.push_back(static_cast<Symbol>(random_below(150)));
        }
        patterns.close_row();
      }
      const PatternSegment segment(Testing::context(), patterns, Residency::host);
      const double stored = static_cast<double>(segment.store().tiles.rows) * tile_patterns;
      EXPECT_LE(stored, 1.05 * static_cast<double>(patterns.values.size()))
          << count << " patterns of events of " << workload.least << " to " << workload.most;
    }
  }
}

}  // namespace StoredTilesTest
