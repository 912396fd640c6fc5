// SPDX-License-Identifier: Apache-2.0
#include "VectorAnswers.hpp"

namespace VectorMemoryTest {

using namespace Kindred;
using namespace Testing;

/// Expects that `call(index)` takes at most 64 MiB besides \p answer bytes and the index.
void expect_little(const std::vector<float>& rows, std::size_t dimension, Space space,
                   std::uint64_t answer, const std::string& what,
                   const std::function<void(VectorIndex&)>& call) {
  Context context({.load_profile = false});
  VectorIndex index(context, rows, dimension);
  call(index);
  EXPECT_LE(context.memory_statistics(space).bytes_peak, index.bytes(space) + answer + (64U << 20U))
      << what << " on " << to_string(space);
}

/// The spaces whose memory is limited: all but that of one thread.
std::vector<Space> limited_spaces() {
  std::vector<Space> out = spaces();
  std::erase(out, Space::serial);
  return out;
}

TEST(VectorMemory, IsAtMost64MebibytesBesidesTheAnswer) {
  constexpr std::size_t narrow = 8;
  const std::vector<float> rows = normal_values(300'000 * narrow);
  for (const auto& [count, top] : {std::pair(1UL, 10UL), {150UL, 100UL}, {3UL, 10'000UL}}) {
    const std::vector<float> queries = normal_values(count * narrow);
    for (const Space space : limited_spaces()) {
      for (const SearchPath path : all_paths) {
        const SearchOptions options{.top = top, .space = space, .path = path};
        expect_little(rows, narrow, space, count * top * 8, described(path, count, top),
                      [&](const VectorIndex& index) { index.search(queries, options); });
      }
    }
  }
}

TEST(VectorMemory, IsAtMost64MebibytesForManyQueriesOfLongRows) {
  constexpr std::size_t wide = 768;
  constexpr std::size_t count = 20'000;
  const std::vector<float> rows = normal_values(count * wide);
  std::vector<std::uint8_t> passes(count);
  for (auto& pass : passes) pass = random_below(2) == 0 ? 1 : 0;
  for (const Space space : limited_spaces()) {
    // More queries than one pass processes.
    const std::size_t query_count = space == Space::cuda ? 6000 : 40;
    const std::vector<float> queries = normal_values(query_count * wide);
    const auto candidates = random_lists<std::uint64_t>(count, std::vector(query_count, 1000UL));
    const auto check = [&](const std::string& what, std::size_t top, const auto& call) {
      expect_little(rows, wide, space, query_count * top * sizeof(std::uint64_t), what, call);
    };
    SearchOptions options{.space = space};
    const auto at_least = [&](const VectorIndex& index) {
      index.search_at_least(queries, 0.1F, options);
    };
    const auto score = [&](const VectorIndex& index) { index.score(queries, candidates, options); };
    for (const SearchPath path : all_paths) {
      options.path = path;
      for (const std::size_t top : {100UL, 1000UL}) {
        options.top = top;
        for (const std::size_t filtered : {std::size_t{0}, count}) {
          options.filter = std::span(passes).first(filtered);
          check(described(path, top, "filter", filtered), top,
                [&](const VectorIndex& index) { index.search(queries, options); });
        }
      }
      options.filter = {};
      check(described(path, "at least"), 0, at_least);
    }
    options.path = {};
    options.top = 10;
    check("candidates", 0, score);
    const auto calls_in_turn = [&](const VectorIndex& index) {
      for (const auto path :
           {SearchPath::gemm, SearchPath::quantized, SearchPath::brute_force, SearchPath::gemm}) {
        options.path = path;
        options.top = path == SearchPath::gemm ? 40 : 10;
        index.search(queries, options);
        score(index);
        at_least(index);
        options.top = 10;
        index.search(queries, options);
      }
    };
    check("calls in turn", 40, calls_in_turn);
    check("segments", 40, [&](VectorIndex& index) {
      index.add({row_of(rows, wide, 0, count / 4), wide});
      ASSERT_EQ(index.statistics().segments, 2U);
      calls_in_turn(index);
    });
  }
}

TEST(VectorMemory, IsReportedToBeTooSmallWhereNothingFits) {
  const std::vector<float> rows = normal_values(1000 * 4);
  const std::uint64_t needed = 1000 * (4 * sizeof(float) + sizeof(double));
  Context context({.host_budget = needed + 100, .load_profile = false});
  const VectorIndex index(context, rows, 4, Residency::host);
  EXPECT_THROW(index.search(std::span(rows).first(4)), OutOfMemory);
  Context small({.host_budget = 1000, .load_profile = false});
  EXPECT_THROW(VectorIndex(small, rows, 4), OutOfMemory);
}

TEST(VectorMemory, OfASmallBudgetGivesTheSameScoresOfCandidates) {
  const std::vector<float> rows = normal_values(300 * 16);
  const std::vector<float> queries = normal_values(100 * 16);
  const auto candidates = random_lists<std::uint64_t>(300, std::vector(100, 200UL));
  const std::uint64_t needed = 300 * (16 * sizeof(float) + sizeof(double));
  Context context({.host_budget = needed + 40000, .load_profile = false});
  const auto scores = [&](Context& in, Residency residency) {
    const VectorIndex index(in, rows, 16, residency);
    return ranking_of(index.score(queries, candidates, {.top = 7, .space = Space::serial}));
  };
  EXPECT_EQ(scores(context, Residency::host), scores(Testing::context(), Residency::host));
}

TEST(VectorMemory, IsWhereTheResidencySays) {
  const std::vector<float> rows(36, 1.0F);
  const std::vector<float> query(3, 1.0F);
  const SearchOptions on_device{.space = Space::cuda};
  const VectorIndex host(context(), rows, 3, Residency::host);
  EXPECT_GE(host.bytes(Space::serial), rows.size() * sizeof(float));
  EXPECT_EQ(host.bytes(Space::cuda), 0U);
  EXPECT_EQ(host.search(query).top, 10U) << "of 12 rows, by default";
  EXPECT_THROW(host.search(query, on_device), SpaceUnavailable);
  if (context().is_usable(Space::cuda)) {
    EXPECT_GT(VectorIndex(context(), rows, 3).bytes(Space::cuda), 0U);
    const VectorIndex device(context(), rows, 3, Residency::device);
    EXPECT_EQ(device.search(query).record.chosen, Space::cuda);
    EXPECT_THROW(device.search(query, {.space = Space::serial}), SpaceUnavailable);
  } else {
    for (const Residency residency : {Residency::both, Residency::device})
      EXPECT_THROW(VectorIndex(context(), rows, 3, residency), SpaceUnavailable);
  }
}

}  // namespace VectorMemoryTest
