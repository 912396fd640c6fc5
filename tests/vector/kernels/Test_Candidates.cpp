// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/impl/CandidateTeams.hpp>

#include <utility>

#include "VectorData.hpp"

namespace CandidatesTest {

using namespace Kindred;
using namespace Testing;
using Testing::Array;
using Lists = Ragged<std::uint32_t>;

constexpr std::uint32_t none_is_bad = 0xFFFFFFFF;

/// The ranks of the candidates that pass, for every query.
std::vector<std::vector<Rank>> ranked(const Question& asked, const Lists& lists) {
  std::vector<std::vector<Rank>> out;
  for (std::size_t query = 0; query < lists.rows(); ++query)
    out.push_back(asked.ranked(query, lists[query]));
  return out;
}

/// The results of \p space, computed \p calls times with one workspace; empty if a call needs more
/// than one launch.
std::vector<Rank> ranks_of(Space space, const Question& asked, const Lists& lists, int calls = 1,
                           std::uint32_t* bad_query = nullptr) {
  return Impl::with_instance(context(), space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    const VectorData<execution_space> data(exec_space, asked);
    CandidateShape shape{lists.rows(), 0, asked.top};
    for (std::size_t query = 0; query < lists.rows(); ++query)
      shape.longest = std::max(shape.longest, lists[query].size());
    if (!fits_one_launch(exec_space, data.view, shape)) return std::vector<Rank>{};
    const CandidatePlan plan = candidate_plan(exec_space, shape);
    const auto offsets = to_space(exec_space, lists.offsets);
    const auto candidates = to_space(exec_space, lists.values);
    const Array<execution_space, Rank> best("best", lists.rows() * asked.top);
    const Array<execution_space, Rank> workspace("workspace", plan.workspace(lists.rows()));
    const Array<execution_space, std::uint32_t> arrived("arrived", lists.rows());
    const auto bad = to_space(exec_space, std::vector<std::uint32_t>{none_is_bad});
    CandidateCheck<execution_space> check;
    if (bad_query != nullptr) check = {asked.rows.count(), bad.data()};
    std::vector<Rank> first;
    for (int call = 0; call < calls; ++call) {
      rank_candidates<execution_space>(exec_space, asked.metric, data.view, offsets, candidates,
                                       data.filter, data.prepared, plan, asked.top, best, workspace,
                                       arrived, check);
      const auto out = to_host(exec_space, best);
      if (call == 0) first = out;
      EXPECT_EQ(out, first) << "call " << call;
    }
    if (bad_query != nullptr) *bad_query = to_host(exec_space, bad)[0];
    return first;
  });
}

/// Expects the reference's results for random lists of these lengths, which have duplicates.
void expect_reference(Question asked, const std::vector<std::size_t>& lengths,
                      bool one_launch = true) {
  const Lists lists = random_lists<std::uint32_t>(asked.rows.count(), lengths);
  asked.queries = normal_values(lengths.size() * asked.rows.dimension);
  for (const Metric metric : all_metrics) {
    asked.metric = metric;
    const auto expected = best_of(ranked(asked, lists), asked.top);
    for (const Space space : spaces()) {
      const auto ranks = ranks_of(space, asked, lists);
      if (ranks.empty() && (!one_launch || expected.empty())) continue;
      ASSERT_EQ(ranks, expected) << asked.text() << " on " << to_string(space);
    }
  }
}

TEST(Candidates, MatchReferenceOnListsOfEveryLength) {
  Question asked = random_question(3000, 12, 0);
  std::vector<std::size_t> lengths = edge_sizes;
  for (const std::size_t length : {7UL, 8UL, 9UL, 512UL, 1023UL, 1024UL, 1025UL, 2048UL, 2500UL})
    lengths.push_back(length);
  for (const std::size_t top : {1UL, 7UL, 8UL, 10UL, 33UL, 100UL, 1000UL, 1024UL}) {
    asked.top = top;
    // Alone, so that the list is divided into small chunks, and together with others.
    for (const std::size_t length : {9UL, 65UL, 1024UL, 2048UL}) expect_reference(asked, {length});
    expect_reference(asked, lengths, top <= 100);
  }
}

TEST(Candidates, MatchReferenceForEveryElementTypeAndDimension) {
  for (const DataType element : all_elements) {
    for (const std::size_t dimension : {1UL, 3UL, 4UL, 32UL, 36UL, 260UL, 768UL, 4100UL})
      expect_reference(random_question(60, dimension, 0, element), {40, 0, 9}, dimension % 4 == 0);
  }
}

TEST(Candidates, ReportTheFirstQueryWithAnInvalidRow) {
  Question asked = random_question(100, 8, 5);
  asked.metric = Metric::ip;
  asked.top = 5;
  const auto lists = random_lists<std::uint32_t>(100, {40, 9, 0, 300, 70});
  for (const Space space : spaces()) {
    const auto all = ranks_of(space, asked, lists);
    for (const std::uint32_t bad : {100U, 0xFFFFFFFFU}) {
      auto broken = lists;
      broken.values[49 + 250] = bad;  // of query 3
      broken.values.back() = bad;     // of query 4
      std::uint32_t bad_query = 0;
      const auto ranks = ranks_of(space, asked, broken, 1, &bad_query);
      EXPECT_EQ(bad_query, 3U) << to_string(space);
      ASSERT_EQ(ranks.size(), all.size());
      EXPECT_TRUE(std::equal(ranks.begin(), ranks.begin() + 3 * 5, all.begin()));
      EXPECT_EQ(ranks_of(space, asked, lists, 1, &bad_query), all);
      EXPECT_EQ(bad_query, none_is_bad) << to_string(space);
    }
  }
}

/// The results of the device's teams, executed with one thread each on the host.
std::vector<Rank> ranks_of_teams(const Question& asked, const Lists& lists, std::uint32_t chunk) {
  const HostSpace& exec_space = Impl::host_instance(context(), Space::serial);
  const VectorData<HostSpace> data(exec_space, asked);
  const auto top = static_cast<std::uint32_t>(asked.top);
  CandidatePlan plan{chunk, 1, std::min(chunk, top)};
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
                 data.prepared.norms.data(), best.data(), top},
                plan,
                static_cast<std::uint32_t>(std::countr_zero(plan.chunk)),
                top,
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
  for (const std::size_t count : {20UL, 3000UL}) {
    for (const std::vector<std::size_t>& lengths :
         std::vector<std::vector<std::size_t>>{{1}, {9}, {64}, {300}, {1024}, {1000, 0, 77, 8}}) {
      const auto lists = random_lists<std::uint32_t>(count, lengths);
      Question asked = random_question(count, 12, lengths.size());
      const auto expected = ranked(asked, lists);
      for (const std::size_t top : {1UL, 2UL, 7UL, 10UL, 33UL, 130UL}) {
        asked.top = top;
        for (const std::uint32_t chunk : {8U, 32U, 64U})
          ASSERT_EQ(ranks_of_teams(asked, lists, chunk), best_of(expected, top))
              << "chunks of " << chunk << ", " << asked.text();
      }
    }
  }
}

/// The bits of scores, and ids, per query.
using Found = std::pair<std::vector<std::uint32_t>, std::vector<std::int64_t>>;

/// Lists of ids of one length, among them ids of no row, and the rows that they are.
struct GivenIds {
  GivenIds(Question& asked, std::size_t length_, bool numbered) : length(length_) {
    const std::size_t count = asked.rows.count();
    for (std::uint32_t row = 0; row < count && numbered; ++row) asked.ids.push_back(3 * row + 7);
    for (std::size_t query = 0; query < asked.count(); ++query) {
      for (std::size_t i = 0; i < length; ++i) {
        const auto row = static_cast<std::uint32_t>(random_below(count));
        if (random_below(5) == 0) {
          const std::int64_t last = numbered ? asked.ids.back() : count - 1;
          const std::int64_t absent[] = {-1, last + 1, std::int64_t{1} << 40, INT64_MIN,
                                         numbered ? 8 : -7};
          ids.push_back(absent[random_below(5)]);
          continue;
        }
        ids.push_back(numbered ? asked.ids[row] : row);
        rows.values.push_back(row);
      }
      rows.close_row();
    }
  }
  std::size_t length;
  std::vector<std::int64_t> ids;
  Lists rows;
};

Found expected_found(const Question& asked, const GivenIds& lists, std::size_t places) {
  std::vector<float> scores(asked.count() * places);
  std::vector<std::int64_t> ids(scores.size());
  const RankedOutput out{scores.data(), places, ids.data(), places, places};
  const auto ranks = best_of(ranked(asked, lists.rows), places);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    out.write(asked.metric, i / places, i % places, ranks[i]);
  return {bits(scores), ids};
}

/// What one launch finds with chunks of \p chunk candidates; the second of two calls.
Found found_at_once(Space space, const Question& asked, const GivenIds& lists, std::uint32_t chunk,
                    std::size_t places) {
  return Impl::with_instance(context(), space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    const std::size_t count = asked.count();
    const std::size_t top = std::min(places, lists.length);
    const VectorData<execution_space> data(exec_space, asked);
    const auto ids = to_space(exec_space, lists.ids);
    const auto chunks = static_cast<std::uint32_t>((lists.length + chunk - 1) / chunk);
    const CandidatePlan plan{chunk, chunks,
                             static_cast<std::uint32_t>(std::min<std::size_t>(chunk, top))};
    const Array<execution_space, Rank> workspace("workspace", plan.workspace(count));
    const Array<execution_space, std::uint32_t> arrived("arrived", count);
    const Array<execution_space, float> scores("scores", count * places);
    const Array<execution_space, std::int64_t> best("ids", count * places);
    const std::uint64_t rows = asked.rows.count();
    const SegmentIds segment{data.ids.data(), asked.ids.empty() ? 0 : asked.ids.front(), rows,
                             asked.ids.empty()};
    for (int call = 0; call < 2; ++call) {
      rank_given_candidates<execution_space>(
          exec_space, asked.metric, data.view, segment,
          IdLists{ids.data(), count, lists.length, lists.length}, data.filter,
          GivenQueries{data.floats.data(), count, asked.rows.dimension}, plan, top,
          RankedOutput{scores.data(), places, best.data(), places, places}, workspace, arrived);
    }
    return Found{bits(to_host(exec_space, scores)), to_host(exec_space, best)};
  });
}

TEST(Candidates, GivenAsIdsAreRankedInOneLaunch) {
  for (const DataType element : {DataType::float32, DataType::float16, DataType::int8}) {
    for (const std::size_t dimension : {12UL, 300UL, 4100UL}) {
      for (const std::size_t length : {1UL, 8UL, 33UL, 300UL}) {
        Question asked =
            random_question(dimension > 1000 ? 40 : 500, dimension, 1 + random_below(3), element);
        if (dimension == 300) asked.filter(false, 2);
        const GivenIds lists(asked, length, random_below(2) == 0);
        for (const std::size_t places : {1UL, 10UL, 40UL}) {
          for (const Metric metric : all_metrics) {
            asked.metric = metric;
            const Found expected = expected_found(asked, lists, places);
            for (const std::uint32_t chunk : {8U, 64U, 1024U}) {
              for (const Space space : spaces())
                ASSERT_EQ(found_at_once(space, asked, lists, chunk, places), expected)
                    << asked.text() << " on " << to_string(space) << ", " << places << " of "
                    << length << ", chunks of " << chunk;
            }
          }
        }
      }
    }
  }
}

TEST(Candidates, GiveTheSameBitsInTwoHundredRepeats) {
  const Question asked = random_question(2000, 64, 1);
  const auto lists = random_lists<std::uint32_t>(2000, {1024});
  for (const Space space : spaces())
    EXPECT_EQ(ranks_of(space, asked, lists, 200), best_of(ranked(asked, lists), 10));
}

}  // namespace CandidatesTest
