// SPDX-License-Identifier: Apache-2.0
// The calls of an index on arrays of the caller, on the host and on a device.
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/memory/Copies.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "MessageOf.hpp"
#include "ToSpace.hpp"
#include "VectorSupport.hpp"
#include "vector/ArraySearch.hpp"

namespace VectorIndexArraysTest {

using namespace Kindred;
using Testing::all_metrics;
using Testing::bits;
using testing::HasSubstr;
using Testing::normal_values;
using shape_type = std::vector<std::int64_t>;

constexpr std::size_t dimension = 24;

/// An index of several segments, from some of which rows were removed, and its rows by id.
struct Data {
  std::mt19937_64 generator = Testing::generator("VectorIndexArrays");
  std::vector<float> rows = normal_values(generator, 700 * dimension);
  VectorIndex index{Testing::context(), std::span(rows).first(500 * dimension), dimension};

  explicit Data(bool has_changes = true) {
    if (!has_changes) {
      rows.resize(500 * dimension);
      return;
    }
    index.add({std::span(rows).subspan(500 * dimension, 120 * dimension), dimension});
    index.add({std::span(rows).subspan(620 * dimension, 50 * dimension), dimension});
    index.add({std::span(rows).subspan(670 * dimension), dimension});
    std::vector<std::uint64_t> removed;
    for (std::uint64_t id = 3; id < 700; id += 29) removed.push_back(id);
    index.remove(removed);
  }
  bool has(std::int64_t id) const {
    const auto ids = index.ids();
    return id >= 0 && std::binary_search(ids.begin(), ids.end(), static_cast<std::uint64_t>(id));
  }
};

/// The results of a call, padded to `top` per query.
struct Answer {
  std::vector<std::int64_t> ids;
  std::vector<std::uint32_t> scores;
  friend bool operator==(const Answer&, const Answer&) = default;
};

/// Lists of ids with duplicates, ids that were never assigned or were removed, and padding.
std::vector<std::int64_t> lists_of(std::mt19937_64& generator, std::size_t queries,
                                   std::size_t length) {
  std::vector<std::int64_t> out(queries * length);
  for (std::int64_t& id : out) {
    id = static_cast<std::int64_t>(generator() % 720);
    if (generator() % 10 == 0) id = -1;
    if (generator() % 50 == 0) id = std::int64_t{1} << 32U;
  }
  return out;
}

/// The answer of `VectorIndex::score` for the ids of \p lists that have rows.
Answer expected_score(const Data& data, const std::vector<float>& queries,
                      const std::vector<std::int64_t>& lists, std::size_t length, Metric metric,
                      std::size_t top) {
  Ragged<std::uint64_t> candidates;
  for (std::size_t begin = 0; begin < lists.size(); begin += length) {
    for (std::size_t i = begin; i < begin + length; ++i)
      if (data.has(lists[i])) candidates.values.push_back(static_cast<std::uint64_t>(lists[i]));
    candidates.close_row();
  }
  SearchOptions options;
  options.metric = metric;
  options.top = top;
  const ScoreResults results = data.index.score(queries, candidates, options);
  Answer answer;
  for (std::size_t query = 0; query < candidates.rows(); ++query) {
    for (std::size_t place = 0; place < top; ++place) {
      const auto row = results.results[query];
      answer.ids.push_back(place < row.size() ? row[place].id : -1);
      const float score = place < row.size() ? row[place].score : padding_score(metric);
      answer.scores.push_back(std::bit_cast<std::uint32_t>(score));
    }
  }
  return answer;
}

Answer expected_search(const Data& data, const std::vector<float>& queries, Metric metric,
                       std::size_t top) {
  SearchOptions options;
  options.metric = metric;
  options.top = top;
  const SearchResults results = data.index.search(queries, options);
  Answer answer;
  for (std::size_t query = 0; query < queries.size() / dimension; ++query) {
    for (std::size_t place = 0; place < top; ++place) {
      const bool is_found = place < results.top;
      answer.ids.push_back(is_found ? results.ids[query * results.top + place] : -1);
      const float score =
          is_found ? results.scores[query * results.top + place] : padding_score(metric);
      answer.scores.push_back(std::bit_cast<std::uint32_t>(score));
    }
  }
  return answer;
}

std::vector<std::uint32_t> expected_scores(const Data& data, const std::vector<float>& queries,
                                           Metric metric) {
  std::vector<float> out(queries.size() / dimension * data.index.size());
  ScoreOptions options;
  options.metric = metric;
  data.index.score_all(queries, out, options);
  return bits(out);
}

Array matrix(void* data, DataType type, std::size_t rows, std::size_t columns, std::size_t stride,
             ArrayMemory memory = ArrayMemory::host, int device = 0) {
  return {data,
          type,
          shape_type{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)},
          shape_type{static_cast<std::int64_t>(stride), 1},
          memory,
          device};
}

/// \p values, `rows × columns`, with rows \p stride apart.
template <class T>
std::vector<T> apart(const std::vector<T>& values, std::size_t columns, std::size_t stride) {
  const std::size_t rows = columns == 0 ? 0 : values.size() / columns;
  std::vector<T> out(rows * stride, T(-7));
  for (std::size_t row = 0; row < rows; ++row)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                out.begin() + static_cast<std::ptrdiff_t>(row * stride));
  return out;
}
template <class T>
std::vector<T> together(const std::vector<T>& values, std::size_t columns, std::size_t stride) {
  std::vector<T> out;
  for (std::size_t row = 0; row * stride < values.size(); ++row)
    out.insert(out.end(), values.begin() + static_cast<std::ptrdiff_t>(row * stride),
               values.begin() + static_cast<std::ptrdiff_t>(row * stride + columns));
  return out;
}

TEST(VectorIndexArrays, OnTheHostGiveTheAnswersOfSpans) {
  Data data;
  const std::size_t rows = data.index.size();
  for (const std::size_t count : {0UL, 1UL, 5UL}) {
    const std::vector<float> queries = normal_values(data.generator, count * dimension);
    for (const std::size_t gap : {0UL, 3UL}) {
      std::vector<float> asked = apart(queries, dimension, dimension + gap);
      const ConstArray given =
          matrix(asked.data(), DataType::float32, count, dimension, dimension + gap);
      for (const Metric metric : all_metrics) {
        ScoreOptions score_options;
        score_options.metric = metric;
        std::vector<float> out(count * (rows + gap), -7.0F);
        data.index.score_all(given, matrix(out.data(), DataType::float32, count, rows, rows + gap),
                             score_options);
        EXPECT_EQ(bits(together(out, rows, rows + gap)), expected_scores(data, queries, metric));
        SearchOptions options;
        options.metric = metric;
        for (const std::size_t top : {1UL, 10UL, 800UL}) {
          std::vector<float> scores(count * (top + gap), -7.0F);
          std::vector<std::int64_t> ids(count * (top + 2 * gap), -7);
          const Array score_array = matrix(scores.data(), DataType::float32, count, top, top + gap);
          const Array id_array = matrix(ids.data(), DataType::int64, count, top, top + 2 * gap);
          data.index.search(given, options, {score_array, id_array});
          EXPECT_EQ(
              (Answer{together(ids, top, top + 2 * gap), bits(together(scores, top, top + gap))}),
              expected_search(data, queries, metric, top));
          for (const std::size_t length : {0UL, 1UL, 40UL, 300UL}) {
            const auto lists = lists_of(data.generator, count, length);
            if (length == 0 && count > 0) continue;
            std::vector<std::int64_t> candidates = apart(lists, length, length + gap);
            data.index.score(
                given, matrix(candidates.data(), DataType::int64, count, length, length + gap),
                options, {score_array, id_array});
            EXPECT_EQ(
                (Answer{together(ids, top, top + 2 * gap), bits(together(scores, top, top + gap))}),
                expected_score(data, queries, lists, length, metric, top));
          }
        }
      }
    }
  }
}

TEST(VectorIndexArrays, OfOneQueryNeedNoDimensionForIt) {
  Data data;
  const std::vector<float> query = normal_values(data.generator, dimension);
  std::vector<float> out(data.index.size());
  data.index.score_all(query, out);
  EXPECT_EQ(bits(out), expected_scores(data, query, Metric::cosine));
  std::vector<float> scores(4);
  std::vector<std::int64_t> ids(4);
  data.index.search(query, {}, {scores, ids});
  EXPECT_EQ((Answer{ids, bits(scores)}), expected_search(data, query, Metric::cosine, 4));
  SearchOptions quantized;
  quantized.path = SearchPath::quantized;
  const SearchResults results = data.index.search(query, quantized, {scores, ids});
  EXPECT_EQ(results.report.path, "quantized");
  EXPECT_GT(results.report.prefiltered, 0U);
  EXPECT_EQ(results.top, 4U);
  EXPECT_TRUE(results.ids.empty());
  const std::vector<std::int64_t> none(6, -1);
  data.index.score(query, ConstArray(none), {}, {scores, ids});
  EXPECT_EQ(ids, std::vector<std::int64_t>(4, -1));
  EXPECT_EQ(scores, std::vector<float>(4, padding_score(Metric::cosine)));
}

/// The calls of a device, run on the host: there they are tested without a device.
TEST(VectorIndexArrays, SearchesOfADeviceGiveTheAnswersOfTheIndex) {
  Data data;
  Context& context = Testing::context();
  const VectorSpan all(data.rows, dimension);
  Impl::VectorStore changed(context, all.rows(0, 500), {});
  changed = changed.with(all.rows(500, 120)).with(all.rows(620, 50)).with(all.rows(670, 30));
  std::vector<std::uint64_t> removed;
  for (std::uint64_t id = 3; id < 700; id += 29) removed.push_back(id);
  changed = changed.without(removed);
  // Rows that were replaced lie behind those of larger ids.
  std::vector<std::uint64_t> replaced;
  for (std::uint64_t id = 7; id < 700; id += 29) replaced.push_back(id);
  const std::vector<std::size_t> others(replaced.size(), 11);
  changed = changed.with(all, replaced, others, {});
  const std::vector<std::size_t> own(replaced.begin(), replaced.end());
  changed = changed.with(all, replaced, own, {}).with(500, all.rows(500, 1));
  ASSERT_GT(changed.segments().size(), 1U);
  const auto rows = std::make_shared<const Impl::VectorStore>(changed);
  const Impl::VectorStore& store = *rows;
  ASSERT_EQ(store.size(), data.index.size());
  const HostSpace& exec_space = Impl::host_instance(context, Space::serial);
  Impl::ArraySearch<HostSpace> search(context.memory(Space::serial));
  for (const std::size_t count : {1UL, 6UL, 1500UL}) {
    const std::vector<float> queries = normal_values(data.generator, count * dimension);
    const GivenQueries given{queries.data(), count, dimension};
    for (const Metric metric : all_metrics) {
      std::vector<float> out(count * store.size());
      search.score_all(exec_space, rows, given, metric, out.data(), store.size());
      EXPECT_EQ(bits(out), expected_scores(data, queries, metric));
      for (const std::size_t top : {3UL, 50UL}) {
        std::vector<float> scores(count * top);
        std::vector<std::int64_t> ids(count * top);
        for (const SearchPath path : {SearchPath::brute_force, SearchPath::gemm}) {
          ASSERT_EQ(search.why_not(path, dimension, top), "");
          search.search(exec_space, rows, given, metric, path, top,
                        {scores.data(), top, ids.data(), top, top});
          EXPECT_EQ((Answer{ids, bits(scores)}), expected_search(data, queries, metric, top))
              << to_string(path);
        }
      }
    }
  }
  EXPECT_NE(search.why_not(SearchPath::quantized, dimension, 10), "");
  EXPECT_NE(search.why_not(SearchPath::gemm, dimension, 1025), "");
}

TEST(VectorIndexArrays, SearchesOfADeviceFollowChangesOfTheRows) {
  Data data(false);
  Context& context = Testing::context();
  const VectorSpan all(data.rows, dimension);
  const HostSpace& exec_space = Impl::host_instance(context, Space::serial);
  Impl::ArraySearch<HostSpace> search(context.memory(Space::serial));
  const std::vector<float> queries = normal_values(data.generator, 3 * dimension);
  const GivenQueries given{queries.data(), 3, dimension};
  const auto check = [&](const Impl::VectorStore& store) {
    const auto rows = std::make_shared<const Impl::VectorStore>(store);
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<float> scores(3 * 5);
      std::vector<std::int64_t> ids(3 * 5);
      search.search(exec_space, rows, given, Metric::ip, SearchPath::brute_force, 5,
                    {scores.data(), 5, ids.data(), 5, 5});
      EXPECT_EQ((Answer{ids, bits(scores)}), expected_search(data, queries, Metric::ip, 5));
      std::vector<float> out(3 * store.size());
      search.score_all(exec_space, rows, given, Metric::ip, out.data(), store.size());
      EXPECT_EQ(bits(out), expected_scores(data, queries, Metric::ip));
      search.wait();
    }
  };
  Impl::VectorStore store(context, all, {});
  check(store);
  const std::vector<std::uint64_t> removed{3, 77};
  data.index.remove(removed);
  store = store.without(removed);
  check(store);
  data.index.replace(5, all.rows(9, 1));  // the rows of larger ids lie before it
  store = store.with(5, all.rows(9, 1));
  check(store);
}

TEST(VectorIndexArrays, AreAdded) {
  auto generator = Testing::generator("VectorIndexArrays add");
  const std::vector<float> rows = normal_values(generator, 30 * dimension);
  VectorIndex index(Testing::context(), std::span(rows).first(10 * dimension), dimension);
  std::vector<float> more(rows.begin() + 10 * dimension, rows.begin() + 20 * dimension);
  EXPECT_EQ(index.add(ConstArray(matrix(more.data(), DataType::float32, 10, dimension, dimension))),
            10U);
  more.assign(rows.begin() + 20 * dimension, rows.end());
  std::vector<float> gaps = apart(more, dimension, dimension + 5);
  EXPECT_EQ(
      index.add(ConstArray(matrix(gaps.data(), DataType::float32, 10, dimension, dimension + 5))),
      20U);
  const VectorIndex whole(Testing::context(), rows, dimension);
  EXPECT_EQ(Testing::answer_of(index.search(rows)), Testing::answer_of(whole.search(rows)));
  EXPECT_THROW(
      index.add(ConstArray(matrix(gaps.data(), DataType::float16, 10, dimension, dimension))),
      InvalidArgument);
  EXPECT_THROW(index.add(ConstArray(std::span<const float>(rows).first(dimension))),
               InvalidArgument);
  EXPECT_EQ(index.size(), 30U);
}

TEST(VectorIndexArrays, ThatDoNotMatchAreRefused) {
  Data data(false);
  const VectorIndex& index = data.index;
  std::vector<float> values(500 * dimension, 1.0F);
  std::vector<std::int64_t> numbers(5000, 2);
  const auto floats = [&](std::size_t rows, std::size_t columns,
                          ArrayMemory memory = ArrayMemory::host) {
    return matrix(values.data(), DataType::float32, rows, columns, columns, memory);
  };
  const auto ids = [&](std::size_t rows, std::size_t columns) {
    return matrix(numbers.data(), DataType::int64, rows, columns, columns);
  };
  const auto message = [](const auto& call) { return Testing::message_of<InvalidArgument>(call); };
  EXPECT_THAT(message([&] { index.score_all(floats(2, 23), floats(2, 500)); }),
              HasSubstr("it must be float32 [any, 24]"));
  EXPECT_THAT(message([&] { index.score_all(floats(2, 24), floats(3, 500)); }),
              HasSubstr("it must be float32 [2, 500]"));
  EXPECT_THAT(message([&] { index.score_all(floats(2, 24), floats(2, 499)); }),
              HasSubstr("it must be float32 [2, 500]"));
  EXPECT_THAT(message([&] {
                index.search(floats(2, 24), {}, {floats(2, 5), ids(2, 4)});
              }),
              HasSubstr("it must be int64 [2, 5]"));
  EXPECT_THAT(message([&] {
                index.search(floats(2, 24), {}, {floats(2, 0), ids(2, 0)});
              }),
              HasSubstr("top, the extent of scores, is 0"));
  EXPECT_THAT(message([&] {
                index.search(floats(2, 24), {}, {ids(2, 5), ids(2, 5)});
              }),
              HasSubstr("scores is int64"));
  EXPECT_THAT(message([&] {
                index.score(floats(2, 24), ids(3, 8), {}, {floats(2, 5), ids(2, 5)});
              }),
              HasSubstr("candidates is int64 [3, 8]"));
  EXPECT_THAT(message([&] {
                index.score(floats(2, 24), floats(2, 8), {}, {floats(2, 5), ids(2, 5)});
              }),
              HasSubstr("candidates is float32"));
  const std::vector<float> two_queries(2 * 24);
  const std::vector<std::int64_t> odd(5);
  EXPECT_THAT(message([&] { index.score(two_queries, odd); }),
              HasSubstr("candidates has 5 elements"));
  std::vector<float> no_scores;
  std::vector<std::int64_t> no_ids;
  EXPECT_THAT(message([&] {
                index.search(std::span(two_queries).first(24), {}, {no_scores, no_ids});
              }),
              HasSubstr("top, the extent of scores, is 0"));
  EXPECT_THAT(message([&] {
                index.search(floats(2, 24, ArrayMemory::device), {}, {floats(2, 5), ids(2, 5)});
              }),
              HasSubstr("same memory"));
  SearchOptions options;
  options.stream = Stream::cuda(nullptr);
  EXPECT_THAT(message([&] {
                index.search(floats(2, 24), options, {floats(2, 5), ids(2, 5)});
              }),
              HasSubstr("stream"));
  EXPECT_THAT(message([&] { index.search(std::span<const float>(values), options); }),
              HasSubstr("stream"));
  EXPECT_THAT(message([&] { index.search(std::span(values).first(30)); }),
              HasSubstr("size of the queries is 30; it must be a multiple of the dimension, 24"));
  EXPECT_THAT(message([&] {
                index.search(std::span(values).first(48), {},
                             {std::span(values).first(10), std::span(numbers).first(10)});
              }),
              HasSubstr("queries is float32 [48]; it must be float32 [24]"));
  if (!Testing::context().is_usable(Space::cuda)) {
    EXPECT_THROW(
        index.score_all(floats(2, 24, ArrayMemory::device), floats(2, 500, ArrayMemory::device)),
        SpaceUnavailable);
  }
}

TEST(VectorIndexArrays, OfResultsShareNoMemoryWithOthers) {
  Data data(false);
  const VectorIndex& index = data.index;
  std::vector<float> values(1000 * dimension, 1.0F);
  std::vector<std::int64_t> numbers(2000, 2);
  const auto floats = [&](std::size_t begin, std::size_t rows, std::size_t columns) {
    return matrix(values.data() + begin, DataType::float32, rows, columns, columns);
  };
  const auto ids = [&](std::size_t begin, std::size_t rows, std::size_t columns) {
    return matrix(numbers.data() + begin, DataType::int64, rows, columns, columns);
  };
  const auto ids_in_values = [&](std::size_t begin, std::size_t rows, std::size_t columns) {
    return matrix(reinterpret_cast<std::int64_t*>(values.data() + begin), DataType::int64, rows,
                  columns, columns);
  };
  const auto message = [](const auto& call) { return Testing::message_of<InvalidArgument>(call); };
  const Array queries = floats(0, 2, 24);
  EXPECT_THAT(message([&] {
                index.search(queries, {}, {floats(47, 2, 5), ids(0, 2, 5)});
              }),
              HasSubstr("queries and scores overlap"));
  EXPECT_THAT(message([&] {
                index.search(queries, {}, {floats(48, 2, 5), ids_in_values(46, 2, 5)});
              }),
              HasSubstr("overlap"));
  EXPECT_THAT(message([&] {
                index.search(queries, {}, {floats(48, 2, 5), ids_in_values(56, 2, 5)});
              }),
              HasSubstr("scores and ids overlap"));
  EXPECT_THAT(message([&] {
                index.score(queries, ids(0, 2, 8), {}, {floats(48, 2, 5), ids(15, 2, 5)});
              }),
              HasSubstr("candidates and ids overlap"));
  EXPECT_THAT(message([&] { index.score_all(queries, floats(47, 2, 500)); }),
              HasSubstr("queries and out overlap"));
  index.search(queries, {}, {floats(48, 2, 5), ids_in_values(58, 2, 5)});
  index.score(queries, ids(0, 2, 8), {}, {floats(48, 2, 5), ids(16, 2, 5)});
  index.score_all(queries, floats(48, 2, 500));
}

/// Memory of a device with the values of an array, and the array.
template <class ExecutionSpace, class T>
struct OnDevice {
  OnDevice(const ExecutionSpace& exec_space, const std::vector<T>& values)
      : view(Testing::to_space(exec_space, values)) {}
  Array array(DataType type, std::size_t rows, std::size_t columns, std::size_t stride) const {
    const int device = Testing::context().info(Space::cuda).device_index;
    return matrix(view.data(), type, rows, columns, stride, ArrayMemory::device, device);
  }
  std::vector<T> values(const ExecutionSpace& exec_space) const {
    std::vector<T> out(view.size());
    Impl::download(exec_space, out.data(), view, out.size());
    return out;
  }
  Testing::Array<ExecutionSpace, T> view;
};

TEST(VectorIndexArrays, OnADeviceGiveTheAnswersOfSpansOnAnyStream) {
  if (!Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  Impl::with_instance(
      Testing::context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        if constexpr (Arch::is_device<ExecutionSpace>) {
          const ExecutionSpace own = Impl::instance_beside(exec_space);  // outlives the index
          Data data;
          const std::vector<std::optional<Stream>> streams{std::nullopt,
                                                           Stream::cuda(own.cuda_stream())};
          for (int turn = 0; turn < 2; ++turn) {
            const std::size_t rows = data.index.size();
            for (const auto& stream : streams) {
              for (const std::size_t count : {1UL, 6UL, 40UL}) {
                const std::vector<float> queries = normal_values(data.generator, count * dimension);
                for (const std::size_t gap : {0UL, 4UL}) {
                  const OnDevice<ExecutionSpace, float> asked(
                      own, apart(queries, dimension, dimension + gap));
                  const ConstArray given =
                      asked.array(DataType::float32, count, dimension, dimension + gap);
                  for (const Metric metric : all_metrics) {
                    const OnDevice<ExecutionSpace, float> out(
                        own, std::vector<float>(count * (rows + gap), -7.0F));
                    ScoreOptions score_options;
                    score_options.metric = metric;
                    score_options.stream = stream;
                    const auto record = data.index.score_all(
                        given, out.array(DataType::float32, count, rows, rows + gap),
                        score_options);
                    EXPECT_EQ(record.chosen, Space::cuda);
                    EXPECT_EQ(bits(together(out.values(own), rows, rows + gap)),
                              expected_scores(data, queries, metric));
                    SearchOptions options;
                    options.metric = metric;
                    options.stream = stream;
                    for (const std::size_t top : {1UL, 10UL, 800UL}) {
                      const OnDevice<ExecutionSpace, float> scores(
                          own, std::vector<float>(count * (top + gap), -7.0F));
                      const OnDevice<ExecutionSpace, std::int64_t> ids(
                          own, std::vector<std::int64_t>(count * top, -7));
                      const Array score_array =
                          scores.array(DataType::float32, count, top, top + gap);
                      const Array id_array = ids.array(DataType::int64, count, top, top);
                      using Path = std::optional<SearchPath>;
                      for (const Path path :
                           {Path(), Path(SearchPath::brute_force), Path(SearchPath::gemm)}) {
                        options.path = path;
                        const SearchReport report =
                            data.index.search(given, options, {score_array, id_array}).report;
                        EXPECT_EQ((Answer{ids.values(own),
                                          bits(together(scores.values(own), top, top + gap))}),
                                  expected_search(data, queries, metric, top))
                            << report.path;
                        if (path) {
                          EXPECT_EQ(report.path, to_string(*path));
                        }
                      }
                      options.path = {};
                      for (const std::size_t length : {1UL, 40UL, 1024UL}) {
                        const auto lists = lists_of(data.generator, count, length);
                        const OnDevice<ExecutionSpace, std::int64_t> candidates(own, lists);
                        data.index.score(given,
                                         candidates.array(DataType::int64, count, length, length),
                                         options, {score_array, id_array});
                        EXPECT_EQ((Answer{ids.values(own),
                                          bits(together(scores.values(own), top, top + gap))}),
                                  expected_score(data, queries, lists, length, metric, top));
                      }
                    }
                  }
                }
              }
            }
            // A change waits for the calls, and the next ones follow it.
            data.index.remove(std::vector<std::uint64_t>{data.index.ids()[7]});
          }
        }
      });
}

TEST(VectorIndexArrays, OnADeviceAreRefusedWhereTheyCannotBeUsed) {
  if (!Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  Impl::with_instance(
      Testing::context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        const std::vector<float> rows(64 * 6, 1.0F);
        const VectorIndex odd(Testing::context(), rows, 6);
        const VectorIndex on_host(Testing::context(), rows, 6, Residency::host);
        const OnDevice<ExecutionSpace, float> floats(exec_space, std::vector<float>(600, 1.0F));
        const OnDevice<ExecutionSpace, std::int64_t> numbers(exec_space,
                                                             std::vector<std::int64_t>(600, 1));
        const ConstArray queries = floats.array(DataType::float32, 2, 6, 6);
        const Array scores = floats.array(DataType::float32, 2, 5, 5);
        const SearchOutput out{scores, numbers.array(DataType::int64, 2, 5, 5)};
        EXPECT_THROW(odd.score(queries, numbers.array(DataType::int64, 2, 9, 9), {}, out),
                     InvalidArgument)
            << "rows that are not aligned to four elements";
        EXPECT_THROW(on_host.search(queries, {}, out), InvalidArgument);
        EXPECT_THROW(odd.search(queries), InvalidArgument);
        EXPECT_THROW(odd.search_at_least(queries, 0.5F), InvalidArgument);
        SearchOptions options;
        options.space = Space::serial;
        EXPECT_THROW(odd.search(queries, options, out), InvalidArgument);
        options.space = {};
        options.path = SearchPath::quantized;
        EXPECT_THROW(odd.search(queries, options, out), InvalidArgument);
        options.path = SearchPath::gemm;
        const std::vector<float> many(2000 * 6, 1.0F);
        const VectorIndex large(Testing::context(), many, 6);
        const OnDevice<ExecutionSpace, float> long_scores(exec_space, std::vector<float>(1025));
        const OnDevice<ExecutionSpace, std::int64_t> long_ids(exec_space,
                                                              std::vector<std::int64_t>(1025));
        EXPECT_THROW(large.search(floats.array(DataType::float32, 1, 6, 6), options,
                                  {long_scores.array(DataType::float32, 1, 1025, 1025),
                                   long_ids.array(DataType::int64, 1, 1025, 1025)}),
                     InvalidArgument)
            << "more results than fit into scratch";
        EXPECT_THROW(odd.score_all(queries, floats.array(DataType::float32, 2, 63, 63)),
                     InvalidArgument);
      });
}

}  // namespace VectorIndexArraysTest
