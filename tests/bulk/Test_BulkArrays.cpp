// SPDX-License-Identifier: Apache-2.0
// The calls of `Bulk` on single arrays of the caller, in host memory, on a device, and on a stream.
#include "bulk/RowLaunch.hpp"

#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/memory/SpaceResource.hpp>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "BulkLists.hpp"
#include "DeviceCopy.hpp"
#include "Support.hpp"

namespace BulkTest {

using namespace Kindred;

/// Where the arrays of a test are.
enum class Place { host, device, stream };

std::vector<Place> places() {
  if (!Testing::context().is_usable(Space::cuda)) return {Place::host};
  return {Place::host, Place::device, Place::stream};
}

using Shape = std::vector<std::int64_t>;

/// Elements at a place, also for output.
template <class T>
class Placed {
 public:
  Placed(Place place, std::vector<T> values, DataType type = data_type_of<T>)
      : m_values(std::move(values)), m_type(type) {
    if (place != Place::host)
      m_device = std::make_unique<Testing::DeviceCopy<T>>(Testing::context(), m_values);
  }
  Array array(const Shape& shape, const Shape& strides = {}, std::size_t begin = 0) {
    if (m_device) return m_device->array(m_type, shape, strides, begin);
    return {m_values.data() + begin, m_type, shape, strides};
  }
  std::vector<T> values() const { return m_device ? m_device->values() : m_values; }

 private:
  std::vector<T> m_values;
  DataType m_type;
  std::unique_ptr<Testing::DeviceCopy<T>> m_device;
};

/// A `Bulk` with the options of calls at a place.
struct Caller {
  explicit Caller(Place place) : bulk(Testing::context()) {
    if (place == Place::stream) stream.emplace(Testing::context());
  }
  BulkOptions options() const {
    BulkOptions options;
    if (stream) options.stream = stream->stream();
    return options;
  }
  void wait() const {
    if (stream) stream->wait();
  }

  std::optional<Testing::DeviceStream> stream;
  Bulk bulk;
};

template <class T>
std::vector<T> random_elements(const std::string& name, std::size_t size) {
  auto random = Testing::generator(name);
  std::vector<T> values(size);
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<std::int64_t>(random() % 2001) - 1000) / T{8};
    } else {
      value = static_cast<T>(random());
    }
  }
  return values;
}

template <class T>
class BulkArraysOf : public ::testing::Test {};
using Elements =
    ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(BulkArraysOf, Elements);

TYPED_TEST(BulkArraysOf, ElementsMatchThoseOfLists) {
  using T = TypeParam;
  for (const Place place : places()) {
    const Caller caller(place);
    for (const std::size_t size : {0, 1, 2, 3, 31, 32, 33, 4095, 4097, 40'000}) {
      const auto a = random_elements<T>("a", size);
      const auto b = random_elements<T>("b", size);
      List<T> in({a});
      List<T> other({b});
      const Shape shape{static_cast<std::int64_t>(size)};
      for (const ElementWise op : {ElementWise::add, ElementWise::multiply, ElementWise::square}) {
        const bool two = op != ElementWise::square;
        auto expected = outputs_for(in);
        Placed<T> first(place, a);
        Placed<T> second(place, b);
        Placed<T> out(place, std::vector<T>(size, T{7}));
        if (two) {
          caller.bulk.element_wise(op, in, other, expected, {Space::serial});
          caller.bulk.element_wise(op, first.array(shape), second.array(shape), out.array(shape),
                                   caller.options());
        } else {
          caller.bulk.element_wise(op, in, {}, expected, {Space::serial});
          caller.bulk.element_wise(op, first.array(shape), {}, out.array(shape), caller.options());
        }
        caller.wait();
        EXPECT_TRUE(same_bits(out.values(), expected.arrays[0])) << size;
        if (!two) continue;
        // A single element in host memory is a number, wherever the arrays are; in place.
        T number = static_cast<T>(-3);
        caller.bulk.element_wise(op, in, number, expected, {Space::serial});
        caller.bulk.element_wise(op, first.array(shape), std::span<const T>(&number, 1),
                                 first.array(shape), caller.options());
        caller.wait();
        EXPECT_TRUE(same_bits(first.values(), expected.arrays[0])) << size;
      }
    }
  }
}

TYPED_TEST(BulkArraysOf, RowsWithGapsAreUsedInPlace) {
  using T = TypeParam;
  for (const Place place : places()) {
    const Caller caller(place);
    for (const std::int64_t rows : {0, 1, 2, 33}) {
      for (const std::int64_t length : {1, 3, 17, 5000}) {
        const std::int64_t step = length + 3;
        const auto size = static_cast<std::size_t>(rows * step);
        const auto a = random_elements<T>("a", size);
        const auto b = random_elements<T>("b", size);
        Placed<T> first(place, a);
        Placed<T> second(place, b);
        Placed<T> out(place, std::vector<T>(static_cast<std::size_t>(rows * length) + 2, T{7}));
        caller.bulk.element_wise(ElementWise::add, first.array({rows, length}, {step, 1}),
                                 second.array({rows, length}, {step, 1}),
                                 out.array({rows, length}, {}, 1), caller.options());
        caller.wait();
        const auto found = out.values();
        bool is_right = found.front() == T{7} && found.back() == T{7};
        for (std::int64_t row = 0; row < rows; ++row) {
          for (std::int64_t i = 0; i < length; ++i) {
            const auto at = static_cast<std::size_t>(row * step + i);
            is_right &= found[static_cast<std::size_t>(row * length + i) + 1] ==
                        static_cast<T>(a[at] + b[at]);
          }
        }
        EXPECT_TRUE(is_right) << rows << " × " << length;
      }
    }
  }
}

TYPED_TEST(BulkArraysOf, ReductionsMatchThoseOfLists) {
  using T = TypeParam;
  using Sum =
      std::conditional_t<std::is_floating_point_v<T>, T,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  using Mean = std::conditional_t<std::is_floating_point_v<T>, T, double>;
  for (const Place place : places()) {
    const Caller caller(place);
    for (const std::int64_t rows : {1, 2, 3, 70}) {
      for (const std::int64_t length : {1, 2, 31, 33, 4097, 20'000}) {
        const std::int64_t step = length + (rows % 2 == 0 ? 1 : 0);
        const auto a = random_elements<T>("reduce", static_cast<std::size_t>(rows * step));
        Placed<T> in(place, a);
        std::vector<std::span<const T>> arrays;
        for (std::int64_t row = 0; row < rows; ++row)
          arrays.push_back(std::span(a).subspan(static_cast<std::size_t>(row * step),
                                                static_cast<std::size_t>(length)));
        const auto expect = [&]<class R>(Reduction reduction, R /*type*/, auto expected) {
          Placed<R> out(place, std::vector<R>(static_cast<std::size_t>(rows), R{7}));
          const Array source = rows == 1 ? in.array({length}) : in.array({rows, length}, {step, 1});
          caller.bulk.reduce(reduction, source, out.array({rows}), caller.options());
          caller.wait();
          EXPECT_TRUE(same_bits(out.values(), std::vector<R>(expected.begin(), expected.end())))
              << static_cast<int>(reduction) << ", " << rows << " × " << length;
        };
        const auto count = static_cast<std::size_t>(rows);
        for (const Reduction reduction : {Reduction::sum, Reduction::min, Reduction::max}) {
          std::vector<Sum> expected(count);
          caller.bulk.reduce(reduction, arrays, expected, {Space::serial});
          if (reduction == Reduction::sum) {
            expect(reduction, Sum(), expected);
          } else {
            expect(reduction, T(), expected);
          }
        }
        std::vector<Mean> means(count);
        caller.bulk.reduce(Reduction::mean, arrays, means, {Space::serial});
        expect(Reduction::mean, Mean(), means);
        if constexpr (std::is_floating_point_v<T>) {
          caller.bulk.reduce(Reduction::deviation, arrays, means, {Space::serial});
          expect(Reduction::deviation, Mean(), means);
        }
      }
    }
  }
}

TEST(BulkArrays, SumsOfNoElementsAreZero) {
  for (const Place place : places()) {
    const Caller caller(place);
    Placed<std::int32_t> in(place, std::vector<std::int32_t>(1));
    Placed<std::int64_t> out(place, {7, 7, 7});
    caller.bulk.reduce(Reduction::sum, in.array({3, 0}), out.array({3}), caller.options());
    caller.wait();
    EXPECT_EQ(out.values(), (std::vector<std::int64_t>{0, 0, 0}));
    caller.bulk.reduce(Reduction::max, in.array({0, 5}), in.array({0}), caller.options());
  }
}

TEST(BulkArrays, BooleansAreAddedByOrAndMultipliedByAnd) {
  auto random = Testing::generator("bool");
  for (const Place place : places()) {
    const Caller caller(place);
    for (const std::size_t size : {1, 3, 16, 33, 20'001}) {
      std::vector<std::uint8_t> a(size);
      std::vector<std::uint8_t> b(size);
      std::vector<std::uint8_t> any(size);
      std::vector<std::uint8_t> both(size);
      std::vector<std::uint8_t> one(size);
      std::int64_t count = 0;
      for (std::size_t i = 0; i < size; ++i) {
        a[i] = random() % 2;
        b[i] = random() % 2;
        any[i] = a[i] | b[i];
        both[i] = a[i] & b[i];
        one[i] = a[i] ^ b[i];
        count += a[i];
      }
      const Shape shape{static_cast<std::int64_t>(size)};
      Placed<std::uint8_t> first(place, a, DataType::boolean);
      Placed<std::uint8_t> second(place, b, DataType::boolean);
      Placed<std::uint8_t> out(place, std::vector<std::uint8_t>(size, 7), DataType::boolean);
      const auto found = [&](const auto& call) {
        call();
        caller.wait();
        return out.values();
      };
      EXPECT_EQ(found([&] {
                  caller.bulk.element_wise(ElementWise::add, first.array(shape),
                                           second.array(shape), out.array(shape), caller.options());
                }),
                any);
      EXPECT_EQ(found([&] {
                  caller.bulk.element_wise(ElementWise::multiply, first.array(shape),
                                           second.array(shape), out.array(shape), caller.options());
                }),
                both);
      EXPECT_EQ(found([&] {
                  caller.bulk.xor_elements(first.array(shape), second.array(shape),
                                           out.array(shape), caller.options());
                }),
                one);
      const bool yes = true;
      EXPECT_EQ(found([&] {
                  caller.bulk.element_wise(ElementWise::multiply, first.array(shape),
                                           std::span<const bool>(&yes, 1), out.array(shape),
                                           caller.options());
                }),
                a);
      EXPECT_EQ(found([&] {
                  caller.bulk.element_wise(ElementWise::add, first.array(shape),
                                           std::span<const bool>(&yes, 1), out.array(shape),
                                           caller.options());
                }),
                std::vector<std::uint8_t>(size, 1));
      Placed<std::int64_t> sum(place, {7});
      Placed<double> mean(place, {7});
      caller.bulk.reduce(Reduction::sum, first.array(shape), sum.array({1}), caller.options());
      caller.bulk.reduce(Reduction::mean, first.array(shape), mean.array({1}), caller.options());
      caller.wait();
      EXPECT_EQ(sum.values()[0], count);
      EXPECT_EQ(mean.values()[0], static_cast<double>(count) / static_cast<double>(size));
    }
  }
}

TEST(BulkArrays, XorCombinesIntegersOfAllWidths) {
  for (const Place place : places()) {
    const Caller caller(place);
    const auto a = random_elements<std::uint32_t>("a", 3 * 1001);
    const auto key = random_elements<std::uint32_t>("key", 3 * 1001);
    Placed<std::uint32_t> first(place, a);
    Placed<std::uint32_t> with(place, key);
    Placed<std::uint32_t> out(place, std::vector<std::uint32_t>(3 * 1000, 7));
    caller.bulk.xor_elements(first.array({3, 1000}, {1001, 1}), with.array({3, 1000}, {1001, 1}),
                             out.array({3, 1000}), caller.options());
    caller.wait();
    const auto found = out.values();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t at = i / 1000 * 1001 + i % 1000;
      ASSERT_EQ(found[i], a[at] ^ key[at]) << i;
    }
  }
}

TEST(BulkArrays, ProductsMatchThoseOfLists) {
  for (const Place place : places()) {
    const Caller caller(place);
    for (const bool reproducible : {true, false}) {
      for (const std::int64_t batch : {0, 1, 3}) {
        const std::int64_t m = 17;
        const std::int64_t k = 33;
        const std::int64_t n = 20;
        const auto a = random_elements<float>("a", static_cast<std::size_t>(batch * m * k));
        const auto b = random_elements<float>("b", static_cast<std::size_t>(batch * k * n));
        std::vector<float> expected(static_cast<std::size_t>(batch * m * n));
        Products products;
        for (std::size_t i = 0; i < static_cast<std::size_t>(batch); ++i)
          products.add<float>(std::span(a).subspan(i * m * k, m * k),
                              std::span(b).subspan(i * k * n, k * n),
                              std::span(expected).subspan(i * m * n, m * n), m, n, k);
        BulkOptions options;
        options.space = Space::serial;
        options.reproducible = true;
        caller.bulk.multiply(products.a, products.b, products.c, options);
        Placed<float> first(place, a);
        Placed<float> second(place, b);
        Placed<float> out(place, std::vector<float>(expected.size(), 7));
        options.space = {};
        options.reproducible = reproducible;
        options.stream = caller.options().stream;
        for (int repeat = 0; repeat < 2; ++repeat) {
          if (batch == 1) {
            caller.bulk.multiply(first.array({m, k}), second.array({k, n}), out.array({m, n}),
                                 options);
          } else {
            caller.bulk.multiply(first.array({batch, m, k}), second.array({batch, k, n}),
                                 out.array({batch, m, n}), options);
          }
        }
        caller.wait();
        const auto found = out.values();
        // The elements are eighths, so that every product and sum is exact.
        EXPECT_TRUE(same_bits(found, expected)) << batch;
      }
    }
  }
}

TEST(BulkArrays, OnAStreamNeedNoWaitBetweenCalls) {
  if (!Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "needs a device";
  const Caller beside(Place::stream);  // streams outlive the objects that are used on them
  const Caller caller(Place::stream);
  const std::size_t size = 100'003;
  Placed<std::int32_t> a(Place::device, std::vector<std::int32_t>(size, 1));
  Placed<std::int64_t> sums(Place::device, std::vector<std::int64_t>(64, 7));
  const Shape shape{static_cast<std::int64_t>(size)};
  const std::int32_t one = 1;
  Placed<std::int32_t> other(Place::device, std::vector<std::int32_t>(size, 5));
  Placed<std::int64_t> other_sum(Place::device, {7});
  for (std::size_t i = 0; i < 64; ++i) {
    caller.bulk.reduce(Reduction::sum, a.array(shape), sums.array({1}, {}, i), caller.options());
    caller.bulk.element_wise(ElementWise::add, a.array(shape),
                             std::span<const std::int32_t>(&one, 1), a.array(shape),
                             caller.options());
    // Another stream has a workspace of its own.
    caller.bulk.reduce(Reduction::sum, other.array(shape), other_sum.array({1}), beside.options());
  }
  caller.wait();
  beside.wait();
  const auto found = sums.values();
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(found[i], static_cast<std::int64_t>(size * (i + 1))) << i;
  EXPECT_EQ(other_sum.values()[0], static_cast<std::int64_t>(5 * size));
}

/// Rows that need no table, as on a device, launched on the host.
template <class T>
void expect_rows_as_lists(std::uint32_t count, std::uint64_t length, std::uint64_t step) {
  const auto a = random_elements<T>("rows", count * step + 1);
  const auto exec_space = Impl::host_instance(Testing::context(), Space::serial);
  SpaceResource<Kokkos::HostSpace> memory;
  Impl::ListWorkspace<HostSpace> workspace(memory);
  BulkItems<T> rows;
  rows.count = count;
  rows.first.count = length;
  rows.first.input = a.data();
  rows.input_step = step;
  Impl::BulkTask<T> task;
  task.kind = Impl::BulkKind::reduce;
  for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::mean}) {
    task.reduction = reduction;
    std::vector<Impl::bulk_result<T>> found(count, 7);
    Impl::launch_rows(exec_space, workspace, task, rows, {DataType::float64, found.data()});
    std::vector<T> narrow(count, T{7});
    Impl::launch_rows(exec_space, workspace, task, rows, {data_type_of<T>, narrow.data()});
    std::vector<std::span<const T>> arrays;
    for (std::uint32_t row = 0; row < count; ++row)
      arrays.push_back(std::span(a).subspan(row * step, length));
    const Bulk bulk(Testing::context());
    if constexpr (std::is_floating_point_v<T>) {
      std::vector<T> expected(count);
      bulk.reduce(reduction, arrays, expected, {Space::serial});
      EXPECT_TRUE(same_bits(narrow, expected)) << count << " × " << length;
      for (std::uint32_t row = 0; row < count; ++row)
        EXPECT_EQ(static_cast<T>(found[row]), expected[row]) << row;
    } else if (reduction != Reduction::mean) {
      std::vector<Wide<T>> expected(count);
      bulk.reduce(reduction, arrays, expected, {Space::serial});
      for (std::uint32_t row = 0; row < count; ++row) {
        EXPECT_EQ(found[row], static_cast<std::uint64_t>(expected[row])) << row;
        EXPECT_EQ(narrow[row], static_cast<T>(expected[row])) << row;
      }
    }
  }
  if constexpr (!std::is_signed_v<T> || std::is_floating_point_v<T>) {
    std::vector<T> out(count * (length + 2), T{7});
    rows.first.output = out.data();
    rows.output_step = length + 2;
    task.kind = Impl::BulkKind::element_wise;
    task.op = ElementWise::square;
    Impl::launch_rows(exec_space, workspace, task, rows, {});
    for (std::uint32_t row = 0; row < count; ++row) {
      for (std::uint64_t i = 0; i < length + 2; ++i) {
        const T x = a[row * step + std::min(i, length - 1)];
        ASSERT_EQ(out[row * (length + 2) + i], i < length ? static_cast<T>(x * x) : T{7});
      }
    }
  }
}

TEST(BulkArrays, RowsWithoutATableMatchLists) {
  for (const std::uint32_t count : {1, 2, 3, 33}) {
    for (const std::uint64_t length : {1, 2, 33, 4096, 4097, 20'000}) {
      expect_rows_as_lists<float>(count, length, length + 1);
      expect_rows_as_lists<double>(count, length, length);
      expect_rows_as_lists<std::int8_t>(count, length, length + 5);
      expect_rows_as_lists<std::uint32_t>(count, length, length);
      expect_rows_as_lists<std::int64_t>(count, length, length + 1);
    }
  }
}

TEST(BulkArrays, InvalidCallsAreRefusedAndChangeNothing) {
  const Bulk bulk(Testing::context());
  std::vector<float> a{1, 2, 3, 4, 5, 6};
  std::vector<float> out(6, 7);
  std::vector<double> wide(6, 7);
  std::vector<std::int32_t> numbers{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> sums(6, 7);
  const auto array = [](auto& values, const Shape& shape, const Shape& strides = {}) {
    using T = std::remove_reference_t<decltype(values[0])>;
    return Array(values.data(), data_type_of<T>, shape, strides);
  };
  const auto op = ElementWise::add;
  expect_refused([&] { bulk.element_wise(op, array(a, {6}), array(a, {6}), array(wide, {6})); },
                 {"result is float64 [6]", "float32, as array"});
  expect_refused([&] { bulk.element_wise(op, array(a, {6}), array(a, {3}), array(out, {6})); },
                 {"other is float32 [3]", "shape of array", "[6]"});
  expect_refused([&] { bulk.element_wise(op, array(a, {6}), {}, array(out, {6})); }, {"add needs"});
  expect_refused(
      [&] {
        bulk.element_wise(ElementWise::square_root, array(numbers, {6}), {}, array(numbers, {6}));
      },
      {"sqrt of integers"});
  expect_refused(
      [&] { bulk.element_wise(ElementWise::square, array(a, {3}, {2}), {}, array(out, {3})); },
      {"array is float32 [3]", "gaps"});
  expect_refused(
      [&] {
        bulk.element_wise(ElementWise::square, array(a, {5}), {},
                          Array(a.data() + 1, DataType::float32, Shape{5}));
      },
      {"result overlaps array partially"});
  const Array half(out.data(), DataType::float16, Shape{6});
  expect_refused([&] { bulk.element_wise(ElementWise::square, half, {}, half); },
                 {"float16 [6]", "bool, integers, float32 or float64"});
  const Array odd(reinterpret_cast<std::byte*>(out.data()) + 1, DataType::float32, Shape{2});
  expect_refused([&] { bulk.element_wise(ElementWise::square, odd, {}, odd); }, {"not aligned"});
  expect_refused([&] { bulk.xor_elements(array(a, {6}), array(a, {6}), array(out, {6})); },
                 {"xor is defined for bool and integers"});
  expect_refused([&] { bulk.xor_elements(array(numbers, {6}), 7, array(numbers, {6})); },
                 {"keys is a number"});
  EXPECT_NO_THROW(bulk.reduce(Reduction::sum, {}, {}));
  expect_refused([&] { bulk.reduce(Reduction::sum, array(numbers, {6}), array(numbers, {1})); },
                 {"results overlaps array"});
  expect_refused([&] { bulk.reduce(Reduction::sum, array(numbers, {6}), array(out, {1})); },
                 {"results is float32 [1]", "int64"});
  expect_refused([&] { bulk.reduce(Reduction::mean, array(numbers, {6}), array(sums, {1})); },
                 {"float64"});
  expect_refused(
      [&] {
        bulk.reduce(Reduction::sum, array(numbers, {2, 3}), array(sums, {3}));
      },
      {"2 elements, one per array or row"});
  expect_refused(
      [&] {
        bulk.reduce(Reduction::min, array(numbers, {2, 0}), array(sums, {2}));
      },
      {"no elements"});
  expect_refused(
      [&] {
        bulk.reduce(Reduction::sum, array(numbers, {1, 2, 3}), array(sums, {1}));
      },
      {"one or two dimensions"});
  expect_refused(
      [&] {
        bulk.multiply(array(a, {2, 3}), array(a, {2, 3}), array(out, {2, 2}));
      },
      {"b is float32 [2, 3]", "[3, 3]"});
  expect_refused(
      [&] {
        bulk.multiply(array(a, {2, 2}), array(a, {2, 2}), array(a, {2, 2}));
      },
      {"c overlaps"});
  expect_refused(
      [&] {
        bulk.multiply(array(numbers, {2, 2}), array(a, {2, 2}), array(a, {2, 2}));
      },
      {"float32 or float64"});
  BulkOptions on_stream;
  on_stream.stream = Stream::cuda(nullptr);
  expect_refused(
      [&] { bulk.reduce(Reduction::sum, array(numbers, {6}), array(sums, {1}), on_stream); },
      {"a stream is given"});
  expect_refused([&] { bulk.element_wise(ElementWise::square, {}, {}, {}, on_stream); },
                 {"a stream is given"});
  EXPECT_EQ(out, std::vector<float>(6, 7));
  EXPECT_EQ(wide, std::vector<double>(6, 7));
  EXPECT_EQ(sums, std::vector<std::int64_t>(6, 7));
  EXPECT_EQ(a, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const ConstArray there(a.data(), DataType::float32, Shape{6}, {}, ArrayMemory::device);
  if (Testing::context().is_usable(Space::cuda)) {
    expect_refused([&] { bulk.element_wise(ElementWise::square, there, {}, array(out, {6})); },
                   {"lies on a device"});
  } else {
    const Array result(out.data(), DataType::float32, Shape{6}, {}, ArrayMemory::device);
    EXPECT_THROW(bulk.element_wise(ElementWise::square, there, {}, result), SpaceUnavailable);
  }
}

}  // namespace BulkTest
