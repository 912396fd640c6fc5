// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ExactnessCases.hpp"
#include "VectorSupport.hpp"

namespace VectorPathsTest {

using namespace Kindred;
using Testing::all_metrics;
using Testing::Answer;
using Testing::answer_of;
using Testing::normal_values;

constexpr SearchPath all_paths[] = {SearchPath::brute_force, SearchPath::quantized,
                                    SearchPath::gemm};

/// Calls `body(options)` for every path and space of \p context.
template <class Body>
void on_every_path(Context& context, const SearchOptions& options, const Body& body) {
  for (const SearchPath path : all_paths) {
    for (const Space space : all_spaces) {
      if (!context.is_usable(space)) continue;
      SCOPED_TRACE(std::string(to_string(path)) + " on " + std::string(to_string(space)));
      SearchOptions forced = options;
      forced.path = path;
      forced.space = space;
      body(forced);
    }
  }
}

TEST(VectorPaths, GiveTheSameBitsInTwoHundredRepeats) {
  auto generator = Testing::generator("VectorPaths repeats");
  const std::vector<float> rows = normal_values(generator, 700 * 40);
  const std::vector<float> queries = normal_values(generator, 5 * 40);
  const VectorIndex index(Testing::context(), rows, 40);
  for (const Metric metric : all_metrics) {
    SearchOptions options;
    options.metric = metric;
    const Answer expected = Testing::reference_search(rows, 40, queries, options);
    on_every_path(Testing::context(), options, [&](const SearchOptions& forced) {
      for (int repeat = 0; repeat < 200; ++repeat)
        ASSERT_EQ(answer_of(index.search(queries, forced)), expected) << "repeat " << repeat;
    });
  }
}

TEST(VectorPaths, GiveTheSameBitsForAnyNumberOfThreads) {
  auto generator = Testing::generator("VectorPaths threads");
  const std::vector<float> rows = normal_values(generator, 2000 * 65);
  const std::vector<float> queries = normal_values(generator, 13 * 65);
  SearchOptions options;
  options.top = 77;
  const Answer expected = Testing::reference_search(rows, 65, queries, options);
  for (const int threads : {1, 2, 3, 5}) {
    ContextOptions context_options;
    context_options.threads = threads;
    context_options.load_profile = false;
    Context context(context_options);
    const VectorIndex index(context, rows, 65);
    on_every_path(context, options, [&](const SearchOptions& forced) {
      EXPECT_EQ(answer_of(index.search(queries, forced)), expected) << threads << " threads";
    });
  }
}

TEST(VectorPaths, AreCloseToTheOracleForEveryKindOfData) {
  auto generator = Testing::generator("VectorPaths oracle");
  constexpr std::size_t count = 70;
  for (const Testing::ExactnessCase& kind : Testing::exactness_cases()) {
    for (const std::size_t dimension : {1UL, 33UL, 768UL}) {
      std::vector<float> rows = normal_values(generator, count * dimension);
      std::vector<float> queries = normal_values(generator, 3 * dimension);
      kind.shape(generator, rows, queries, dimension);
      const VectorIndex index(Testing::context(), rows, dimension);
      for (const Metric metric : all_metrics) {
        SCOPED_TRACE(kind.name + ", " + std::string(to_string(metric)) + ", dimension " +
                     std::to_string(dimension));
        SearchOptions options;
        options.metric = metric;
        options.top = count;
        const Answer expected = Testing::reference_search(rows, dimension, queries, options);
        on_every_path(Testing::context(), options, [&](const SearchOptions& forced) {
          ASSERT_EQ(answer_of(index.search(queries, forced)), expected);
        });
        for (std::size_t place = 0; place < expected.ids.size(); ++place) {
          const auto row = static_cast<std::size_t>(expected.ids[place]);
          ASSERT_TRUE(Testing::is_near(
              std::bit_cast<float>(expected.scores[place]),
              Testing::oracle(metric,
                              std::span(queries).subspan(place / count * dimension, dimension),
                              std::span(rows).subspan(row * dimension, dimension))))
              << "row " << row;
        }
      }
    }
  }
}

TEST(VectorPaths, AreChosenBySizeBeforeMeasurements) {
  auto generator = Testing::generator("VectorPaths priors");
  constexpr std::size_t dimension = 64;
  const auto path_of = [&](std::size_t rows, std::size_t queries, Space space) {
    ContextOptions context_options;
    context_options.load_profile = false;
    Context context(context_options);
    const VectorIndex index(context, normal_values(generator, rows * dimension), dimension);
    SearchOptions options;
    options.space = space;
    options.top = std::min<std::size_t>(10, rows);
    const std::vector<float> searched = normal_values(generator, queries * dimension);
    return index.search(searched, options).report.path;
  };
  for (const Space space : Testing::spaces()) {
    SCOPED_TRACE(to_string(space));
    for (const std::size_t rows : {1UL, 5UL, 100UL, 1000UL}) {
      EXPECT_EQ(path_of(rows, 1, space), "brute_force") << rows << " rows";
      EXPECT_EQ(path_of(rows, 3, space), "brute_force") << rows << " rows";
    }
    EXPECT_EQ(path_of(20, 100, space), "brute_force")
        << "the preparation of a matrix product costs more";
    EXPECT_EQ(path_of(space == Space::cuda ? 100'000 : 3000, 1024, space), "gemm");
  }
}

}  // namespace VectorPathsTest
