// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/vector/impl/RowInt8Dots.hpp>
#include <kindred/core/vector/special/WarpInt8Dots.hpp>
#include <kindred/memory/Copies.hpp>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "PrefilterCases.hpp"
#include "PrefilterData.hpp"

namespace PrefilterTest {

using namespace Kindred;
using Testing::StoredRows;

/// The bounds of every pair, one row per query.
struct Bounds {
  std::vector<float> lower;
  std::vector<float> upper;
};

Bounds bounds_of(Space space, Metric metric, const StoredRows& rows,
                 const std::vector<float>& queries) {
  return Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    using memory_space = typename execution_space::memory_space;
    const Testing::PrefilterData<execution_space> data(exec_space, rows, queries);
    const std::uint64_t count = rows.count();
    const std::uint64_t requested = data.prepared.count;
    const std::uint64_t stride = query_plane_stride(rows.dimension);
    const std::uint64_t chunk = (count + 63) / 64 * 64;
    Kokkos::View<std::int8_t*, memory_space> planes("planes", 2 * requested * stride);
    Kokkos::View<PrefilterQuery*, memory_space> query_bounds("query_bounds", requested);
    Kokkos::View<float*, memory_space> uppers("uppers", requested * chunk);
    Kokkos::View<std::uint32_t*, memory_space> slots("slots", requested * count);
    Kokkos::View<float*, memory_space> thresholds("thresholds", requested);
    Kokkos::View<std::uint32_t*, memory_space> lists("lists", requested * count);
    Kokkos::View<std::uint32_t*, memory_space> counts("counts", requested);
    // With one slot per row, each slot contains the row's lower bound.
    const PrefilterState<execution_space> state{uppers, slots, thresholds, lists,
                                                counts, chunk, count,      count};
    prepare_prefilter(exec_space, data.prepared, rows.dimension,
                      ArrayView<std::int8_t, execution_space>(planes),
                      ArrayView<PrefilterQuery, execution_space>(query_bounds), state);
    prefilter_rows(exec_space, metric, data.quantized, rows.dimension, data.view.norms, 0, count,
                   RowFilter<execution_space>{}, {planes, query_bounds, stride}, false, state);
    std::vector<float> padded(requested * chunk);
    std::vector<std::uint32_t> keys(requested * count);
    Impl::download(exec_space, padded.data(), uppers, padded.size());
    Impl::download(exec_space, keys.data(), slots, keys.size());
    Bounds out;
    for (std::size_t q = 0; q < requested; ++q) {
      for (std::size_t r = 0; r < count; ++r) {
        out.upper.push_back(padded[q * chunk + r]);
        out.lower.push_back(Impl::score_from_ascending_bits(keys[q * count + r]));
      }
    }
    return out;
  });
}

/// The score with a sign such that larger is better, as for bounds.
float goodness(Metric metric, std::span<const float> query, std::span<const float> row) {
  const float score = Reference::score(metric, query, row);
  return metric == Metric::l2 ? -score : score;
}

TEST(Prefilter, BoundsIncludeTheReproducibleScore) {
  auto generator = Testing::generator("Prefilter bounds");
  for (const auto& made : Testing::prefilter_cases(generator)) {
    for (const DataType element : Testing::all_elements) {
      const StoredRows rows = StoredRows::near(element, made.rows, made.dimension);
      const std::size_t requested = made.queries.size() / made.dimension;
      for (const Metric metric : Testing::all_metrics) {
        for (const Space space : Testing::spaces()) {
          const Bounds bounds = bounds_of(space, metric, rows, made.queries);
          for (std::size_t q = 0; q < requested; ++q) {
            const auto query = std::span(made.queries).subspan(q * made.dimension, made.dimension);
            for (std::size_t r = 0; r < rows.count(); ++r) {
              const float score = goodness(metric, query, rows.row(r));
              const float upper = bounds.upper[q * rows.count() + r];
              const float lower = bounds.lower[q * rows.count() + r];
              // A NaN ranks last and may be below any lower bound, so its lower bound must be
              // −infinity.
              const bool holds = score != score ? lower == -std::numeric_limits<float>::infinity()
                                                : lower <= score && score <= upper;
              ASSERT_TRUE(holds && upper == upper)
                  << made.name << ", " << to_string(element) << ", " << to_string(metric) << " on "
                  << to_string(space) << ": row " << r << " scores " << score << " under query "
                  << q << ", bounds " << lower << " and " << upper;
            }
          }
        }
      }
    }
  }
}

/// The position of the score between the center of its bounds and their end, as a fraction.
double reach(const Bounds& bounds, std::size_t pair, float score) {
  const double middle = (double{bounds.lower[pair]} + double{bounds.upper[pair]}) / 2;
  const double width = (double{bounds.upper[pair]} - double{bounds.lower[pair]}) / 2;
  return std::abs(double{score} - middle) / width;
}

TEST(Prefilter, BoundsAreReachedByRowsConstructedForThat) {
  auto generator = Testing::generator("Prefilter reach");
  std::set<std::string> reached;
  for (const auto& made : Testing::prefilter_cases(generator)) {
    if (made.name.find("aligned") == std::string::npos) continue;
    const StoredRows rows = StoredRows::near(DataType::float32, made.rows, made.dimension);
    for (const Metric metric : Testing::all_metrics) {
      if (made.name == "aligned with the difference" && metric != Metric::l2) continue;
      for (const Space space : Testing::spaces()) {
        const Bounds bounds = bounds_of(space, metric, rows, made.queries);
        double most = 0;
        for (std::size_t r = 0; r < rows.count(); ++r)
          most = std::max(most, reach(bounds, r, goodness(metric, made.queries, rows.row(r))));
        EXPECT_GT(most, 0.97) << made.name << ", " << to_string(metric);
        EXPECT_LE(most, 1.0) << made.name << ", " << to_string(metric);
        reached.insert(made.name);
      }
    }
  }
  EXPECT_EQ(reached.size(), 3U) << "of the query, of the difference, of the query's residual";
}

TEST(Prefilter, BoundsHoldAtLengthsBeyondABlockOfIntegers) {
  auto generator = Testing::generator("Prefilter length");
  const std::size_t dimension = Arch::int8_block + 4097;
  std::vector<float> queries(3 * dimension, 1.0F);
  std::vector<float> values(5 * dimension, 1.0F);  // the largest possible sums
  for (std::size_t i = 3 * dimension; i < values.size(); ++i)
    values[i] = static_cast<float>(generator() % 1000) - 400;
  for (std::size_t i = dimension; i < queries.size(); ++i)
    queries[i] = static_cast<float>(generator() % 1000) - 500;
  for (const DataType element : {DataType::float32, DataType::int8}) {
    const StoredRows rows = StoredRows::near(element, values, dimension);
    for (const Space space : Testing::spaces()) {
      const Bounds bounds = bounds_of(space, Metric::ip, rows, queries);
      for (std::size_t q = 0; q < 3; ++q) {
        for (std::size_t r = 0; r < 5; ++r) {
          const float score = Reference::score(
              Metric::ip, std::span(queries).subspan(q * dimension, dimension), rows.row(r));
          ASSERT_LE(bounds.lower[q * 5 + r], score);
          ASSERT_GE(bounds.upper[q * 5 + r], score);
          ASSERT_LT(bounds.upper[q * 5 + r] - bounds.lower[q * 5 + r], 0.02F * 400 * 500 * 70000);
        }
      }
    }
  }
}

}  // namespace PrefilterTest
