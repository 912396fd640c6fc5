// SPDX-License-Identifier: Apache-2.0
#include "BulkLists.hpp"
#include "RefusedCalls.hpp"
#include "ShapedArray.hpp"

namespace Kindred::Testing::BulkTest {

using enum ElementWise;

auto elements(ElementWise op, const BulkArrays& arrays, const BulkArrays& others,
              const BulkResults& results, const BulkOptions& options = {}) {
  return [=] { Bulk::of(context()).element_wise(op, arrays, others, results, options); };
}
auto reduced(Reduction reduction, const BulkArrays& arrays, const BulkResults& results,
             const BulkOptions& options = {}) {
  return [=] { Bulk::of(context()).reduce(reduction, arrays, results, options); };
}
auto combined(const BulkArrays& arrays, const BulkArrays& keys, const BulkResults& results) {
  return [=] { Bulk::of(context()).xor_elements(arrays, keys, results); };
}
auto products(const BulkArrays& a, const BulkArrays& b, const BulkResults& c) {
  return [=] { Bulk::of(context()).multiply(a, b, c); };
}

TEST(BulkRefusals, OfListsChangeNothing) {
  const Bulk& bulk = Bulk::of(context());
  const List<float> a({{1, 2, 3}, {4, 5}}), shorter({{1, 2, 3}, {4}}), one({{1, 2, 3}});
  const List<float> out({{7, 7, 7}, {7, 7}}), with_empty({{1}, {}});
  const List<std::uint8_t> b({{1, 2, 3}}), key({{1, 2}}), to({{9, 9, 9}});
  std::vector<float> two(2, 7), three(3, 7), shared(8, 1);
  const std::vector in{std::span(shared).first(6)}, over{std::span(shared).subspan(1, 6)};
  const Array as_matrix = shaped(shared, {2, 2});
  const ConstArray with_gaps = shaped(shared, {2, 2}, DataType::float32, {3, 1});
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  expect_refused(
      {{combined(b, key, to),
        "keys[0] is uint8 [2]; it must have the shape of arrays[0], which is uint8 [3]"},
       {[&] { bulk.xor_with_new_keys(b, key, to); }, "keys[0] is uint8 [2]"},
       {[&] { bulk.xor_with_new_keys(b, b, to); }, "keys[0] overlaps the array"},
       {elements(add, a, shorter, out),
        "others[1] is float32 [1]; it must have the shape of arrays[1], which is float32 [2]"},
       {elements(add, a, one, out),
        "others has 1 arrays; there must be one for each of the 2 arrays"},
       {elements(add, a, {}, out), "add needs"},
       {[&] { bulk.add_matrices(a, shorter, out); },
        "b[1] is float32 [1]; it must have the shape of a[1]"},
       {[&] { bulk.add_matrices(a, one, out); },
        "b has 1 arrays; there must be one for each of the 2 a"},
       {elements(square, a, a, out), "square takes no second"},
       {[&] { bulk.normalise(a, one); }, "results has 1"},
       {reduced(Reduction::sum, a, three), "results is float32 [3]; it must have 2 elements"},
       {reduced(Reduction::min, with_empty, two), "arrays[1] has no elements, so it has no min"},
       {[&] { bulk.normalise(in, over); }, "results[0] overlaps arrays[0]"},
       {[&] { bulk.normalise(with_gaps, as_matrix); },
        "strides [3, 1] and it or its result has gaps"},
       {[&] { bulk.random_fill(three, 1, last); }, "exceed position 2⁶⁴"},
       {[] { parse<ElementWise>("cube", "operation"); },
        "operation is 'cube'; it must be one of add, multiply"},
       {[] { parse<Reduction>("product", "reduction"); },
        "reduction is 'product'; it must be one of sum, min"}});
  EXPECT_EQ(parse<ElementWise>("sqrt", "operation"), square_root);
  EXPECT_EQ(out.arrays, (std::vector<std::vector<float>>{{7, 7, 7}, {7, 7}}));
  EXPECT_EQ(to.arrays[0], (std::vector<std::uint8_t>{9, 9, 9}));
  EXPECT_EQ(three, (std::vector<float>{7, 7, 7}));
}

TEST(BulkRefusals, OfIntegersChangeNothing) {
  const List<std::int32_t> a({{1, 2, 3}}), out({{7, 7, 7}});
  const List<std::int32_t> empty(std::vector<std::vector<std::int32_t>>{{}});
  std::vector<std::int64_t> sum{9}, two{9, 9};
  std::vector<double> mean{9};
  expect_refused(
      {{elements(square_root, a, {}, out),
        "sqrt of integers has no integer results; convert the arrays to float64"},
       {elements(exponential, a, {}, out), "exp of integers"},
       {reduced(Reduction::mean, a, sum), "results is int64 [1]; it must be float64"},
       {reduced(Reduction::sum, a, mean), "results is float64 [1]; it must be int64"},
       {reduced(Reduction::deviation, a, mean),
        "deviations of integers are not computed; convert the arrays to float64"},
       {reduced(Reduction::sum, a, two), "results is int64 [2]; it must have 1 elements"},
       {reduced(Reduction::mean, empty, mean), "arrays[0] has no elements, so it has no mean"}});
  EXPECT_EQ(out.arrays[0], (std::vector<std::int32_t>{7, 7, 7}));
  EXPECT_EQ(sum[0], 9);
  EXPECT_EQ(mean[0], 9);
}

TEST(BulkRefusals, OfSingleArraysChangeNothing) {
  std::vector<float> a{1, 2, 3, 4, 5, 6}, out(6, 7);
  std::vector<double> wide(6, 7);
  std::vector<std::int32_t> n{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> sum(6, 7);
  const Array half = shaped(out, {6}, DataType::float16);
  const std::int64_t size[] = {2};
  const Array odd(reinterpret_cast<std::byte*>(out.data()) + 1, DataType::float32, size);
  const BulkOptions on_stream{.stream = Stream::cuda(nullptr)};
  const auto square_2 = [](auto& values) { return shaped(values, {2, 2}); };
  expect_refused(
      {{elements(add, a, a, wide), "result is float64 [6]; it must be float32, as array"},
       {elements(add, a, shaped(a, {3}), out),
        "other is float32 [3]; it must have the shape of array, which is float32 [6]"},
       {elements(add, a, {}, out), "add needs"},
       {elements(square_root, n, {}, n), "sqrt of integers"},
       {elements(square, shaped(a, {3}, DataType::float32, {2}), {}, shaped(out, {3})),
        "array is float32 [3] with the strides [2] with gaps"},
       {elements(square, shaped(a, {5}), {}, std::span(a).subspan(1)),
        "result overlaps array partially"},
       {elements(square, half, {}, half),
        "float16 [6]; elements must be bool, integers, float32 or float64"},
       {elements(square, odd, {}, odd), "not aligned"},
       {combined(a, a, out), "xor is defined for bool and integers"},
       {combined(n, 7, n), "keys is a number"},
       {reduced(Reduction::sum, n, shaped(n, {1})), "results overlaps array"},
       {reduced(Reduction::sum, n, shaped(out, {1})), "results is float32 [1]; it must be int64"},
       {reduced(Reduction::mean, n, shaped(sum, {1})), "it must be float64"},
       {reduced(Reduction::sum, shaped(n, {2, 3}), shaped(sum, {3})),
        "2 elements, one per array or row"},
       {reduced(Reduction::min, shaped(n, {2, 0}), shaped(sum, {2})), "no elements"},
       {reduced(Reduction::sum, shaped(n, {1, 2, 3}), shaped(sum, {1})), "one or two dimensions"},
       {products(shaped(a, {2, 3}), shaped(a, {2, 3}), square_2(out)),
        "b is float32 [2, 3]; it must be float32 [3, 3]"},
       {products(square_2(a), square_2(a), square_2(a)), "c overlaps"},
       {products(square_2(n), square_2(a), square_2(a)), "float32 or float64"},
       {reduced(Reduction::sum, n, shaped(sum, {1}), on_stream), "a stream is given"},
       {elements(square, {}, {}, {}, on_stream), "a stream is given"}});
  EXPECT_NO_THROW(reduced(Reduction::sum, {}, {})());
  EXPECT_EQ(out, std::vector<float>(6, 7));
  EXPECT_EQ(wide, std::vector<double>(6, 7));
  EXPECT_EQ(sum, std::vector<std::int64_t>(6, 7));
  EXPECT_EQ(a, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const auto there = [&](auto& values) {
    return shaped(values, {6}, DataType::float32, {}, ArrayMemory::device);
  };
  if (context().is_usable(Space::cuda)) {
    expect_refused({{elements(square, there(a), {}, out), "lies on a device"}});
  } else {
    EXPECT_THROW(elements(square, there(a), {}, there(out))(), SpaceUnavailable);
  }
}

}  // namespace Kindred::Testing::BulkTest
