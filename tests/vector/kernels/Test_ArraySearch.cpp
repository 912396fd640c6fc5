// SPDX-License-Identifier: Apache-2.0
// g++ 13 behind nvcc fails on other orders of these headers.
#include "vector/ArraySearch.hpp"

#include <algorithm>
#include <iterator>

#include "VectorAnswers.hpp"

namespace ArraySearchTest {

using namespace Kindred;
using namespace Testing;

constexpr std::size_t dimension = 24;

/// The calls of a device, run on the host: there they are tested without a device. Each is made
/// twice, because what the first one prepares serves the second.
void expect_answers_of_a_device(Impl::ArraySearch<HostSpace>& search, const RowsByReference& known,
                                const Impl::VectorStore& store, std::size_t count) {
  const HostSpace& exec_space = Impl::host_instance(context(), Space::serial);
  const auto rows = std::make_shared<const Impl::VectorStore>(store);
  ASSERT_EQ(store.size(), known.ids.size());
  const std::vector<float> queries = normal_values(count * dimension);
  const GivenQueries given{queries.data(), count, dimension};
  for (const Metric metric : all_metrics) {
    const auto ranked = known.ranked(metric, queries);
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<float> out(count * store.size());
      search.score_all(exec_space, rows, given, metric, out.data(), store.size());
      EXPECT_EQ(bits(out), known.scores(metric, queries));
      for (const std::size_t top : {3UL, 50UL}) {
        for (const SearchPath path : {SearchPath::brute_force, SearchPath::gemm}) {
          std::vector<float> scores(count * top);
          std::vector<std::int64_t> ids(count * top);
          ASSERT_EQ(search.why_not(path, dimension, top), "");
          search.search(exec_space, rows, given, metric, path, top,
                        {scores.data(), top, ids.data(), top, top});
          EXPECT_EQ(ranking_of(ids, scores), with_padding(ranked, top, metric)) << to_string(path);
        }
      }
      search.wait();
    }
  }
}

TEST(ArraySearch, GivesTheAnswersOfTheReferenceAfterAnyChange) {
  const std::vector<float> floats = normal_values(700 * dimension);
  Context& context = Testing::context();
  Impl::ArraySearch<HostSpace> search(context.memory(Space::serial));
  const VectorSpan all(floats, dimension);
  RowsByReference known = numbered(floats, dimension);
  Impl::VectorStore store(context, all.rows(0, 500), {});
  store = store.with(all.rows(500, 120)).with(all.rows(620, 50)).with(all.rows(670, 30));
  expect_answers_of_a_device(search, known, store, 3);
  std::vector<std::uint64_t> removed;
  for (std::uint64_t id = 3; id < 700; id += 29) removed.push_back(id);
  store = store.without(removed);
  known = {dimension, {}, {}};
  for (std::uint64_t id = 0; id < 700; ++id) {
    if (std::ranges::binary_search(removed, id)) continue;
    known.ids.push_back(id);
    std::ranges::copy(row_of(floats, dimension, id), std::back_inserter(known.floats));
  }
  for (const std::size_t count : {1UL, 6UL})
    expect_answers_of_a_device(search, known, store, count);
  // Rows that were replaced lie behind those of larger ids.
  std::vector<std::uint64_t> replaced;
  for (std::uint64_t id = 7; id < 700; id += 29) replaced.push_back(id);
  const auto expect_replaced = [&](const std::vector<std::size_t>& by, std::size_t count) {
    store = store.with(all, replaced, by, {});
    for (std::size_t i = 0; i < replaced.size(); ++i) {
      const auto place = std::lower_bound(known.ids.begin(), known.ids.end(), replaced[i]);
      std::ranges::copy(
          row_of(floats, dimension, by[i]),
          known.floats.begin() + (place - known.ids.begin()) * std::ptrdiff_t{dimension});
    }
    ASSERT_GT(store.segments().size(), 1U);
    expect_answers_of_a_device(search, known, store, count);
  };
  expect_replaced(std::vector<std::size_t>(replaced.size(), 11), 3);
  expect_replaced({replaced.begin(), replaced.end()}, 1500);
  store = store.with(500, all.rows(500, 1));
  expect_answers_of_a_device(search, known, store, 3);
  EXPECT_NE(search.why_not(SearchPath::quantized, dimension, 10), "");
  EXPECT_NE(search.why_not(SearchPath::gemm, dimension, 1025), "");
}

}  // namespace ArraySearchTest
