// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/vendor/HostGemm.hpp>
#include <kindred/core/common/Error.hpp>

#include "GemmData.hpp"

#include <algorithm>
#include <array>

namespace HostGemmTest {

using namespace Kindred;
using namespace Testing;
using Impl::GemmShape;
using Impl::GemmType;
using Impl::HostGemm;
using Impl::HostGemmLibrary;

TEST(HostGemm, StaysWithinItsErrorModelAndItsRows) {
  for (const HostGemmLibrary library : Impl::host_gemm_libraries_by_speed) {
    for (const auto input : {GemmType::float32, GemmType::bfloat16}) {
      if (!Impl::host_gemm_why_not(library, input).empty()) continue;
      std::vector<GemmShape> shapes{{19, 32, 48, 64, 56, 40, input, GemmType::float32, 0.25F}};
      for (const auto& [m, n, k] : {std::array{1UL, 16UL, 16UL},
                                    {128, 256, 768},
                                    {3, 5, 1},
                                    {17, 33, 100},
                                    {128, 48, 1040}})
        shapes.push_back(dense_shape(m, n, k, input));
      for (const GemmShape& shape : shapes)
        expect_within_model(shape, [&](const GemmData& data) {
          const std::vector<float> c = multiplied_by(HostGemm(library, shape), data);
          for (std::size_t i = 0; i < c.size(); ++i)
            EXPECT_TRUE(i % shape.ldc < shape.n || c[i] == -7.0F) << "wrote between the rows";
          return c;
        });
    }
  }
}

TEST(HostGemm, RejectsUnsupportedProducts) {
  const auto product = [](HostGemmLibrary library, std::uint64_t k, std::uint64_t ldb,
                          GemmType input = GemmType::float32) {
    HostGemm(library, {4, 4, k, 4, ldb, 4, input});
  };
  EXPECT_THROW(product(HostGemmLibrary::own, 0, 4), InvalidArgument);
  EXPECT_THROW(product(HostGemmLibrary::own, 4, 3), InvalidArgument);
  EXPECT_THROW(product(HostGemmLibrary::onednn, 4, 4, GemmType::float16), SpaceUnavailable);
  for (const auto library : {HostGemmLibrary::openblas, HostGemmLibrary::own})
    EXPECT_THROW(product(library, 4, 4, GemmType::bfloat16), SpaceUnavailable);
}

TEST(HostGemm, OurOwnProductIsAlwaysThereAndOneIsTheFastest) {
  const auto& libraries = Impl::host_gemm_libraries_by_speed;
  EXPECT_EQ(std::count(std::begin(libraries), std::end(libraries), HostGemmLibrary::own), 1);
  const auto fastest = Impl::fastest_host_gemm();
  EXPECT_EQ(Impl::host_gemm_why_not(HostGemmLibrary::own, GemmType::float32), "");
  EXPECT_EQ(Impl::host_gemm_why_not(fastest.library, fastest.input), "");
}

/// Small integers, so that every order of a sum gives the same result.
template <class T>
std::vector<T> integers(std::size_t count) {
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(static_cast<int>(random_below(17)) - 8);
  return values;
}

/// Checks `HostMultiply` on a product with gaps between the rows.
template <class T>
void check_multiply(HostGemmLibrary library, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  const GemmType type = sizeof(T) == 4 ? GemmType::float32 : GemmType::float64;
  const GemmShape shape{m, n, k, k + 3, n + 5, n + 2, type, type, 0.5F};
  const std::vector<T> a = integers<T>(m * shape.lda);
  const std::vector<T> b = integers<T>(k * shape.ldb);
  const std::vector<T> before = integers<T>(m * shape.ldc);
  const Impl::HostMultiply multiply(type, library);
  const Impl::HostMultiply::OnThisThread one_thread;
  for (const bool adds : {false, true}) {
    if (adds && sizeof(T) == 8) continue;  // has no such form
    std::vector<T> expected = before;
    for (std::uint64_t i = 0; i < m; ++i) {
      for (std::uint64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::uint64_t l = 0; l < k; ++l)
          sum += double{a[i * shape.lda + l]} * double{b[l * shape.ldb + j]};
        T& out = expected[i * shape.ldc + j];
        out = static_cast<T>((adds ? double{out} : 0.0) + 0.5 * sum);
      }
    }
    std::vector<T> c = before;
    if constexpr (sizeof(T) == 4) {
      multiply.run(shape, a.data(), b.data(), c.data(), adds);
    } else {
      multiply.run(shape, a.data(), b.data(), c.data());
    }
    ASSERT_EQ(c, expected) << m << " × " << n << " × " << k << (adds ? ", added" : "");
  }
}

TEST(HostMultiply, GivesTheProductOfEveryLibrary) {
  for (const HostGemmLibrary library : Impl::host_gemm_libraries_by_speed) {
    for (const auto& [m, n, k] : {std::array<std::uint64_t, 3>{1, 1, 1},
                                  {3, 31, 2},
                                  {4, 32, 64},
                                  {9, 33, 65},
                                  {66, 100, 200}}) {
      check_multiply<float>(library, m, n, k);
      check_multiply<double>(library, m, n, k);
    }
  }
}

}  // namespace HostGemmTest
