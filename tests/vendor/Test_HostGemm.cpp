// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/backends/vendor/HostGemm.hpp>
#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/common/Error.hpp>

#include "GemmData.hpp"
#include "Support.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace HostGemmTest {

using namespace Kindred;
using Impl::GemmShape;
using Impl::GemmType;
using Impl::HostGemm;
using Impl::HostGemmLibrary;
using Testing::GemmData;

struct Variant {
  HostGemmLibrary library;
  GemmType input;
};

std::vector<Variant> usable_variants() {
  std::vector<Variant> variants;
  for (const HostGemmLibrary library : Impl::host_gemm_libraries_by_speed) {
    for (const auto input : {GemmType::float32, GemmType::bfloat16}) {
      if (Impl::host_gemm_why_not(library, input).empty()) variants.push_back({library, input});
    }
  }
  return variants;
}

std::vector<float> multiplied(const Variant& variant, const GemmData& data) {
  const HostGemm gemm(variant.library, data.shape);
  std::vector<std::byte> packed(gemm.packed_bytes() + 64);
  std::vector<std::byte> scratch(gemm.scratch_bytes() + 64);
  const auto aligned = [](std::vector<std::byte>& bytes) {
    auto* data = bytes.data();
    return data + (64 - reinterpret_cast<std::uintptr_t>(data) % 64) % 64;
  };
  std::vector<float> c(data.shape.m * data.shape.ldc, -7.0F);
  gemm.pack(data.b.data(), aligned(packed));
  gemm.run(data.a.data(), aligned(packed), c.data(), aligned(scratch));
  return c;
}

TEST(HostGemm, StaysWithinItsErrorModel) {
  auto generator = Testing::generator("HostGemm model");
  for (const Variant& variant : usable_variants()) {
    for (const auto& [m, n, k] :
         {std::array{1, 16, 16}, {128, 256, 768}, {3, 5, 1}, {17, 33, 100}, {128, 48, 1040}}) {
      for (const auto kind : Testing::all_gemm_kinds) {
        GemmShape shape{static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n),
                        static_cast<std::uint64_t>(k)};
        shape.lda = shape.k;
        shape.ldb = shape.k;
        shape.ldc = shape.n;
        shape.input = variant.input;
        const GemmData data(generator, shape, kind);
        ASSERT_EQ(data.outside_model(multiplied(variant, data)), "")
            << Testing::name_of(kind) << ", " << m << " × " << n << " × " << k;
      }
    }
  }
}

TEST(HostGemm, SupportsStridesAndAlpha) {
  auto generator = Testing::generator("HostGemm strides");
  for (const Variant& variant : usable_variants()) {
    const GemmShape shape{19, 32, 48, 64, 56, 40, variant.input, GemmType::float32, 0.25F};
    const GemmData data(generator, shape, Testing::GemmKind::normal);
    const std::vector<float> c = multiplied(variant, data);
    EXPECT_EQ(data.outside_model(c), "");
    for (std::size_t row = 0; row < shape.m; ++row) {
      for (std::size_t column = shape.n; column < shape.ldc; ++column)
        ASSERT_EQ(c[row * shape.ldc + column], -7.0F) << "wrote between the rows";
    }
  }
}

TEST(HostGemm, RejectsUnsupportedProducts) {
  const GemmShape good{4, 4, 4, 4, 4, 4};
  GemmShape empty = good;
  empty.k = 0;
  EXPECT_THROW(HostGemm(HostGemmLibrary::own, empty), InvalidArgument);
  GemmShape narrow = good;
  narrow.ldb = 3;
  EXPECT_THROW(HostGemm(HostGemmLibrary::own, narrow), InvalidArgument);
  GemmShape half = good;
  half.input = GemmType::float16;
  EXPECT_THROW(HostGemm(HostGemmLibrary::onednn, half), SpaceUnavailable);
  half.input = GemmType::bfloat16;
  for (const auto library : {HostGemmLibrary::openblas, HostGemmLibrary::own})
    EXPECT_THROW(HostGemm(library, half), SpaceUnavailable);
}

TEST(HostGemm, OurOwnProductIsAlwaysThere) {
  EXPECT_EQ(Impl::host_gemm_why_not(HostGemmLibrary::own, GemmType::float32), "");
  bool is_tested = false;
  for (const Variant& variant : usable_variants())
    is_tested = is_tested || variant.library == HostGemmLibrary::own;
  EXPECT_TRUE(is_tested);
}

/// Small integers, so that every order of a sum gives the same result.
template <class T>
std::vector<T> integers(std::mt19937_64& generator, std::size_t count) {
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(static_cast<int>(generator() % 17) - 8);
  return values;
}

/// Checks `HostMultiply` on a product with gaps between the rows.
template <class T>
void check_multiply(std::mt19937_64& generator, HostGemmLibrary library, std::uint64_t m,
                    std::uint64_t n, std::uint64_t k) {
  const GemmType type = sizeof(T) == 4 ? GemmType::float32 : GemmType::float64;
  const GemmShape shape{m, n, k, k + 3, n + 5, n + 2, type, type, 0.5F};
  const std::vector<T> a = integers<T>(generator, m * shape.lda);
  const std::vector<T> b = integers<T>(generator, k * shape.ldb);
  const std::vector<T> before = integers<T>(generator, m * shape.ldc);
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
  auto generator = Testing::generator("HostMultiply");
  for (const HostGemmLibrary library : Impl::host_gemm_libraries_by_speed) {
    for (const auto& [m, n, k] : {std::array<std::uint64_t, 3>{1, 1, 1},
                                  {3, 31, 2},
                                  {4, 32, 64},
                                  {9, 33, 65},
                                  {66, 100, 200}}) {
      check_multiply<float>(generator, library, m, n, k);
      check_multiply<double>(generator, library, m, n, k);
    }
  }
}

TEST(HostGemm, OneAlgorithmIsTheFastest) {
  const auto choice = Impl::fastest_host_gemm();
  EXPECT_EQ(Impl::host_gemm_why_not(choice.library, choice.input), "");
}

}  // namespace HostGemmTest
