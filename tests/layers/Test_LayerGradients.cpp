// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <cstring>
#include <optional>

#include "GradientCases.hpp"

namespace LayerGradientsTest {

using namespace Kindred;
using namespace Testing::Gradients;
using Testing::context;
using Testing::Matrix;

/// A copy of host bytes in memory that a space can access.
template <class ExecutionSpace>
using Bytes = Buffer<std::byte, typename ExecutionSpace::memory_space>;

TEST(LayerGradients, PreparedFormsRunOnTheArraysOfASpaceWithoutAllocation) {
  auto generator = Testing::generator("LayerGradients.prepared");
  NormCase norm =
      norm_case(generator, DataType::bfloat16, DataType::float32, 30, 96, LayerActivation::gelu);
  LinearCase linear = linear_case(generator, DataType::float16, DataType::float32, 24, 40, 16,
                                  LayerActivation::gelu);
  for (const Space space : Testing::spaces()) {
    const NormResult norm_expected = run(norm, space);
    const LinearResult linear_expected = run(linear, space, true);
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      const ExecutionSpace own = Impl::instance_beside(exec);
      MemoryResource& memory = context().memory(space);
      std::vector<Bytes<ExecutionSpace>> buffers;
      const auto place = [&](const auto* data, std::size_t bytes) {
        auto& buffer = buffers.emplace_back(memory, "Kindred::Testing::bytes", bytes);
        Impl::upload(own, buffer.view(), reinterpret_cast<const std::byte*>(data), bytes);
        return buffer.data();
      };
      const auto placed = [&](const Matrix& matrix) {
        return matrix.at(place(matrix.bytes().data(), matrix.bytes().size()));
      };
      const auto floats = [&](const std::vector<float>& values) {
        return std::span<float>(
            reinterpret_cast<float*>(place(values.data(), values.size() * sizeof(float))),
            values.size());
      };
      NormGradient of_norm = norm.layer();
      of_norm.x = placed(norm.x);
      of_norm.gradient = placed(norm.gradient);
      of_norm.dx = placed(norm.dx);
      of_norm.gamma = floats(norm.gamma);
      of_norm.beta = floats(norm.beta);
      of_norm.dgamma = floats(norm.dgamma);
      of_norm.dbeta = floats(norm.dbeta);
      LinearGradient of_linear = linear.layer();
      of_linear.x = placed(linear.x);
      of_linear.w = placed(linear.w);
      of_linear.bias = floats(linear.bias);
      of_linear.gradient = placed(linear.gradient);
      of_linear.dx = placed(linear.dx);
      of_linear.dw = placed(linear.dw);
      of_linear.dbias = floats(linear.dbias);
      std::optional<Stream> stream;
      if constexpr (Arch::is_device<ExecutionSpace>) stream = Stream::cuda(own.cuda_stream());
      const LayerOptions options{space, true, stream};
      const Prepared norms = prepare_layers(context(), std::span(&of_norm, 1), options);
      const Prepared linears = prepare_layers(context(), std::span(&of_linear, 1), options);
      const auto before = context().memory_statistics(space).allocations_total;
      for (int i = 0; i < 2; ++i) {
        norms.run();
        linears.run();
      }
      EXPECT_EQ(context().memory_statistics(space).allocations_total, before);
      norms.wait();
      linears.wait();
      const auto expect = [&](const auto* data, const auto& expected) {
        using Value = typename std::decay_t<decltype(expected)>::value_type;
        const std::size_t bytes = expected.size() * sizeof(Value);
        std::vector<std::byte> got(bytes);
        using Unmanaged = Kokkos::View<const std::byte*, typename ExecutionSpace::memory_space,
                                       Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
        Impl::download(own, got.data(), Unmanaged(reinterpret_cast<const std::byte*>(data), bytes),
                       bytes);
        EXPECT_EQ(std::memcmp(got.data(), expected.data(), bytes), 0) << to_string(space);
      };
      expect(of_norm.dx.data(), norm_expected.dx);
      expect(of_norm.dgamma.data(), norm_expected.dgamma);
      expect(of_norm.dbeta.data(), norm_expected.dbeta);
      expect(of_linear.dx.data(), linear_expected.dx);
      expect(of_linear.dw.data(), linear_expected.dw);
      expect(of_linear.dbias.data(), linear_expected.dbias);
    });
  }
}

}  // namespace LayerGradientsTest
