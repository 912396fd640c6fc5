// SPDX-License-Identifier: Apache-2.0
#include "Allocations.hpp"
#include "VectorAnswers.hpp"

namespace PreparedScoreTest {

using namespace Kindred;
using namespace Testing;
using Ids = std::vector<std::uint64_t>;

/// An index, a query and lists of candidates.
struct Prepared {
  explicit Prepared(std::size_t count = 100)
      : index(context(), normal_values(count * dimension), dimension),
        query(normal_values(dimension)) {}
  VectorSpan rows(std::size_t count) {
    added = normal_values(count * dimension);
    return {added, dimension};
  }
  /// Expects that \p prepared gives what the index does.
  void expect_same(PreparedScore& prepared, const Ids& candidates, const SearchOptions& options) {
    Ragged<std::uint64_t> lists;
    lists.push_row(candidates);
    EXPECT_EQ(ranking_of(prepared.score(query, candidates)),
              ranking_of(index.score(query, lists, options).results.values))
        << candidates.size() << " candidates";
  }

  static constexpr std::size_t dimension = 16;
  VectorIndex index;
  std::vector<float> query, added;
};

TEST(PreparedScore, AllocatesNothingAfterItsFirstAnswer) {
  Prepared all(300);
  const Ids candidates = random_numbers(200, 300);
  const Ids filter(5, 0x5555555555555555U);
  for (const bool filtered : {false, true}) {
    for (const Space space : spaces()) {
      SearchOptions options{.space = space};
      if (filtered) options.filter_bits = filter;
      PreparedScore prepared(all.index, 256, options);
      EXPECT_EQ(prepared.space(), space);
      prepared.score(all.query, candidates);
      const std::size_t before = allocations();
      for (int call = 0; call < 20; ++call) prepared.score(all.query, candidates);
      EXPECT_EQ(allocations(), before) << to_string(space);
    }
  }
}

TEST(PreparedScore, UsesTheCurrentRowsWhenTheIndexChanges) {
  Prepared all;
  Ids candidates{5, 99, 3, 5};
  const SearchOptions options{.metric = Metric::ip};
  PreparedScore prepared(all.index, 10, options);
  prepared.score(all.query, candidates);
  for (const std::size_t added : {3UL, 500UL}) {
    all.index.add(all.rows(added));
    candidates.push_back(all.index.end_id() - 1);
    all.expect_same(prepared, candidates, options);
  }
  all.index.remove({{3}});
  EXPECT_THROW(prepared.score(all.query, candidates), InvalidArgument);
  all.expect_same(prepared, {600, 5}, options);
}

TEST(PreparedScore, FindsReplacedRowsInWhateverSegmentTheyAre) {
  Prepared all;
  for (const Space space : spaces()) {
    SCOPED_TRACE(to_string(space));
    const SearchOptions options{.space = space};
    PreparedScore prepared(all.index, 10, options);
    for (int change = 0; change < 6; ++change) {
      for (const Ids& candidates : {Ids{5, 99, 3, 5}, {7}, {7, 8}, {5, 7}, {8, 3, 7}, {99, 5}})
        all.expect_same(prepared, candidates, options);
      all.index.replace(change % 2 == 0 ? 7 : 8, all.rows(1));
    }
  }
}

TEST(PreparedScore, ReadsNoRowsOfItsLastListAfterTheIndexShrinks) {
  Prepared all(5000);
  PreparedScore prepared(all.index, 1000);
  prepared.score(all.query, numbers_from(4000, 1000));
  all.index.remove(numbers_from(3000, 2000));
  ASSERT_EQ(all.index.statistics().removed, 0U)
      << "the removed rows must be compacted, so that the rows have moved";
  all.expect_same(prepared, {17}, {});
}

TEST(PreparedScore, CopiesItsFilter) {
  Prepared all(160);
  for (const std::size_t segments : {1UL, 2UL}) {
    if (segments == 2) all.index.add(all.rows(40));
    ASSERT_EQ(all.index.statistics().segments, segments);
    const Ids candidates = random_numbers(100, all.index.end_id());
    for (const Space space : spaces()) {
      std::vector<std::uint8_t> bytes(all.index.end_id());
      Ids bits((bytes.size() + 63) / 64);
      for (std::size_t id = 0; id < bytes.size(); ++id) {
        bytes[id] = random_below(3) == 0;
        bits[id / 64] |= std::uint64_t{bytes[id]} << id % 64;
      }
      PreparedScore of_bytes(all.index, 100, {.filter = bytes, .space = space});
      PreparedScore of_bits(all.index, 100, {.filter_bits = bits, .space = space});
      const auto expected = ranking_of(of_bytes.score(all.query, candidates));
      ASSERT_FALSE(expected.empty());
      std::ranges::fill(bytes, 0);
      std::ranges::fill(bits, 0);
      EXPECT_EQ(ranking_of(of_bytes.score(all.query, candidates)), expected) << to_string(space);
      EXPECT_EQ(ranking_of(of_bits.score(all.query, candidates)), expected) << to_string(space);
      PreparedScore of_none(all.index, 100, {.filter_bits = bits, .space = space});
      EXPECT_TRUE(of_none.score(all.query, candidates).empty()) << to_string(space);
    }
  }
}

}  // namespace PreparedScoreTest
