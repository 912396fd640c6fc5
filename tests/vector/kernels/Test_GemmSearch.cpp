// SPDX-License-Identifier: Apache-2.0
// g++ 13 behind nvcc fails on other orders of these headers.
#include <gtest/gtest.h>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <array>
#include <optional>

#include "vector/GemmSearch.hpp"

#include "OnSpaces.hpp"
#include "VectorData.hpp"

#include <kindred/core/vector/impl/TileSelectKernels.hpp>

namespace GemmSearchTest {

using namespace Kindred;
using namespace Testing;
using Testing::Array;

/// \brief The worst product that the error model allows, of vector \p i with elements `a(d)` and \p
/// j with elements `b(d)`: it has the largest allowed error, in its own direction.
template <class A, class B>
double worst_product(std::uint64_t length, std::uint64_t i, const A& a, std::uint64_t j,
                     const B& b) {
  double sum = 0, a_square = 0, b_square = 0;
  for (std::uint64_t d = 0; d < length; ++d) {
    const double x{Arch::to_float(a(d))};
    const double y{Arch::to_float(b(d))};
    sum += x * y;
    a_square += x * x;
    b_square += y * y;
  }
  const double error = 0.999 * Impl::gemm_error(length) * std::sqrt(a_square) * std::sqrt(b_square);
  return (i * 2654435761U + j * 40503U) / 8 % 2 == 0 ? sum + error : sum - error;
}

/// The worst products, rounded to float16.
struct WorstProducts {
  void run(const HostSpace&, const Impl::GemmShape& shape, const Arch::Float16* a,
           const Arch::Float16* b, Arch::Float16* c) const {
    for (std::uint64_t i = 0; i < shape.m; ++i) {
      for (std::uint64_t j = 0; j < shape.n; ++j) {
        const double product = worst_product(
            shape.k, i, [&](std::uint64_t d) { return a[i * shape.lda + d]; }, j,
            [&](std::uint64_t d) { return b[j * shape.ldb + d]; });
        c[i * shape.ldc + j] =
            Arch::round_to<Arch::Float16>(static_cast<float>(product * shape.alpha));
      }
    }
  }
};

/// \brief The worst products again, compared with the threshold in the epilogue: the counterpart of
/// `ThresholdGemm`.
struct WorstThresholdGemm {
  static constexpr std::uint64_t query_multiple = Impl::ThresholdGemm::query_multiple;
  static constexpr std::uint64_t rows_best = 5 * TileLayout::block_vectors;
  static bool is_usable() { return true; }

  void run(const HostSpace&, const Impl::ThresholdTile<HostSpace>& tile) const {
    const TileLayout layout{tile.stride, true};
    const std::uint64_t block = TileLayout::block_vectors;
    ASSERT_EQ(tile.first % block, 0U);
    for (std::uint64_t r = tile.first; r < Impl::round_up(tile.last, block); ++r) {
      const TileRow row = tile.bounds[r];
      if (row.error == -infinity) continue;
      for (std::uint64_t q = 0; q < tile.lists.counts.size(); ++q) {
        const auto product = static_cast<float>(worst_product(
            tile.stride, q, [&](std::uint64_t d) { return tile.queries[layout.at(q, d)]; }, r,
            [&](std::uint64_t d) { return tile.rows[layout.at(r, d)]; }));
        const float weight = tile.weights == nullptr ? 0.0F : tile.weights[q];
        const float upper = tile_upper(product, row, 0.0F, weight);
        const float threshold = tile.lists.thresholds(q);
        if (upper < threshold || threshold == infinity) continue;
        const std::uint32_t index = tile.bounds.rows[r];
        if (tile.filter.passes(q, index))
          Impl::append_survivor(tile.lists, q, index, upper,
                                tile_width(product, row, 0.0F, weight));
      }
    }
  }
};

/// For searches without a threshold epilogue.
struct NoThresholdGemm {
  static constexpr std::uint64_t query_multiple = WorstThresholdGemm::query_multiple;
  static constexpr std::uint64_t rows_best = WorstThresholdGemm::rows_best;
  static bool is_usable() { return false; }
  template <class ExecutionSpace>
  void run(const ExecutionSpace&, const Impl::ThresholdTile<ExecutionSpace>&) const {}
};

template <class Threshold>
using WorstSearch =
    Impl::GemmSearch<HostSpace, Impl::DeviceTiles<HostSpace, WorstProducts, Threshold>>;

struct Found {
  std::vector<Rank> ranks;
  SearchReport report;
};

/// Whether queries are prepared in advance, passed as host floats that the search uploads, or
/// prepared for a search that does not wait.
enum class Queries { prepared, brought, queued };

/// Whether tiles round rows themselves or read a copy that was rounded before.
enum class Rounding { in_tiles, before };

/// The rounded copy of rows that the tiles of a search read.
template <class ExecutionSpace, class Search>
struct RoundedCopy {
  RoundedCopy(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows) {
    if constexpr (requires { Search::tiles_type::rounded_layout(1); }) {
      using tiles = typename Search::tiles_type;
      const auto order = TileOrder<ExecutionSpace>::of(rows.norms.size());
      view.layout = tiles::rounded_layout(rows.dimension);
      const std::size_t positions = tiles::rounded_positions(rows.dimension, order.positions());
      values = Array<ExecutionSpace, Arch::Float16>("rounded", positions * view.layout.stride);
      squares = Array<ExecutionSpace, float>("rounded_squares", positions);
      const auto round = [&](std::size_t begin, std::size_t count) {
        round_tile_rows<ExecutionSpace, Arch::Float16>(
            exec_space, rows, order, begin, view.layout,
            Kokkos::subview(values, std::pair(begin * view.layout.stride,
                                              (begin + count) * view.layout.stride)),
            Kokkos::subview(squares, std::pair(begin, begin + count)));
      };
      // The first block again, as after a change of its rows.
      round(0, positions);
      round(0, TileLayout::block_vectors);
      view.values = values;
      view.squares = squares;
    }
  }

  Array<ExecutionSpace, Arch::Float16> values;
  Array<ExecutionSpace, float> squares;
  RoundedRows<ExecutionSpace, Arch::Float16> view;
};

template <class ExecutionSpace, class Search>
Found run(const ExecutionSpace& exec_space, Space space, Search& search, const Question& asked,
          Queries how = Queries::prepared, Rounding rounding = Rounding::in_tiles) {
  const VectorData<ExecutionSpace> data(exec_space, asked);
  std::optional<RoundedCopy<ExecutionSpace, Search>> copy;
  RoundedRows<ExecutionSpace, Arch::Float16> rounded;
  if (rounding == Rounding::before && asked.rows.count() > 0)
    rounded = copy.emplace(exec_space, data.view).view;
  search.bind(context().memory(space));
  Found found;
  const Array<ExecutionSpace, Rank> best("best", asked.count() * asked.top);
  const auto ask = [&](const Impl::QuerySource<ExecutionSpace>& requested) {
    search.search(exec_space, data.view, data.filter, requested, asked.metric, asked.top, best,
                  found.report, rounded);
  };
  if (how == Queries::queued) {
    search.queue(exec_space, data.view, data.filter, data.prepared, asked.metric, asked.top, best,
                 rounded);
  } else if (how == Queries::prepared) {
    ask(Impl::QuerySource<ExecutionSpace>(data.prepared, asked.rows.dimension));
  } else {
    Impl::PinnedArray<float> floats(context().pinned_memory(), "queries");
    floats.resize_discarding(asked.queries.size());
    std::copy(asked.queries.begin(), asked.queries.end(), floats.data());
    ask({floats.data(), asked.count(), asked.rows.dimension});
    exec_space.fence("Kindred::Testing::run");
  }
  exec_space.fence("Kindred::Testing::run");
  found.ranks = to_host(exec_space, best);
  return found;
}

/// As `run`, with a search of its own for a space.
Found run_on(Space space, const Question& asked) {
  return Impl::with_instance(context(), space, [&](const auto& exec_space) {
    Impl::GemmSearch<std::decay_t<decltype(exec_space)>> search;
    return run(exec_space, space, search, asked);
  });
}

/// Every variant of the search by matrix products must give the ranks of the reference.
void expect_reference(const Question& asked, const std::vector<std::vector<Rank>>& ranked) {
  SCOPED_TRACE(asked.text());
  const std::vector<Rank> expected = best_of(ranked, asked.top);
  const bool is_queued =
      asked.is_shared() && Impl::GemmSearch<HostSpace>::can_queue(asked.rows.dimension, asked.top);
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    for (const Rounding rounding : {Rounding::in_tiles, Rounding::before}) {
      SCOPED_TRACE(rounding == Rounding::before ? "of rounded rows" : "");
      for (const Queries how : {Queries::prepared, Queries::queued}) {
        if (!is_queued && (how == Queries::queued || rounding == Rounding::before)) continue;
        Impl::GemmSearch<ExecutionSpace> search;
        ASSERT_EQ(run(exec_space, space, search, asked, how, rounding).ranks, expected)
            << (how == Queries::queued ? "queued" : "prepared");
      }
      if constexpr (Arch::is_device<ExecutionSpace>) {
        Impl::GemmSearch<ExecutionSpace,
                         Impl::DeviceTiles<ExecutionSpace, Impl::DeviceGemm, NoThresholdGemm>>
            of_library;
        ASSERT_EQ(run(exec_space, space, of_library, asked, Queries::prepared, rounding).ranks,
                  expected)
            << "products of a vendor library";
      }
    }
  });
  if (::testing::Test::HasFatalFailure()) return;
  const auto& exec_space = Impl::host_instance(context(), Space::serial);
  for (const Impl::HostGemmLibrary library : Impl::host_gemm_libraries_by_speed) {
    const Impl::HostGemmChoice choice{library, Impl::GemmType::float32};
    if (!Impl::host_gemm_why_not(choice.library, choice.input).empty()) continue;
    Impl::GemmSearch<HostSpace> search;
    search.tiles() = Impl::HostTiles(choice);
    ASSERT_EQ(run(exec_space, Space::serial, search, asked).ranks, expected) << "float32";
  }
  WorstSearch<NoThresholdGemm> worst;
  WorstSearch<WorstThresholdGemm> fused;
  for (const auto& [how, rounding] : {std::pair(Queries::prepared, Rounding::in_tiles),
                                      std::pair(Queries::brought, Rounding::in_tiles),
                                      std::pair(Queries::prepared, Rounding::before)}) {
    ASSERT_EQ(run(exec_space, Space::serial, worst, asked, how, rounding).ranks, expected)
        << "the worst float16 products";
    ASSERT_EQ(run(exec_space, Space::serial, fused, asked, how, rounding).ranks, expected)
        << "the worst products, with a threshold epilogue";
  }
}

TEST(GemmSearch, PositionsOfRowsAreTheInverseOfTheirOrder) {
  for (const std::uint64_t count : {1U, 7U, 8U, 9U, 33U, 40U, 41U, 100U, 1000U, 4097U, 70'001U}) {
    const auto order = TileOrder<HostSpace>::of(count);
    for (std::uint64_t row = 0; row < count; ++row)
      ASSERT_EQ(order.row(order.position_of(row)), row) << count << " rows";
  }
}

TEST(GemmSearch, MatchesReferenceAtManySizes) {
  for (const auto& [count, dimension] :
       {std::array{1UL, 1UL}, {7UL, 3UL}, {129UL, 17UL}, {1000UL, 40UL}, {2500UL, 16UL}})
    for_each_metric(random_question(count, dimension, 37), {1, 10, 200}, expect_reference);
}

TEST(GemmSearch, MatchesReferenceForEveryElement) {
  for (const DataType element : all_elements) {
    Question asked = random_question(700, 24, 20, element);
    for (std::uint32_t row = 0; row < 700; ++row) asked.ids.push_back(3 * (699 - row));
    for_each_metric(asked, {15}, expect_reference);
  }
}

TEST(GemmSearch, MatchesReferenceForEveryKindOfData) {
  for (const auto& kind : kinds_of_data()) {
    SCOPED_TRACE(kind.name);
    const bool is_hard = kind.name == "each row another challenge";
    for (const std::size_t dimension : {5UL, 48UL}) {
      std::vector<std::size_t> tops{20};
      if (is_hard || dimension == 5) tops = {1, 20, 150};
      const DataOfKind data(kind, is_hard ? 600 : 150, 6, dimension);
      for_each_metric({StoredRows::near(DataType::float32, data.rows, dimension), data.queries},
                      tops, expect_reference);
    }
  }
}

TEST(GemmSearch, PrefiltersMostRows) {
  const std::size_t count = 30000;
  const Question asked = random_question(count, 64, 64);
  for (const Space space : spaces()) {
    const Found found = run_on(space, asked);
    EXPECT_EQ(found.report.prefiltered, 64 * count);
    EXPECT_GE(found.report.survivors, 64 * asked.top);
    EXPECT_LE(found.report.survivors, 64 * 3 * asked.top) << to_string(space);
  }
}

TEST(GemmSearch, IsCorrectWhereListsOverflow) {
  const auto& identical = kinds_of_data()[1];  // all tie at the bound
  const DataOfKind data(identical, 1500, 5, 12);
  for_each_metric({StoredRows::near(DataType::float32, data.rows, 12), data.queries}, {10},
                  expect_reference);
}

TEST(GemmSearch, DividesQueriesIntoPartsWhereMemoryIsSmall) {
  const auto& exec_space = Impl::host_instance(context(), Space::serial);
  /// Queries that are uploaded to the workspace of the products, and then in that of the scores.
  const auto expect_parts = [&](auto search, const Question& asked, std::size_t workspace) {
    const Impl::QuerySource<HostSpace> source(asked.queries.data(), asked.count(),
                                              asked.rows.dimension);
    ASSERT_GT(source.bytes_needed(asked.count()), workspace);
    EXPECT_EQ(run(exec_space, Space::serial, search, asked, Queries::brought).ranks,
              best_of(asked.ranked(), asked.top));
  };
  expect_parts(WorstSearch<NoThresholdGemm>(), random_question(150, 512, 190), 1U << 20U);
  // 8 MiB for products with a threshold epilogue, with the last block padded.
  Question of_distances = random_question(40, 4096, 190);
  of_distances.metric = Metric::l2;
  expect_parts(WorstSearch<WorstThresholdGemm>(), of_distances, 8U << 20U);
  // Lists whose scores exceed 4 MiB in total.
  Question asked = random_question(6000, 4, 200);
  asked.metric = Metric::ip;
  asked.top = 2000;
  const Found found = run_on(Space::serial, asked);
  EXPECT_EQ(found.ranks, best_of(asked.ranked(), asked.top));
  EXPECT_GT(found.report.survivors * (sizeof(Rank) + sizeof(std::uint32_t)), 4U << 20U);
}

TEST(GemmSearch, EqualsSearchThenFilter) {
  Question asked = random_question(1100, 16, 9);
  asked.metric = Metric::ip;
  asked.top = 30;
  for (const std::uint64_t every : {1UL, 2UL, 5UL, 100UL, ~0UL}) {
    for (const bool per_query : {false, true}) {
      asked.filter(per_query, every);
      expect_reference(asked, asked.ranked());
      if (every != 100) continue;
      for (auto& pass : asked.passes) pass = pass == 0 ? 1 : 0;
      expect_reference(asked, asked.ranked());
    }
  }
}

}  // namespace GemmSearchTest
