// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/impl/CandidateTeams.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "Support.hpp"
#include "VectorData.hpp"

namespace CandidatesTest {

using namespace Kindred;
using Testing::normal_values;
using Testing::StoredRows;

/// A filter with one byte per row, shared by all queries or separate for each.
struct Filter {
  std::vector<std::uint8_t> passes;
  bool per_query = false;

  bool lets(std::size_t rows, std::size_t query, std::size_t row) const {
    return passes.empty() || passes[(per_query ? query * rows : 0) + row] != 0;
  }
};

std::vector<Rank> expected_ranks(Metric metric, const StoredRows& rows,
                                 const std::vector<float>& queries,
                                 const Ragged<std::uint32_t>& lists, const Filter& filter,
                                 std::size_t top) {
  std::vector<Rank> out;
  for (std::size_t query = 0; query < lists.rows(); ++query) {
    std::set<Rank> ranks;
    for (const std::uint32_t row : lists[query]) {
      if (!filter.lets(rows.count(), query, row)) continue;
      ranks.insert(Testing::reference_rank(
          metric, std::span(queries).subspan(query * rows.dimension, rows.dimension), rows.row(row),
          row));
    }
    std::vector<Rank> best(ranks.begin(), ranks.end());
    best.resize(top, rank_none);
    out.insert(out.end(), best.begin(), best.end());
  }
  return out;
}

/// The results of \p space, computed \p calls times with one workspace; empty if a call needs more
/// than one launch.
std::vector<Rank> ranks_of(Space space, Metric metric, const StoredRows& rows,
                           const std::vector<float>& queries, const Ragged<std::uint32_t>& lists,
                           const Filter& filter, std::size_t top, int calls = 1,
                           std::uint32_t* bad_query = nullptr) {
  return Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    using memory_space = typename execution_space::memory_space;
    const Testing::VectorData<execution_space> data(exec_space, rows, queries);
    CandidateShape shape{lists.rows(), 0, top};
    for (std::size_t query = 0; query < lists.rows(); ++query)
      shape.longest = std::max(shape.longest, lists[query].size());
    if (!fits_one_launch(exec_space, data.view, shape)) return std::vector<Rank>{};
    const CandidatePlan plan = candidate_plan(exec_space, shape);
    const std::size_t bitmaps = filter.passes.size() / rows.count();
    std::vector<std::uint64_t> words(bitmaps * filter_words(rows.count()), 0);
    for (std::size_t i = 0; i < filter.passes.size(); ++i) {
      const std::size_t row = i % rows.count();
      words[i / rows.count() * filter_words(rows.count()) + row / 64] |=
          std::uint64_t{filter.passes[i] != 0} << (row % 64);
    }
    Kokkos::View<std::uint64_t*, memory_space> passes("passes", words.size());
    Kokkos::View<std::uint64_t*, memory_space> offsets("offsets", lists.offsets.size());
    Kokkos::View<std::uint32_t*, memory_space> candidates("candidates", lists.values.size());
    Kokkos::View<Rank*, memory_space> best("best", lists.rows() * top);
    Kokkos::View<Rank*, memory_space> workspace("workspace", plan.workspace(lists.rows()));
    Kokkos::View<std::uint32_t*, memory_space> arrived("arrived", lists.rows());
    Impl::upload(exec_space, passes, words.data(), words.size());
    Impl::upload(exec_space, offsets, lists.offsets.data(), lists.offsets.size());
    Impl::upload(exec_space, candidates, lists.values.data(), lists.values.size());
    Kokkos::View<std::uint32_t, memory_space> bad("bad_query");
    CandidateCheck<execution_space> check;
    if (bad_query != nullptr) {
      check = {rows.count(), bad.data()};
      Kokkos::deep_copy(exec_space, bad, *bad_query);
    }
    std::vector<Rank> first;
    for (int call = 0; call < calls; ++call) {
      rank_candidates(
          exec_space, metric, data.view, ArrayView<const std::uint64_t, execution_space>(offsets),
          ArrayView<const std::uint32_t, execution_space>(candidates),
          RowFilter<execution_space>{passes, filter.per_query ? filter_words(rows.count()) : 0},
          data.prepared, plan, top, ArrayView<Rank, execution_space>(best),
          ArrayView<Rank, execution_space>(workspace),
          ArrayView<std::uint32_t, execution_space>(arrived), check);
      std::vector<Rank> out(best.size());
      Impl::download(exec_space, out.data(), best, out.size());
      if (call == 0) first = out;
      EXPECT_EQ(out, first) << "call " << call;
    }
    if (bad_query != nullptr) {
      Kokkos::deep_copy(exec_space, *bad_query, bad);
      exec_space.fence("Kindred::Testing::bad_query");
    }
    return first;
  });
}

void expect_reference(const StoredRows& rows, const std::vector<float>& queries,
                      const Ragged<std::uint32_t>& lists, const Filter& filter, std::size_t top,
                      bool one_launch = true) {
  for (const Metric metric : Testing::all_metrics) {
    const auto expected = expected_ranks(metric, rows, queries, lists, filter, top);
    for (const Space space : Testing::spaces()) {
      const auto ranks = ranks_of(space, metric, rows, queries, lists, filter, top);
      if (ranks.empty() && (!one_launch || expected.empty())) continue;
      ASSERT_EQ(ranks, expected) << to_string(metric) << " on " << to_string(space) << ", top "
                                 << top << ", " << to_string(rows.element);
    }
  }
}

Ragged<std::uint32_t> random_lists(std::mt19937_64& generator, std::size_t rows,
                                   const std::vector<std::size_t>& lengths) {
  Ragged<std::uint32_t> lists;
  for (const std::size_t length : lengths) {
    for (std::size_t i = 0; i < length; ++i)
      lists.values.push_back(static_cast<std::uint32_t>(generator() % rows));
    lists.close_row();
  }
  return lists;
}

TEST(Candidates, MatchReferenceOnListsOfEveryLength) {
  auto generator = Testing::generator("Candidates lengths");
  const StoredRows rows =
      StoredRows::near(DataType::float32, normal_values(generator, 3000 * 12), 12);
  std::vector<std::size_t> lengths = Testing::edge_sizes;
  for (const std::size_t length : {7UL, 8UL, 9UL, 512UL, 1023UL, 1024UL, 1025UL, 2048UL, 2500UL})
    lengths.push_back(length);
  for (const std::size_t top : {1UL, 7UL, 8UL, 10UL, 33UL, 100UL, 1000UL, 1024UL}) {
    // Alone, so that the list is divided into small chunks, and together with others.
    for (const std::size_t length : {9UL, 65UL, 1024UL, 2048UL}) {
      expect_reference(rows, normal_values(generator, 12),
                       random_lists(generator, rows.count(), {length}), {}, top);
    }
    expect_reference(rows, normal_values(generator, lengths.size() * 12),
                     random_lists(generator, rows.count(), lengths), {}, top, top <= 100);
  }
}

TEST(Candidates, MatchReferenceForEveryElementTypeAndDimension) {
  auto generator = Testing::generator("Candidates elements");
  for (const DataType element : Testing::all_elements) {
    for (const std::size_t dimension : {1UL, 3UL, 4UL, 32UL, 36UL, 260UL, 768UL, 4100UL}) {
      const StoredRows rows =
          StoredRows::near(element, normal_values(generator, 60 * dimension), dimension);
      expect_reference(rows, normal_values(generator, 3 * dimension),
                       random_lists(generator, rows.count(), {40, 0, 9}), {}, 10,
                       dimension % 4 == 0);
    }
  }
}

TEST(Candidates, CountADuplicateOnce) {
  auto generator = Testing::generator("Candidates duplicates");
  const StoredRows rows = StoredRows::near(DataType::float32, normal_values(generator, 20 * 8), 8);
  for (const std::size_t length : {20UL, 500UL, 1024UL, 2000UL}) {
    for (const std::size_t top : {1UL, 5UL, 19UL, 20UL, 40UL}) {
      expect_reference(rows, normal_values(generator, 3 * 8),
                       random_lists(generator, 20, {length, 1, length}), {}, top);
      expect_reference(rows, normal_values(generator, 8), random_lists(generator, 20, {length}), {},
                       top);
    }
  }
}

TEST(Candidates, OmitFilteredRows) {
  auto generator = Testing::generator("Candidates filter");
  const StoredRows rows =
      StoredRows::near(DataType::bfloat16, normal_values(generator, 300 * 16), 16);
  for (const bool per_query : {false, true}) {
    for (const std::size_t queries : {1UL, 5UL}) {
      Filter filter;
      filter.per_query = per_query;
      filter.passes.resize((per_query ? queries : 1) * rows.count());
      for (auto& passes : filter.passes) passes = generator() % 3 == 0 ? 1 : 0;
      const auto lists =
          random_lists(generator, rows.count(), std::vector<std::size_t>(queries, 700));
      for (const std::size_t top : {1UL, 10UL, 300UL})
        expect_reference(rows, normal_values(generator, queries * 16), lists, filter, top);
    }
  }
}

TEST(Candidates, ReportTheFirstQueryWithAnInvalidRow) {
  auto generator = Testing::generator("Candidates check");
  const StoredRows rows = StoredRows::near(DataType::float32, normal_values(generator, 100 * 8), 8);
  const std::vector<float> queries = normal_values(generator, 5 * 8);
  const auto lists = random_lists(generator, rows.count(), {40, 9, 0, 300, 70});
  for (const Space space : Testing::spaces()) {
    const auto all = ranks_of(space, Metric::ip, rows, queries, lists, {}, 5);
    for (const std::uint32_t bad : {100U, 0xFFFFFFFFU}) {
      auto broken = lists;
      broken.values[49 + 250] = bad;  // of query 3
      broken.values.back() = bad;     // of query 4
      std::uint32_t bad_query = 0xFFFFFFFF;
      auto ranks = ranks_of(space, Metric::ip, rows, queries, broken, {}, 5, 1, &bad_query);
      EXPECT_EQ(bad_query, 3U) << to_string(space);
      ASSERT_EQ(ranks.size(), all.size());
      EXPECT_TRUE(std::equal(ranks.begin(), ranks.begin() + 3 * 5, all.begin()));
      bad_query = 0xFFFFFFFF;
      EXPECT_EQ(ranks_of(space, Metric::ip, rows, queries, lists, {}, 5, 1, &bad_query), all);
      EXPECT_EQ(bad_query, 0xFFFFFFFFU) << to_string(space);
    }
  }
}

/// The results of the device's teams, executed with one thread each on the host.
std::vector<Rank> ranks_of_teams(const StoredRows& rows, const std::vector<float>& queries,
                                 const Ragged<std::uint32_t>& lists, std::uint32_t chunk,
                                 std::size_t top) {
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::serial);
  const Testing::VectorData<HostSpace> data(exec_space, rows, queries);
  CandidatePlan plan{chunk, 1, static_cast<std::uint32_t>(std::min<std::size_t>(chunk, top))};
  for (std::size_t query = 0; query < lists.rows(); ++query) {
    const std::size_t chunks = (lists[query].size() + chunk - 1) / chunk;
    plan.chunks = std::max(plan.chunks, static_cast<std::uint32_t>(chunks));
  }
  std::vector<Rank> best(lists.rows() * top);
  std::vector<Rank> workspace(plan.workspace(lists.rows()));
  std::vector<std::uint32_t> arrived(lists.rows(), 0);
  using ranking = Impl::CandidateRanking<HostSpace, float, Impl::PreparedLists>;
  const auto run = [&]<class Kernel>(std::type_identity<Kernel>) {
    const Kernel kernel(
        ranking{Metric::cosine,
                Impl::element_rows<float>(data.view),
                {},
                {lists.offsets.data(), lists.values.data(), data.prepared.values.data(),
                 data.prepared.norms.data(), best.data(), static_cast<std::uint32_t>(top)},
                plan,
                static_cast<std::uint32_t>(std::countr_zero(plan.chunk)),
                static_cast<std::uint32_t>(top),
                workspace.data(),
                arrived.data()});
    Kokkos::parallel_for(
        "Kindred::Testing::teams",
        Kokkos::TeamPolicy<HostSpace>(exec_space, static_cast<int>(lists.rows() * plan.chunks), 1)
            .set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes())),
        kernel);
  };
  using Impl::DotTerm;
  using Impl::PreparedLists;
  if (plan.chunks == 1) {
    run(std::type_identity<Impl::CandidateTeam<HostSpace, float, PreparedLists, DotTerm, false>>());
  } else if (plan.chunk <= Impl::candidate_short_chunk) {
    run(std::type_identity<Impl::CandidateWarps<HostSpace, float, PreparedLists, DotTerm>>());
  } else {
    run(std::type_identity<Impl::CandidateTeam<HostSpace, float, PreparedLists, DotTerm, true>>());
  }
  exec_space.fence("Kindred::Testing::teams");
  EXPECT_EQ(arrived, std::vector<std::uint32_t>(lists.rows(), 0));
  return best;
}

TEST(Candidates, OfADeviceMatchReferenceForAnyPartition) {
  auto generator = Testing::generator("Candidates teams");
  for (const std::size_t count : {20UL, 3000UL}) {
    StoredRows rows = StoredRows::near(DataType::float32, normal_values(generator, count * 12), 12);
    for (const std::vector<std::size_t>& lengths :
         std::vector<std::vector<std::size_t>>{{1}, {9}, {64}, {300}, {1024}, {1000, 0, 77, 8}}) {
      const auto lists = random_lists(generator, count, lengths);
      const std::vector<float> queries = normal_values(generator, lengths.size() * 12);
      for (const std::size_t top : {1UL, 2UL, 7UL, 10UL, 33UL, 130UL}) {
        const auto expected = expected_ranks(Metric::cosine, rows, queries, lists, {}, top);
        for (const std::uint32_t chunk : {8U, 32U, 64U}) {
          ASSERT_EQ(ranks_of_teams(rows, queries, lists, chunk, top), expected)
              << "chunks of " << chunk << ", top " << top << ", " << count << " rows";
        }
      }
    }
  }
}

/// Scores and ids per query.
struct Found {
  std::vector<std::uint32_t> scores;  ///< bits
  std::vector<std::int64_t> ids;

  bool operator==(const Found&) const = default;
};

/// Lists of ids of one length, among them ids of no row, and the rows that they are.
struct IdCase {
  std::vector<std::uint32_t> segment_ids;  ///< empty: the id is the row
  std::size_t length = 0;
  std::vector<std::int64_t> ids;
  Ragged<std::uint32_t> rows;

  IdCase(std::mt19937_64& generator, std::size_t row_count, std::size_t queries,
         std::size_t length_, bool numbered)
      : length(length_) {
    if (numbered) {
      for (std::size_t row = 0; row < row_count; ++row)
        segment_ids.push_back(static_cast<std::uint32_t>(3 * row + 7));
    }
    for (std::size_t query = 0; query < queries; ++query) {
      for (std::size_t i = 0; i < length; ++i) {
        const auto row = static_cast<std::uint32_t>(generator() % row_count);
        if (generator() % 5 == 0) {
          const std::int64_t last = numbered ? segment_ids.back() : row_count - 1;
          const std::int64_t absent[] = {-1, last + 1, std::int64_t{1} << 40, INT64_MIN,
                                         numbered ? 8 : -7};
          ids.push_back(absent[generator() % 5]);
          continue;
        }
        ids.push_back(numbered ? segment_ids[row] : row);
        rows.values.push_back(row);
      }
      rows.close_row();
    }
  }
};

Found expected_found(Metric metric, const StoredRows& rows, const std::vector<float>& queries,
                     const IdCase& lists, const Filter& filter, std::size_t places) {
  Found found{std::vector<std::uint32_t>(lists.rows.rows() * places),
              std::vector<std::int64_t>(lists.rows.rows() * places)};
  std::vector<float> scores(found.ids.size());
  const RankedOutput out{scores.data(), places, found.ids.data(), places, places};
  const auto ranks = expected_ranks(metric, rows, queries, lists.rows, filter, places);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    out.write(metric, i / places, i % places, ranks[i]);
  for (std::int64_t& id : found.ids)
    if (id >= 0 && !lists.segment_ids.empty()) id = lists.segment_ids[static_cast<std::size_t>(id)];
  for (std::size_t i = 0; i < scores.size(); ++i)
    found.scores[i] = std::bit_cast<std::uint32_t>(scores[i]);
  return found;
}

/// What one launch finds with chunks of \p chunk candidates; the second of two calls.
Found found_at_once(Space space, Metric metric, const StoredRows& rows,
                    const std::vector<float>& queries, const IdCase& lists, const Filter& filter,
                    std::uint32_t chunk, std::size_t top, std::size_t places) {
  return Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    using memory_space = typename execution_space::memory_space;
    const auto placed = [&]<class T>(const std::vector<T>& values) {
      Kokkos::View<T*, memory_space> view("values", values.size());
      Impl::upload(exec_space, view, values.data(), values.size());
      return view;
    };
    const std::size_t count = lists.rows.rows();
    Testing::VectorData<execution_space> data(exec_space, rows, queries);
    const auto segment_ids = placed(lists.segment_ids);
    data.view.ids = segment_ids;
    const auto ids = placed(lists.ids);
    const auto floats = placed(queries);
    std::vector<std::uint64_t> words(filter.passes.empty() ? 0 : filter_words(rows.count()), 0);
    for (std::size_t row = 0; row < filter.passes.size(); ++row)
      words[row / 64] |= std::uint64_t{filter.passes[row] != 0} << (row % 64);
    const auto passes = placed(words);
    const auto chunks = static_cast<std::uint32_t>((lists.length + chunk - 1) / chunk);
    const CandidatePlan plan{chunk, chunks,
                             static_cast<std::uint32_t>(std::min<std::size_t>(chunk, top))};
    Kokkos::View<Rank*, memory_space> workspace("workspace", plan.workspace(count));
    Kokkos::View<std::uint32_t*, memory_space> arrived("arrived", count);
    Kokkos::View<float*, memory_space> scores("scores", count * places);
    Kokkos::View<std::int64_t*, memory_space> best("ids", count * places);
    const std::uint64_t segment_rows = rows.count();
    const SegmentIds segment{segment_ids.data(),
                             lists.segment_ids.empty() ? 0 : lists.segment_ids.front(),
                             segment_rows, lists.segment_ids.empty()};
    for (int call = 0; call < 2; ++call) {
      rank_given_candidates(exec_space, metric, data.view, segment,
                            IdLists{ids.data(), count, lists.length, lists.length},
                            RowFilter<execution_space>{passes, 0},
                            GivenQueries{floats.data(), count, rows.dimension}, plan, top,
                            RankedOutput{scores.data(), places, best.data(), places, places},
                            ArrayView<Rank, execution_space>(workspace),
                            ArrayView<std::uint32_t, execution_space>(arrived));
    }
    std::vector<float> values(scores.size());
    Found found{std::vector<std::uint32_t>(scores.size()), std::vector<std::int64_t>(best.size())};
    Impl::download(exec_space, values.data(), scores, values.size());
    Impl::download(exec_space, found.ids.data(), best, best.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      found.scores[i] = std::bit_cast<std::uint32_t>(values[i]);
    return found;
  });
}

TEST(Candidates, GivenAsIdsAreRankedInOneLaunch) {
  auto generator = Testing::generator("Candidates given");
  for (const DataType element : {DataType::float32, DataType::float16, DataType::int8}) {
    for (const std::size_t dimension : {12UL, 300UL, 4100UL}) {
      const std::size_t row_count = dimension > 1000 ? 40 : 500;
      const StoredRows rows =
          StoredRows::near(element, normal_values(generator, row_count * dimension), dimension);
      Filter filter;
      if (dimension == 300)
        for (std::size_t row = 0; row < row_count; ++row) filter.passes.push_back(generator() % 2);
      for (const std::size_t length : {1UL, 8UL, 33UL, 300UL}) {
        const std::size_t count = 1 + generator() % 3;
        const IdCase lists(generator, row_count, count, length, generator() % 2 == 0);
        const std::vector<float> queries = normal_values(generator, count * dimension);
        for (const std::size_t places : {1UL, 10UL, 40UL}) {
          const std::size_t top = std::min(places, length);
          for (const std::uint32_t chunk : {8U, 64U, 1024U}) {
            for (const Metric metric : Testing::all_metrics) {
              const Found expected = expected_found(metric, rows, queries, lists, filter, places);
              for (const Space space : Testing::spaces()) {
                ASSERT_EQ(
                    found_at_once(space, metric, rows, queries, lists, filter, chunk, top, places),
                    expected)
                    << to_string(metric) << " on " << to_string(space) << ", " << places << " of "
                    << length << ", chunks of " << chunk << ", " << to_string(element);
              }
            }
          }
        }
      }
    }
  }
}

TEST(Candidates, GiveTheSameBitsInTwoHundredRepeats) {
  auto generator = Testing::generator("Candidates repeats");
  const StoredRows rows =
      StoredRows::near(DataType::float32, normal_values(generator, 2000 * 64), 64);
  const auto lists = random_lists(generator, rows.count(), {1024});
  const std::vector<float> query = normal_values(generator, 64);
  for (const Space space : Testing::spaces()) {
    EXPECT_EQ(ranks_of(space, Metric::cosine, rows, query, lists, {}, 10, 200),
              expected_ranks(Metric::cosine, rows, query, lists, {}, 10));
  }
}

TEST(Candidates, RankNaNRowsLastByRow) {
  std::vector<float> values(40 * 4, 1.0F);
  for (std::size_t row = 0; row < 40; row += 3)
    values[row * 4] = std::numeric_limits<float>::quiet_NaN();
  const StoredRows rows = StoredRows::near(DataType::float32, values, 4);
  Ragged<std::uint32_t> lists;
  for (std::uint32_t row = 40; row-- > 0;) lists.values.push_back(row);
  lists.close_row();
  expect_reference(rows, std::vector<float>(4, 2.0F), lists, {}, 40);
}

}  // namespace CandidatesTest
