// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <thread>

#include "MessageOf.hpp"
#include "VectorSupport.hpp"

namespace RowFunctionsTest {

using namespace Kindred;
using Testing::all_metrics;
using Testing::bits;
using testing::HasSubstr;
using Testing::normal_values;
using shape_type = std::vector<std::int64_t>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// No space, which is the host, and every space.
std::vector<std::optional<Space>> choices() {
  std::vector<std::optional<Space>> out{std::nullopt};
  for (const Space space : Testing::spaces()) out.emplace_back(space);
  return out;
}

std::string name_of(const std::optional<Space>& space) {
  return space ? std::string(to_string(*space)) : "no space";
}

std::vector<std::uint32_t> reference_scores(Metric metric, const std::vector<float>& queries,
                                            const std::vector<float>& rows, std::size_t dimension) {
  std::vector<float> out;
  for (std::size_t q = 0; q < queries.size(); q += dimension) {
    for (std::size_t r = 0; r < rows.size(); r += dimension) {
      out.push_back(Reference::score(metric, std::span(queries).subspan(q, dimension),
                                     std::span(rows).subspan(r, dimension)));
    }
  }
  return bits(out);
}

/// Rows with values that are not ordinary among them: copies, zeros, NaN, infinities.
std::vector<float> unusual_rows(std::mt19937_64& generator, std::size_t count,
                                std::size_t dimension) {
  std::vector<float> rows = normal_values(generator, count * dimension);
  const auto row = [&](std::size_t index) {
    return rows.begin() + static_cast<std::ptrdiff_t>(index * dimension);
  };
  for (std::size_t i = 5; i < count; i += 7) {
    if (i % 5 == 0) std::copy_n(row(i - 1), dimension, row(i));
    if (i % 5 == 1) std::fill_n(row(i), dimension, i % 2 == 0 ? 0.0F : -0.0F);
    if (i % 5 == 2) rows[i * dimension] = nan;
    if (i % 5 == 3) rows[i * dimension] = i % 2 == 0 ? infinity : -infinity;
  }
  return rows;
}

/// Expects both functions to give the answers of the reference for \p decoded, on every space.
void expect_matches_reference(const std::vector<float>& queries, const VectorSpan& rows,
                              const std::vector<float>& decoded,
                              const std::vector<std::size_t>& tops) {
  const std::size_t count = decoded.size() / rows.dimension;
  for (const Metric metric : all_metrics) {
    const auto expected = reference_scores(metric, queries, decoded, rows.dimension);
    for (const auto& space : choices()) {
      std::vector<float> scores(expected.size());
      row_scores(Testing::context(), queries, rows, scores, {metric, space});
      ASSERT_EQ(bits(scores), expected) << to_string(metric) << ", " << name_of(space) << ", "
                                        << count << " x " << rows.dimension;
    }
    for (const std::size_t top : tops) {
      SearchOptions options;
      options.metric = metric;
      options.top = std::min(top, std::max<std::size_t>(1, count));
      const Testing::Answer best =
          Testing::reference_search(decoded, rows.dimension, queries, options);
      for (const auto& space : choices()) {
        const SearchResults results =
            top_rows(Testing::context(), queries, rows, {metric, space, top});
        ASSERT_EQ(results.top, std::min(top, count));
        ASSERT_EQ(results.ids, count == 0 ? std::vector<std::int64_t>() : best.ids)
            << to_string(metric) << ", " << name_of(space) << ", " << count << " x "
            << rows.dimension << ", top " << top;
        if (count > 0) {
          ASSERT_EQ(bits(results.scores), best.scores);
        }
      }
    }
  }
}

TEST(RowFunctions, MatchReferenceAtEveryNumberOfRows) {
  auto generator = Testing::generator("RowFunctions rows");
  std::vector<std::size_t> counts = Testing::edge_sizes;
  counts.push_back(1500);
  for (const std::size_t count : counts) {
    const std::vector<float> rows = unusual_rows(generator, count, 20);
    const std::vector<float> queries = normal_values(generator, 3 * 20);
    expect_matches_reference(queries, VectorSpan(rows, 20), rows, {1, 7, 200});
  }
}

TEST(RowFunctions, MatchReferenceAtEveryDimension) {
  auto generator = Testing::generator("RowFunctions dimensions");
  for (const std::size_t dimension :
       {1UL, 2UL, 3UL, 31UL, 32UL, 33UL, 64UL, 100UL, 768UL, 4096UL, 4097UL, 9000UL}) {
    const std::vector<float> rows = unusual_rows(generator, 40, dimension);
    for (const std::size_t queries : {1UL, 2UL, 7UL}) {
      expect_matches_reference(normal_values(generator, queries * dimension),
                               VectorSpan(rows, dimension), rows, {10});
    }
  }
}

TEST(RowFunctions, MatchReferenceAtEveryNumberOfQueries) {
  auto generator = Testing::generator("RowFunctions queries");
  const std::vector<float> rows = unusual_rows(generator, 130, 12);
  for (const std::size_t queries : {0UL, 1UL, 3UL, 4UL, 5UL, 6UL, 63UL, 64UL, 65UL, 97UL, 200UL})
    expect_matches_reference(normal_values(generator, queries * 12), VectorSpan(rows, 12), rows,
                             {9});
}

TEST(RowFunctions, MatchReferenceForEveryElement) {
  auto generator = Testing::generator("RowFunctions elements");
  for (const std::size_t dimension : {7UL, 64UL, 768UL}) {
    const std::vector<float> floats = normal_values(generator, 90 * dimension);
    for (const DataType element : {DataType::float16, DataType::bfloat16, DataType::int8}) {
      VectorArray rows(element, 90, dimension);
      encode_rows(floats, dimension, element, rows.values(), rows.scales());
      std::vector<float> decoded(floats.size());
      decode_rows(rows.span(), decoded);
      for (const std::size_t queries : {1UL, 9UL})
        expect_matches_reference(normal_values(generator, queries * dimension), rows.span(),
                                 decoded, {10});
    }
  }
}

TEST(RowFunctions, KeepTheBestOfManyRowsInTheTotalOrder) {
  auto generator = Testing::generator("RowFunctions ties");
  // Few different scores: most places are decided by the numbers of the rows.
  std::vector<float> rows(30000);
  for (float& value : rows) value = static_cast<float>(generator() % 40);
  const std::vector<float> queries{1.0F, -1.0F};
  for (const std::size_t top : {1UL, 100UL, 5000UL, 40000UL}) {
    SearchOptions options;
    options.metric = Metric::ip;
    options.top = std::min<std::size_t>(top, 30000);
    const Testing::Answer expected = Testing::reference_search(rows, 1, queries, options);
    for (const auto& space : choices()) {
      const SearchResults results =
          top_rows(Testing::context(), queries, VectorSpan(rows, 1), {Metric::ip, space, top});
      ASSERT_EQ(results.ids, expected.ids) << name_of(space) << ", " << top;
      ASSERT_EQ(bits(results.scores), expected.scores);
    }
  }
}

TEST(RowFunctions, ReadArraysWithGapsBetweenRows) {
  auto generator = Testing::generator("RowFunctions arrays");
  constexpr std::int64_t count = 37;
  constexpr std::int64_t dimension = 19;
  for (const DataType element : {DataType::float32, DataType::float16, DataType::bfloat16}) {
    const std::vector<float> floats = normal_values(generator, count * dimension);
    VectorArray packed(element, count, dimension);
    encode_rows(floats, dimension, element, packed.values(), packed.scales());
    std::vector<float> decoded(floats.size());
    decode_rows(packed.span(), decoded);
    for (const std::int64_t gap : {0L, 1L, 5L}) {
      const std::size_t bytes = size_of(element);
      std::vector<std::byte> apart(static_cast<std::size_t>(count * (dimension + gap)) * bytes);
      for (std::int64_t row = 0; row < count; ++row) {
        std::memcpy(apart.data() + static_cast<std::size_t>(row * (dimension + gap)) * bytes,
                    packed.span().values.data() + static_cast<std::size_t>(row * dimension) * bytes,
                    static_cast<std::size_t>(dimension) * bytes);
      }
      const ConstArray rows(apart.data(), element, shape_type{count, dimension},
                            shape_type{dimension + gap, 1});
      const std::vector<float> queries = normal_values(generator, 3 * 25);
      const ConstArray asked(queries.data(), DataType::float32, shape_type{3, dimension},
                             shape_type{25, 1});
      std::vector<float> dense;
      for (std::size_t q = 0; q < 3; ++q)
        dense.insert(dense.end(), queries.begin() + static_cast<std::ptrdiff_t>(25 * q),
                     queries.begin() + static_cast<std::ptrdiff_t>(25 * q) + dimension);
      for (const Metric metric : all_metrics) {
        const auto expected = reference_scores(metric, dense, decoded, dimension);
        SearchOptions search;
        search.metric = metric;
        search.top = 5;
        const Testing::Answer best = Testing::reference_search(decoded, dimension, dense, search);
        for (const auto& space : choices()) {
          std::vector<float> out(3 * 40, -7.0F);
          row_scores(Testing::context(), asked, rows,
                     Array(out.data(), DataType::float32, shape_type{3, count}, shape_type{40, 1}),
                     {metric, space});
          std::vector<float> scores(3 * 6, -7.0F);
          std::vector<std::int64_t> ids(3 * 7, -7);
          top_rows(Testing::context(), asked, rows, {metric, space},
                   {Array(scores.data(), DataType::float32, shape_type{3, 5}, shape_type{6, 1}),
                    Array(ids.data(), DataType::int64, shape_type{3, 5}, shape_type{7, 1})});
          for (std::size_t q = 0; q < 3; ++q) {
            for (std::size_t r = 0; r < 40; ++r) {
              const std::uint32_t seen = bits({out[q * 40 + r]})[0];
              ASSERT_EQ(seen, r < count ? expected[q * count + r] : bits({-7.0F})[0])
                  << to_string(metric) << ", " << name_of(space) << ", " << to_string(element);
            }
            for (std::size_t k = 0; k < 5; ++k) {
              ASSERT_EQ(ids[q * 7 + k], best.ids[q * 5 + k]);
              ASSERT_EQ(bits({scores[q * 6 + k]})[0], best.scores[q * 5 + k]);
            }
            ASSERT_EQ(ids[q * 7 + 5], -7) << "what lies between the rows must not change";
            ASSERT_EQ(scores[q * 6 + 5], -7.0F);
          }
        }
      }
    }
  }
}

TEST(RowFunctions, PadBeyondTheNumberOfRows) {
  const std::vector<float> rows{1.0F, 2.0F};
  const std::vector<float> query{1.0F};
  for (const auto& space : choices()) {
    for (const std::int64_t count : {0L, 2L}) {
      for (const Metric metric : all_metrics) {
        std::vector<float> scores(4);
        std::vector<std::int64_t> ids(4);
        top_rows(Testing::context(), query,
                 ConstArray(rows.data(), DataType::float32, shape_type{count, 1}), {metric, space},
                 {scores, ids});
        for (auto place = static_cast<std::size_t>(count); place < 4; ++place) {
          EXPECT_EQ(ids[place], -1);
          EXPECT_EQ(scores[place], padding_score(metric));
        }
        if (count == 2) {
          EXPECT_EQ(ids[0] + ids[1], 1);
        }
      }
    }
  }
}

TEST(RowFunctions, OfManyThreadsGiveTheSameBits) {
  auto generator = Testing::generator("RowFunctions threads");
  constexpr std::size_t dimension = 96;
  const std::vector<float> rows = normal_values(generator, 3000 * dimension);
  const std::vector<float> queries = normal_values(generator, 8 * dimension);
  const auto expected = reference_scores(Metric::cosine, queries, rows, dimension);
  std::vector<std::vector<float>> scores(8, std::vector<float>(3000));
  std::vector<SearchResults> best(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto query = std::span(queries).subspan(i * dimension, dimension);
      for (int repeat = 0; repeat < 20; ++repeat) {
        row_scores(Testing::context(), query, VectorSpan(rows, dimension), scores[i]);
        best[i] = top_rows(Testing::context(), query, VectorSpan(rows, dimension));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  SearchOptions options;
  const Testing::Answer answer = Testing::reference_search(rows, dimension, queries, options);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(i * 3000);
    EXPECT_EQ(bits(scores[i]), std::vector<std::uint32_t>(expected.begin() + first,
                                                          expected.begin() + first + 3000));
    const auto place = static_cast<std::ptrdiff_t>(i * 10);
    EXPECT_EQ(best[i].ids, std::vector<std::int64_t>(answer.ids.begin() + place,
                                                     answer.ids.begin() + place + 10));
  }
}

TEST(RowFunctions, RefuseSizesThatDoNotMatch) {
  Context& context = Testing::context();
  const std::vector<float> rows(12, 1.0F);
  const VectorSpan span(rows, 3);
  std::vector<float> out(4, 5.0F);
  const auto message = [&](const auto& call) { return Testing::message_of<InvalidArgument>(call); };
  EXPECT_THAT(message([&] { row_scores(context, std::span(rows).first(4), span, out); }),
              HasSubstr("size of the queries is 4; it must be a multiple of the dimension, 3"));
  EXPECT_THAT(message([&] { row_scores(context, std::span(rows).first(6), span, out); }),
              HasSubstr("size of the output is 4; it must be queries × rows, 8"));
  EXPECT_THAT(message([&] { row_scores(context, rows, VectorSpan(rows, 0), out); }),
              HasSubstr("dimension is 0"));
  EXPECT_THAT(message([&] { row_scores(context, rows, VectorSpan(rows, 5), out); }),
              HasSubstr("multiple of that of a row, 20"));
  EXPECT_THAT(message([&] { top_rows(context, std::span(rows).first(3), span, {.top = 0}); }),
              HasSubstr("top is 0"));
  EXPECT_THAT(message([&] { top_rows(context, {}, VectorSpan(DataType::int8, {}, 3, rows)); }),
              HasSubstr("number of scales is 12"));
  const auto bytes = std::as_bytes(std::span(rows));
  EXPECT_THAT(message([&] {
                row_scores(context, std::span(rows).first(3),
                           VectorSpan(DataType::float32, bytes.subspan(2, 24), 3), out);
              }),
              HasSubstr("not aligned to its elements of 4 bytes"));
  EXPECT_EQ(out, std::vector<float>(4, 5.0F)) << "a refused call must not write";
}

TEST(RowFunctions, RefuseArraysThatDoNotMatch) {
  Context& context = Testing::context();
  std::vector<float> values(24, 1.0F);
  std::vector<std::int64_t> numbers(24);
  const auto floats = [&](const shape_type& shape, const shape_type& strides = {},
                          ArrayMemory memory = ArrayMemory::host) {
    return Array(values.data(), DataType::float32, shape, strides, memory);
  };
  const auto ids = [&](const shape_type& shape) {
    return Array(numbers.data(), DataType::int64, shape);
  };
  const auto scores_message = [&](const ConstArray& queries, const ConstArray& rows,
                                  const Array& out) {
    return Testing::message_of<InvalidArgument>([&] { row_scores(context, queries, rows, out); });
  };
  EXPECT_THAT(scores_message(floats({2, 3}), floats({4, 5}), floats({2, 4})),
              HasSubstr("queries is float32 [2, 3]; it must be float32 [any, 5]"));
  EXPECT_THAT(scores_message(floats({3}), floats({4, 3}), floats({1, 4})),
              HasSubstr("out is float32 [1, 4]; it must be float32 [4]"));
  EXPECT_THAT(scores_message(floats({2, 3}), floats({4, 3}), floats({2, 3})),
              HasSubstr("it must be float32 [2, 4]"));
  EXPECT_THAT(scores_message(floats({2, 3}), floats({12}), floats({2, 4})), HasSubstr("rows is"));
  EXPECT_THAT(scores_message(floats({2, 3}), floats({4, 0}), floats({2, 4})), HasSubstr("rows is"));
  EXPECT_THAT(scores_message(floats({2, 3}), ids({4, 3}), floats({2, 4})),
              HasSubstr("float32, float16 or bfloat16"));
  EXPECT_THAT(scores_message(floats({2, 3}), floats({4, 3}, {2, 1}), floats({2, 4})),
              HasSubstr("without overlap"));
  EXPECT_THAT(scores_message(floats({2, 3}), floats({4, 3}, {6, 2}), floats({2, 4})),
              HasSubstr("must be consecutive"));
  EXPECT_THAT(
      scores_message(floats({2, 3}), floats({4, 3}, {}, ArrayMemory::device), floats({2, 4})),
      HasSubstr("same memory"));
  std::vector<float> whole(100, 1.0F);
  const auto part = [&](std::size_t begin, const shape_type& shape) {
    return Array(whole.data() + begin, DataType::float32, shape);
  };
  EXPECT_THAT(scores_message(part(0, {2, 3}), part(6, {4, 3}), part(5, {2, 4})),
              HasSubstr("queries and out overlap"));
  EXPECT_THAT(scores_message(part(0, {2, 3}), part(6, {4, 3}), part(17, {2, 4})),
              HasSubstr("rows and out overlap"));
  row_scores(context, part(0, {2, 3}), part(6, {4, 3}), part(18, {2, 4}));
  const auto top_message = [&](const Array& scores, const Array& places) {
    return Testing::message_of<InvalidArgument>([&] {
      top_rows(context, floats({2, 3}), floats({4, 3}), {}, {scores, places});
    });
  };
  EXPECT_THAT(top_message(floats({2, 2}), ids({2, 3})), HasSubstr("it must be int64 [2, 2]"));
  EXPECT_THAT(top_message(floats({2, 0}), ids({2, 0})),
              HasSubstr("top, the extent of scores, is 0"));
  EXPECT_THAT(top_message(floats({2, 2}), floats({2, 2})), HasSubstr("it must be int64"));
  if (!context.is_usable(Space::cuda)) {
    const Array there = floats({4, 3}, {}, ArrayMemory::device);
    EXPECT_THROW(row_scores(context, floats({2, 3}, {}, ArrayMemory::device), there,
                            floats({2, 4}, {}, ArrayMemory::device)),
                 SpaceUnavailable);
    std::vector<float> out(4);
    EXPECT_THROW(
        row_scores(context, std::span(values).first(3), VectorSpan(std::span(values).first(12), 3),
                   out, {Metric::ip, Space::cuda}),
        SpaceUnavailable);
  }
}

}  // namespace RowFunctionsTest
