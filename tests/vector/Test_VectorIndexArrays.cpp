// SPDX-License-Identifier: Apache-2.0
// The calls of an index on arrays of the caller, on the host and on a device.

#include "DeviceCopy.hpp"
#include "VectorAnswers.hpp"

namespace VectorIndexArraysTest {

using namespace Kindred;
using namespace Testing;
using Kindred::Array;

constexpr std::size_t dimension = 24;

/// An index of several segments, from some of which rows were removed, and what is known of it.
struct Data {
  std::vector<float> rows = normal_values(700 * dimension);
  VectorIndex index{context(), std::span(rows).first(500 * dimension), dimension};

  Data() {
    for (const auto& [first, count] : {std::pair(500UL, 120UL), {620UL, 50UL}, {670UL, 30UL}})
      index.add({row_of(rows, dimension, first, count), dimension});
    for (std::uint64_t id = 3; id < 700; id += 29) index.remove({{id}});
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
/// \param own stream of the caller, who waits for it
void expect_answers(Data& data, bool on_device, const DeviceStream* own = nullptr) {
  const std::optional<Stream> stream = own ? std::optional(own->stream()) : std::nullopt;
  const auto wait = [&] {
    if (own) own->wait();
  };
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
      wait();
      EXPECT_EQ(bits(all.values()), known.scores(metric, queries));
      const auto ranked = known.ranked(metric, queries);
      SearchOptions options{.metric = metric, .stream = stream};
      for (const std::size_t top : {1UL, 10UL, 800UL}) {
        const auto found = [&](const auto& call) {
          Given<float> scores(on_device, {}, count, top);
          Given<std::int64_t> ids(on_device, {}, count, top);
          call(SearchOutput{scores.array(), ids.array()});
          wait();
          return ranking_of(ids.values(), scores.values());
        };
        for (const auto& path : std::vector<std::optional<SearchPath>>{
                 std::nullopt, SearchPath::brute_force, SearchPath::gemm}) {
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
              const std::uint64_t kind = random_below(50);
              const std::int64_t id = kind == 0  ? std::int64_t{1} << 32U
                                      : kind < 6 ? -1
                                                 : static_cast<std::int64_t>(random_below(720));
              lists.push_back(id);
              const auto at = std::ranges::lower_bound(known.ids, static_cast<std::uint64_t>(id));
              if (at != known.ids.end() && *at == static_cast<std::uint64_t>(id))
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
  expect_answers(data, false);
}

TEST(VectorIndexArrays, OnADeviceGiveTheAnswersOfTheReferenceOnAnyStream) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  const DeviceStream own(context());  // outlives the index
  Data data;
  for (int turn = 0; turn < 2; ++turn) {
    expect_answers(data, true);
    expect_answers(data, true, &own);
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

TEST(VectorIndexArrays, AreAdded) {
  const std::vector<float> rows = normal_values(20 * dimension);
  VectorIndex index(context(), std::span(rows).first(10 * dimension), dimension);
  Given<float> given(false, {rows.begin() + 10 * dimension, rows.end()}, 10, dimension);
  EXPECT_EQ(index.add(ConstArray(given.array())), 10U);
  EXPECT_EQ(difference(index, numbered(rows, dimension), {rows}), "");
}

}  // namespace VectorIndexArraysTest
