// SPDX-License-Identifier: Apache-2.0
// Arrays of a caller that calls on vectors refuse.
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "DeviceCopy.hpp"
#include "RefusedWithoutMemory.hpp"

namespace VectorArrayRefusalsTest {

using namespace Kindred;
using Testing::Call;
using Testing::expect_refused_without_memory;
using Shape = std::vector<std::int64_t>;

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

constexpr std::size_t dimension = 24;

TEST(VectorArrayRefusals, OfAnIndexNameTheArgument) {
  Memory at;
  VectorIndex index(Testing::context(), at.values, dimension);  // 1,000 rows
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
      {{"float32 [24]"}, add(std::span<const float>(at.values).first(dimension))},
  });
  search(queries, scores, at.ids_in_floats({2, 5}, 58))();
  score(at.ids({2, 8}))();
  all(queries, at.floats({2, 1000}, 48))();
  EXPECT_EQ(index.size(), 1000U);
  const Call there = all(at.on_device({2, 24}), at.on_device({2, 1000}));
  if (Testing::context().is_usable(Space::cuda)) return;
  EXPECT_THROW(there(), SpaceUnavailable);
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
  const Call there = scores(at.on_device({2, 3}), at.on_device({4, 3}), at.on_device({2, 4}));
  if (context.is_usable(Space::cuda)) return;
  EXPECT_THROW(there(), SpaceUnavailable);
}

TEST(VectorArrayRefusals, OfArraysOnADevice) {
  if (!Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  Context& context = Testing::context();
  const VectorIndex odd(context, std::vector<float>(64 * 6, 1.0F), 6);
  const VectorIndex on_host(context, std::vector<float>(64 * 6, 1.0F), 6, Residency::host);
  const VectorIndex large(context, std::vector<float>(2000 * 6, 1.0F), 6);
  const Testing::DeviceCopy<float> values(context, std::vector<float>(2000, 1.0F));
  const Testing::DeviceCopy<std::int64_t> numbers(context, std::vector<std::int64_t>(2000, 1));
  const auto floats = [&](const Shape& shape) { return values.array(DataType::float32, shape); };
  const auto ids = [&](const Shape& shape) { return numbers.array(DataType::int64, shape); };
  const ConstArray queries = floats({2, 6});
  const SearchOutput out{values.array(DataType::float32, Shape{2, 5}, {}, 100), ids({2, 5})};
  EXPECT_THROW(odd.score(queries, ids({2, 9}), {}, out), InvalidArgument)
      << "rows that are not aligned to four elements";
  EXPECT_THROW(on_host.search(queries, {}, out), InvalidArgument);
  EXPECT_THROW(odd.search(queries), InvalidArgument);
  EXPECT_THROW(odd.search_at_least(queries, 0.5F), InvalidArgument);
  EXPECT_THROW(odd.search(queries, {.space = Space::serial}, out), InvalidArgument);
  EXPECT_THROW(odd.search(queries, {.path = SearchPath::quantized}, out), InvalidArgument);
  EXPECT_THROW(
      large.search(floats({1, 6}), {.path = SearchPath::gemm},
                   {values.array(DataType::float32, Shape{1, 1025}, {}, 100), ids({1, 1025})}),
      InvalidArgument)
      << "more results than fit into scratch";
  EXPECT_THROW(odd.score_all(queries, values.array(DataType::float32, Shape{2, 63}, {}, 100)),
               InvalidArgument);
}

}  // namespace VectorArrayRefusalsTest
