// SPDX-License-Identifier: Apache-2.0
// The calls of an index on arrays of the caller, on the host and on a device.

#include "DeviceCopy.hpp"
#include "VectorAnswers.hpp"
#include "vector/ArraySearch.hpp"

namespace VectorIndexArraysTest {

using namespace Kindred;
using namespace Testing;
using Kindred::Array;

constexpr std::size_t dimension = 24;

/// An index of several segments, from some of which rows were removed, and what is known of it.
struct Data {
  std::vector<float> rows = normal_values(700 * dimension);
  VectorIndex index{context(), std::span(rows).first(500 * dimension), dimension};
  std::vector<std::uint64_t> removed = {};

  Data() {
    for (const auto& [first, count] : {std::pair(500UL, 120UL), {620UL, 50UL}, {670UL, 30UL}})
      index.add({row_of(rows, dimension, first, count), dimension});
    for (std::uint64_t id = 3; id < 700; id += 29) removed.push_back(id);
    index.remove(removed);
  }
  RowsByReference known() const {
    RowsByReference out{dimension, index.ids(), std::vector<float>(index.size() * dimension)};
    index.rows(out.ids, out.floats);
    return out;
  }
};

/// A matrix of a caller on the host or on the device of the context. Those with gaps between their
/// rows have a test for all engines.
template <class T>
class Given {
 public:
  Given(bool on_device, std::vector<T> values, std::size_t rows, std::size_t columns)
      : m_shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)},
        m_host(std::move(values)) {
    m_host.resize(rows * columns);
    if (on_device) m_device = std::make_unique<DeviceCopy<T>>(context(), m_host);
  }
  Array array() {
    if (m_device) return m_device->array(data_type_of<T>, m_shape);
    return {m_host.data(), data_type_of<T>, m_shape};
  }
  std::vector<T> values() const { return m_device ? m_device->values() : m_host; }

 private:
  std::vector<std::int64_t> m_shape;
  std::vector<T> m_host;
  std::unique_ptr<DeviceCopy<T>> m_device;
};

/// Every call on arrays gives the answers of the reference. Lists of candidates have duplicates,
/// ids that were never assigned or were removed, and padding.
void expect_answers(Data& data, bool on_device, const std::optional<Stream>& stream) {
  const auto known = data.known();
  const std::size_t rows = known.ids.size();
  for (const std::size_t count : {0UL, 1UL, 6UL, 40UL}) {
    if (on_device && count == 0) continue;
    const std::vector<float> queries = normal_values(count * dimension);
    Given<float> asked(on_device, queries, count, dimension);
    const ConstArray given = asked.array();
    for (const Metric metric : all_metrics) {
      SCOPED_TRACE(described(metric, count, "queries"));
      Given<float> all(on_device, {}, count, rows);
      const auto record = data.index.score_all(given, all.array(), {metric, {}, stream});
      if (on_device) {
        EXPECT_EQ(record.chosen, Space::cuda);
      }
      EXPECT_EQ(bits(all.values()), known.scores(metric, queries));
      const auto ranked = known.ranked(metric, queries);
      SearchOptions options{.metric = metric, .stream = stream};
      for (const std::size_t top : {1UL, 10UL, 800UL}) {
        const auto found = [&](const auto& call) {
          Given<float> scores(on_device, {}, count, top);
          Given<std::int64_t> ids(on_device, {}, count, top);
          call(SearchOutput{scores.array(), ids.array()});
          return ranking_of(ids.values(), scores.values());
        };
        for (const std::optional<SearchPath> path :
             {std::optional<SearchPath>(), std::optional(SearchPath::brute_force),
              std::optional(SearchPath::gemm)}) {
          options.path = path;
          const auto searched = found([&](const SearchOutput& out) {
            const SearchReport report = data.index.search(given, options, out).report;
            EXPECT_TRUE(!path || count == 0 || report.path == to_string(*path)) << report.path;
          });
          EXPECT_EQ(searched, with_padding(ranked, top, metric));
        }
        options.path = {};
        for (const std::size_t length : {1UL, 40UL, 300UL, 1024UL}) {
          std::vector<std::int64_t> lists;
          std::vector<Ranking> best;
          for (std::size_t query = 0; query < count; ++query) {
            std::vector<std::uint64_t> places;
            for (std::size_t i = 0; i < length; ++i) {
              const std::uint64_t id = random_below(720);
              const std::uint64_t kind = random_below(50);
              lists.push_back(kind == 0  ? std::int64_t{1} << 32U
                              : kind < 6 ? -1
                                         : static_cast<std::int64_t>(id));
              const auto at = std::lower_bound(known.ids.begin(), known.ids.end(), id);
              if (kind >= 6 && at != known.ids.end() && *at == id)
                places.push_back(static_cast<std::uint64_t>(at - known.ids.begin()));
            }
            best.push_back(known.best(metric, row_of(queries, dimension, query), places, top));
          }
          Given<std::int64_t> candidates(on_device, lists, count, length);
          const auto scored = found([&](const SearchOutput& out) {
            data.index.score(given, candidates.array(), options, out);
          });
          EXPECT_EQ(scored, with_padding(best, top, metric))
              << length << " candidates, top " << top;
        }
      }
    }
  }
}

TEST(VectorIndexArrays, OnTheHostGiveTheAnswersOfTheReference) {
  Data data;
  expect_answers(data, false, {});
}

TEST(VectorIndexArrays, OnADeviceGiveTheAnswersOfTheReferenceOnAnyStream) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  const DeviceStream own(context());  // outlives the index
  Data data;
  for (int turn = 0; turn < 2; ++turn) {
    expect_answers(data, true, {});
    expect_answers(data, true, own.stream());
    // A change waits for the calls, and the next ones follow it.
    data.index.remove({{data.index.ids()[7]}});
  }
}

TEST(VectorIndexArrays, OfOneQueryNeedNoDimensionForIt) {
  Data data;
  const std::vector<float> query = normal_values(dimension);
  const auto expected = with_padding(data.known().ranked(Metric::cosine, query), 4, Metric::cosine);
  std::vector<float> scores(4);
  std::vector<std::int64_t> ids(4);
  data.index.search(query, {}, {scores, ids});
  EXPECT_EQ(ranking_of(ids, scores), expected);
  const SearchResults results =
      data.index.search(query, {.path = SearchPath::quantized}, {scores, ids});
  EXPECT_EQ(ranking_of(ids, scores), expected);
  EXPECT_EQ(results.report.path, "quantized");
  EXPECT_GT(results.report.prefiltered, 0U);
  EXPECT_EQ(results.top, 4U);
  EXPECT_TRUE(results.ids.empty());
  const std::vector<std::int64_t> none(6, -1);
  data.index.score(query, ConstArray(none), {}, {scores, ids});
  EXPECT_EQ(ranking_of(ids, scores), with_padding({{}}, 4, Metric::cosine));
}

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

TEST(VectorIndexArrays, SearchesOfADeviceGiveTheAnswersOfTheReferenceAfterAnyChange) {
  Data data;
  Context& context = Testing::context();
  Impl::ArraySearch<HostSpace> search(context.memory(Space::serial));
  const VectorSpan all(data.rows, dimension);
  auto known = numbered(data.rows, dimension);
  Impl::VectorStore store(context, all.rows(0, 500), {});
  store = store.with(all.rows(500, 120)).with(all.rows(620, 50)).with(all.rows(670, 30));
  expect_answers_of_a_device(search, known, store, 3);
  store = store.without(data.removed);
  known = data.known();
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
          row_of(data.rows, dimension, by[i]),
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

TEST(VectorIndexArrays, AreAdded) {
  const std::vector<float> rows = normal_values(20 * dimension);
  VectorIndex index(context(), std::span(rows).first(10 * dimension), dimension);
  Given<float> given(false, {rows.begin() + 10 * dimension, rows.end()}, 10, dimension);
  EXPECT_EQ(index.add(ConstArray(given.array())), 10U);
  EXPECT_EQ(difference(index, numbered(rows, dimension), {rows}), "");
}

}  // namespace VectorIndexArraysTest
