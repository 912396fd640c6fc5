// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/reference/Reference.hpp>

#include <bit>
#include <limits>
#include <vector>

#include "BulkLists.hpp"
#include "Support.hpp"

namespace BulkTest {

using namespace Kindred;

template <class T>
class BulkIntegers : public ::testing::Test {};
using Integers = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                  std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(BulkIntegers, Integers);

/// Arrays of all bit patterns, of the extremes only, and of small numbers.
template <class T>
List<T> integers(const std::string& name) {
  auto random = Testing::generator(name);
  std::vector<std::vector<T>> arrays;
  for (const std::size_t length : lengths) {
    arrays.emplace_back(length);
    const std::size_t kind = arrays.size() % 3;
    for (T& value : arrays.back()) {
      value = static_cast<T>(random());
      if (kind == 0)
        value = random() % 8 == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
      if (kind == 1) value = static_cast<T>(random() % 100);
    }
  }
  return List<T>(std::move(arrays));
}

template <class T>
std::vector<Wide<T>> widened(const std::vector<T>& array) {
  return {array.begin(), array.end()};
}

TYPED_TEST(BulkIntegers, ElementsWrapAroundAsInReferenceOnEverySpace) {
  using T = TypeParam;
  const auto a = integers<T>("a");
  const auto b = integers<T>("b");
  const auto number = static_cast<T>(-77);
  const Bulk bulk(Testing::context());
  for (const ElementWise op : {ElementWise::add, ElementWise::multiply, ElementWise::square}) {
    const bool two = op != ElementWise::square;
    for (const Space space : Testing::spaces()) {
      auto out = outputs_for(a);
      auto by_number = outputs_for(a);
      auto in_place = integers<T>("a");
      if (two) {
        bulk.element_wise(op, a, b, out, {space});
        bulk.element_wise(op, in_place, b, in_place, {space});
        bulk.element_wise(op, a, number, by_number, {space});
      } else {
        bulk.element_wise(op, a, {}, out, {space});
        bulk.element_wise(op, in_place, {}, in_place, {space});
      }
      for (std::size_t i = 0; i < a.arrays.size(); ++i) {
        std::vector<T> expected;
        std::vector<T> expected_number;
        for (std::size_t e = 0; e < a.arrays[i].size(); ++e) {
          const auto x = static_cast<std::uint64_t>(a.arrays[i][e]);
          expected.push_back(static_cast<T>(
              Reference::element_wise(op, x, static_cast<std::uint64_t>(b.arrays[i][e]))));
          expected_number.push_back(
              static_cast<T>(Reference::element_wise(op, x, static_cast<std::uint64_t>(number))));
        }
        EXPECT_EQ(out.arrays[i], expected)
            << to_string(space) << ", operation " << static_cast<int>(op) << ", array " << i;
        EXPECT_EQ(in_place.arrays[i], expected) << to_string(space) << ", array " << i;
        EXPECT_TRUE(!two || by_number.arrays[i] == expected_number) << to_string(space);
      }
    }
  }
}

TYPED_TEST(BulkIntegers, ReductionsMatchReferenceOnEverySpace) {
  using T = TypeParam;
  const auto a = integers<T>("reduce");
  const Bulk bulk(Testing::context());
  for (const Reduction reduction :
       {Reduction::sum, Reduction::min, Reduction::max, Reduction::mean}) {
    std::vector<std::span<const T>> arrays;
    std::vector<Wide<T>> expected;
    std::vector<double> expected_means;
    for (const auto& array : a.arrays) {
      if (array.empty() && reduction != Reduction::sum) continue;
      arrays.push_back(array);
      const auto wide = widened(array);
      if (reduction == Reduction::mean) {
        expected_means.push_back(Reference::integer_mean(wide));
      } else {
        expected.push_back(Reference::reduced(reduction, wide));
      }
    }
    for (const Space space : Testing::spaces()) {
      // Batches on a device, which does not split the arrays of reductions.
      for (const std::size_t batch : {std::size_t{0}, std::size_t{4'000'000}}) {
        if (reduction == Reduction::mean) {
          std::vector<double> results(arrays.size());
          bulk.reduce(reduction, arrays, results, {space, batch});
          EXPECT_TRUE(same_bits(results, expected_means)) << to_string(space);
        } else {
          std::vector<Wide<T>> results(arrays.size());
          bulk.reduce(reduction, arrays, results, {space, batch});
          EXPECT_EQ(results, expected)
              << to_string(space) << ", reduction " << static_cast<int>(reduction);
        }
      }
    }
  }
}

TEST(BulkIntegers, SumsWrapAroundWhereMeansAreExact) {
  const std::vector<std::int64_t> most(100'003, std::numeric_limits<std::int64_t>::max());
  const std::vector<std::uint64_t> all(100'003, ~std::uint64_t{0});
  const Bulk bulk(Testing::context());
  for (const Space space : Testing::spaces()) {
    std::vector<std::int64_t> sum(1);
    std::vector<std::uint64_t> unsigned_sum(1);
    std::vector<double> mean(1);
    bulk.reduce(Reduction::sum, most, sum, {space});
    EXPECT_EQ(sum[0], std::numeric_limits<std::int64_t>::max() - 100'002);
    bulk.reduce(Reduction::sum, all, unsigned_sum, {space});
    EXPECT_EQ(unsigned_sum[0], ~std::uint64_t{0} - 100'002);
    bulk.reduce(Reduction::mean, most, mean, {space});
    EXPECT_EQ(mean[0], 0x1p63);
    bulk.reduce(Reduction::mean, all, mean, {space});
    EXPECT_EQ(mean[0], 0x1p64);
  }
}

TEST(BulkIntegers, RejectWhatHasNoIntegerResultAndChangeNothing) {
  const Bulk bulk(Testing::context());
  List<std::int32_t> a({{1, 2, 3}});
  List<std::int32_t> out({{7, 7, 7}});
  expect_refused([&] { bulk.element_wise(ElementWise::square_root, a, {}, out); },
                 {"sqrt of integers", "float64"});
  expect_refused([&] { bulk.element_wise(ElementWise::exponential, a, {}, out); },
                 {"exp of integers"});
  std::vector<std::int64_t> sums{9};
  std::vector<double> means{9};
  std::vector<std::int64_t> two{9, 9};
  expect_refused([&] { bulk.reduce(Reduction::mean, a, sums); },
                 {"results is int64 [1]", "it must be float64"});
  expect_refused([&] { bulk.reduce(Reduction::sum, a, means); },
                 {"results is float64 [1]", "it must be int64"});
  expect_refused([&] { bulk.reduce(Reduction::deviation, a, means); },
                 {"deviations of integers", "float64"});
  expect_refused([&] { bulk.reduce(Reduction::sum, a, two); },
                 {"results is int64 [2]", "1 elements"});
  List<std::int32_t> empty(std::vector<std::vector<std::int32_t>>{{}});
  expect_refused([&] { bulk.reduce(Reduction::mean, empty, means); },
                 {"arrays[0] has no elements", "mean"});
  EXPECT_EQ(out.arrays[0], (std::vector<std::int32_t>{7, 7, 7}));
  EXPECT_EQ(sums[0], 9);
  EXPECT_EQ(means[0], 9);
}

}  // namespace BulkTest
