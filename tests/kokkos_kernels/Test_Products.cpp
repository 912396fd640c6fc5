// SPDX-License-Identifier: Apache-2.0
// Kokkos Kernels in double precision as the oracle of matrix products.
#include <gtest/gtest.h>
#include <kindred/backends/vendor/HostGemm.hpp>
#include <kindred/matcher/Bulk.hpp>

#include "Support.hpp"

#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace KokkosKernelsProductsTest {

using namespace Kindred;

using Host = Kokkos::DefaultHostExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

template <class T>
struct Product {
  std::size_t m, n, k;
  std::vector<T> a, b;
  Matrix expected;
  std::vector<double> a_norms, b_norms;

  Product(std::mt19937_64& generator, const std::array<std::size_t, 3>& shape)
      : m(shape[0]), n(shape[1]), k(shape[2]), a(m * k), b(k * n), a_norms(m), b_norms(n) {
    std::normal_distribution<T> normal;
    const Matrix wide_a("a", m, k);
    const Matrix wide_b("b", k, n);
    expected = Matrix("expected", m, n);
    for (std::size_t i = 0; i < a.size(); ++i) {
      wide_a.data()[i] = a[i] = normal(generator);
      a_norms[i / k] += double{a[i]} * double{a[i]};
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      wide_b.data()[i] = b[i] = normal(generator);
      b_norms[i % n] += double{b[i]} * double{b[i]};
    }
    KokkosBlas::gemm(Host(), "N", "N", 1.0, wide_a, wide_b, 0.0, expected);
    Host().fence("Product");
  }

  /// Describes the first element that is outside the bound; empty if there is none.
  std::string outside_bound(const std::vector<T>& c) const {
    // Kokkos Kernels sums in double, within the bound for float64 too.
    const double error_float64 = (static_cast<double>(k) + 64) * 0x1p-51;  // as of gemm_error
    const double relative = error_float64 + (sizeof(T) == 4 ? Impl::gemm_error(k) : error_float64);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double theirs = expected.data()[i];
      if (std::abs(c[i] - theirs) <= relative * std::sqrt(a_norms[i / n] * b_norms[i % n]))
        continue;
      return "element " + std::to_string(i) + " of " + std::to_string(m) + " x " +
             std::to_string(n) + " x " + std::to_string(k) + " is " + std::to_string(c[i]) +
             ", Kokkos Kernels " + std::to_string(theirs);
    }
    return {};
  }
};

template <class T>
void check_products() {
  auto generator = Testing::generator("KokkosKernels products");
  const Impl::GemmType type = sizeof(T) == 4 ? Impl::GemmType::float32 : Impl::GemmType::float64;
  const Bulk bulk(Testing::context());
  for (const auto& shape : std::vector<std::array<std::size_t, 3>>{
           {1, 1, 1}, {3, 5, 7}, {32, 32, 32}, {33, 65, 129}, {128, 100, 768}, {257, 520, 300}}) {
    const auto [m, n, k] = shape;
    const Product<T> product(generator, shape);
    for (const Impl::HostGemmLibrary library : Impl::host_gemm_libraries_by_speed) {
      std::vector<T> c(m * n);
      const Impl::HostMultiply multiply(type, library);
      const Impl::HostMultiply::OnThisThread one_thread;
      multiply.run({m, n, k, k, n, n, type, type}, product.a.data(), product.b.data(), c.data());
      EXPECT_EQ(product.outside_bound(c), "") << "library " << static_cast<int>(library);
    }
    for (const Space space : Testing::spaces()) {
      for (const bool reproducible : {false, true}) {
        std::vector<T> c(m * n);
        bulk.multiply(matrix_array(std::span(product.a), m, k),
                      matrix_array(std::span(product.b), k, n), matrix_array(std::span(c), m, n),
                      {.space = space, .reproducible = reproducible});
        EXPECT_EQ(product.outside_bound(c), "") << to_string(space);
      }
    }
  }
}

TEST(KokkosKernels, GivesTheSameProductsOfFloat32) { check_products<float>(); }

TEST(KokkosKernels, GivesTheSameProductsOfFloat64) { check_products<double>(); }

}  // namespace KokkosKernelsProductsTest
