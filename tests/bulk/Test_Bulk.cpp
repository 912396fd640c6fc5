// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/reference/Reference.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "BulkLists.hpp"
#include "Properties.hpp"
#include "Support.hpp"

namespace BulkTest {

using namespace Kindred;
using ::testing::IsEmpty;
using ::testing::Not;

/// Numbers of all magnitudes and, if \p special, also infinities, NaN, signed zeros and denormals.
template <class T>
T any_number(std::mt19937_64& random, bool special) {
  const T specials[] = {T{0},
                        -T{0},
                        std::numeric_limits<T>::infinity(),
                        -std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN(),
                        -std::numeric_limits<T>::quiet_NaN(),
                        std::numeric_limits<T>::denorm_min(),
                        std::numeric_limits<T>::max()};
  if (special && random() % 16 == 0) return specials[random() % 8];
  return static_cast<T>(
      std::ldexp(std::normal_distribution<double>()(random), static_cast<int>(random() % 12) - 6));
}

template <class T>
List<T> numbers(const std::string& name, bool special = true) {
  auto random = Testing::generator(name);
  std::vector<std::vector<T>> arrays;
  for (const std::size_t length : lengths) {
    arrays.emplace_back(length);
    const bool has_special = special && arrays.size() % 2 == 0;
    for (T& value : arrays.back()) value = any_number<T>(random, has_special);
  }
  return List<T>(std::move(arrays));
}
List<std::uint8_t> bytes(const std::string& name) {
  auto random = Testing::generator(name);
  std::vector<std::vector<std::uint8_t>> arrays;
  for (const std::size_t length : lengths) {
    arrays.emplace_back(length);
    for (auto& value : arrays.back()) value = static_cast<std::uint8_t>(random());
  }
  return List<std::uint8_t>(std::move(arrays));
}
template <class T>
class BulkOf : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BulkOf, Numbers);

TYPED_TEST(BulkOf, ElementsMatchReferenceOnEverySpace) {
  using T = TypeParam;
  const auto a = numbers<T>("a");
  const auto b = numbers<T>("b");
  const Bulk bulk(Testing::context());
  for (const ElementWise op : {ElementWise::add, ElementWise::multiply, ElementWise::square,
                               ElementWise::square_root, ElementWise::exponential}) {
    const bool two = op == ElementWise::add || op == ElementWise::multiply;
    for (const Space space : Testing::spaces()) {
      auto out = outputs_for(a);
      auto by_number = outputs_for(a);
      if (two) {
        bulk.element_wise(op, a, b, out, {space});
        bulk.element_wise(op, a, T{-1.5}, by_number, {space});
      } else {
        bulk.element_wise(op, a, {}, out, {space});
      }
      for (std::size_t i = 0; i < a.arrays.size(); ++i) {
        std::vector<T> expected;
        std::vector<T> expected_number;
        for (std::size_t e = 0; e < a.arrays[i].size(); ++e) {
          expected.push_back(Reference::element_wise(op, a.arrays[i][e], b.arrays[i][e]));
          expected_number.push_back(Reference::element_wise(op, a.arrays[i][e], T{-1.5}));
        }
        EXPECT_TRUE(same_bits(out.arrays[i], expected))
            << to_string(space) << ", operation " << static_cast<int>(op) << ", array " << i;
        EXPECT_TRUE(!two || same_bits(by_number.arrays[i], expected_number)) << to_string(space);
      }
    }
  }
}

TYPED_TEST(BulkOf, ExponentialsAreAccurate) {
  using T = TypeParam;
  auto random = Testing::generator("exp");
  std::uniform_real_distribution<double> some(-80, 80);
  std::vector<T> x(1000);
  for (T& value : x) value = static_cast<T>(some(random));
  std::vector<T> y(x.size());
  Bulk(Testing::context()).element_wise(ElementWise::exponential, x, {}, y, {Space::serial});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact = std::exp(static_cast<long double>(x[i]));
    EXPECT_LT(std::abs((y[i] - exact) / exact), sizeof(T) == 4 ? 0x1.001p-24L : 4e-16L) << x[i];
  }
}

TYPED_TEST(BulkOf, ReductionsMatchReferenceOnEverySpace) {
  using T = TypeParam;
  // Almost every long array with special numbers has NaN as its result.
  const List<T> lists[] = {numbers<T>("reduce"), numbers<T>("reduce", false)};
  const Bulk bulk(Testing::context());
  for (const List<T>& a : lists) {
    for (const Reduction reduction :
         {Reduction::sum, Reduction::min, Reduction::max, Reduction::mean, Reduction::deviation}) {
      std::vector<std::span<const T>> arrays;
      std::vector<T> expected;
      for (const auto& array : a.arrays) {
        if (array.empty() && reduction != Reduction::sum) continue;
        arrays.push_back(array);
        const T value = static_cast<T>(
            Reference::reduced(reduction, std::vector<double>(array.begin(), array.end())));
        expected.push_back(std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value);
      }
      for (const Space space : Testing::spaces()) {
        std::vector<T> results(arrays.size());
        bulk.reduce(reduction, arrays, results, {space});
        EXPECT_TRUE(same_bits(results, expected))
            << to_string(space) << ", reduction " << static_cast<int>(reduction);
      }
    }
  }
}

TYPED_TEST(BulkOf, NormalizesLikeReferenceAlsoInPlace) {
  using T = TypeParam;
  for (const bool special : {true, false}) {
    const auto a = numbers<T>("normalise", special);
    for (const Space space : Testing::spaces()) {
      auto in_place = numbers<T>("normalise", special);
      auto out = outputs_for(a);
      Bulk(Testing::context()).normalise(a, out, {space});
      Bulk(Testing::context()).normalise(in_place, in_place, {space});
      for (std::size_t i = 0; i < a.arrays.size(); ++i) {
        const auto expected = Reference::normalised(std::span<const T>(a.arrays[i]));
        EXPECT_TRUE(same_bits(out.arrays[i], expected)) << to_string(space) << ", array " << i;
        EXPECT_TRUE(same_bits(in_place.arrays[i], expected)) << to_string(space) << ", array " << i;
      }
    }
  }
}

TYPED_TEST(BulkOf, ReproducibleProductsMatchReferenceAndVendorProductsAreClose) {
  using T = TypeParam;
  auto random = Testing::generator("products");
  struct Shape {
    std::size_t m, n, k;
  };
  // Pairs of equal shape appear next to other shapes; k exceeds a block; 300 × 520 × 260 has
  // several tiles. If the stride of B is a multiple of 1 KiB, its rows are copied, 2048 at a time.
  // The last shapes cover this for tiles and for a whole product.
  const std::vector<Shape> shapes{{3, 4, 5},         {1, 1, 1},    {0, 3, 2},    {2, 0, 3},
                                  {2, 3, 0},         {3, 4, 5},    {17, 33, 65}, {3, 4, 5},
                                  {2, 5, 4099},      {32, 32, 32}, {32, 32, 32}, {300, 520, 260},
                                  {300, 1024, 2100}, {70, 512, 90}};
  std::vector<std::vector<T>> memory;
  struct Pair {
    std::span<const T> a, b;
    std::span<T> c;
  };
  std::vector<Pair> pairs;
  Products products;
  for (const Shape& shape : shapes) {
    for (const std::size_t size : {shape.m * shape.k, shape.k * shape.n, shape.m * shape.n}) {
      memory.emplace_back(size);
      for (T& value : memory.back()) value = any_number<T>(random, false);
    }
    const std::size_t at = memory.size() - 3;
    pairs.push_back({memory[at], memory[at + 1], memory[at + 2]});
    products.add<T>(pairs.back().a, pairs.back().b, pairs.back().c, shape.m, shape.n, shape.k);
  }
  for (const Space space : Testing::spaces()) {
    for (const bool reproducible : {true, false}) {
      for (auto& pair : pairs) std::fill(pair.c.begin(), pair.c.end(), T{7});
      BulkOptions options;
      options.space = space;
      options.reproducible = reproducible;
      Bulk(Testing::context()).multiply(products.a, products.b, products.c, options);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const auto& [m, n, k] = shapes[i];
        const std::vector<double> a(pairs[i].a.begin(), pairs[i].a.end());
        const std::vector<double> b(pairs[i].b.begin(), pairs[i].b.end());
        if (reproducible) {
          // Of large products only the first and the last row, since the oracle is slow.
          const std::size_t step = m > 100 ? m - 1 : 1;
          for (std::size_t row = 0; row < m; row += step) {
            const auto expected =
                Reference::matrix_product(pairs[i].a.subspan(row * k, k), pairs[i].b, 1, n, k);
            const auto found = pairs[i].c.subspan(row * n, n);
            EXPECT_TRUE(same_bits({found.begin(), found.end()}, expected))
                << to_string(space) << ", pair " << i << ", row " << row;
          }
          continue;
        }
        const double unit = (static_cast<double>(k) + 64) * (sizeof(T) == 4 ? 0x1p-22 : 0x1p-51);
        for (std::size_t row = 0; row<m; row += m> 100 ? 37 : 1) {
          for (std::size_t column = 0; column < n; ++column) {
            long double exact = 0;
            long double of_a = 0;
            long double of_b = 0;
            for (std::size_t e = 0; e < k; ++e) {
              const long double x = a[row * k + e];
              const long double y = b[e * n + column];
              exact += x * y;
              of_a += x * x;
              of_b += y * y;
            }
            EXPECT_LE(std::abs(pairs[i].c[row * n + column] - exact), unit * std::sqrt(of_a * of_b))
                << to_string(space) << ", pair " << i;
          }
        }
      }
    }
  }
}

TYPED_TEST(BulkOf, ProductsThatShareAnArgumentAreTheSameOnAnyThreads) {
  using T = TypeParam;
  auto random = Testing::generator("products.shared");
  std::vector<T> a(600 * 600);
  std::vector<T> b(600 * 1024);
  for (std::vector<T>* values : {&a, &b}) {
    for (T& value : *values) value = any_number<T>(random, false);
  }
  // The same memory used as B with several shapes in turn.
  const std::vector<std::array<std::size_t, 3>> shapes{
      {600, 1024, 600}, {600, 512, 600}, {600, 1024, 300}, {600, 1024, 600}};
  const auto products_on = [&](Space space, std::size_t from, std::size_t count) {
    std::vector<std::vector<T>> out;
    Products products;
    for (const auto& [m, n, k] : std::span(shapes).subspan(from, count))
      out.emplace_back(m * n, T{7});
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [m, n, k] = shapes[from + i];
      products.add<T>(std::span(a).first(m * k), std::span(b).first(k * n), out[i], m, n, k);
    }
    Bulk(Testing::context()).multiply(products.a, products.b, products.c, {space});
    return out;
  };
  const auto together = products_on(Space::serial, 0, shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    EXPECT_TRUE(same_bits(products_on(Space::serial, i, 1)[0], together[i])) << "pair " << i;
  if (!Testing::context().is_usable(Space::openmp)) return;
  const auto by_all = products_on(Space::openmp, 0, shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    EXPECT_TRUE(same_bits(by_all[i], together[i])) << "pair " << i;
}

template <class T>
T random_of(std::uint64_t seed, std::uint64_t place) {
  if constexpr (sizeof(T) == 1) return Reference::random_byte(seed, place);
  if constexpr (sizeof(T) == 4) return Reference::random_float(seed, place);
  if constexpr (sizeof(T) == 8) return Reference::random_double(seed, place);
}

template <class T>
void expect_random(std::uint64_t seed, std::uint64_t offset) {
  for (const Space space : Testing::spaces()) {
    std::vector<std::vector<T>> arrays;
    for (const std::size_t length : {0, 1, 5, 16, 63, 257, 4099, 20001})
      arrays.emplace_back(static_cast<std::size_t>(length));
    List<T> list(std::move(arrays));
    Bulk(Testing::context()).random_fill(list, seed, offset, {space});
    std::uint64_t place = offset;
    for (const auto& array : list.arrays) {
      std::vector<T> expected;
      for (std::size_t i = 0; i < array.size(); ++i)
        expected.push_back(random_of<T>(seed, place++));
      EXPECT_TRUE(same_bits(array, expected)) << to_string(space) << ", " << array.size();
    }
  }
}

TEST(Bulk, RandomNumbersDependOnlyOnTheirIndex) {
  expect_random<std::uint8_t>(Testing::seed(), 3);
  expect_random<float>(Testing::seed() + 1, (std::uint64_t{1} << 34U) - 50);
  expect_random<double>(~Testing::seed(), 0);
}

TEST(Bulk, XorMatchesReferenceOnEverySpaceAlsoInBatches) {
  const auto a = bytes("a");
  const auto key = bytes("key");
  for (const Space space : Testing::spaces()) {
    for (const std::size_t batch : {std::size_t{0}, std::size_t{100}, std::size_t{40000}}) {
      auto out = outputs_for(a);
      const BulkReport report = Bulk(Testing::context()).xor_elements(a, key, out, {space, batch});
      for (std::size_t i = 0; i < a.arrays.size(); ++i) {
        for (std::size_t e = 0; e < a.arrays[i].size(); ++e)
          ASSERT_EQ(out.arrays[i][e], a.arrays[i][e] ^ key.arrays[i][e])
              << to_string(space) << ", array " << i << ", byte " << e;
      }
      EXPECT_EQ(report.record.chosen, space);
      EXPECT_EQ(report.record.items, 283899U);
      EXPECT_TRUE(space == Space::cuda || report.batches == 1);
      EXPECT_TRUE(space != Space::cuda || batch == 0 || report.batches > 5);
    }
  }
}

TEST(Bulk, LargeResultsThatBypassTheCachesAreTheSame) {
  std::vector<std::uint8_t> a((9U << 20U) + 77);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  std::vector<std::uint8_t> out(a.size() + 3);
  const std::span<const std::uint8_t> in(a);
  const auto to = std::span(out).subspan(3);
  for (const Space space : Testing::spaces()) {
    std::fill(out.begin(), out.end(), std::uint8_t{7});
    Bulk(Testing::context()).xor_elements(in, in, to, {space});
    EXPECT_EQ(std::count(to.begin(), to.end(), std::uint8_t{0}),
              static_cast<std::ptrdiff_t>(to.size()));
    std::vector<std::uint8_t> key(a.size(), 0x5A);
    const std::span<const std::uint8_t> with(key);
    Bulk(Testing::context()).xor_elements(in, with, to, {space});
    bool is_right = true;
    for (std::size_t i = 0; i < a.size(); ++i) is_right &= to[i] == (a[i] ^ 0x5A);
    EXPECT_TRUE(is_right) << to_string(space);
    EXPECT_EQ(std::count(out.begin(), out.begin() + 3, std::uint8_t{7}), 3) << to_string(space);
  }
}

TEST(Bulk, XorAppliedTwiceRestoresTheInput) {
  Testing::expect_property("xor is an involution, with keys that are made too", [] {
    const auto rows = *rc::gen::arbitrary<std::vector<std::vector<std::uint8_t>>>();
    const Bulk bulk(Testing::context());
    List<std::uint8_t> a(rows);
    auto keys = outputs_for(a);
    auto out = outputs_for(a);
    bulk.xor_with_new_keys(a, keys, out);
    RC_ASSERT(a.arrays == rows);
    bulk.xor_elements(out, keys, out);
    RC_ASSERT(out.arrays == rows);
  });
}

TEST(Bulk, NewKeysDifferUnlessTheirSeedIsGiven) {
  const auto a = bytes("a");
  const Bulk bulk(Testing::context());
  const auto key_of = [&](std::optional<std::uint64_t> seed) {
    auto keys = outputs_for(a);
    auto out = outputs_for(a);
    bulk.xor_with_new_keys(a, keys, out, seed);
    return keys.arrays;
  };
  EXPECT_NE(key_of({}), key_of({}));
  EXPECT_EQ(key_of(5), key_of(5));
  EXPECT_EQ(key_of(5).back()[9], Reference::random_byte(5, 13898 + 9));
}

TEST(Bulk, EmptyListsAreNoOps) {
  const Bulk bulk(Testing::context());
  for (const Space space : Testing::spaces()) {
    const KernelProfile profile;
    const auto reports = {bulk.xor_elements({}, {}, {}, {space}),
                          bulk.element_wise(ElementWise::square, {}, {}, {}, {space}),
                          bulk.normalise({}, {}, {space}),
                          bulk.reduce(Reduction::max, {}, {}, {space}),
                          bulk.multiply({}, {}, {}, {space}),
                          bulk.random_fill({}, 1, 0, {space})};
    EXPECT_THAT(profile.kernels(), IsEmpty()) << to_string(space);
    for (const BulkReport& report : reports) {
      const std::string_view operation = to_string(report.record.operation);
      EXPECT_EQ(report.batches, 0U) << operation << " on " << to_string(space);
      EXPECT_EQ(report.batch_bytes, 0U) << operation << " on " << to_string(space);
      EXPECT_EQ(report.record.items, 0U) << operation << " on " << to_string(space);
      EXPECT_EQ(report.record.chosen, space) << operation;
    }
    // An array of one number is something to do, and the profile sees it.
    List<float> one(std::vector<std::vector<float>>{{3}});
    EXPECT_EQ(bulk.element_wise(ElementWise::square, one, {}, one, {space}).batches, 1U);
    EXPECT_EQ(one.arrays[0][0], 9.0F);
    EXPECT_THAT(profile.kernels(), Not(IsEmpty())) << to_string(space);
  }
}

TEST(Bulk, RejectsInvalidCallsAndChangesNothing) {
  const Bulk bulk(Testing::context());
  List<float> a({{1, 2, 3}, {4, 5}});
  List<float> shorter({{1, 2, 3}, {4}});
  List<float> one({{1, 2, 3}});
  List<float> out({{7, 7, 7}, {7, 7}});
  List<std::uint8_t> b({{1, 2, 3}});
  List<std::uint8_t> key({{1, 2}});
  List<std::uint8_t> to({{9, 9, 9}});
  expect_refused([&] { bulk.xor_elements(b, key, to); },
                 {"keys[0] is uint8 [2]", "arrays[0]", "[3]"});
  expect_refused([&] { bulk.xor_with_new_keys(b, key, to); }, {"keys[0] is uint8 [2]"});
  expect_refused([&] { bulk.xor_with_new_keys(b, b, to); }, {"keys[0] is the array"});
  expect_refused([&] { bulk.element_wise(ElementWise::add, a, shorter, out); },
                 {"others[1] is float32 [1]", "arrays[1]", "[2]"});
  expect_refused([&] { bulk.element_wise(ElementWise::add, a, one, out); },
                 {"others has 1", "2 arrays"});
  expect_refused([&] { bulk.element_wise(ElementWise::add, a, {}, out); }, {"add needs"});
  expect_refused([&] { bulk.add_matrices(a, shorter, out); },
                 {"b[1] is float32 [1]", "the shape of a[1]"});
  expect_refused([&] { bulk.add_matrices(a, one, out); }, {"b has 1", "2 a"});
  expect_refused([&] { bulk.element_wise(ElementWise::square, a, a, out); },
                 {"square takes no second"});
  expect_refused([&] { bulk.normalise(a, one); }, {"results has 1"});
  std::vector<float> two(2, 7);
  std::vector<float> three(3, 7);
  expect_refused([&] { bulk.reduce(Reduction::sum, a, three); },
                 {"results is float32 [3]", "2 elements"});
  List<float> with_empty({{1}, {}});
  expect_refused([&] { bulk.reduce(Reduction::min, with_empty, two); },
                 {"arrays[1] has no elements", "min"});
  std::vector<float> shared(8, 1);
  const std::vector in{std::span(shared).first(6)};
  const std::vector over{std::span(shared).subspan(1, 6)};
  expect_refused([&] { bulk.normalise(in, over); }, {"results[0] overlaps arrays[0]"});
  const std::int64_t shape[] = {2, 2};
  const std::int64_t strides[] = {3, 1};
  const ConstArray with_gaps(shared.data(), DataType::float32, shape, strides);
  expect_refused([&] { bulk.normalise(with_gaps, matrix_array(std::span(shared), 2, 2)); },
                 {"array is float32 [2, 2]", "gaps"});
  expect_refused([&] { bulk.random_fill(three, 1, std::numeric_limits<std::uint64_t>::max()); },
                 {"exceed position 2⁶⁴"});
  expect_refused([] { parse<ElementWise>("cube", "operation"); },
                 {"operation is 'cube'; it must be one of add, multiply"});
  expect_refused([] { parse<Reduction>("product", "reduction"); },
                 {"reduction is 'product'; it must be one of sum, min"});
  EXPECT_EQ(parse<ElementWise>("sqrt", "operation"), ElementWise::square_root);
  EXPECT_EQ(out.arrays, (std::vector<std::vector<float>>{{7, 7, 7}, {7, 7}}));
  EXPECT_EQ(to.arrays[0], (std::vector<std::uint8_t>{9, 9, 9}));
  EXPECT_EQ(three, (std::vector<float>{7, 7, 7}));
}

TEST(Bulk, PreparedCallsMatchTheOthers) {
  Context& context = Testing::context();
  const auto a = numbers<float>("prepared");
  const Bulk bulk(context);
  auto expected = outputs_for(a);
  bulk.normalise(a, expected);
  for (const Space space : {Space::serial, Space::openmp}) {
    if (!context.is_usable(space)) continue;
    auto out = outputs_for(a);
    const auto prepared = Bulk::prepare_normalise(context, a, out, {space});
    EXPECT_EQ(prepared.space(), space);
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (auto& array : out.arrays) std::fill(array.begin(), array.end(), 7.0F);
      prepared.run();
      prepared.wait();
      for (std::size_t i = 0; i < a.arrays.size(); ++i)
        EXPECT_TRUE(same_bits(out.arrays[i], expected.arrays[i]));
    }
    std::vector<double> sums(a.arrays.size());
    Bulk::prepare_reduce(context, Reduction::sum, a, sums, {space}).run();
    EXPECT_EQ(sums[3], Reference::reduced(Reduction::sum, std::vector<double>(a.arrays[3].begin(),
                                                                              a.arrays[3].end())));
  }
}

TEST(Bulk, SmallPreparedCallsRunOnOneThread) {
  Context& context = Testing::context();
  const std::vector<float> few(2);
  const std::vector<float> many(std::size_t{1} << 23U);
  double sum = 0;
  const auto space_of = [&](std::span<const float> values) {
    return Bulk::prepare_reduce(context, Reduction::sum, values, std::span(&sum, 1)).space();
  };
  EXPECT_EQ(space_of(few), Space::serial);
  EXPECT_EQ(space_of(many), context.is_usable(Space::openmp) ? Space::openmp : Space::serial);
}

TEST(Bulk, AContextKeepsOne) {
  Context context;
  const Bulk& bulk = Bulk::of(context);
  EXPECT_EQ(&Bulk::of(context), &bulk);
  EXPECT_NE(&Bulk::of(Testing::context()), &bulk);
  std::vector<float> values{1, 4};
  bulk.element_wise(ElementWise::square_root, values, {}, values);
  EXPECT_EQ(values, (std::vector<float>{1, 2}));
}

TEST(Bulk, AnArrayThatDoesNotFitOnTheDeviceIsReducedOnTheHost) {
  if (!Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "needs a device";
  ContextOptions options;
  options.load_profile = false;
  options.device_budget_max = 1 << 20;
  Context context(options);
  context.dispatcher().calibrate_transfer(1e15, 0);
  const Bulk bulk(context);
  for (const std::size_t count : {1 << 14, 1 << 19, 1 << 14}) {
    const bool fits = count * sizeof(float) < options.device_budget_max;
    context.dispatcher().calibrate(Operations::reduction, Space::cuda, static_cast<double>(count),
                                   1e-9);
    const std::vector<float> values(count, 1);
    float sum = 0;
    const DispatchRecord record = bulk.reduce(Reduction::sum, values, std::span(&sum, 1)).record;
    EXPECT_EQ(record.chosen == Space::cuda, fits) << count;
    EXPECT_EQ(record.why == Reason::memory, !fits) << count;
    EXPECT_EQ(sum, static_cast<float>(count));
  }
}

}  // namespace BulkTest
