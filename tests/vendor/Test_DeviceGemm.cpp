// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/vendor/DeviceGemm.hpp>
#include <kindred/core/common/Error.hpp>

#include "GemmData.hpp"
#include "ToHost.hpp"
#include "ToSpace.hpp"

namespace DeviceGemmTest {

using namespace Kindred;
using namespace Testing;
using Impl::DeviceGemm;
using Impl::GemmShape;
using Impl::GemmType;

/// C as float32, copied back from the device.
template <class ExecutionSpace, class Gemm>
std::vector<float> multiplied(const ExecutionSpace& exec_space, Gemm& gemm, const GemmData& data) {
  const std::size_t count = data.shape.m * data.shape.ldc;
  const auto a = to_space(exec_space, data.a);
  const auto b = to_space(exec_space, data.b);
  const Testing::Array<ExecutionSpace, std::byte> c("c", count * Impl::size_of(data.shape.output));
  gemm.run(exec_space, data.shape, a.data(), b.data(), c.data());
  const std::vector<std::byte> bytes = to_host(exec_space, c);
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (data.shape.output == GemmType::float16) {
      Arch::Float16 half{};
      std::memcpy(&half, bytes.data() + 2 * i, 2);
      out[i] = Arch::to_float(half);
    } else {
      std::memcpy(&out[i], bytes.data() + 4 * i, 4);
    }
  }
  return out;
}

/// Calls `test(exec_space, gemm)` if there is a device; skips the test otherwise.
template <class Test>
void on_device(const Test& test) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << context().info(Space::cuda).why_not;
  Impl::with_instance(context(), Space::cuda, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    if constexpr (Arch::is_device<execution_space>) {
      DeviceGemm gemm;
      test(exec_space, gemm);
    }
  });
}

TEST(DeviceGemm, StaysWithinItsErrorModel) {
  on_device([](const auto& exec_space, auto& gemm) {
    std::vector<GemmShape> shapes{
        {24, 32, 48, 64, 56, 40, GemmType::float16, GemmType::float32, 0.25F}};
    for (const auto& [input, output] : {std::pair(GemmType::float16, GemmType::float16),
                                        {GemmType::float16, GemmType::float32},
                                        {GemmType::bfloat16, GemmType::float32},
                                        {GemmType::float32, GemmType::float32}}) {
      const float alpha = output == GemmType::float16 ? 0x1p-8F : 1.0F;
      for (const auto& [m, n, k] :
           {std::array{8UL, 16UL, 16UL}, {64UL, 128UL, 768UL}, {24UL, 40UL, 4096UL}})
        shapes.push_back(dense_shape(m, n, k, input, output, alpha));
    }
    for (const GemmShape& shape : shapes)
      expect_within_model(shape,
                          [&](const GemmData& data) { return multiplied(exec_space, gemm, data); });
  });
}

TEST(DeviceGemm, RejectsUnsupportedProducts) {
  on_device([](const auto& exec_space, auto& gemm) {
    GemmShape shape{8, 8, 0, 8, 8, 8};
    EXPECT_THROW(gemm.run(exec_space, shape, nullptr, nullptr, nullptr), InvalidArgument);
    shape.k = 16;
    EXPECT_THROW(gemm.run(exec_space, shape, nullptr, nullptr, nullptr), InvalidArgument);
  });
}

TEST(DeviceGemm, ReportsWhyAHostBuildHasNone) {
#if !KINDRED_HAS_DEVICE
  EXPECT_THROW(DeviceGemm(), SpaceUnavailable);
#endif
}

}  // namespace DeviceGemmTest
