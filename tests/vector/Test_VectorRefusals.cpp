// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/VectorFunctions.hpp>

#include "RefusedWithoutMemory.hpp"
#include "VectorSupport.hpp"

namespace VectorRefusalsTest {

using namespace Kindred;
using namespace Testing;
using Ids = std::vector<std::uint64_t>;

constexpr std::size_t dimension = 64;
constexpr std::size_t count = 3000;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Rows and calls whose results are larger than any message.
struct Data {
  std::vector<float> rows = normal_values(count * dimension);
  std::vector<float> queries = normal_values(200 * dimension);

  std::span<const float> first(std::size_t floats) const { return std::span(rows).first(floats); }
};

TEST(VectorRefusals, OfSearchesAllocateNothing) {
  const Data data;
  const VectorIndex index(context(), VectorSpan(data.rows, dimension),
                          {.quantized_copy = QuantizedCopy::never});
  const auto search = [&](const SearchOptions& options) -> Call {
    return [&, options] { index.search(data.queries, options); };
  };
  const std::vector<std::uint8_t> all(count, 1);
  const Ids bits(48, 1);
  const std::span<const std::uint64_t> fewer = std::span(bits).first(47);
  expect_refused_without_memory({
      {{"size of the queries is 6401", "dimension, 64"}, [&] { index.search(data.first(6401)); }},
      {{"top is 0", "at least 1"}, search({.top = 0})},
      {{"path quantized", "without a quantized copy"},
       search({.filter = all, .path = SearchPath::quantized})},
      {{"filter is 2999", "3000"}, search({.filter = std::span(all).first(count - 1)})},
      {{"48 words", "take 47"}, search({.filter_bits = bits})},
      {{"bytes and one of bits"}, search({.filter = all, .filter_bits = fewer})},
      {{"score is NaN"}, [&] { index.search_at_least(data.queries, nan); }},
  });
  const VectorIndex of_70(context(), data.first(70 * dimension), dimension);
  for (const std::size_t words : {1UL, 3UL, 4UL, 7UL}) {
    const SearchOptions options{.filter_bits = fewer.first(words)};
    expect_refused_without_memory(
        {{{described(words, "words")}, [&] { of_70.search(data.first(3 * dimension), options); }}});
  }
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
      for (const float scale : {-1.0F, infinity, nan})
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
  expect_refused_without_memory({
      {{"size of the queries is 4; it must be a multiple of the dimension, 3"},
       [&] { row_scores(context, floats(4), rows, out); }},
      {{"size of the output is 4; it must be queries × rows, 8"},
       [&] { row_scores(context, floats(6), rows, out); }},
      {{"dimension is 0"}, [&] { row_scores(context, twelve, no_dimension, out); }},
      {{"multiple of that of a row, 20"}, [&] { row_scores(context, twelve, odd, out); }},
      {{"not aligned to its elements of 4 bytes"},
       [&] { row_scores(context, floats(3), shifted, out); }},
      {{"top is 0"}, [&] { top_rows(context, floats(3), rows, {.top = 0}); }},
      {{"number of scales is 12"}, [&] { top_rows(context, {}, scales); }},
      {{"dimension is 0"}, [&] { weighted_average(context, no_dimension, {}); }},
      {{"weights"}, [&] { weighted_average(context, rows, floats(3)); }},
      {{"20"}, [&] { weighted_average(context, odd, floats(2)); }},
      {{"null"}, [&] { weighted_average(context, pointers, 3, floats(2)); }},
      {{"weights"}, [&] { weighted_average(context, one, 3, floats(2)); }},
      {{"dimension is 0"}, [&] { weighted_average(context, one, 0, floats(1)); }},
      {{"query"}, [&] { cosine_sigmoids(context, twelve, rows, 0, 1); }},
      {{"threshold"}, [&] { cosine_sigmoids(context, floats(3), rows, nan, 1); }},
  });
  EXPECT_EQ(out, std::vector<float>(4, 5.0F));
  const RowOptions on_device{Metric::ip, Space::cuda};
  if (context.is_usable(Space::cuda)) return;
  EXPECT_THROW(row_scores(context, floats(3), rows, out, on_device), SpaceUnavailable);
}

}  // namespace VectorRefusalsTest
