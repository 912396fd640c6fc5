// SPDX-License-Identifier: Apache-2.0
// g++ 13 behind nvcc fails on other orders of these headers.
#include <gtest/gtest.h>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <cmath>
#include <limits>
#include <optional>

#include "vector/GemmSearch.hpp"

#include "Support.hpp"
#include "VectorData.hpp"
#include "kernels/WorstProducts.hpp"

namespace GemmSearchTest {

using namespace Kindred;
using Testing::all_elements;
using Testing::all_metrics;
using Testing::normal_values;
using Testing::NoThresholdGemm;
using Testing::StoredRows;
using Testing::VectorData;
using Testing::WorstProducts;
using Testing::WorstThresholdGemm;

/// The search of a space whose device offers only the products of a vendor library.
template <class ExecutionSpace>
struct LibrarySearch {
  using type =
      Impl::GemmSearch<ExecutionSpace,
                       Impl::DeviceTiles<ExecutionSpace, Impl::DeviceGemm, NoThresholdGemm>>;
};
template <>
struct LibrarySearch<HostSpace> {
  using type = Impl::GemmSearch<HostSpace>;
};

/// The parameters of a search.
struct Case {
  Metric metric = Metric::cosine;
  std::size_t top = 10;
  std::vector<std::uint8_t> passes;  ///< one byte per row, or per row and query; empty: all pass
  std::vector<std::uint32_t> ids;
};

struct Found {
  std::vector<Rank> ranks;
  SearchReport report;
};

template <class ExecutionSpace>
struct Prepared {
  using memory_space = typename ExecutionSpace::memory_space;

  Prepared(const ExecutionSpace& exec_space, const StoredRows& rows,
           const std::vector<float>& queries, const Case& target)
      : data(exec_space, rows, queries, target.ids) {
    const std::size_t per_query = filter_words(rows.count());
    const std::size_t bitmaps = target.passes.size() / std::max<std::size_t>(1, rows.count());
    std::vector<std::uint64_t> bits(bitmaps * per_query, 0);
    for (std::size_t i = 0; i < target.passes.size(); ++i) {
      const std::size_t row = i % rows.count();
      if (target.passes[i] != 0)
        bits[i / rows.count() * per_query + row / 64] |= std::uint64_t{1} << row % 64;
    }
    words = Kokkos::View<std::uint64_t*, memory_space>("words", bits.size());
    Impl::upload(exec_space, words, bits.data(), bits.size());
    filter = {words, bitmaps > 1 ? per_query : 0};
  }

  VectorData<ExecutionSpace> data;
  Kokkos::View<std::uint64_t*, memory_space> words;
  RowFilter<ExecutionSpace> filter;
};

/// Whether queries are prepared in advance, passed as host floats that the search uploads, or
/// prepared for a search that does not wait.
enum class Queries { prepared, brought, queued };

/// Whether tiles round rows themselves or read a copy that was rounded before.
enum class Rounding { in_tiles, before };

/// The rounded copy of rows that the tiles of a search read.
template <class ExecutionSpace, class Search>
struct RoundedCopy {
  using memory_space = typename ExecutionSpace::memory_space;

  RoundedCopy(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows) {
    if constexpr (requires { Search::tiles_type::rounded_layout(1); }) {
      using tiles = typename Search::tiles_type;
      const auto order = TileOrder<ExecutionSpace>::of(rows.norms.size());
      view.layout = tiles::rounded_layout(rows.dimension);
      const std::size_t positions = tiles::rounded_positions(rows.dimension, order.positions());
      values =
          Kokkos::View<Arch::Float16*, memory_space>("rounded", positions * view.layout.stride);
      squares = Kokkos::View<float*, memory_space>("rounded_squares", positions);
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

  Kokkos::View<Arch::Float16*, memory_space> values;
  Kokkos::View<float*, memory_space> squares;
  RoundedRows<ExecutionSpace, Arch::Float16> view;
};

template <class ExecutionSpace, class Search>
Found run(const ExecutionSpace& exec_space, Space space, Search& search, const StoredRows& rows,
          const std::vector<float>& queries, const Case& target, Queries how = Queries::prepared,
          Rounding rounding = Rounding::in_tiles) {
  using memory_space = typename ExecutionSpace::memory_space;
  const Prepared<ExecutionSpace> prepared(exec_space, rows, queries, target);
  std::optional<RoundedCopy<ExecutionSpace, Search>> copy;
  RoundedRows<ExecutionSpace, Arch::Float16> rounded;
  if (rounding == Rounding::before && rows.count() > 0)
    rounded = copy.emplace(exec_space, prepared.data.view).view;
  search.bind(Testing::context().memory(space));
  Found found;
  found.ranks.resize(prepared.data.prepared.count * target.top);
  Kokkos::View<Rank*, memory_space> best("best", found.ranks.size());
  const auto ask = [&](const auto& requested) {
    if constexpr (std::is_same_v<Search, Impl::BruteForceSearch<ExecutionSpace>>) {
      search.search(exec_space, prepared.data.view, prepared.filter, requested, target.metric,
                    target.top, ArrayView<Rank, ExecutionSpace>(best), found.report);
    } else {
      search.search(exec_space, prepared.data.view, prepared.filter, requested, target.metric,
                    target.top, ArrayView<Rank, ExecutionSpace>(best), found.report, rounded);
    }
  };
  if constexpr (std::is_same_v<Search, Impl::BruteForceSearch<ExecutionSpace>>) {
    ask(prepared.data.prepared);
  } else if (how == Queries::queued) {
    search.queue(exec_space, prepared.data.view, prepared.filter, prepared.data.prepared,
                 target.metric, target.top, ArrayView<Rank, ExecutionSpace>(best), rounded);
    exec_space.fence("Kindred::Testing::run");
  } else if (how == Queries::prepared) {
    ask(Impl::QuerySource<ExecutionSpace>(prepared.data.prepared, rows.dimension));
  } else {
    Impl::PinnedArray<float> floats(Testing::context().pinned_memory(), "queries");
    floats.resize_discarding(queries.size());
    std::copy(queries.begin(), queries.end(), floats.data());
    ask(Impl::QuerySource<ExecutionSpace>(floats.data(), queries.size() / rows.dimension,
                                          rows.dimension));
    exec_space.fence("Kindred::Testing::run");
  }
  Impl::download(exec_space, found.ranks.data(), best, found.ranks.size());
  return found;
}

Found plainly(const StoredRows& rows, const std::vector<float>& queries, const Case& target) {
  const auto& exec_space = Impl::host_instance(Testing::context(), Space::serial);
  Impl::BruteForceSearch<HostSpace> search;
  return run(exec_space, Space::serial, search, rows, queries, target);
}

/// Every variant of the search by matrix products must give the ranks of the brute-force search.
void expect_plain(const StoredRows& rows, const std::vector<float>& queries, const Case& target,
                  bool all_forms = true) {
  const Found expected = plainly(rows, queries, target);
  for (const Space space : Testing::spaces()) {
    const Found found = Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      Impl::GemmSearch<std::decay_t<decltype(exec_space)>> search;
      return run(exec_space, space, search, rows, queries, target);
    });
    ASSERT_EQ(found.ranks, expected.ranks) << to_string(space);
    const bool is_shared = target.passes.size() <= rows.count();
    if (!is_shared || !Impl::GemmSearch<HostSpace>::can_queue(rows.dimension, target.top)) continue;
    const Found queued =
        Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
          Impl::GemmSearch<std::decay_t<decltype(exec_space)>> search;
          return run(exec_space, space, search, rows, queries, target, Queries::queued);
        });
    ASSERT_EQ(queued.ranks, expected.ranks) << "queued on " << to_string(space);
    for (const Queries how : {Queries::prepared, Queries::queued}) {
      const Found rounded =
          Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
            Impl::GemmSearch<std::decay_t<decltype(exec_space)>> search;
            return run(exec_space, space, search, rows, queries, target, how, Rounding::before);
          });
      ASSERT_EQ(rounded.ranks, expected.ranks) << "of rounded rows on " << to_string(space);
    }
  }
  if (!all_forms) return;
  if (Testing::context().is_usable(Space::cuda)) {
    for (const Rounding rounding : {Rounding::in_tiles, Rounding::before}) {
      const Found found =
          Impl::with_instance(Testing::context(), Space::cuda, [&](const auto& exec_space) {
            typename LibrarySearch<std::decay_t<decltype(exec_space)>>::type search;
            return run(exec_space, Space::cuda, search, rows, queries, target, Queries::prepared,
                       rounding);
          });
      ASSERT_EQ(found.ranks, expected.ranks) << "products of a vendor library";
    }
  }
  const auto& exec_space = Impl::host_instance(Testing::context(), Space::serial);
  for (const Impl::HostGemmLibrary library : Impl::host_gemm_libraries_by_speed) {
    const Impl::HostGemmChoice choice{library, Impl::GemmType::float32};
    if (!Impl::host_gemm_why_not(choice.library, choice.input).empty()) continue;
    Impl::GemmSearch<HostSpace> search;
    search.tiles() = Impl::HostTiles(choice);
    ASSERT_EQ(run(exec_space, Space::serial, search, rows, queries, target).ranks, expected.ranks)
        << "float32";
  }
  Impl::GemmSearch<HostSpace, Impl::DeviceTiles<HostSpace, WorstProducts, NoThresholdGemm>> worst;
  Impl::GemmSearch<HostSpace, Impl::DeviceTiles<HostSpace, WorstProducts, WorstThresholdGemm>>
      fused;
  for (const auto& [how, rounding] : {std::pair(Queries::prepared, Rounding::in_tiles),
                                      std::pair(Queries::brought, Rounding::in_tiles),
                                      std::pair(Queries::prepared, Rounding::before)}) {
    ASSERT_EQ(run(exec_space, Space::serial, worst, rows, queries, target, how, rounding).ranks,
              expected.ranks)
        << "the worst float16 products";
    ASSERT_EQ(run(exec_space, Space::serial, fused, rows, queries, target, how, rounding).ranks,
              expected.ranks)
        << "the worst products, with a threshold epilogue";
  }
}

StoredRows stored(const std::vector<float>& values, std::size_t dimension,
                  DataType element = DataType::float32) {
  return StoredRows::near(element, values, dimension);
}

TEST(GemmSearch, PositionsOfRowsAreTheInverseOfTheirOrder) {
  for (const std::uint64_t count : {1U, 7U, 8U, 9U, 33U, 40U, 41U, 100U, 1000U, 4097U, 70'001U}) {
    const auto order = TileOrder<HostSpace>::of(count);
    for (std::uint64_t row = 0; row < count; ++row)
      ASSERT_EQ(order.row(order.position_of(row)), row) << count << " rows";
  }
}

TEST(GemmSearch, EqualsBruteForce) {
  auto generator = Testing::generator("GemmSearch plain");
  for (const auto& [count, dimension] :
       {std::array{1UL, 1UL}, {7UL, 3UL}, {129UL, 17UL}, {1000UL, 40UL}, {2500UL, 16UL}}) {
    for (const Metric metric : all_metrics) {
      for (const std::size_t top : {1UL, 10UL, 200UL}) {
        if (top > count) continue;
        SCOPED_TRACE(std::string(to_string(metric)) + ", " + std::to_string(count) + " × " +
                     std::to_string(dimension) + ", top " + std::to_string(top));
        expect_plain(stored(normal_values(generator, count * dimension), dimension),
                     normal_values(generator, 37 * dimension), {metric, top, {}, {}});
      }
    }
  }
}

TEST(GemmSearch, EqualsBruteForceForEveryElement) {
  auto generator = Testing::generator("GemmSearch elements");
  const std::size_t dimension = 24;
  const std::vector<float> values = normal_values(generator, 700 * dimension);
  const std::vector<float> queries = normal_values(generator, 20 * dimension);
  for (const DataType element : all_elements) {
    for (const Metric metric : all_metrics) {
      SCOPED_TRACE(std::string(to_string(element)) + ", " + std::string(to_string(metric)));
      Case target{metric, 15, {}, {}};
      for (std::uint32_t row = 0; row < 700; ++row) target.ids.push_back(3 * (699 - row));
      expect_plain(stored(values, dimension, element), queries, target);
    }
  }
}

TEST(GemmSearch, PrefiltersMostRows) {
  auto generator = Testing::generator("GemmSearch survivors");
  const std::size_t dimension = 64;
  const std::size_t count = 30000;
  const auto rows = stored(normal_values(generator, count * dimension), dimension);
  const std::vector<float> queries = normal_values(generator, 64 * dimension);
  const Case target{Metric::cosine, 10, {}, {}};
  for (const Space space : Testing::spaces()) {
    const Found found = Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      Impl::GemmSearch<std::decay_t<decltype(exec_space)>> search;
      return run(exec_space, space, search, rows, queries, target);
    });
    EXPECT_EQ(found.report.prefiltered, 64 * count);
    EXPECT_GE(found.report.survivors, 64 * target.top);
    EXPECT_LE(found.report.survivors, 64 * 3 * target.top) << to_string(space);
  }
}

TEST(GemmSearch, ReturnsLargeTops) {
  auto generator = Testing::generator("GemmSearch tops");
  const std::size_t dimension = 8;
  const std::size_t count = 12000;
  const auto rows = stored(normal_values(generator, count * dimension), dimension);
  const std::vector<float> queries = normal_values(generator, 3 * dimension);
  for (const std::size_t top : {1000UL, 10000UL, 12000UL})
    expect_plain(rows, queries, {Metric::l2, top, {}, {}}, false);
}

/// Rows that challenge a bound: every kind for which rounding could give a wrong decision.
std::vector<float> adversarial_rows(std::mt19937_64& generator, std::size_t count,
                                    std::size_t dimension, const std::vector<float>& query) {
  std::vector<float> values = normal_values(generator, count * dimension);
  std::uniform_int_distribution<int> exponent(-60, 60);
  for (std::size_t row = 0; row < count; ++row) {
    float* x = values.data() + row * dimension;
    switch (row % 12) {
      case 0:  // near-ties with the query, one bit apart
        for (std::size_t d = 0; d < dimension; ++d) x[d] = query[d];
        x[row % dimension] = std::nextafter(x[row % dimension], 1e30F);
        break;
      case 1:
        for (std::size_t d = 0; d < dimension; ++d) x[d] = query[d] * (row % 24 == 1 ? 2.0F : 1.0F);
        break;
      case 2:  // any magnitude
        for (std::size_t d = 0; d < dimension; ++d)
          x[d] = std::ldexp(x[d], exponent(generator) / 2);
        break;
      case 3: {
        const int e = exponent(generator);
        for (std::size_t d = 0; d < dimension; ++d) x[d] = std::ldexp(x[d], e);
        break;
      }
      case 4:  // half way between two 16-bit numbers
        for (std::size_t d = 0; d < dimension; ++d)
          x[d] = 1.0F + 0x1p-9F + (d % 2 == 0 ? 0x1p-11F : 0x1p-12F);
        break;
      case 5:  // cancels with the query
        for (std::size_t d = 0; d < dimension; ++d) x[d] = (d % 2 == 0 ? 1e4F : -1e4F) + query[d];
        break;
      case 6:  // all elements but one become denormals of float16
        for (std::size_t d = 0; d < dimension; ++d) x[d] = d == 0 ? 1000.0F : 0x1p-20F * x[d];
        break;
      case 7:
        for (std::size_t d = 0; d < dimension; ++d) x[d] = 1e-42F * x[d];
        break;
      case 8:
        for (std::size_t d = 0; d < dimension; ++d) x[d] = d % 3 == 0 ? -0.0F : 0.0F;
        break;
      case 9:
        for (std::size_t d = 0; d < dimension; ++d) x[d] = 1e30F * x[d];
        break;
      default:
        break;
    }
  }
  return values;
}

TEST(GemmSearch, SurvivesAdversarialRows) {
  auto generator = Testing::generator("GemmSearch adversarial");
  for (const std::size_t dimension : {5UL, 48UL}) {
    std::vector<float> queries = normal_values(generator, 6 * dimension);
    for (std::size_t d = 0; d < dimension; ++d) {
      queries[dimension + d] *= 0x1p50F;
      queries[2 * dimension + d] *= 0x1p-50F;
      queries[3 * dimension + d] = d == 0 ? 1.0F : 1e-30F;
    }
    const std::vector<float> values = adversarial_rows(generator, 600, dimension, queries);
    for (const Metric metric : all_metrics) {
      for (const std::size_t top : {1UL, 20UL, 150UL}) {
        SCOPED_TRACE(std::string(to_string(metric)) + ", dimension " + std::to_string(dimension) +
                     ", top " + std::to_string(top));
        expect_plain(stored(values, dimension), queries, {metric, top, {}, {}});
      }
    }
  }
}

TEST(GemmSearch, RanksNonFiniteValues) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto generator = Testing::generator("GemmSearch not finite");
  const std::size_t dimension = 20;
  const std::size_t count = 300;
  std::vector<float> values = normal_values(generator, count * dimension);
  for (std::size_t row = 0; row < count; row += 10) values[row * dimension + row % dimension] = nan;
  for (std::size_t row = 5; row < count; row += 50) values[row * dimension] = infinity;
  values[7 * dimension] = -infinity;
  values[9 * dimension + 3] = std::numeric_limits<float>::max();
  std::vector<float> queries = normal_values(generator, 6 * dimension);
  queries[0] = nan;
  queries[dimension] = infinity;
  std::fill_n(queries.begin() + 2 * dimension, dimension, 0.0F);
  std::fill_n(queries.begin() + 3 * dimension, dimension, 1e-40F);
  queries[4 * dimension] = std::numeric_limits<float>::max();
  for (const Metric metric : all_metrics) {
    for (const std::size_t top : {5UL, 280UL, 300UL})
      expect_plain(stored(values, dimension), queries, {metric, top, {}, {}});
  }
}

TEST(GemmSearch, IsCorrectWhereListsOverflow) {
  // All rows are equal: all tie at the bound.
  const std::size_t dimension = 12;
  std::vector<float> values;
  for (std::size_t i = 0; i < 1500 * dimension; ++i)
    values.push_back(static_cast<float>(i % dimension) + 0.25F);
  auto generator = Testing::generator("GemmSearch overflow");
  const std::vector<float> queries = normal_values(generator, 5 * dimension);
  for (const Metric metric : all_metrics)
    expect_plain(stored(values, dimension), queries, {metric, 10, {}, {}});
}

TEST(GemmSearch, DividesQueriesIntoPartsWhereMemoryIsSmall) {
  auto generator = Testing::generator("GemmSearch parts");
  const auto& exec_space = Impl::host_instance(Testing::context(), Space::serial);
  {
    // Queries that are uploaded to the workspace of the products, 1 MiB, and then in that of the
    // scores.
    const std::size_t dimension = 512;
    const auto rows = stored(normal_values(generator, 150 * dimension), dimension);
    const std::vector<float> queries = normal_values(generator, 190 * dimension);
    const Case target{Metric::cosine, 7, {}, {}};
    ASSERT_GT(Impl::QuerySource<HostSpace>(queries.data(), 190, dimension).bytes_needed(190),
              1U << 20U);
    const Found expected = plainly(rows, queries, target);
    Impl::GemmSearch<HostSpace, Impl::DeviceTiles<HostSpace, WorstProducts, NoThresholdGemm>>
        search;
    const Found found =
        run(exec_space, Space::serial, search, rows, queries, target, Queries::brought);
    EXPECT_EQ(found.ranks, expected.ranks);
  }
  {
    // The same with 8 MiB for products with a threshold epilogue, with the last block padded.
    const std::size_t dimension = 4096;
    const auto rows = stored(normal_values(generator, 40 * dimension), dimension);
    const std::vector<float> queries = normal_values(generator, 190 * dimension);
    const Case target{Metric::l2, 7, {}, {}};
    ASSERT_GT(Impl::QuerySource<HostSpace>(queries.data(), 190, dimension).bytes_needed(190),
              8U << 20U);
    const Found expected = plainly(rows, queries, target);
    Impl::GemmSearch<HostSpace, Impl::DeviceTiles<HostSpace, WorstProducts, WorstThresholdGemm>>
        search;
    const Found found =
        run(exec_space, Space::serial, search, rows, queries, target, Queries::brought);
    EXPECT_EQ(found.ranks, expected.ranks);
  }
  {
    // Lists whose scores exceed 4 MiB in total.
    const std::size_t dimension = 4;
    const auto rows = stored(normal_values(generator, 6000 * dimension), dimension);
    const std::vector<float> queries = normal_values(generator, 200 * dimension);
    const Case target{Metric::ip, 2000, {}, {}};
    const Found expected = plainly(rows, queries, target);
    Impl::GemmSearch<HostSpace> search;
    const Found found = run(exec_space, Space::serial, search, rows, queries, target);
    EXPECT_EQ(found.ranks, expected.ranks);
    EXPECT_GT(found.report.survivors * (sizeof(Rank) + sizeof(std::uint32_t)), 4U << 20U);
  }
}

TEST(GemmSearch, EqualsSearchThenFilter) {
  auto generator = Testing::generator("GemmSearch filter");
  const std::size_t dimension = 16;
  const std::size_t count = 1100;
  const std::size_t query_count = 9;
  const auto rows = stored(normal_values(generator, count * dimension), dimension);
  const std::vector<float> queries = normal_values(generator, query_count * dimension);
  for (const unsigned share : {0U, 1U, 20U, 50U, 99U, 100U}) {
    for (const bool per_query : {false, true}) {
      SCOPED_TRACE(std::to_string(share) + " % pass" + (per_query ? ", one filter per query" : ""));
      Case target{Metric::ip, 30, {}, {}};
      for (std::size_t i = 0; i < count * (per_query ? query_count : 1); ++i)
        target.passes.push_back(generator() % 100 < share ? 1 : 0);
      expect_plain(rows, queries, target);
    }
  }
}

TEST(GemmSearch, FindsAllRowsWithinABound) {
  auto generator = Testing::generator("GemmSearch within");
  const std::size_t dimension = 16;
  const std::size_t count = 900;
  std::vector<float> values = normal_values(generator, count * dimension);
  values[0] = std::numeric_limits<float>::quiet_NaN();
  values[5 * dimension] = std::numeric_limits<float>::infinity();
  const auto rows = stored(values, dimension);
  std::vector<float> queries = normal_values(generator, 8 * dimension);
  queries[dimension] = std::numeric_limits<float>::quiet_NaN();
  for (const Metric metric : all_metrics) {
    const Case target{metric, count, {}, {}};
    const Found all = plainly(rows, queries, target);
    // Uses scores of the results themselves as the bound: rows at the bound must be included.
    for (const std::size_t place : {0UL, 1UL, 99UL, 500UL, 898UL, 899UL}) {
      std::vector<Rank> bounds;
      std::vector<std::vector<Rank>> expected;
      for (std::size_t query = 0; query < 8; ++query) {
        const Rank bound = all.ranks[query * count + place] | 0xFFFFFFFFU;
        bounds.push_back(bound == rank_none ? bound - 1 : bound);
        expected.emplace_back();
        for (std::size_t i = 0; i < count; ++i) {
          if (all.ranks[query * count + i] <= bounds.back())
            expected.back().push_back(all.ranks[query * count + i]);
        }
      }
      for (const Space space : Testing::spaces()) {
        const auto found =
            Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
              using execution_space = std::decay_t<decltype(exec_space)>;
              const Prepared<execution_space> prepared(exec_space, rows, queries, target);
              Kokkos::View<Rank*, typename execution_space::memory_space> view("bounds", 8);
              Impl::upload(exec_space, view, bounds.data(), 8);
              Impl::GemmSearch<execution_space> search;
              search.bind(Testing::context().memory(space));
              std::vector<std::vector<Rank>> lists(8);
              SearchReport report;
              search.search_within(exec_space, prepared.data.view, prepared.filter,
                                   prepared.data.prepared, metric,
                                   ArrayView<const Rank, execution_space>(view), lists, report);
              for (auto& list : lists) std::sort(list.begin(), list.end());
              return lists;
            });
        ASSERT_EQ(found, expected)
            << to_string(metric) << ", position " << place << ", " << to_string(space);
      }
    }
  }
}

}  // namespace GemmSearchTest
