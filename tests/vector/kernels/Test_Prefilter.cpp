// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/simd/Int8Dot.hpp>

#include "PrefilterCases.hpp"

namespace PrefilterTest {

using namespace Kindred;
using namespace Testing;

/// The bounds of every pair, one row per query.
struct Bounds {
  std::vector<float> lower;
  std::vector<float> upper;
};

Bounds bounds_of(Space space, const Question& asked) {
  return Impl::with_instance(context(), space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    const PrefilterData<execution_space> data(exec_space, asked);
    const std::uint64_t count = asked.rows.count();
    const std::uint64_t requested = asked.count();
    const std::uint64_t dimension = asked.rows.dimension;
    const std::uint64_t stride = query_plane_stride(dimension);
    const std::uint64_t chunk = (count + 63) / 64 * 64;
    const Testing::Array<execution_space, std::int8_t> planes("planes", 2 * requested * stride);
    const Testing::Array<execution_space, PrefilterQuery> query_bounds("query_bounds", requested);
    const Testing::Array<execution_space, float> uppers("uppers", requested * chunk);
    const Testing::Array<execution_space, float> thresholds("thresholds", requested);
    const Testing::Array<execution_space, std::uint32_t> slots("slots", requested * count);
    const Testing::Array<execution_space, std::uint32_t> lists("lists", requested * count);
    const Testing::Array<execution_space, std::uint32_t> counts("counts", requested);
    // With one slot per row, each slot contains the row's lower bound.
    const PrefilterState<execution_space> state{uppers, slots, thresholds, lists,
                                                counts, chunk, count,      count};
    prepare_prefilter<execution_space>(exec_space, data.prepared, dimension, planes, query_bounds,
                                       state);
    prefilter_rows<execution_space>(exec_space, asked.metric, data.quantized, dimension,
                                    data.view.norms, 0, count, {}, {planes, query_bounds, stride},
                                    false, state);
    const auto with_gaps = to_host(exec_space, uppers);
    Bounds out;
    for (std::size_t q = 0; q < requested; ++q)
      for (std::size_t r = 0; r < count; ++r) out.upper.push_back(with_gaps[q * chunk + r]);
    for (const std::uint32_t key : to_host(exec_space, slots))
      out.lower.push_back(Impl::score_from_ascending_bits(key));
    return out;
  });
}

/// The score with a sign such that larger is better, as for bounds.
float goodness(const Question& asked, std::size_t query, std::size_t row) {
  const float score = Reference::score(asked.metric, asked.query(query), asked.rows.row(row));
  return asked.metric == Metric::l2 ? -score : score;
}

TEST(Prefilter, BoundsIncludeTheReproducibleScore) {
  for (const auto& made : prefilter_cases()) {
    for (const DataType element : all_elements) {
      Question asked = made.question(element);
      for (const Metric metric : all_metrics) {
        asked.metric = metric;
        for (const Space space : spaces()) {
          const Bounds bounds = bounds_of(space, asked);
          for (std::size_t pair = 0; pair < bounds.upper.size(); ++pair) {
            const std::size_t row = pair % asked.rows.count();
            const float score = goodness(asked, pair / asked.rows.count(), row);
            const float upper = bounds.upper[pair];
            const float lower = bounds.lower[pair];
            // A NaN ranks last and may be below any lower bound, so its lower bound must be
            // −infinity.
            const bool holds =
                score != score ? lower == -infinity : lower <= score && score <= upper;
            ASSERT_TRUE(holds && upper == upper)
                << made.name << ", " << asked.text() << " on " << to_string(space) << ": row "
                << row << " scores " << score << ", bounds " << lower << " and " << upper;
          }
        }
      }
    }
  }
}

TEST(Prefilter, BoundsAreReachedByRowsConstructedForThat) {
  for (const auto& made : aligned_cases()) {
    Question asked = made.question(DataType::float32);
    for (const Metric metric : all_metrics) {
      if (made.name == "aligned with the difference" && metric != Metric::l2) continue;
      asked.metric = metric;
      for (const Space space : spaces()) {
        const Bounds bounds = bounds_of(space, asked);
        double most = 0;  // between the center of the bounds and their end, as a fraction
        for (std::size_t r = 0; r < asked.rows.count(); ++r) {
          const double middle = (double{bounds.lower[r]} + double{bounds.upper[r]}) / 2;
          const double width = (double{bounds.upper[r]} - double{bounds.lower[r]}) / 2;
          most = std::max(most, std::abs(double{goodness(asked, 0, r)} - middle) / width);
        }
        EXPECT_GT(most, 0.97) << made.name << ", " << to_string(metric);
        EXPECT_LE(most, 1.0) << made.name << ", " << to_string(metric);
      }
    }
  }
}

TEST(Prefilter, BoundsHoldAtLengthsBeyondABlockOfIntegers) {
  const std::size_t dimension = Arch::int8_block + 4097;
  std::vector<float> queries(3 * dimension, 1.0F);
  std::vector<float> values(5 * dimension, 1.0F);  // the largest possible sums
  for (std::size_t i = 3 * dimension; i < values.size(); ++i)
    values[i] = static_cast<float>(random_below(1000)) - 400;
  for (std::size_t i = dimension; i < queries.size(); ++i)
    queries[i] = static_cast<float>(random_below(1000)) - 500;
  for (const DataType element : {DataType::float32, DataType::int8}) {
    const Question asked{StoredRows::near(element, values, dimension), queries, Metric::ip};
    for (const Space space : spaces()) {
      const Bounds bounds = bounds_of(space, asked);
      for (std::size_t pair = 0; pair < 15; ++pair) {
        const float score = goodness(asked, pair / 5, pair % 5);
        ASSERT_LE(bounds.lower[pair], score);
        ASSERT_GE(bounds.upper[pair], score);
        ASSERT_LT(bounds.upper[pair] - bounds.lower[pair], 0.02F * 400 * 500 * 70000);
      }
    }
  }
}

}  // namespace PrefilterTest
