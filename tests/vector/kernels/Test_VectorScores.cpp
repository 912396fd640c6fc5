// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/Copies.hpp>

#include <bit>
#include <string>
#include <vector>

#include "Support.hpp"
#include "VectorData.hpp"

namespace VectorScoresTest {

using namespace Kindred;

using Testing::all_elements;
using Testing::normal_values;
using Testing::reference_rank;
using Testing::StoredRows;

constexpr auto& metrics = Testing::all_metrics;

std::vector<Rank> ranks_of_rows(Space space, Metric metric, const std::vector<float>& rows,
                                const std::vector<float>& queries, std::size_t dimension,
                                std::size_t begin, std::size_t count,
                                const std::vector<std::uint8_t>& filter) {
  return Testing::ranks_of_rows(Testing::context(), space, metric,
                                StoredRows::near(DataType::float32, rows, dimension), queries,
                                begin, count, filter);
}

TEST(VectorScores, MatchReferenceAtEveryDimension) {
  auto generator = Testing::generator("VectorScores dimension");
  for (const std::size_t dimension :
       {1UL, 2UL, 3UL, 31UL, 32UL, 33UL, 63UL, 65UL, 768UL, 4095UL, 4096UL, 4097UL, 10000UL}) {
    const std::size_t count = 37;
    const std::vector<float> rows = normal_values(generator, count * dimension);
    const std::vector<float> queries = normal_values(generator, 8 * dimension);
    for (const Metric metric : metrics) {
      SCOPED_TRACE(std::string(to_string(metric)) + ", dimension " + std::to_string(dimension));
      std::vector<Rank> expected;
      for (std::size_t q = 0; q < 8; ++q) {
        for (std::size_t r = 0; r < count; ++r) {
          expected.push_back(reference_rank(
              metric, std::span(queries).subspan(q * dimension, dimension),
              std::span(rows).subspan(r * dimension, dimension), static_cast<std::uint32_t>(r)));
        }
      }
      for (const Space space : Testing::spaces()) {
        ASSERT_EQ(ranks_of_rows(space, metric, rows, queries, dimension, 0, count, {}), expected)
            << to_string(space);
      }
    }
  }
}

TEST(VectorScores, DoNotDependOnTheBatch) {
  auto generator = Testing::generator("VectorScores batch");
  const std::size_t dimension = 100;
  const std::size_t count = 70;
  const std::vector<float> rows = normal_values(generator, count * dimension);
  for (const std::size_t queries : {1UL, 2UL, 5UL, 6UL, 7UL, 95UL, 96UL, 97UL, 200UL}) {
    const std::vector<float> all = normal_values(generator, queries * dimension);
    for (const Space space : Testing::spaces()) {
      const auto together =
          ranks_of_rows(space, Metric::cosine, rows, all, dimension, 0, count, {});
      std::vector<Rank> single;
      for (std::size_t q = 0; q < queries; ++q) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(q * dimension);
        const auto part = ranks_of_rows(space, Metric::cosine, rows,
                                        {first, first + static_cast<std::ptrdiff_t>(dimension)},
                                        dimension, 0, count, {});
        single.insert(single.end(), part.begin(), part.end());
      }
      ASSERT_EQ(together, single) << queries << " queries on " << to_string(space);
    }
  }
}

TEST(VectorScores, RankChunksAndFilteredRowsLikeTheWhole) {
  auto generator = Testing::generator("VectorScores chunk");
  const std::size_t dimension = 33;
  const std::size_t count = 200;
  const std::vector<float> rows = normal_values(generator, count * dimension);
  const std::vector<float> queries = normal_values(generator, 3 * dimension);
  std::vector<std::uint8_t> filter(count);
  for (std::size_t i = 0; i < count; ++i) filter[i] = generator() % 3 == 0 || i / 32 == 2 ? 0 : 255;
  for (const Space space : Testing::spaces()) {
    const auto whole = ranks_of_rows(space, Metric::l2, rows, queries, dimension, 0, count, {});
    for (const std::size_t begin : {0UL, 1UL, 17UL, 199UL}) {
      for (const std::size_t length : {1UL, 15UL, 16UL, 17UL, count - begin}) {
        if (begin + length > count) continue;
        const auto part =
            ranks_of_rows(space, Metric::l2, rows, queries, dimension, begin, length, filter);
        for (std::size_t q = 0; q < 3; ++q) {
          for (std::size_t i = 0; i < length; ++i) {
            ASSERT_EQ(part[q * length + i],
                      filter[begin + i] == 0 ? rank_none : whole[q * count + begin + i]);
          }
        }
      }
    }
  }
}

TEST(VectorScores, ScoreCandidatesLikeTheirRows) {
  auto generator = Testing::generator("VectorScores candidates");
  const std::size_t dimension = 65;
  const std::size_t count = 50;
  const std::vector<float> rows = normal_values(generator, count * dimension);
  const std::vector<float> queries = normal_values(generator, 2 * dimension);
  for (const Space space : Testing::spaces()) {
    for (const Metric metric : metrics) {
      Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
        using execution_space = std::decay_t<decltype(exec_space)>;
        using memory_space = typename execution_space::memory_space;
        const auto tile_size = static_cast<std::size_t>(candidate_tile<execution_space>());
        const std::size_t tiles = 9;
        std::vector<std::uint32_t> ids(tiles * tile_size);
        std::vector<std::uint32_t> owner(tiles);
        for (std::size_t u = 0; u < tiles; ++u) {
          owner[u] = static_cast<std::uint32_t>(u % 2);
          const std::size_t filled = u == 4 ? 0 : 1 + u % tile_size;
          for (std::size_t i = 0; i < tile_size; ++i) {
            ids[u * tile_size + i] =
                i < filled ? static_cast<std::uint32_t>(generator() % count) : no_candidate;
          }
        }
        const Testing::VectorData<execution_space> data(
            exec_space, StoredRows::near(DataType::float32, rows, dimension), queries);
        Kokkos::View<std::uint32_t*, memory_space> id_view("ids", ids.size());
        Kokkos::View<std::uint32_t*, memory_space> owner_view("owner", owner.size());
        Kokkos::View<Rank*, memory_space> ranks("ranks", ids.size());
        Impl::upload(exec_space, id_view, ids.data(), ids.size());
        Impl::upload(exec_space, owner_view, owner.data(), owner.size());
        score_candidates(exec_space, metric, data.view,
                         ArrayView<const std::uint32_t, execution_space>(id_view),
                         ArrayView<const std::uint32_t, execution_space>(owner_view), data.prepared,
                         ArrayView<Rank, execution_space>(ranks));
        std::vector<Rank> out(ids.size());
        Impl::download(exec_space, out.data(), ranks, out.size());
        for (std::size_t i = 0; i < ids.size(); ++i) {
          const Rank expected =
              ids[i] == no_candidate
                  ? rank_none
                  : reference_rank(
                        metric,
                        std::span(queries).subspan(owner[i / tile_size] * dimension, dimension),
                        std::span(rows).subspan(ids[i] * dimension, dimension), ids[i]);
          ASSERT_EQ(out[i], expected) << to_string(metric) << ' ' << i;
        }
      });
    }
  }
}

TEST(VectorScores, OfStoredElementsEqualThoseOfTheDecodedRows) {
  auto generator = Testing::generator("VectorScores elements");
  for (const DataType element : all_elements) {
    for (const std::size_t dimension : {1UL, 3UL, 4UL, 31UL, 32UL, 36UL, 100UL, 768UL, 4100UL}) {
      const std::size_t count = 23;
      const StoredRows rows =
          StoredRows::near(element, normal_values(generator, count * dimension), dimension);
      const std::vector<float> queries = normal_values(generator, 5 * dimension);
      std::vector<std::uint32_t> ids(count);
      for (std::uint32_t& id : ids) id = static_cast<std::uint32_t>(generator());
      std::vector<std::uint32_t> candidates(40);
      for (std::uint32_t& row : candidates) row = static_cast<std::uint32_t>(generator() % count);
      for (const Metric metric : metrics) {
        const auto rank = [&](std::size_t query, std::size_t row) {
          return reference_rank(metric, std::span(queries).subspan(query * dimension, dimension),
                                rows.row(row), ids[row]);
        };
        std::vector<Rank> scanned;
        for (std::size_t query = 0; query < 5; ++query) {
          for (std::size_t row = 2; row < count; ++row) scanned.push_back(rank(query, row));
        }
        std::vector<Rank> chosen;
        for (std::size_t i = 0; i < candidates.size(); ++i)
          chosen.push_back(rank(i % 5, candidates[i]));
        for (const Space space : Testing::spaces()) {
          SCOPED_TRACE(std::string(to_string(element)) + ' ' + std::string(to_string(metric)) +
                       " on " + std::string(to_string(space)) + ", dimension " +
                       std::to_string(dimension));
          ASSERT_EQ(Testing::ranks_of_rows(Testing::context(), space, metric, rows, queries, 2,
                                           count - 2, {}, ids),
                    scanned);
          ASSERT_EQ(Testing::ranks_of_candidates(Testing::context(), space, metric, rows, queries,
                                                 candidates, ids),
                    chosen);
        }
      }
    }
  }
}

TEST(VectorScores, RejectATileThatIsTooSmall) {
  const StoredRows rows = StoredRows::near(DataType::bfloat16, std::vector<float>(40, 1), 4);
  Impl::with_instance(Testing::context(), Space::serial, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    const Testing::VectorData<execution_space> data(exec_space, rows, std::vector<float>(4, 1));
    EXPECT_THROW(score_rows(exec_space, Metric::ip, data.view, 0, 10, {}, {}, data.prepared, {}),
                 InvalidArgument);
  });
}

}  // namespace VectorScoresTest
