// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/backends/vendor/Gemm.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/reference/Reference.hpp>

#include <cmath>
#include <limits>
#include <memory>

#include "LayerData.hpp"
#include "Support.hpp"

namespace LinearLayersTest {

using namespace Kindred;
using Testing::Matrix;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr LayerOptions reproducible{.reproducible = true};

/// A layer and all arrays that it points to.
struct Case {
  Case(Matrix x_, Matrix w_, DataType output, std::size_t y_stride = 0)
      : x(std::move(x_)), w(std::move(w_)), y(output, x.rows(), w.rows(), y_stride) {}

  LinearLayer layer() {
    LinearLayer layer;
    layer.x = std::as_const(x).view();
    layer.w = std::as_const(w).view();
    layer.y = y.view();
    layer.bias = bias;
    layer.activation = activation;
    return layer;
  }
  std::string name() const {
    return std::to_string(x.rows()) + " × " + std::to_string(x.columns()) + " × " +
           std::to_string(w.rows()) + " of " + std::string(to_string(x.element())) + " to " +
           std::string(to_string(y.element())) + ", " + Testing::name_of(activation) +
           (bias.empty() ? "" : ", bias");
  }
  /// Describes the first difference from `Reference`; empty if there is none.
  std::string difference() const {
    for (std::size_t r = 0; r < x.rows(); ++r) {
      for (std::size_t o = 0; o < w.rows(); ++o) {
        const float expected =
            Reference::linear(x.row(r), w.row(o), bias.empty() ? 0 : bias[o], activation);
        if (y.bits(r, o) != Testing::stored_bits(y.element(), expected)) {
          return name() + ", at " + std::to_string(r) + ", " + std::to_string(o) + ": " +
                 std::to_string(y.at(r, o)) + ", must be " + std::to_string(expected);
        }
      }
    }
    return y.has_gaps_untouched() ? "" : "wrote between the rows";
  }
  /// Describes the first error beyond the bound of docs/internals/layers.md; empty if there is
  /// none.
  std::string outside_bound() const {
    std::vector<std::vector<float>> left;
    std::vector<std::vector<float>> right;
    for (std::size_t r = 0; r < x.rows(); ++r) left.push_back(x.row(r));
    for (std::size_t o = 0; o < w.rows(); ++o) right.push_back(w.row(o));
    const auto norm = [](const std::vector<float>& values) {
      double sum = 0;
      for (const double value : values) sum += value * value;
      return std::sqrt(sum);
    };
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const double x_norm = norm(left[r]);
      for (std::size_t o = 0; o < w.rows(); ++o) {
        double z = bias.empty() ? 0.0 : static_cast<double>(bias[o]);
        for (std::size_t i = 0; i < x.columns(); ++i)
          z += static_cast<double>(left[r][i]) * static_cast<double>(right[o][i]);
        double exact = z;
        if (activation == LayerActivation::relu) exact = std::max(z, 0.0);
        if (activation == LayerActivation::gelu) exact = 0.5 * z * std::erfc(-z / std::sqrt(2.0));
        double allowed = Impl::gemm_error(x.columns()) * x_norm * norm(right[o]) +
                         0x1p-23 * std::abs(z) + 0x1p-100;
        if (activation == LayerActivation::gelu) allowed = 1.13 * allowed + 0x1p-23 * std::abs(z);
        const double got = y.at(r, o);
        if (y.element() == DataType::float16) allowed += 0x1p-11 * std::abs(got) + 0x1p-25;
        if (y.element() == DataType::bfloat16) allowed += 0x1p-8 * std::abs(got);
        if (!(std::abs(got - exact) <= allowed)) {
          return name() + ", at " + std::to_string(r) + ", " + std::to_string(o) + ": " +
                 std::to_string(got) + ", exactly " + std::to_string(exact) + ", allowed " +
                 std::to_string(allowed);
        }
      }
    }
    return y.has_gaps_untouched() ? "" : "wrote between the rows";
  }

  Matrix x;
  Matrix w;
  Matrix y;
  std::vector<float> bias;
  LayerActivation activation = LayerActivation::none;
};

using Cases = std::vector<std::unique_ptr<Case>>;

Matrix random_matrix(std::mt19937_64& generator, DataType element, std::size_t rows,
                     std::size_t columns, std::size_t stride = 0, float size = 1) {
  const std::vector<float> values = Testing::normal_values(generator, rows * columns, size);
  return Matrix::of(
      element, rows, columns, [&](std::size_t r, std::size_t c) { return values[r * columns + c]; },
      stride);
}

Case& add(Cases& cases, std::mt19937_64& generator, std::size_t rows, std::size_t inputs,
          std::size_t outputs, DataType element, DataType output, bool strided = false) {
  const std::size_t gap = strided ? 8 : 0;
  return *cases.emplace_back(std::make_unique<Case>(
      random_matrix(generator, element, rows, inputs, inputs + gap),
      random_matrix(generator, element, outputs, inputs, inputs + 2 * gap), output, outputs + gap));
}

void run(const Cases& cases, LayerOptions options, Space space) {
  options.space = space;
  std::vector<LinearLayer> layers;
  for (const auto& one : cases) layers.push_back(one->layer());
  run_layers(Testing::context(), layers, options);
}

TEST(LinearLayers, ReproducibleMatchReferenceBitForBitAtEveryShape) {
  auto generator = Testing::generator("LinearLayers shapes");
  Cases cases;
  for (std::size_t n = 0; n <= 130; ++n) {
    const std::size_t rows = n * 7 % 12;
    const std::size_t outputs = n * 5 % 11 + (n % 10 == 0 ? 130 - n : 0);
    Case& one = add(cases, generator, rows, n, outputs, Testing::float_elements[n % 3],
                    Testing::float_elements[n / 3 % 3], n % 4 == 0);
    if (n % 2 == 0) one.bias = Testing::normal_values(generator, outputs);
    one.activation = Testing::all_activations[n / 2 % 3];
  }
  add(cases, generator, 5, 4097, 3, DataType::bfloat16, DataType::float32);
  add(cases, generator, 1, 20000, 2, DataType::float32, DataType::float16);
  for (const Space space : Testing::spaces()) {
    run(cases, reproducible, space);
    for (const auto& one : cases) ASSERT_EQ(one->difference(), "") << to_string(space);
  }
}

TEST(LinearLayers, ReproducibleMatchReferenceForDifficultNumbers) {
  auto generator = Testing::generator("LinearLayers hard");
  Cases cases;
  for (const DataType element : Testing::float_elements) {
    for (const LayerActivation activation : Testing::all_activations) {
      Case& one = add(cases, generator, 9, 40, 9, element, element);
      const bool is_half = element == DataType::float16;
      for (std::size_t i = 0; i < 40; ++i) {
        one.x.set(1, i, i % 2 == 0 ? 1e4F : -1e4F);
        one.x.set(2, i, is_half ? 6e-8F : 1e-40F);
        one.x.set(3, i, is_half ? 65504.0F : 3e38F);
        one.w.set(1, i, 1.0F);
        one.w.set(2, i, is_half ? 65504.0F : 3e38F);
        one.w.set(3, i, i % 2 == 0 ? 0.0F : -0.0F);
      }
      one.x.set(4, 3, not_a_number);
      one.x.set(5, 7, infinity);
      one.x.set(6, 7, -infinity);
      one.w.set(5, 39, not_a_number);
      one.w.set(6, 0, infinity);
      one.bias = Testing::normal_values(generator, 9);
      one.bias[7] = not_a_number;
      one.bias[8] = -infinity;
      one.activation = activation;
    }
  }
  for (const Space space : Testing::spaces()) {
    run(cases, reproducible, space);
    for (const auto& one : cases) ASSERT_EQ(one->difference(), "") << to_string(space);
  }
}

/// Layers that use a vendor library on every space that has one for their shapes.
Cases large_cases(std::mt19937_64& generator) {
  struct Shape {
    std::size_t rows, inputs, outputs;
  };
  Cases cases;
  std::size_t turn = 0;
  for (const Shape& shape : {Shape{128, 128, 128},
                             {257, 64, 520},
                             {130, 131, 129},
                             {8, 2048, 136},
                             {1, 2048, 1032},
                             {1000, 40, 72}}) {
    for (const DataType element : Testing::float_elements) {
      for (const DataType output : {element, DataType::float32, DataType::bfloat16}) {
        Case& one = add(cases, generator, shape.rows, shape.inputs, shape.outputs, element, output,
                        turn % 5 == 4);
        if (turn % 4 != 3) one.bias = Testing::normal_values(generator, shape.outputs);
        one.activation = Testing::all_activations[(turn + turn / 3 + turn / 9) % 3];
        ++turn;
      }
    }
  }
  return cases;
}

TEST(LinearLayers, StayWithinTheirBoundAndAreReproducible) {
  auto generator = Testing::generator("LinearLayers large");
  const Cases cases = large_cases(generator);
  std::vector<std::vector<std::byte>> of_serial;
  for (const Space space : Testing::spaces()) {
    run(cases, {}, space);
    for (const auto& one : cases) ASSERT_EQ(one->outside_bound(), "") << to_string(space);
    std::vector<std::vector<std::byte>> bytes;
    for (const auto& one : cases) bytes.push_back(one->y.bytes());
    run(cases, {}, space);
    for (std::size_t i = 0; i < cases.size(); ++i)
      ASSERT_EQ(cases[i]->y.bytes(), bytes[i]) << cases[i]->name() << ", " << to_string(space);
    // The host spaces use the same library.
    if (space == Space::serial) of_serial = bytes;
    if (space == Space::openmp && !of_serial.empty()) {
      EXPECT_EQ(bytes, of_serial);
    }
  }
}

TEST(LinearLayers, OfALibraryPropagateNaNAndInfinity) {
  auto generator = Testing::generator("LinearLayers NaN");
  for (const Space space : Testing::spaces()) {
    for (const DataType element : Testing::float_elements) {
      for (const LayerActivation activation : Testing::all_activations) {
        Cases cases;
        Case& one = add(cases, generator, 128, 128, 128, element, element);
        one.activation = activation;
        one.bias = Testing::normal_values(generator, 128);
        for (std::size_t i = 0; i < 128; ++i) one.w.set(3, i, 0.5F);
        one.x.set(7, 5, not_a_number);
        one.x.set(9, 5, infinity);
        one.x.set(11, 5, -infinity);
        run(cases, {}, space);
        for (std::size_t i = 0; i < 128; ++i) {
          EXPECT_TRUE(std::isnan(one.y.at(7, i))) << one.name() << ", " << to_string(space);
          EXPECT_TRUE(std::isfinite(one.y.at(8, i))) << one.name() << ", " << to_string(space);
        }
        EXPECT_EQ(one.y.at(9, 3), infinity) << one.name() << ", " << to_string(space);
        EXPECT_EQ(one.y.at(11, 3), activation == LayerActivation::none ? -infinity : 0.0F)
            << one.name() << ", " << to_string(space);
      }
    }
  }
}

TEST(LinearLayers, WithoutInputsEqualTheirBias) {
  for (const Space space : Testing::spaces()) {
    Cases cases;
    Case& one = *cases.emplace_back(std::make_unique<Case>(
        Matrix(DataType::float32, 3, 0), Matrix(DataType::float32, 2, 0), DataType::float32));
    one.bias = {-1.0F, 2.0F};
    one.activation = LayerActivation::relu;
    cases.push_back(std::make_unique<Case>(Matrix(DataType::float32, 0, 4),
                                           Matrix(DataType::float32, 2, 4), DataType::float32));
    cases.push_back(std::make_unique<Case>(Matrix(DataType::float16, 2, 4),
                                           Matrix(DataType::float16, 0, 4), DataType::float32));
    run(cases, {}, space);
    run_layers(Testing::context(), {}, {.space = space});
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(one.y.at(r, 0), 0.0F);
      EXPECT_EQ(one.y.at(r, 1), 2.0F);
    }
  }
}

TEST(PreparedLinears, ManySmallLayersAreOneLaunchWithoutAllocation) {
  auto generator = Testing::generator("PreparedLinears");
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      using memory_space = typename std::decay_t<decltype(exec_space)>::memory_space;
      MemoryResource& memory = Testing::context().memory(space);
      Cases cases;
      std::vector<Buffer<std::byte, memory_space>> buffers;
      std::vector<LinearLayer> layers;
      const auto resident = [&](const Matrix& matrix) {
        const std::vector<std::byte>& bytes = matrix.bytes();
        auto& buffer = buffers.emplace_back(memory, "buffer", bytes.size());
        Impl::upload(exec_space, buffer.view(), bytes.data(), bytes.size());
        return matrix.at(buffer.data());
      };
      for (std::size_t i = 0; i < 60; ++i) {
        Case& one = add(cases, generator, 4 + i % 9, 16 + i, 8 + i % 31,
                        Testing::float_elements[i % 3], Testing::float_elements[i % 3]);
        LinearLayer layer = one.layer();
        layer.x = resident(one.x);
        layer.w = resident(one.w);
        layer.y = resident(one.y);
        layers.push_back(layer);
      }
      const Prepared prepared = prepare_layers(Testing::context(), layers, {space});
      prepared.run();
      prepared.wait();
      const auto before = Testing::context().memory_statistics(space).allocations_total;
      const KernelProfile profile;
      prepared.run();
      prepared.wait();
      EXPECT_EQ(Testing::context().memory_statistics(space).allocations_total, before);
      const auto kernels = profile.kernels();
      ASSERT_EQ(kernels.size(), 1U);
      EXPECT_EQ(kernels[0].label, "Kindred::Layers::fused_linears::tiles");
      EXPECT_EQ(kernels[0].count, 1U);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        auto& y = buffers[3 * i + 2];
        Impl::download(exec_space, static_cast<std::byte*>(cases[i]->y.view().data()), y.view(),
                       y.size());
        EXPECT_EQ(cases[i]->difference(), "") << to_string(space);
      }
    });
  }
}

TEST(LinearLayers, RejectInvalidArgumentsAndChangeNothing) {
  auto generator = Testing::generator("LinearLayers errors");
  Cases cases;
  Case& one = add(cases, generator, 4, 8, 6, DataType::float32, DataType::float32);
  one.bias.assign(6, 1.0F);
  const std::vector<std::byte> before = one.y.bytes();
  const auto refused = [&](const auto& change) {
    std::vector<LinearLayer> layers{one.layer(), one.layer()};
    change(layers[1]);
    for (const Space space : Testing::spaces()) {
      for (const bool is_reproducible : {false, true}) {
        const LayerOptions options{space, is_reproducible};
        EXPECT_THROW(run_layers(Testing::context(), layers, options), InvalidArgument);
      }
    }
    EXPECT_EQ(one.y.bytes(), before);
  };
  using Testing::reshaped;
  using Testing::retyped;
  refused([](LinearLayer& layer) { layer.x = reshaped(layer.x, 4, 7); });
  refused([](LinearLayer& layer) { layer.w = reshaped(layer.w, 6, 7); });
  refused([](LinearLayer& layer) { layer.w = reshaped(layer.w, 5, 8); });
  refused([](LinearLayer& layer) { layer.y = reshaped(layer.y, 3, 6); });
  refused([](LinearLayer& layer) { layer.y = reshaped(layer.y, 4, 5); });
  refused([](LinearLayer& layer) { layer.y = {layer.y.data(), layer.y.type(), std::array{24L}}; });
  constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t stride : {std::int64_t{7}, std::int64_t{-8}, large, large / 4 + 9})
    refused([&](LinearLayer& layer) { layer.x = reshaped(layer.x, 4, 8, stride); });
  refused([](LinearLayer& layer) {
    layer.x = {layer.x.data(), layer.x.type(), layer.x.shape(), std::array{16L, 2L}};
  });
  refused([](LinearLayer& layer) { layer.x = retyped(layer.x, DataType::bfloat16); });
  refused([](LinearLayer& layer) {
    layer.x = retyped(layer.x, DataType::int8);
    layer.w = retyped(layer.w, DataType::int8);
  });
  refused([](LinearLayer& layer) { layer.bias = layer.bias.first(5); });
  refused([&](LinearLayer& layer) { layer.y = reshaped(one.x.view(), 4, 6); });
  refused([&](LinearLayer& layer) { layer.y = reshaped(one.w.view(), 4, 6); });
  if (!Testing::context().is_usable(Space::cuda)) {
    const LinearLayer layer = one.layer();
    EXPECT_THROW(run_layers(Testing::context(), std::span(&layer, 1), {.space = Space::cuda}),
                 SpaceUnavailable);
  }
}

}  // namespace LinearLayersTest
