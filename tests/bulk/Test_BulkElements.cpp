// SPDX-License-Identifier: Apache-2.0
#include "BulkPlaces.hpp"

namespace Kindred::Testing::BulkTest {

template <class T>
T reference(ElementWise op, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return Reference::element_wise(op, a, b);
  } else {
    return static_cast<T>(
        Reference::element_wise(op, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
  }
}

template <class T>
class BulkElements : public ::testing::Test {};
TYPED_TEST_SUITE(BulkElements, Elements);

TYPED_TEST(BulkElements, MatchReferenceOnEverySpaceInListsAndAlone) {
  using T = TypeParam;
  const auto a = numbers<T>("a"), b = numbers<T>("b");
  const T number = static_cast<T>(static_cast<T>(-3) / T{2});
  const Bulk bulk(context());
  std::vector<ElementWise> operations{ElementWise::add, ElementWise::multiply, ElementWise::square};
  if (std::is_floating_point_v<T>) {
    operations.push_back(ElementWise::square_root);
    operations.push_back(ElementWise::exponential);
  }
  for (const ElementWise op : operations) {
    const bool two = op == ElementWise::add || op == ElementWise::multiply;
    const auto call = [&](const Bulk& with, const BulkArrays& arrays, const BulkArrays& others,
                          const BulkResults& results, const BulkOptions& options) {
      with.element_wise(op, arrays, two ? others : BulkArrays(), results, options);
    };
    auto expected = a.arrays, by_number = a.arrays;
    for (std::size_t i = 0; i < a.arrays.size(); ++i) {
      for (std::size_t e = 0; e < a.arrays[i].size(); ++e) {
        expected[i][e] = reference(op, a.arrays[i][e], b.arrays[i][e]);
        by_number[i][e] = reference(op, a.arrays[i][e], number);
      }
    }
    for (const Space space : spaces()) {
      SCOPED_TRACE(described(op, "on", space));
      auto out = a.outputs(), of_number = a.outputs(), in_place = a;
      call(bulk, a, b, out, {space});
      call(bulk, in_place, b, in_place, {space});
      call(bulk, a, number, of_number, {space});
      expect_same(out, expected);
      expect_same(in_place, expected);
      expect_same(of_number, by_number);
    }
    at_places([&](const Caller& caller) {
      for (std::size_t i = 0; i < a.arrays.size(); ++i) {
        Placed<T> first(caller.place, a.arrays[i]), second(caller.place, b.arrays[i]);
        Placed<T> out(caller.place, std::vector<T>(a.arrays[i].size(), T{7}));
        call(caller.bulk, first.flat(), second.flat(), out.flat(), caller.options());
        caller.wait();
        EXPECT_TRUE(same_bits(out.values(), expected[i])) << to_string(op) << ", array " << i;
        // A single element in host memory is a number, wherever the arrays are; in place.
        call(caller.bulk, first.flat(), std::span(&number, 1), first.flat(), caller.options());
        caller.wait();
        EXPECT_TRUE(same_bits(first.values(), by_number[i])) << to_string(op) << ", array " << i;
      }
    });
  }
}

TYPED_TEST(BulkElements, OfRowsWithGapsAreUsedInPlace) {
  using T = TypeParam;
  auto random = Testing::generator("rows");
  at_places([&](const Caller& caller) {
    for (const std::int64_t rows : {0, 1, 2, 33}) {
      for (const std::int64_t length : {1, 3, 17, 5000}) {
        const std::int64_t step = length + 3;
        const auto size = static_cast<std::size_t>(rows * step);
        const auto a = random_values<T>(random, size), b = random_values<T>(random, size);
        Placed<T> first(caller.place, a), second(caller.place, b);
        const Array x = first.array({rows, length}, {step, 1});
        const Array y = second.array({rows, length}, {step, 1});
        const auto expect = [&](const auto& call, const auto& of) {
          std::vector<T> expected(static_cast<std::size_t>(rows * length) + 2, T{7});
          Placed<T> out(caller.place, expected);
          call(out.array({rows, length}, {}, 1));
          caller.wait();
          for (std::size_t i = 1; i + 1 < expected.size(); ++i) {
            const auto n = static_cast<std::size_t>(length);
            const std::size_t at = (i - 1) / n * static_cast<std::size_t>(step) + (i - 1) % n;
            expected[i] = of(a[at], b[at]);
          }
          EXPECT_TRUE(same_bits(out.values(), expected)) << rows << " × " << length;
        };
        expect(
            [&](const Array& to) {
              caller.bulk.element_wise(ElementWise::add, x, y, to, caller.options());
            },
            [](T left, T right) { return static_cast<T>(left + right); });
        if constexpr (std::is_integral_v<T>)
          expect([&](const Array& to) { caller.bulk.xor_elements(x, y, to, caller.options()); },
                 [](T left, T right) { return static_cast<T>(left ^ right); });
      }
    }
  });
}

TEST(BulkElements, OfBooleansAreAddedByOrAndMultipliedByAnd) {
  auto random = Testing::generator("bool");
  using Bools = std::vector<std::uint8_t>;
  at_places([&](const Caller& caller) {
    for (const std::size_t size : {1, 3, 16, 33, 20'001}) {
      Bools a(size), b(size);
      for (auto* values : {&a, &b})
        for (std::uint8_t& value : *values) value = random() % 2;
      const auto placed = [&](const Bools& values) {
        return Placed<std::uint8_t>(caller.place, values, DataType::boolean);
      };
      auto first = placed(a), second = placed(b), out = placed(Bools(size, 7));
      const auto expect = [&](const auto& expected_of) {
        caller.wait();
        Bools expected(size);
        std::ranges::transform(a, b, expected.begin(), expected_of);
        EXPECT_EQ(out.values(), expected);
      };
      const auto call = [&](ElementWise op, const BulkArrays& other) {
        caller.bulk.element_wise(op, first.flat(), other, out.flat(), caller.options());
      };
      const bool yes = true;
      const std::span of_yes(&yes, 1);
      call(ElementWise::add, second.flat());
      expect(std::bit_or());
      call(ElementWise::multiply, second.flat());
      expect(std::bit_and());
      call(ElementWise::multiply, of_yes);
      expect([](auto left, auto) { return left; });
      call(ElementWise::add, of_yes);
      expect([](auto...) { return 1; });
      caller.bulk.xor_elements(first.flat(), second.flat(), out.flat(), caller.options());
      expect(std::bit_xor());
      Placed<std::int64_t> sum(caller.place, {7});
      Placed<double> mean(caller.place, {7});
      caller.bulk.reduce(Reduction::sum, first.flat(), sum.flat(), caller.options());
      caller.bulk.reduce(Reduction::mean, first.flat(), mean.flat(), caller.options());
      caller.wait();
      const std::int64_t count = std::ranges::count(a, 1);
      EXPECT_EQ(sum.values()[0], count);
      EXPECT_EQ(mean.values()[0], static_cast<double>(count) / static_cast<double>(size));
    }
  });
}

}  // namespace Kindred::Testing::BulkTest
