// SPDX-License-Identifier: Apache-2.0
#include "BulkPlaces.hpp"

namespace Kindred::Testing::BulkTest {

/// A product, m × k by k × n.
struct ProductShape {
  std::size_t m, n, k;
};

/// Products of a call.
struct Products {
  std::vector<ConstArray> a, b;
  std::vector<Array> c;

  template <class T>
  void add(const ProductShape& shape, std::span<const T> left, std::span<const T> right,
           std::span<T> product) {
    const auto& [m, n, k] = shape;
    a.push_back(matrix_array(left.first(m * k), m, k));
    b.push_back(matrix_array(right.first(k * n), k, n));
    c.push_back(matrix_array(product, m, n));
  }
};

template <class T>
class BulkProducts : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BulkProducts, Reals);

TYPED_TEST(BulkProducts, ReproducibleMatchReferenceAndThoseOfLibrariesAreClose) {
  using T = TypeParam;
  auto random = Testing::generator("products");
  // Pairs of equal shape appear next to other shapes; k exceeds a block; 300 × 520 × 260 has
  // several tiles. If the stride of B is a multiple of 1 KiB, its rows are copied, 2048 at a time.
  // The last shapes cover this for tiles and for a whole product.
  const std::vector<ProductShape> shapes{
      {3, 4, 5},    {1, 1, 1},       {0, 3, 2},         {2, 0, 3},    {2, 3, 0},
      {3, 4, 5},    {17, 33, 65},    {3, 4, 5},         {2, 5, 4099}, {32, 32, 32},
      {32, 32, 32}, {300, 520, 260}, {300, 1024, 2100}, {70, 512, 90}};
  std::vector<std::vector<T>> a, b, c;
  for (const auto& [m, n, k] : shapes) {
    a.push_back(random_values<T>(random, m * k));
    b.push_back(random_values<T>(random, k * n));
    c.emplace_back(m * n);
  }
  Products products;
  for (std::size_t i = 0; i < shapes.size(); ++i) products.add<T>(shapes[i], a[i], b[i], c[i]);
  /// Of large products only some rows, since the oracle is slow.
  const auto for_some_rows = [](std::size_t m, std::size_t step, const auto& body) {
    for (std::size_t row = 0; row<m; row += m> 100 ? step : 1) body(row);
  };
  for (const Space space : spaces()) {
    for (const bool reproducible : {true, false}) {
      for (auto& product : c) std::fill(product.begin(), product.end(), T{7});
      Bulk(context()).multiply(products.a, products.b, products.c,
                               {.space = space, .reproducible = reproducible});
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        SCOPED_TRACE(described(space, "pair", i));
        const std::size_t m = shapes[i].m, n = shapes[i].n, k = shapes[i].k;
        if (reproducible) {
          for_some_rows(m, m - 1, [&](std::size_t row) {
            const auto found = std::span(c[i]).subspan(row * n, n);
            EXPECT_TRUE(same_bits(
                {found.begin(), found.end()},
                Reference::matrix_product(std::span(a[i]).subspan(row * k, k), b[i], 1, n, k)))
                << "row " << row;
          });
          continue;
        }
        const double unit = (static_cast<double>(k) + 64) * (sizeof(T) == 4 ? 0x1p-22 : 0x1p-51);
        for_some_rows(m, 37, [&](std::size_t row) {
          for (std::size_t column = 0; column < n; ++column) {
            long double exact = 0, of_a = 0, of_b = 0;
            for (std::size_t e = 0; e < k; ++e) {
              const long double x = a[i][row * k + e], y = b[i][e * n + column];
              exact += x * y;
              of_a += x * x;
              of_b += y * y;
            }
            EXPECT_LE(std::abs(c[i][row * n + column] - exact), unit * std::sqrt(of_a * of_b));
          }
        });
      }
    }
  }
}

TYPED_TEST(BulkProducts, ThatShareAnArgumentAreTheSameOnAnyThreads) {
  using T = TypeParam;
  auto random = Testing::generator("products.shared");
  const auto a = random_values<T>(random, 600 * 600), b = random_values<T>(random, 600 * 1024);
  // The same memory used as B with several shapes in turn.
  const std::vector<ProductShape> shapes{
      {600, 1024, 600}, {600, 512, 600}, {600, 1024, 300}, {600, 1024, 600}};
  const auto products_on = [&](Space space, std::size_t from, std::size_t count) {
    std::vector<std::vector<T>> out;
    Products products;
    for (const ProductShape& shape : std::span(shapes).subspan(from, count)) {
      auto& product = out.emplace_back(shape.m * shape.n, T{7});
      products.add<T>(shape, a, b, product);
    }
    Bulk(context()).multiply(products.a, products.b, products.c, {space});
    return out;
  };
  const auto together = products_on(Space::serial, 0, shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    EXPECT_TRUE(same_bits(products_on(Space::serial, i, 1)[0], together[i])) << "pair " << i;
  if (!context().is_usable(Space::openmp)) return;
  expect_same(List<T>(products_on(Space::openmp, 0, shapes.size())), together);
}

TEST(BulkProducts, OfSingleArraysMatchReference) {
  auto random = Testing::generator("products.arrays");
  constexpr std::int64_t m = 17, n = 20, k = 33;
  // The elements are eighths, so that every product and sum is exact.
  const auto eighths = [&](std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(random() % 2001) / 8 - 125;
    return values;
  };
  at_places([&](const Caller& caller) {
    for (const std::int64_t batch : {0, 1, 3}) {
      const auto a = eighths(batch * m * k), b = eighths(batch * k * n);
      std::vector<float> expected;
      for (std::size_t i = 0; i < static_cast<std::size_t>(batch); ++i) {
        const auto product =
            Reference::matrix_product(row_of(a, m * k, i), row_of(b, k * n, i), m, n, k);
        expected.insert(expected.end(), product.begin(), product.end());
      }
      for (const bool reproducible : {true, false}) {
        Placed<float> first(caller.place, a), second(caller.place, b);
        Placed<float> out(caller.place, std::vector<float>(expected.size(), 7));
        const auto shape_of = [&](std::int64_t rows, std::int64_t columns) {
          return batch == 1 ? Shape{rows, columns} : Shape{batch, rows, columns};
        };
        for (int repeat = 0; repeat < 2; ++repeat)
          caller.bulk.multiply(first.array(shape_of(m, k)), second.array(shape_of(k, n)),
                               out.array(shape_of(m, n)), caller.options(reproducible));
        caller.wait();
        EXPECT_TRUE(same_bits(out.values(), expected)) << batch;
      }
    }
  });
}

}  // namespace Kindred::Testing::BulkTest
