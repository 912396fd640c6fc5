// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/bulk/MatrixProduct.hpp>

#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/bulk/impl/BulkLaunch.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

namespace Kindred {

namespace Impl {

/// Sums of some adjacent results.
template <int Width>
struct Sums {
  double value[Width];

  KOKKOS_INLINE_FUNCTION friend Sums operator+(const Sums& a, const Sums& b) {
    Sums out;
    for (int i = 0; i < Width; ++i) out.value[i] = a.value[i] + b.value[i];
    return out;
  }
};

/// The results of a work item: on a device two rows of 128 columns, each thread computes one; on a
/// host 64 columns of a row, sixteen at a time.
template <class ExecutionSpace>
struct ProductTile {
  static constexpr bool on_device = Arch::is_device<ExecutionSpace>;
  static constexpr std::uint64_t rows = on_device ? 2 : 1;
  static constexpr std::uint64_t columns = on_device ? 128 : 64;
  static constexpr int width = on_device ? 1 : 16;

  template <class T>
  KOKKOS_INLINE_FUNCTION static std::uint64_t across(const MatrixProduct<T>& product) {
    return quotient_up(product.n, columns);
  }
};

/// \brief A row of A times some columns of B. One thread holds the 32 lanes of a sum.
template <class ExecutionSpace, class T>
struct ProductRows {
  const MatrixProduct<T>* products;
  std::uint32_t count;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t work_item, std::uint32_t thread) const {
    constexpr std::uint64_t threads = bulk_team<ExecutionSpace> / tile::rows;  // of a row
    const MatrixProduct<T> product =
        products[containing_entry<&MatrixProduct<T>::first_work_item>(products, count, work_item)];
    const std::uint64_t across = tile::across(product);
    const std::uint64_t place = work_item - product.first_work_item;
    const std::uint64_t row = place / across * tile::rows + thread / threads;
    const std::uint64_t first = place % across * tile::columns + thread % threads * tile::width;
    for (std::uint64_t i = 0; i < tile::columns; i += threads * tile::width) {
      if (row < product.m && first + i < product.n) compute(product, row, first + i);
    }
  }

 private:
  using tile = ProductTile<ExecutionSpace>;
  static constexpr int together = tile::width;

  KOKKOS_INLINE_FUNCTION static void compute(const MatrixProduct<T>& product, std::uint64_t row,
                                             std::uint64_t column) {
    // A single result is a constant, so that the sums stay in registers.
    const std::uint64_t left = product.n - column;
    const int width = together == 1 || left >= together ? together : static_cast<int>(left);
    const T* a = product.a + row * product.k;
    const T* b = product.b + column;
    const std::uint64_t stride = product.n;
    const auto block_sums = [&](std::uint64_t begin, std::uint32_t length) {
      Sums<together> lane[32] = {};
      const std::uint64_t end = begin + length;
      std::uint64_t i = begin;
      for (; i + 32 <= end; i += 32) {
        KINDRED_UNROLL
        for (int l = 0; l < 32; ++l) add(lane[l], a[i + l], b + (i + l) * stride, width);
      }
      KINDRED_UNROLL
      for (int l = 0; l < 32; ++l) {
        if (i + l < end) add(lane[l], a[i + l], b + (i + l) * stride, width);
      }
      KINDRED_UNROLL
      for (int step = 0; step < 5; ++step) {
        const int half = 16 >> step;
        KINDRED_UNROLL
        for (int l = 0; l < 16; ++l) {
          if (l < half) lane[l] = lane[l] + lane[l + half];
        }
      }
      return lane[0];
    };
    const Sums<together> sums = sum_of_blocks<Sums<together>>(product.k, block_sums);
    T* c = product.c + row * product.n + column;
    for (int i = 0; i < width; ++i) c[i] = with_canonical_nan(static_cast<T>(sums.value[i]));
  }
  KOKKOS_INLINE_FUNCTION static void add(Sums<together>& sums, T a, const T* b, int width) {
    const auto left = static_cast<double>(a);
    if (width == together) {
      for (int i = 0; i < together; ++i)
        sums.value[i] = Kokkos::fma(left, static_cast<double>(b[i]), sums.value[i]);
    } else {
      for (int i = 0; i < width; ++i)
        sums.value[i] = Kokkos::fma(left, static_cast<double>(b[i]), sums.value[i]);
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class T>
std::uint64_t plan_products(std::span<MatrixProduct<T>> products) {
  using tile = Impl::ProductTile<ExecutionSpace>;
  std::uint64_t work_items = 0;
  for (MatrixProduct<T>& product : products) {
    product.first_work_item = work_items;
    work_items += quotient_up(product.m, tile::rows) * tile::across(product);
  }
  return work_items;
}

template <class ExecutionSpace, class T>
void reproducible_products(const ExecutionSpace& exec_space, std::uint64_t work_items,
                           const ArrayView<const MatrixProduct<T>, ExecutionSpace>& products) {
  const Impl::ArgumentCheck check("reproducible_products");
  check.is_aligned("products", products);
  check.is_at_least("the size of products", products.size(), work_items == 0 ? 0 : 1);
  check.is_at_most("the size of products", products.size(), 0xFFFFFFFFU);
  Impl::for_each_chunk<2>(exec_space, "Kindred::Bulk::reproducible_products::rows", work_items,
                          Impl::ProductRows<ExecutionSpace, T>{
                              products.data(), static_cast<std::uint32_t>(products.size())});
}

KINDRED_INSTANTIATE_FOR_SPACES(plan_products, float);
KINDRED_INSTANTIATE_FOR_SPACES(reproducible_products, float);
KINDRED_INSTANTIATE_FOR_SPACES(plan_products, double);
KINDRED_INSTANTIATE_FOR_SPACES(reproducible_products, double);

}  // namespace Kindred
