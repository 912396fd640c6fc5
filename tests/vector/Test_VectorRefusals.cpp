// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/VectorFunctions.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "Allocations.hpp"
#include "VectorSupport.hpp"

namespace VectorRefusalsTest {

using namespace Kindred;
using Testing::normal_values;

constexpr std::size_t dimension = 64;
constexpr std::size_t count = 3000;

std::vector<MemoryStatistics> memory() {
  std::vector<MemoryStatistics> out;
  for (const Space space : Testing::spaces())
    out.push_back(Testing::context().memory_statistics(space));
  return out;
}

/// \p call must throw an \p Expected whose message contains \p words, and allocate memory only for
/// that message.
template <class Expected, class Call>
void expect_refused(const std::vector<std::string>& words, const Call& call) {
  SCOPED_TRACE(words.front());
  constexpr std::size_t message_bytes = 4096;
  const std::vector<MemoryStatistics> before = memory();
  std::size_t bytes = 0;
  std::string said;
  for (int attempt = 0; attempt < 2; ++attempt) {  // the first one may make an empty workspace
    const std::size_t bytes_before = Testing::allocated_bytes();
    try {
      call();
      FAIL() << "the call was accepted";
    } catch (const Expected& error) {
      bytes = Testing::allocated_bytes() - bytes_before;
      said = error.what();
    }
  }
  for (const std::string& word : words) EXPECT_NE(said.find(word), std::string::npos) << said;
  EXPECT_LE(bytes, message_bytes) << said;
  EXPECT_TRUE(memory() == before) << said;
}

/// Rows and calls whose results are larger than any message.
struct Data {
  std::mt19937_64 generator = Testing::generator("VectorRefusals");
  std::vector<float> rows = normal_values(generator, count* dimension);
  std::vector<float> queries = normal_values(generator, 200 * dimension);
};

TEST(VectorRefusals, OfSearchesAllocateNothing) {
  Data data;
  VectorIndexOptions without_copy;
  without_copy.quantized_copy = QuantizedCopy::never;
  const VectorIndex index(Testing::context(), VectorSpan(data.rows, dimension), without_copy);
  const auto search = [&](const SearchOptions& options, std::size_t floats = 200 * dimension) {
    index.search(std::span(data.queries).first(floats), options);
  };
  SearchOptions options;
  expect_refused<InvalidArgument>({"size of the queries is 6401", "dimension, 64"},
                                  [&] { search(options, 100 * dimension + 1); });
  options.top = 0;
  expect_refused<InvalidArgument>({"top is 0", "at least 1"}, [&] { search(options); });
  options.top = 10;
  options.path = SearchPath::quantized;
  const std::vector<std::uint8_t> all(count, 1);
  options.filter = all;
  expect_refused<InvalidArgument>({"path quantized", "without a quantized copy"},
                                  [&] { search(options); });
  options.path = {};
  options.filter = std::span(all).first(count - 1);
  expect_refused<InvalidArgument>({"filter is 2999", "3000"}, [&] { search(options); });
  options.filter = {};
  const std::vector<std::uint64_t> bits(48, 1);
  options.filter_bits = bits;
  expect_refused<InvalidArgument>({"48 words", "take 47"}, [&] { search(options); });
  options.filter = all;
  expect_refused<InvalidArgument>({"bytes and one of bits"}, [&] { search(options); });
  expect_refused<InvalidArgument>({"score is NaN"}, [&] {
    index.search_at_least(data.queries, std::numeric_limits<float>::quiet_NaN());
  });
}

TEST(VectorRefusals, IncludeFiltersOfAnotherSize) {
  const std::vector<float> rows(70 * dimension, 1.0F);
  const VectorIndex index(Testing::context(), rows, dimension);
  const std::vector<float> queries(3 * dimension, 1.0F);
  SearchOptions options;
  for (const std::size_t words : {1UL, 3UL, 4UL, 7UL}) {
    const std::vector<std::uint64_t> bits(words, ~std::uint64_t{0});
    options.filter_bits = bits;
    EXPECT_THROW(index.search(queries, options), InvalidArgument) << words << " words";
  }
  const std::vector<std::uint64_t> bits(2, ~std::uint64_t{0});
  const std::vector<std::uint8_t> bytes(70, 1);
  options.filter_bits = bits;
  options.filter = bytes;
  EXPECT_THROW(index.search(queries, options), InvalidArgument) << "two filters at the same time";
}

TEST(VectorRefusals, OfSizesBeyond64BitsAllocateNothing) {
  Data data;
  Context& context = Testing::context();
  const auto bytes = std::as_bytes(std::span(data.rows).first(16));
  // 2⁶² numbers overflow to 0 bytes in 64 bits, 2⁶² + 1 numbers to 4 bytes: a row of one number.
  for (const std::size_t odd : {std::size_t{1} << 62U, (std::size_t{1} << 62U) + 1}) {
    const VectorSpan rows(DataType::float32, bytes, odd);
    EXPECT_THROW(VectorIndex(context, rows, VectorIndexOptions()), InvalidArgument);
    EXPECT_THROW(VectorIndex(context, {}, odd), InvalidArgument);
    const std::string dimension_is = "dimension is " + std::to_string(odd);
    expect_refused<InvalidArgument>({dimension_is}, [&] { row_scores(context, {}, rows, {}); });
    expect_refused<InvalidArgument>({dimension_is}, [&] { weighted_average(context, rows, {}); });
    expect_refused<InvalidArgument>({dimension_is},
                                    [&] { cosine_sigmoids(context, {}, rows, 0, 1); });
  }
  const VectorIndex index(context, data.rows, dimension);
  for (const std::size_t longest : {~std::size_t{0}, std::size_t{1} << 62U, std::size_t{1} << 32U})
    expect_refused<InvalidArgument>({"longest list is " + std::to_string(longest)},
                                    [&] { const PreparedScore prepared(index, longest); });
}

TEST(VectorRefusals, OfScoresAllocateNothing) {
  Data data;
  VectorIndex index(Testing::context(), data.rows, dimension);
  const std::uint64_t removed[] = {7};
  index.remove(removed);
  const auto score = [&](const std::vector<std::uint64_t>& ids,
                         const std::vector<std::uint64_t>& offsets, SearchOptions options = {}) {
    index.score(std::span(data.queries).first((offsets.size() - 1) * dimension),
                RaggedSpan<std::uint64_t>{offsets, ids}, options);
  };
  expect_refused<InvalidArgument>({"candidate 1 of query 1 is 3000", "2999 rows", "below 3000"},
                                  [&] {
                                    score({1, 2, 3000}, {0, 1, 3});
                                  });
  expect_refused<InvalidArgument>({"candidate 0 of query 0 is 7"}, [&] { score({7}, {0, 1}); });
  expect_refused<InvalidArgument>({"list 1 goes from 2 to 1"}, [&] {
    score({1, 2}, {0, 2, 1, 2});
  });
  expect_refused<InvalidArgument>({"list 0 goes from 0 to 3", "2 candidates"}, [&] {
    score({1, 2}, {0, 3});
  });
  SearchOptions options;
  options.top = 0;
  expect_refused<InvalidArgument>({"top is 0"}, [&] { score({1}, {0, 1}, options); });
  const std::vector<std::uint64_t> offsets{0, 1};
  const std::vector<std::uint64_t> ids{1};
  expect_refused<InvalidArgument>({"candidate lists is 1", "200 queries"}, [&] {
    index.score(data.queries, RaggedSpan<std::uint64_t>{offsets, ids});
  });
  PreparedScore prepared(index, 100);
  const auto query = std::span(data.queries).first(dimension);
  const std::vector<std::uint64_t> many(101, 1);
  expect_refused<InvalidArgument>({"101 candidates", "for 100"},
                                  [&] { prepared.score(query, many); });
  expect_refused<InvalidArgument>({"is 7;"}, [&] { prepared.score(query, removed); });
  expect_refused<InvalidArgument>({"63 elements", "of 64"},
                                  [&] { prepared.score(query.first(63), ids); });
}

TEST(VectorRefusals, OfTheLastOfManyIdsAllocateNothing) {
  Data data;
  constexpr std::size_t lists = 200;
  std::vector<std::uint64_t> ids(100'000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i % count;
  std::vector<std::uint64_t> offsets;
  for (std::size_t list = 0; list <= lists; ++list) offsets.push_back(list * ids.size() / lists);
  const std::vector<std::uint8_t> passes(count + 500, 1);
  VectorIndex index(Testing::context(), data.rows, dimension);
  for (const std::size_t segments : {1UL, 2UL}) {
    if (segments == 2) index.add({std::span(data.rows).first(500 * dimension), dimension});
    ASSERT_EQ(index.statistics().segments, segments);
    SearchOptions options;
    options.filter = std::span(passes).first(index.end_id());
    ids.back() = index.end_id();
    options.space = Space::serial;
    expect_refused<InvalidArgument>(
        {"candidate 499 of query 199 is " + std::to_string(index.end_id())}, [&] {
          index.score(data.queries, RaggedSpan<std::uint64_t>{offsets, ids}, options);
        });
    expect_refused<NotFound>({"id " + std::to_string(index.end_id())}, [&] { index.remove(ids); });
  }
  HnswSettings settings;
  settings.ef_construction = 20;
  HnswIndex graph = HnswIndex::build(Testing::context(), data.rows, dimension, settings);
  ASSERT_TRUE(graph.contains(1));  // builds the sorted list of ids
  ids.back() = count;
  expect_refused<NotFound>({"id 3000"}, [&] { graph.remove(ids); });
  expect_refused<NotFound>({"listed twice"}, [&] { graph.remove(std::span(ids).first(99'999)); });
  EXPECT_EQ(graph.size(), count) << "the ids that were removed before the error must be restored";
}

TEST(VectorRefusals, OfChangesAllocateNothingAndChangeNothing) {
  Data data;
  VectorIndex index(Testing::context(), data.rows, dimension);
  const auto before = Testing::answer_of(index.search(data.queries));
  const std::span<const float> rows(data.rows);
  expect_refused<InvalidArgument>({"63", "64"}, [&] { index.add({rows.first(63 * 100), 63}); });
  expect_refused<InvalidArgument>({"multiple", "256"}, [&] {
    index.add(VectorSpan(DataType::float32, std::as_bytes(rows.first(65)), dimension));
  });
  std::vector<std::byte> bytes(100 * dimension * 2);
  expect_refused<InvalidArgument>(
      {"float16", "float32"}, [&] { index.add(VectorSpan(DataType::float16, bytes, dimension)); });
  expect_refused<InvalidArgument>({"65", "64"}, [&] { index.replace(5, {rows.first(65), 65}); });
  expect_refused<InvalidArgument>({"number of rows is 2"}, [&] {
    index.replace(5, {rows.first(2 * dimension), dimension});
  });
  expect_refused<NotFound>({"id 3000", "below 3000"}, [&] {
    index.replace(count, {rows.first(dimension), dimension});
  });
  const std::uint64_t twice[] = {3, 4, 3};
  expect_refused<NotFound>({"id 3 is listed twice for removal"}, [&] { index.remove(twice); });
  const std::uint64_t unknown[] = {3, count};
  expect_refused<NotFound>({"id 3000", "below 3000"}, [&] { index.remove(unknown); });
  EXPECT_EQ(index.size(), count);
  EXPECT_EQ(index.end_id(), count);
  EXPECT_EQ(Testing::answer_of(index.search(data.queries)), before);
}

TEST(VectorRefusals, OfAGraphAllocateNothing) {
  Data data;
  HnswSettings settings;
  settings.ef_construction = 20;
  HnswIndex index = HnswIndex::build(Testing::context(), data.rows, dimension, settings);
  ASSERT_TRUE(index.contains(1));  // builds the sorted list of ids
  std::vector<float> bad = data.queries;
  bad[3 * dimension + 5] = std::nanf("");
  expect_refused<InvalidArgument>({"finite", "number 5 of row 3"}, [&] { index.search(bad); });
  expect_refused<InvalidArgument>({"finite", "number 5 of row 3"}, [&] { index.add(bad); });
  const auto odd = std::span(data.queries).first(100 * dimension + 1);
  expect_refused<InvalidArgument>({"6401", "64"}, [&] { index.search(odd); });
  expect_refused<InvalidArgument>({"6401", "64"}, [&] { index.add(odd); });
  HnswSearchOptions options;
  options.top = 0;
  expect_refused<InvalidArgument>({"top is 0"}, [&] { index.search(data.queries, options); });
  options.top = 65;
  options.ef = 64;
  expect_refused<InvalidArgument>({"ef is 64", "top, 65"},
                                  [&] { index.search(data.queries, options); });
  options.top = 10;
  const std::vector<std::uint8_t> filter(count - 1, 1);
  options.filter = filter;
  expect_refused<InvalidArgument>({"filter is 2999", "3000"},
                                  [&] { index.search(data.queries, options); });
  const std::uint64_t unknown[] = {3, count};
  expect_refused<NotFound>({"id 3000", "below 3000"}, [&] { index.remove(unknown); });
  std::vector<float> row(2 * dimension);
  expect_refused<NotFound>({"id 3000"}, [&] { index.rows(unknown, row); });
  expect_refused<InvalidArgument>({"output is 128", "1 rows"},
                                  [&] { index.rows(std::span(unknown).first(1), row); });
  EXPECT_EQ(index.size(), count);
}

}  // namespace VectorRefusalsTest
