// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "VectorAnswers.hpp"

namespace VectorPathsTest {

using namespace Kindred;
using namespace Testing;

/// Expects that the search of \p index by every path and on every space of \p context gives what
/// the reference does, \p repeats times.
void expect_reference(Context& context, const VectorIndex& index, const std::vector<float>& rows,
                      const std::vector<float>& queries, SearchOptions options, int repeats = 1) {
  const auto expected =
      with_padding(numbered(rows, index.dimension()).ranked(options.metric, queries), options.top,
                   options.metric);
  for (const SearchPath path : all_paths) {
    for (const Space space : all_spaces) {
      if (!context.is_usable(space)) continue;
      // There is no other memory to read from where rows do not fit on a device.
      if (space == Space::cuda && path == SearchPath::quantized && index.bytes(space) == 0)
        continue;
      options.path = path;
      options.space = space;
      for (int repeat = 0; repeat < repeats; ++repeat)
        ASSERT_EQ(ranking_of(index.search(queries, options)), expected)
            << described(path, space, "repeat", repeat);
    }
  }
}

TEST(VectorPaths, GiveTheSameBitsInTwoHundredRepeats) {
  auto generator = Testing::generator("VectorPaths repeats");
  const std::vector<float> rows = normal_values(generator, 700 * 40);
  const std::vector<float> queries = normal_values(generator, 5 * 40);
  const VectorIndex index(Testing::context(), rows, 40);
  for (const Metric metric : all_metrics)
    expect_reference(Testing::context(), index, rows, queries, {.metric = metric}, 200);
}

TEST(VectorPaths, GiveTheSameBitsForAnyNumberOfThreads) {
  auto generator = Testing::generator("VectorPaths threads");
  const std::vector<float> rows = normal_values(generator, 2000 * 65);
  const std::vector<float> queries = normal_values(generator, 13 * 65);
  for (const int threads : {1, 2, 3, 5}) {
    ContextOptions options = without_profile();
    options.threads = threads;
    Context context(options);
    expect_reference(context, VectorIndex(context, rows, 65), rows, queries, {.top = 77});
  }
}

TEST(VectorPaths, StreamRowsThroughADeviceWhereTheyDoNotFit) {
  auto generator = Testing::generator("VectorPaths streams");
  const std::vector<float> rows = normal_values(generator, 60'000 * 96);
  const std::vector<float> queries = normal_values(generator, 3 * 96);
  ContextOptions options = without_profile();
  options.device_budget = 20U << 20U;  // rows take 22 MiB
  Context context(options);
  const VectorIndex index(context, rows, 96);
  for (const Metric metric : all_metrics)
    expect_reference(context, index, rows, queries, {.metric = metric});
  EXPECT_EQ(index.bytes(Space::cuda), 0U);
}

TEST(VectorPaths, SplitQueriesAndRowsToFitTheBudget) {
  auto generator = Testing::generator("VectorPaths budget");
  const std::size_t count = 50000;
  const std::vector<float> rows = normal_values(generator, count * 4);
  const std::vector<float> queries = normal_values(generator, 20 * 4);
  const auto ranked = numbered(rows, 4).ranked(Metric::cosine, queries);
  for (const std::size_t top : {10UL, 700UL}) {
    SearchOptions options{.top = top};
    const auto expected = with_padding(ranked, top, Metric::cosine);
    for (const std::uint64_t spare : {12'000'000ULL, 1'500'000ULL, 500'000ULL, 350'000ULL}) {
      ContextOptions context_options = without_profile();
      context_options.host_budget = rows.size() * sizeof(float) + count * sizeof(double) + spare;
      Context context(context_options);
      for (const Space space : {Space::serial, Space::openmp}) {
        if (!context.is_usable(space)) continue;
        options.space = space;
        const VectorIndex index(context, rows, 4, Residency::host);
        EXPECT_EQ(ranking_of(index.search(queries, options)), expected)
            << spare << " bytes spare on " << to_string(space);
      }
      EXPECT_EQ(context.memory_statistics(Space::serial).bytes_in_use, 0U);
    }
  }
}

TEST(VectorPaths, AreChosenBySizeBeforeMeasurements) {
  auto generator = Testing::generator("VectorPaths priors");
  constexpr std::size_t dimension = 64;
  const auto path_of = [&](std::size_t rows, std::size_t queries, Space space) {
    Context context(without_profile());
    const VectorIndex index(context, normal_values(generator, rows * dimension), dimension);
    const std::vector<float> searched = normal_values(generator, queries * dimension);
    return index.search(searched, {.space = space}).report.path;
  };
  for (const Space space : spaces()) {
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
