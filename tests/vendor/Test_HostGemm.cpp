// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/backends/vendor/HostGemm.hpp>
#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/common/Error.hpp>

#include "GemmData.hpp"
#include "Support.hpp"

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
  for (const auto library : {HostGemmLibrary::onednn, HostGemmLibrary::openblas}) {
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
  EXPECT_THROW(HostGemm(HostGemmLibrary::openblas, empty), InvalidArgument);
  GemmShape narrow = good;
  narrow.ldb = 3;
  EXPECT_THROW(HostGemm(HostGemmLibrary::openblas, narrow), InvalidArgument);
  GemmShape half = good;
  half.input = GemmType::float16;
  EXPECT_THROW(HostGemm(HostGemmLibrary::onednn, half), SpaceUnavailable);
  half.input = GemmType::bfloat16;
  EXPECT_THROW(HostGemm(HostGemmLibrary::openblas, half), SpaceUnavailable);
}

TEST(HostGemm, OneAlgorithmIsTheFastest) {
  const auto choice = Impl::fastest_host_gemm();
  EXPECT_EQ(Impl::host_gemm_why_not(choice.library, choice.input), "");
}

}  // namespace HostGemmTest
