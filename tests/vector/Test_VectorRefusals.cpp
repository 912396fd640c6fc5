// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorFunctions.hpp>

#include "DeviceCopy.hpp"
#include "RefusedWithoutMemory.hpp"
#include "VectorAnswers.hpp"

namespace VectorRefusalsTest {

using namespace Kindred;
using namespace Testing;
using Ids = std::vector<std::uint64_t>;
using Kindred::Array;
using Shape = std::vector<std::int64_t>;

constexpr std::size_t dimension = 64;
constexpr std::size_t count = 3000;

/// Rows and calls whose results are larger than any message.
struct Data {
  std::vector<float> rows = normal_values(count * dimension);
  std::vector<float> queries = normal_values(200 * dimension);

  std::span<const float> first(std::size_t floats) const { return std::span(rows).first(floats); }
};

/// Without a device, a call that needs one is refused.
void expect_unavailable(const Call& call) {
  if (context().is_usable(Space::cuda)) return;
  EXPECT_THROW(call(), SpaceUnavailable);
}

TEST(VectorRefusals, OfSearchesAllocateNothing) {
  const Data data;
  const VectorIndex index(context(), VectorSpan(data.rows, dimension),
                          {.quantized_copy = QuantizedCopy::never});
  const auto search = [&](const SearchOptions& options) -> Call {
    return [&, options] { index.search(data.queries, options); };
  };
  const std::vector<std::uint8_t> all(count, 1);
  const Ids bits(48, 1);
  const auto fewer = std::span(bits).first(47);
  expect_refused_without_memory({
      {{"size of the queries is 6401", "dimension, 64"}, [&] { index.search(data.first(6401)); }},
      {{"top is 0", "at least 1"}, search({.top = 0})},
      {{"path quantized", "without a quantized copy"},
       search({.filter = all, .path = SearchPath::quantized})},
      {{"filter is 2999", "3000"}, search({.filter = std::span(all).first(count - 1)})},
      {{"48 words", "take 47"}, search({.filter_bits = bits})},
      {{"bytes and one of bits"}, search({.filter = all, .filter_bits = fewer})},
      {{"score is NaN"}, [&] { index.search_at_least(data.queries, quiet_nan); }},
  });
  const VectorIndex of_70(context(), data.first(70 * dimension), dimension);
  for (const std::size_t words : {1UL, 3UL, 4UL, 7UL})
    expect_refused_without_memory(
        {{{described(words, "words")},
          [&] { of_70.search(data.first(3 * dimension), {.filter_bits = fewer.first(words)}); }}});
}

TEST(VectorRefusals, OfSizesBeyond64BitsAllocateNothing) {
  const Data data;
  Context& context = Testing::context();
  const auto bytes = std::as_bytes(data.first(16));
  // 2⁶² numbers overflow to 0 bytes in 64 bits, 2⁶² + 1 numbers to 4 bytes: a row of one number.
  for (const std::size_t odd : {std::size_t{1} << 62U, (std::size_t{1} << 62U) + 1}) {
    const VectorSpan rows(DataType::float32, bytes, odd);
    EXPECT_THROW(VectorIndex(context, rows, VectorIndexOptions()), InvalidArgument);
    EXPECT_THROW(VectorIndex(context, {}, odd), InvalidArgument);
    const std::string dimension_is = described("dimension is", odd);
    expect_refused_without_memory({
        {{dimension_is}, [&] { row_scores(context, {}, rows, {}); }},
        {{dimension_is}, [&] { weighted_average(context, rows, {}); }},
        {{dimension_is}, [&] { cosine_sigmoids(context, {}, rows, 0, 1); }},
    });
  }
  const VectorIndex index(context, data.rows, dimension);
  for (const std::size_t longest :
       {~std::size_t{0}, std::size_t{1} << 62U, std::size_t{1} << 32U, std::size_t{0}})
    expect_refused_without_memory({{{described("longest list is", longest)},
                                    [&] { const PreparedScore prepared(index, longest); }}});
}

TEST(VectorRefusals, OfScoresAllocateNothing) {
  const Data data;
  VectorIndex index(context(), data.rows, dimension);
  index.remove({{7}});
  PreparedScore prepared(index, 100);
  const auto query = data.first(dimension);
  const Ids filter(48, 1);
  std::vector<float> out(6000, 5.0F);
  const auto score = [&](const Ids& ids, const Ids& offsets, std::size_t top = 10) -> Call {
    return [&, ids, offsets, top] {
      index.score(data.first((offsets.size() - 1) * dimension),
                  RaggedSpan<std::uint64_t>{offsets, ids}, {.top = top});
    };
  };
  const auto one = [&](const Ids& ids, std::size_t size = dimension) -> Call {
    return [&, ids, size] { prepared.score(query.first(size), ids); };
  };
  const auto prepare = [&](const SearchOptions& options) -> Call {
    return [&, options] { const PreparedScore bad(index, 1, options); };
  };
  const auto dense = [&](std::size_t floats, std::size_t size,
                         const ScoreOptions& options) -> Call {
    return [&, floats, size, options] {
      index.score_all(data.first(floats), std::span(out).first(size), options);
    };
  };
  expect_refused_without_memory({
      {{"candidate 1 of query 1 is 3000", "2999 rows", "below 3000"},
       score({1, 2, 3000}, {0, 1, 3})},
      {{"candidate 0 of query 0 is 4294967296"}, score({1ULL << 32U}, {0, 1})},
      {{"candidate 0 of query 0 is 7"}, score({7}, {0, 1})},
      {{"list 1 goes from 2 to 1"}, score({1, 2}, {0, 2, 1, 2})},
      {{"list 0 goes from 0 to 3", "2 candidates"}, score({1, 2}, {0, 3})},
      {{"top is 0"}, score({1}, {0, 1}, 0)},
      {{"candidate lists is 1", "200 queries"},
       [&, lists = Ragged<std::uint64_t>{{0, 1}, {1}}] { index.score(data.queries, lists); }},
      {{"101 candidates", "for 100"}, one(Ids(101, 1))},
      {{"is 7;"}, one({7})},
      {{"candidate 1 of query 0 is 4294967296"}, one({1, 1ULL << 32U})},
      {{"63 elements", "of 64"}, one({1}, 63)},
      {{"top is 0"}, prepare({.top = 0})},
      {{"48 words"}, prepare({.filter_bits = filter})},
      {{"size of the queries is 65"}, dense(65, 2999, {})},
      {{"size of the output is 2998; it must be queries × rows, 2999"}, dense(dimension, 2998, {})},
      {{"queries × rows, 5998"}, dense(2 * dimension, 5999, {})},
      {{"stream"}, dense(dimension, 2999, {.stream = Stream::cuda(nullptr)})},
  });
  EXPECT_EQ(out, std::vector<float>(6000, 5.0F)) << "a refused call must not write";
  if (!context().is_usable(Space::cuda))
    expect_refused_without_memory<SpaceUnavailable>(
        {{{"cuda"}, dense(dimension, 2999, {.space = Space::cuda})}});
  PreparedScore of_fewer(index, 1, {.filter_bits = std::span(filter).first(47)});
  index.add(VectorSpan(query, dimension));
  const Ids five{5};
  expect_refused_without_memory(
      {{{"for 3000 ids; the index now has 3001"}, [&] { of_fewer.score(query, five); }}});
}

TEST(VectorRefusals, OfCandidatesNameTheFirstOneOnEverySpace) {
  constexpr std::size_t lists = 40;
  const Data data;
  const auto queries = data.first(lists * 4);
  VectorIndex index(context(), data.first(500 * 4), 4);
  for (const std::size_t segments : {1UL, 2UL}) {
    if (segments == 2) index.add({data.first(100 * 4), 4});
    ASSERT_EQ(index.statistics().segments, segments);
    const std::uint64_t end = index.end_id();
    const std::vector<std::uint8_t> passes(end, 1);
    for (const std::size_t length : {3UL, 3000UL}) {
      Ragged<std::uint64_t> candidates;
      for (std::size_t list = 0; list < lists; ++list) {
        for (std::size_t i = 0; i < length; ++i) candidates.values.push_back((list + 7 * i) % end);
        candidates.close_row();
      }
      for (const Space space : spaces()) {
        // One launch on a device, and several.
        SearchOptions options{.top = length == 3 ? 2UL : 1200UL, .space = space};
        if (segments == 2) options.filter = passes;
        const auto before = ranking_of(index.score(queries, candidates, options));
        for (const std::uint64_t bad :
             {end, std::uint64_t{0xFFFFFFFF}, std::uint64_t{1} << 32U, ~std::uint64_t{0}}) {
          for (const std::size_t at : {17 * length + 2, lists * length - 1}) {
            Ragged<std::uint64_t> broken = candidates;
            broken.values.back() = end + 1;
            broken.values[at] = bad;
            expect_refused_without_memory(
                {{{described("candidate", at % length, "of query", at / length, "is", bad) + ";",
                   described("has", end, "rows with ids below", end)},
                  [&] { index.score(queries, broken, options); }}});
          }
        }
        EXPECT_EQ(ranking_of(index.score(queries, candidates, options)), before);
      }
    }
  }
}

TEST(VectorRefusals, OfChangesAllocateNothingAndChangeNothing) {
  const Data data;
  const std::span<const float> rows(data.rows);
  const std::vector<std::byte> bytes(100 * dimension * 2);
  for (const DataType element : {DataType::float32, DataType::int8}) {
    const auto encoded = StoredRows::near(element, data.rows, dimension);
    const VectorSpan row = encoded.span().rows(0, 1);
    VectorIndex index(context(), encoded.span(), {});
    const auto before = ranking_of(index.search(data.queries));
    const auto add = [&](const VectorSpan& added) -> Call {
      return [&, added] { index.add(added); };
    };
    const auto replace = [&](std::uint64_t id, const VectorSpan& by) -> Call {
      return [&, id, by] { index.replace(id, by); };
    };
    const auto remove = [&](const Ids& ids) -> Call { return [&, ids] { index.remove(ids); }; };
    expect_refused_without_memory({
        {{"float16", to_string(element).data()}, add({DataType::float16, bytes, dimension})},
        {{"number of rows is 2"}, replace(5, encoded.span().rows(0, 2))},
    });
    if (element == DataType::float32) {
      expect_refused_without_memory({
          {{"65", "64"}, replace(5, {rows.first(65), 65})},
          {{"63", "64"}, add({rows.first(63 * 100), 63})},
          {{"multiple", "256"}, add({element, std::as_bytes(rows.first(65)), dimension})},
      });
    } else {
      expect_refused_without_memory({{{"scale"}, add({element, row.values, dimension})}});
      for (const float scale : {-1.0F, infinity, quiet_nan})
        expect_refused_without_memory(
            {{{"scale"}, add({element, row.values, dimension, {&scale, 1}})}});
    }
    Ids many(100'000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = i % count;
    many.back() = count;
    expect_refused_without_memory<NotFound>({
        {{"id 3000"}, [&] { index.remove(many); }},
        {{"id 3000", "below 3000"}, replace(count, row)},
        {{"id 3 is listed twice for removal"}, remove({3, 4, 3})},
        {{"id 3000", "below 3000"}, remove({3, count})},
    });
    EXPECT_EQ(index.size(), count);
    EXPECT_EQ(index.end_id(), count);
    EXPECT_EQ(ranking_of(index.search(data.queries)), before);
    index.remove({{7}});
    expect_refused_without_memory<NotFound>({{{"id 7"}, remove({7})}, {{"id 7"}, replace(7, row)}});
  }
  const VectorSpan unknown(static_cast<DataType>(4), std::as_bytes(rows.first(12)), 3);
  for (const VectorSpan& bad :
       {VectorSpan(rows.first(12), 0), VectorSpan(rows.first(12), 5), unknown})
    EXPECT_THROW(VectorIndex(context(), bad, VectorIndexOptions()), InvalidArgument);
}

TEST(VectorRefusals, OfFunctionsOfRowsWriteNothing) {
  Context& context = Testing::context();
  const std::vector<float> twelve(12, 1.0F);
  const VectorSpan rows(twelve, 3);
  const VectorSpan no_dimension(twelve, 0);
  const VectorSpan odd(twelve, 5);
  const VectorSpan shifted(DataType::float32, rows.values.subspan(2, 24), 3);
  const VectorSpan scales(DataType::int8, {}, 3, twelve);
  const auto floats = [&](std::size_t size) { return std::span(twelve).first(size); };
  const std::vector<const float*> pointers{twelve.data(), nullptr};
  const std::span<const float* const> one(pointers.data(), 1);
  std::vector<float> out(4, 5.0F);
  const auto scores = [&](std::size_t size, const VectorSpan& of) -> Call {
    return [&, size, of] { row_scores(context, floats(size), of, out); };
  };
  expect_refused_without_memory({
      {{"size of the queries is 4; it must be a multiple of the dimension, 3"}, scores(4, rows)},
      {{"size of the output is 4; it must be queries × rows, 8"}, scores(6, rows)},
      {{"dimension is 0"}, scores(12, no_dimension)},
      {{"multiple of that of a row, 20"}, scores(12, odd)},
      {{"not aligned to its elements of 4 bytes"}, scores(3, shifted)},
      {{"top is 0"}, [&] { top_rows(context, floats(3), rows, {.top = 0}); }},
      {{"number of scales is 12"}, [&] { top_rows(context, {}, scales); }},
      {{"dimension is 0"}, [&] { weighted_average(context, no_dimension, {}); }},
      {{"weights"}, [&] { weighted_average(context, rows, floats(3)); }},
      {{"20"}, [&] { weighted_average(context, odd, floats(2)); }},
      {{"null"}, [&] { weighted_average(context, pointers, 3, floats(2)); }},
      {{"weights"}, [&] { weighted_average(context, one, 3, floats(2)); }},
      {{"dimension is 0"}, [&] { weighted_average(context, one, 0, floats(1)); }},
      {{"query"}, [&] { cosine_sigmoids(context, twelve, rows, 0, 1); }},
      {{"threshold"}, [&] { cosine_sigmoids(context, floats(3), rows, quiet_nan, 1); }},
  });
  EXPECT_EQ(out, std::vector<float>(4, 5.0F));
  const RowOptions on_device{Metric::ip, Space::cuda};
  expect_unavailable([&] { row_scores(context, floats(3), rows, out, on_device); });
}

/// Memory of a caller, and arrays that begin somewhere in it.
struct Memory {
  std::vector<float> values = std::vector<float>(24000, 1.0F);
  std::vector<std::int64_t> numbers = std::vector<std::int64_t>(5000, 2);

  Array floats(const Shape& shape, std::size_t begin = 0, const Shape& strides = {}) {
    return {values.data() + begin, DataType::float32, shape, strides};
  }
  Array on_device(const Shape& shape) {
    return {values.data(), DataType::float32, shape, {}, ArrayMemory::device};
  }
  Array ids(const Shape& shape, std::size_t begin = 0) {
    return {numbers.data() + begin, DataType::int64, shape};
  }
  /// Ids where the floats are.
  Array ids_in_floats(const Shape& shape, std::size_t begin) {
    return {reinterpret_cast<std::int64_t*>(values.data() + begin), DataType::int64, shape};
  }
};

TEST(VectorArrayRefusals, OfAnIndexNameTheArgument) {
  Memory at;
  VectorIndex index(context(), at.values, 24);  // 1,000 rows
  const Array queries = at.floats({2, 24});
  const Array scores = at.floats({2, 5}, 48);
  const Array ids = at.ids({2, 5}, 16);
  const std::span<float> values(at.values);
  const std::span<std::int64_t> numbers(at.numbers);
  const SearchOptions on_stream{.stream = Stream::cuda(nullptr)};
  const auto search = [&](const ConstArray& asked, const Array& best, const Array& of,
                          const SearchOptions& options = {}) -> Call {
    return [&, asked, best, of, options] { index.search(asked, options, {best, of}); };
  };
  const auto score = [&](const Array& candidates) -> Call {
    return [&, candidates] { index.score(queries, candidates, {}, {scores, ids}); };
  };
  const auto all = [&](const Array& asked, const Array& out) -> Call {
    return [&, asked, out] { index.score_all(asked, out); };
  };
  const auto add = [&](const ConstArray& rows) -> Call { return [&, rows] { index.add(rows); }; };
  expect_refused_without_memory({
      {{"it must be float32 [any, 24]"}, all(at.floats({2, 23}), at.floats({2, 1000}, 48))},
      {{"it must be float32 [2, 1000]"}, all(queries, at.floats({3, 1000}, 48))},
      {{"it must be float32 [2, 1000]"}, all(queries, at.floats({2, 999}, 48))},
      {{"queries and out overlap"}, all(queries, at.floats({2, 1000}, 47))},
      {{"it must be int64 [2, 5]"}, search(queries, scores, at.ids({2, 4}))},
      {{"top, the extent of scores, is 0"}, search(queries, at.floats({2, 0}), at.ids({2, 0}))},
      {{"top, the extent of scores, is 0"},
       search(values.first(24), values.first(0), numbers.first(0))},
      {{"scores is int64"}, search(queries, ids, ids)},
      {{"same memory"}, search(at.on_device({2, 24}), scores, ids)},
      {{"stream"}, search(queries, scores, ids, on_stream)},
      {{"stream"}, [&] { index.search(queries, on_stream); }},
      {{"size of the queries is 30; it must be a multiple of the dimension, 24"},
       [&] { index.search(values.first(30)); }},
      {{"queries is float32 [48]; it must be float32 [24]"},
       search(values.first(48), values.subspan(48, 10), numbers.first(10))},
      {{"queries and scores overlap"}, search(queries, at.floats({2, 5}, 47), ids)},
      {{"overlap"}, search(queries, scores, at.ids_in_floats({2, 5}, 46))},
      {{"scores and ids overlap"}, search(queries, scores, at.ids_in_floats({2, 5}, 56))},
      {{"candidates is int64 [3, 8]"}, score(at.ids({3, 8}, 26))},
      {{"candidates is float32"}, score(at.floats({2, 8}))},
      {{"candidates and ids overlap"}, score(at.ids({2, 8}, 1))},
      {{"candidates has 5 elements"},
       [&] { index.score(values.first(48), std::vector<std::int64_t>(5)); }},
      {{"float16"}, add({at.values.data(), DataType::float16, Shape{10, 24}})},
      {{"float32 [24]"}, add(std::span<const float>(at.values).first(24))},
  });
  search(queries, scores, at.ids_in_floats({2, 5}, 58))();
  score(at.ids({2, 8}))();
  all(queries, at.floats({2, 1000}, 48))();
  EXPECT_EQ(index.size(), 1000U);
  expect_unavailable(all(at.on_device({2, 24}), at.on_device({2, 1000})));
}

TEST(VectorArrayRefusals, OfFunctionsOfRowsNameTheArgument) {
  Context& context = Testing::context();
  Memory at;
  const Array queries = at.floats({2, 3});
  const Array rows = at.floats({4, 3}, 6);
  const Array out = at.floats({2, 4}, 100);
  const auto scores = [&](const ConstArray& asked, const ConstArray& of, const Array& to) -> Call {
    return [&, asked, of, to] { row_scores(context, asked, of, to); };
  };
  const auto top = [&](const Array& best, const Array& ids) -> Call {
    return [&, best, ids] { top_rows(context, queries, rows, {}, {best, ids}); };
  };
  expect_refused_without_memory({
      {{"queries is float32 [2, 3]; it must be float32 [any, 5]"},
       scores(queries, at.floats({4, 5}), out)},
      {{"out is float32 [1, 4]; it must be float32 [4]"},
       scores(at.floats({3}), rows, at.floats({1, 4}, 100))},
      {{"it must be float32 [2, 4]"}, scores(queries, rows, at.floats({2, 3}, 100))},
      {{"rows is"}, scores(queries, at.floats({12}), out)},
      {{"rows is"}, scores(queries, at.floats({4, 0}), out)},
      {{"float32, float16 or bfloat16"}, scores(queries, at.ids({4, 3}), out)},
      {{"without overlap"}, scores(queries, at.floats({4, 3}, 0, {2, 1}), out)},
      {{"must be consecutive"}, scores(queries, at.floats({4, 3}, 0, {6, 2}), out)},
      {{"same memory"}, scores(queries, at.on_device({4, 3}), out)},
      {{"queries and out overlap"}, scores(queries, at.floats({4, 3}, 20), at.floats({2, 4}, 5))},
      {{"rows and out overlap"}, scores(queries, rows, at.floats({2, 4}, 17))},
      {{"it must be int64 [2, 2]"}, top(at.floats({2, 2}, 100), at.ids({2, 3}))},
      {{"top, the extent of scores, is 0"}, top(at.floats({2, 0}), at.ids({2, 0}))},
      {{"it must be int64"}, top(at.floats({2, 2}, 100), at.floats({2, 2}, 200))},
  });
  scores(queries, rows, at.floats({2, 4}, 18))();
  expect_unavailable(scores(at.on_device({2, 3}), at.on_device({4, 3}), at.on_device({2, 4})));
}

TEST(VectorArrayRefusals, OfArraysOnADevice) {
  if (!Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  Context& context = Testing::context();
  const VectorIndex odd(context, std::vector<float>(64 * 6, 1.0F), 6);
  const VectorIndex on_host(context, std::vector<float>(64 * 6, 1.0F), 6, Residency::host);
  const VectorIndex large(context, std::vector<float>(2000 * 6, 1.0F), 6);
  const DeviceCopy<float> values(context, std::vector<float>(2000, 1.0F));
  const DeviceCopy<std::int64_t> numbers(context, std::vector<std::int64_t>(2000, 1));
  const auto floats = [&](const Shape& shape, std::size_t begin = 0) {
    return values.array(DataType::float32, shape, {}, begin);
  };
  const auto ids = [&](const Shape& shape) { return numbers.array(DataType::int64, shape); };
  const ConstArray queries = floats({2, 6});
  const SearchOutput out{floats({2, 5}, 100), ids({2, 5})};
  EXPECT_THROW(odd.score(queries, ids({2, 9}), {}, out), InvalidArgument)
      << "rows that are not aligned to four elements";
  EXPECT_THROW(on_host.search(queries, {}, out), InvalidArgument);
  EXPECT_THROW(odd.search(queries), InvalidArgument);
  EXPECT_THROW(odd.search_at_least(queries, 0.5F), InvalidArgument);
  EXPECT_THROW(odd.search(queries, {.space = Space::serial}, out), InvalidArgument);
  EXPECT_THROW(odd.search(queries, {.path = SearchPath::quantized}, out), InvalidArgument);
  EXPECT_THROW(large.search(floats({1, 6}), {.path = SearchPath::gemm},
                            {floats({1, 1025}, 100), ids({1, 1025})}),
               InvalidArgument)
      << "more results than fit into scratch";
  EXPECT_THROW(odd.score_all(queries, floats({2, 63}, 100)), InvalidArgument);
}

}  // namespace VectorRefusalsTest
