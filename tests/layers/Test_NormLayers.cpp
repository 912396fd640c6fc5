// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/reference/Reference.hpp>

#include <cmath>
#include <limits>
#include <memory>

#include "LayerData.hpp"
#include "Support.hpp"

namespace NormLayersTest {

using namespace Kindred;
using Testing::Matrix;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// A layer and all arrays that it points to.
struct Case {
  Case(Matrix x_, DataType output, std::size_t y_stride = 0)
      : x(std::move(x_)),
        y(output, x.rows(), x.columns(), y_stride),
        mean(x.rows(), -7.0F),
        variance(x.rows(), -7.0F) {}

  NormLayer layer() {
    NormLayer layer;
    layer.x = std::as_const(x).view();
    layer.y = y.view();
    layer.gamma = gamma;
    layer.beta = beta;
    layer.mean = mean;
    layer.variance = variance;
    layer.epsilon = epsilon;
    layer.activation = activation;
    return layer;
  }
  /// Describes the first difference from `Reference`; empty if there is none.
  std::string difference() const {
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const auto expected = Reference::norm_row(x.row(r), gamma, beta, epsilon, activation);
      const std::string where = std::to_string(x.rows()) + " × " + std::to_string(x.columns()) +
                                " of " + std::string(to_string(x.element())) + " to " +
                                std::string(to_string(y.element())) + ", " +
                                Testing::name_of(activation) + ", row " + std::to_string(r);
      if (Testing::stored_bits(DataType::float32, expected.mean) !=
          std::bit_cast<std::uint32_t>(mean[r]))
        return where + ": mean " + std::to_string(mean[r]);
      if (Testing::stored_bits(DataType::float32, expected.variance) !=
          std::bit_cast<std::uint32_t>(variance[r]))
        return where + ": variance " + std::to_string(variance[r]);
      for (std::size_t c = 0; c < x.columns(); ++c) {
        if (y.bits(r, c) != Testing::stored_bits(y.element(), expected.y[c])) {
          return where + ", column " + std::to_string(c) + ": " + std::to_string(y.at(r, c)) +
                 ", must be " + std::to_string(expected.y[c]);
        }
      }
    }
    return y.has_gaps_untouched() ? "" : "wrote between the rows";
  }

  Matrix x;
  Matrix y;
  std::vector<float> gamma;
  std::vector<float> beta;
  std::vector<float> mean;
  std::vector<float> variance;
  float epsilon = 1e-5F;
  LayerActivation activation = LayerActivation::gelu;
};

using Cases = std::vector<std::unique_ptr<Case>>;

/// Runs all layers in one call on every space.
void expect_reference(const Cases& cases) {
  for (const Space space : Testing::spaces()) {
    std::vector<NormLayer> layers;
    for (const auto& one : cases) layers.push_back(one->layer());
    run_layers(Testing::context(), layers, {space});
    for (const auto& one : cases) ASSERT_EQ(one->difference(), "") << to_string(space);
  }
}

Case& add(Cases& cases, Matrix x, DataType output, std::size_t y_stride = 0) {
  return *cases.emplace_back(std::make_unique<Case>(std::move(x), output, y_stride));
}

TEST(NormLayers, MatchReferenceBitForBitAtEveryShape) {
  auto generator = Testing::generator("NormLayers shapes");
  std::vector<std::size_t> columns;
  for (std::size_t n = 1; n <= 130; ++n) columns.push_back(n);
  columns.insert(columns.end(), {255, 256, 768, 1000, 1024, 4088, 4095, 4096, 4097, 8192, 12296});
  Cases cases;
  std::size_t turn = 0;
  for (const std::size_t n : columns) {
    for (const DataType input : Testing::float_elements) {
      const DataType output = Testing::float_elements[(turn + turn / 3) % 3];
      const std::size_t rows = n > 1000 ? 3 : 1 + turn % 5;
      const float mean = turn % 4 == 0 ? 100.0F : 0.0F;
      Case& one = add(cases,
                      Matrix::of(
                          input, rows, n,
                          [&](std::size_t, std::size_t) {
                            return Testing::normal_values(generator, 1, 2, mean)[0];
                          },
                          turn % 7 == 0 ? n + 8 : 0),
                      output, turn % 8 == 0 ? n + 3 : 0);
      if (turn % 4 != 1) one.gamma = Testing::normal_values(generator, n);
      if (turn % 5 != 1) one.beta = Testing::normal_values(generator, n);
      one.activation = Testing::all_activations[turn / 9 % 3];
      ++turn;
    }
  }
  expect_reference(cases);
}

TEST(NormLayers, MatchReferenceOnManyRows) {
  auto generator = Testing::generator("NormLayers rows");
  Cases cases;
  for (const std::size_t n : {1UL, 8UL, 40UL, 64UL, 1024UL}) {
    for (const DataType element : Testing::float_elements) {
      const std::vector<float> values = Testing::normal_values(generator, 1000 * n);
      Case& one = add(cases,
                      Matrix::of(element, 1000, n,
                                 [&](std::size_t r, std::size_t c) { return values[r * n + c]; }),
                      element);
      one.gamma = Testing::normal_values(generator, n);
      one.beta = Testing::normal_values(generator, n);
    }
  }
  expect_reference(cases);
}

/// Rows of every magnitude, and with infinities and NaN.
Matrix hard_rows(DataType element, std::size_t n, std::mt19937_64& generator) {
  const float most = element == DataType::float16 ? 65504.0F : 3.3e38F;
  const float least = element == DataType::float16 ? 6e-8F : 1e-40F;
  const std::vector<float> normal = Testing::normal_values(generator, 20 * n);
  return Matrix::of(element, 20, n, [&](std::size_t row, std::size_t column) {
    const float value = normal[row * n + column];
    const bool is_first = column == 0;
    const bool is_last = column + 1 == n;
    switch (row) {
      case 0:
        return 0.0F;
      case 1:
        return -0.0F;
      case 2:
        return column % 2 == 0 ? most : -most;
      case 3:
        return most;
      case 4:
        return column % 3 == 0 ? least : -least;
      case 5:
        return is_last ? not_a_number : value;
      case 6:
        return is_first ? infinity : value;
      case 7:
        return is_last ? -infinity : value;
      case 8:
        return is_first ? infinity : is_last ? -infinity : value;
      case 9:
        return 10000.0F + value;  // cancels
      case 10:
        return is_first ? most : value;
      case 11:
        return is_last ? most / 2 : 1.0F;
      case 12:
        return 65000.0F + static_cast<float>(column % 2);
      case 13:
        return is_first ? 1.0F : 1.0F + 0x1p-10F;
      case 14:
        return std::ldexp(value, static_cast<int>(column % 20) - 10);
      case 15:
        return is_first ? not_a_number : value;
      case 16:
        return 5.0F;
      default:
        return 1000 * value;
    }
  });
}

TEST(NormLayers, MatchReferenceForDifficultNumbers) {
  auto generator = Testing::generator("NormLayers hard");
  Cases cases;
  for (const std::size_t n : {1UL, 2UL, 33UL, 64UL, 128UL, 4104UL}) {
    for (const DataType element : Testing::float_elements) {
      for (const LayerActivation activation : Testing::all_activations) {
        Case& one = add(cases, hard_rows(element, n, generator), element);
        one.activation = activation;
        one.epsilon = activation == LayerActivation::relu ? 1.2e-38F : 1e-5F;
        if (activation == LayerActivation::none) continue;
        one.gamma = Testing::normal_values(generator, n);
        one.beta = Testing::normal_values(generator, n);
        one.gamma[n / 2] = not_a_number;
        one.beta[n / 3] = infinity;
        one.gamma[n / 3] = -infinity;
        one.gamma[0] = 1e38F;
      }
    }
  }
  expect_reference(cases);
}

TEST(NormLayers, AreAsAccurateAsDocumented) {
  auto generator = Testing::generator("NormLayers accuracy");
  for (const float mean : {0.0F, 3.0F, 1e4F, 1e7F}) {
    for (const float size : {1.0F, 1e-3F, 1e6F}) {
      const std::size_t n = 1000;
      const std::vector<float> values = Testing::normal_values(generator, n, size, mean * size);
      Cases cases;
      Case& one = add(cases,
                      Matrix::of(DataType::float32, 1, n,
                                 [&](std::size_t, std::size_t c) { return values[c]; }),
                      DataType::float32);
      one.gamma = Testing::normal_values(generator, n);
      one.beta = Testing::normal_values(generator, n);
      expect_reference(cases);
      long double sum = 0;
      for (const float value : values) sum += value;
      const long double exact_mean = sum / n;
      long double squares = 0;
      for (const float value : values) squares += (value - exact_mean) * (value - exact_mean);
      const long double variance = squares / n;
      const long double deviation = std::sqrt(variance + 1e-5L);
      EXPECT_LE(std::abs(one.variance[0] - variance), 0x1p-23L * variance);
      EXPECT_LE(std::abs(one.mean[0] - exact_mean), 0x1p-23L * std::abs(exact_mean) + 1e-12L);
      for (std::size_t i = 0; i < n; ++i) {
        const long double normal = (values[i] - exact_mean) / deviation;
        const long double g = normal * one.gamma[i] + one.beta[i];
        const long double exact = 0.5L * g * std::erfc(-g / std::sqrt(2.0L));
        // docs/internals/layers.md
        const long double allowed =
            1.13L * (std::abs(one.gamma[i]) * (0x1p-21L * std::abs(normal) +
                                               0x1p-46L * std::abs(exact_mean) / deviation) +
                     0x1p-24L * std::abs(g)) +
            0x1p-23L * std::abs(g);
        ASSERT_LE(std::abs(one.y.at(0, i) - exact), allowed) << mean << ", " << size << ", " << i;
      }
    }
  }
}

TEST(NormLayers, WorkInPlace) {
  auto generator = Testing::generator("NormLayers in place");
  for (const Space space : Testing::spaces()) {
    for (const DataType element : Testing::float_elements) {
      for (const std::size_t n : {7UL, 64UL, 4200UL}) {
        const std::vector<float> values = Testing::normal_values(generator, 5 * n);
        Case one(Matrix::of(
                     element, 5, n, [&](std::size_t r, std::size_t c) { return values[r * n + c]; },
                     n + 8),
                 element, n + 8);
        Case in_place = one;
        NormLayer layer = in_place.layer();
        layer.y = in_place.x.view();
        run_layers(Testing::context(), std::span(&layer, 1), {space});
        in_place.y = in_place.x;
        in_place.x = one.x;
        EXPECT_EQ(in_place.difference(), "") << to_string(space);
      }
    }
  }
}

TEST(NormLayers, WriteLargeResultsAtAnyAlignment) {
  auto generator = Testing::generator("NormLayers.Large");
  const std::size_t rows = 1500, columns = 3001;  // 18 MB, with no row aligned to a cache line
  std::vector<float> x(rows * columns);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i < 100000 ? normal(generator) : x[i % 99991];
  for (const Space space : {Space::serial, Space::openmp}) {
    if (!Testing::context().is_usable(space)) continue;
    std::vector<float> expected = x;  // in place, which does not bypass the caches
    std::vector<float> y(x.size() + 2, -7);
    NormLayer layer;
    layer.x = matrix_array(std::span<const float>(expected), rows, columns);
    layer.y = matrix_array(std::span(expected), rows, columns);
    run_layers(Testing::context(), std::span(&layer, 1), {space});
    layer.x = matrix_array(std::span<const float>(x), rows, columns);
    layer.y = matrix_array(std::span(y).subspan(1, x.size()), rows, columns);
    run_layers(Testing::context(), std::span(&layer, 1), {space});
    EXPECT_EQ(y.front(), -7);
    EXPECT_EQ(y.back(), -7);
    EXPECT_TRUE(std::memcmp(y.data() + 1, expected.data(), 4 * x.size()) == 0);
  }
}

TEST(NormLayers, OfNoRowsAreNoOps) {
  for (const Space space : Testing::spaces()) {
    run_layers(Testing::context(), {}, {space});
    Cases cases;
    add(cases, Matrix(DataType::float32, 0, 5), DataType::float32);
    add(cases,
        Matrix::of(DataType::float32, 2, 3,
                   [](std::size_t r, std::size_t c) { return static_cast<float>(r + c); }),
        DataType::float32);
    add(cases, Matrix(DataType::bfloat16, 0, 5), DataType::float32);
    expect_reference(cases);
  }
}

/// Layers whose arrays are copied to memory that a space can access.
template <class ExecutionSpace>
struct Resident {
  using memory_space = typename ExecutionSpace::memory_space;

  Resident(const ExecutionSpace& exec_space, MemoryResource& memory, Case& from)
      : x(memory, "x", from.x.bytes().size()),
        y(memory, "y", from.y.bytes().size()),
        mean(memory, "mean", from.mean.size()),
        variance(memory, "variance", from.mean.size()) {
    Impl::upload(exec_space, x.view(), from.x.bytes().data(), x.size());
    layer = from.layer();
    layer.x = from.x.at(x.data());
    layer.y = from.y.at(y.data());
    layer.mean = {mean.data(), mean.size()};
    layer.variance = {variance.data(), variance.size()};
  }
  Buffer<std::byte, memory_space> x;
  Buffer<std::byte, memory_space> y;
  Buffer<float, memory_space> mean;
  Buffer<float, memory_space> variance;
  NormLayer layer;
};

TEST(PreparedNorms, AreOneLaunchWithoutAllocation) {
  auto generator = Testing::generator("PreparedNorms");
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      using execution_space = std::decay_t<decltype(exec_space)>;
      MemoryResource& memory = Testing::context().memory(space);
      Cases cases;
      std::vector<Resident<execution_space>> resident;
      std::vector<NormLayer> layers;
      for (std::size_t i = 0; i < 40; ++i) {
        const std::size_t n = 16 * (i + 1);
        const std::vector<float> values = Testing::normal_values(generator, 9 * n);
        Case& one = add(cases,
                        Matrix::of(Testing::float_elements[i % 3], 9, n,
                                   [&](std::size_t r, std::size_t c) { return values[r * n + c]; }),
                        Testing::float_elements[i % 3]);
        layers.push_back(resident.emplace_back(exec_space, memory, one).layer);
      }
      const Prepared prepared = prepare_layers(Testing::context(), layers, {space});
      prepared.run();
      prepared.wait();
      const auto before = Testing::context().memory_statistics(space).allocations_total;
      const KernelProfile profile;
      prepared.run();
      prepared.run();
      prepared.wait();
      EXPECT_EQ(Testing::context().memory_statistics(space).allocations_total, before);
      const auto kernels = profile.kernels();
      ASSERT_EQ(kernels.size(), 1U);
      EXPECT_EQ(kernels[0].label, "Kindred::Layers::fused_norms::rows");
      EXPECT_EQ(kernels[0].count, 2U);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        Impl::download(exec_space, static_cast<std::byte*>(cases[i]->y.view().data()),
                       resident[i].y.view(), resident[i].y.size());
        Impl::download(exec_space, cases[i]->mean.data(), resident[i].mean.view(), 9);
        Impl::download(exec_space, cases[i]->variance.data(), resident[i].variance.view(), 9);
        EXPECT_EQ(cases[i]->difference(), "") << to_string(space);
      }
    });
  }
}

TEST(NormLayers, RejectInvalidArgumentsAndChangeNothing) {
  Case one(Matrix::of(DataType::float32, 4, 8, [](std::size_t, std::size_t) { return 1.0F; }),
           DataType::float32);
  const Case before = one;
  const auto refused = [&](const auto& change) {
    std::vector<NormLayer> layers{one.layer(), one.layer()};
    change(layers[1]);
    for (const Space space : Testing::spaces())
      EXPECT_THROW(run_layers(Testing::context(), layers, {space}), InvalidArgument);
    EXPECT_EQ(one.y.bytes(), before.y.bytes());
    EXPECT_EQ(one.mean, before.mean);
  };
  const std::vector<float> seven(7);
  using Testing::reshaped;
  using Testing::retyped;
  refused([](NormLayer& layer) { layer.y = reshaped(layer.y, 3, 8); });
  refused([](NormLayer& layer) { layer.y = reshaped(layer.y, 4, 7); });
  refused([](NormLayer& layer) {
    layer.x = reshaped(layer.x, 4, 0);
    layer.y = reshaped(layer.y, 4, 0);
  });
  for (const std::int64_t stride : {std::int64_t{7}, std::numeric_limits<std::int64_t>::max() / 3})
    refused([&](NormLayer& layer) { layer.x = reshaped(layer.x, 4, 8, stride); });
  refused([](NormLayer& layer) { layer.x = retyped(layer.x, DataType::int8); });
  refused([](NormLayer& layer) { layer.y = retyped(layer.y, DataType::int8); });
  refused([&](NormLayer& layer) { layer.gamma = seven; });
  refused([&](NormLayer& layer) { layer.beta = seven; });
  refused([](NormLayer& layer) { layer.mean = layer.mean.first(3); });
  refused([](NormLayer& layer) { layer.variance = layer.variance.first(3); });
  for (const float epsilon : {0.0F, -1.0F, 1e-40F, infinity, not_a_number})
    refused([&](NormLayer& layer) { layer.epsilon = epsilon; });
  refused([&](NormLayer& layer) {  // overlaps x with an offset
    layer.y = reshaped(layer.y, 3, 8);
    layer.x = matrix_array(std::span(static_cast<const float*>(layer.y.data()) + 8, 24), 3, 8);
    layer.mean = layer.variance = {};
  });
  refused([&](NormLayer& layer) {
    const auto* const odd = reinterpret_cast<const std::byte*>(seven.data()) + 1;
    layer.x = {odd, DataType::float32, std::array{1L, 4L}};
    layer.y = reshaped(layer.y, 1, 4);
    layer.mean = layer.variance = {};
  });
  if (!Testing::context().is_usable(Space::cuda)) {
    const NormLayer layer = one.layer();
    EXPECT_THROW(run_layers(Testing::context(), std::span(&layer, 1), {Space::cuda}),
                 SpaceUnavailable);
    EXPECT_THROW(prepare_layers(Testing::context(), std::span(&layer, 1), {Space::cuda}),
                 SpaceUnavailable);
  } else {
    const NormLayer layer = one.layer();
    EXPECT_THROW(prepare_layers(Testing::context(), std::span(&layer, 1), {Space::cuda}),
                 InvalidArgument);
  }
}

}  // namespace NormLayersTest
