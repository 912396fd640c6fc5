// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "SeedSupport.hpp"

#include <kindred/memory/Copies.hpp>

namespace SeedBackwardTest {

using namespace Kindred;
using namespace Testing::Seeds;

struct Backward {
  Reference::SeedRows dx;
  std::vector<float> dw;
  bool kept_rest = true;
};

template <class ExecutionSpace>
Backward backward(const ExecutionSpace& exec_space, const Reference::SeedLayer& layer,
                  const Reference::SeedRows& x, const Reference::SeedRows& g, const Layout& layout,
                  bool in_place) {
  const PlacedLayer<ExecutionSpace> placed(exec_space, layer);
  const auto of_x = to_space(exec_space, packed(x, layer.hidden, layout));
  const auto of_g = to_space(exec_space, packed(g, layer.hidden, layout));
  const Reference::SeedRows nothing{x.element, x.rows, {}};
  const auto of_dx = in_place ? of_g : to_space(exec_space, packed(nothing, layer.hidden, layout));
  const Testing::Array<ExecutionSpace, float> dw("Kindred::Testing::dw", layer.hidden);
  const Testing::Array<ExecutionSpace, std::byte> workspace(
      "Kindred::Testing::workspace", seed_backward_workspace(exec_space, placed.chunks, x.rows));
  const std::size_t skip = layout.skip * size_of(x.element);
  const auto from = [&](const auto& bytes) {
    SeedRows<const std::byte, ExecutionSpace> rows;
    rows.bytes =
        ArrayView<const std::byte, ExecutionSpace>(bytes.data() + skip, bytes.size() - skip);
    rows.element = x.element;
    rows.stride = layout.stride;
    return rows;
  };
  SeedRows<std::byte, ExecutionSpace> to;
  to.bytes = ArrayView<std::byte, ExecutionSpace>(of_dx.data() + skip, of_dx.size() - skip);
  to.element = x.element;
  to.stride = layout.stride;
  seed_backward<ExecutionSpace>(exec_space, placed.view(), x.rows, from(of_x), from(of_g), to, dw,
                                workspace);
  Backward out;
  std::vector<std::byte> bytes(of_dx.size());
  out.dw.resize(layer.hidden);
  Impl::download(exec_space, bytes.data(), of_dx, bytes.size());
  Impl::download(exec_space, out.dw.data(), dw, dw.size());
  out.dx = unpacked(bytes, x.element, x.rows, layer.hidden, layout, out.kept_rest);
  return out;
}

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

TEST(SeedBackward, MatchesReference) {
  auto generator = Testing::generator("SeedBackward.shapes");
  struct Shape {
    std::size_t hidden, seeds, rows;
  };
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{7, 3, 31}, Shape{33, 40, 33}, Shape{64, 11, 200}, Shape{130, 44, 65},
        Shape{300, 0, 40}, Shape{20, 11, 4097}, Shape{9, 5, 12500}, Shape{12, 3, 0}}) {
    for (const DataType type : elements) {
      for (const Values values : {Values::ordinary, Values::all}) {
        const auto layer = random_layer(shape.hidden, shape.seeds, 2, generator);
        const auto x = random_rows(type, shape.rows, shape.hidden, values, generator);
        const auto g = random_rows(type, shape.rows, shape.hidden, values, generator);
        const auto expected = Reference::seed_backward(layer, x, g);
        const Layout layout{generator() % 2, shape.hidden + generator() % 3};
        const bool in_place = generator() % 2 == 0;
        for (const Space space : Testing::spaces()) {
          Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
            const Backward got = backward(exec_space, layer, x, g, layout, in_place);
            const std::string where =
                "hidden " + std::to_string(shape.hidden) + ", rows " + std::to_string(shape.rows) +
                ", " + std::string(to_string(type)) + " on " + std::string(to_string(space));
            ASSERT_EQ(got.dx.bits, expected.dx.bits) << where;
            ASSERT_EQ(bits(got.dw), bits(expected.dw)) << where;
            ASSERT_TRUE(got.kept_rest) << where;
          });
        }
      }
    }
  }
}

/// y for one element in double.
double applied(const Reference::Seed& seed, double w, double x) {
  const double a = seed.lifecycle == Lifecycle::fossilized ? 1 : seed.alpha;
  if (!applies_blueprint(seed.lifecycle) || seed.blueprint < 0) return x;
  switch (seed.mode) {
    case ApplyMode::linear:
      return a * w * x + (1 - a) * x;
    case ApplyMode::multiplicative:
      return w * x;
    case ApplyMode::additive:
      return x + w;
    case ApplyMode::mixed:
      break;
  }
  return 0.5 * x + 0.5 * w;
}

TEST(SeedBackward, AgreesWithFiniteDifferencesInDouble) {
  auto generator = Testing::generator("SeedBackward.differences");
  const std::size_t hidden = 44;
  const std::size_t rows = 5;
  auto layer = random_layer(hidden, hidden, 1, generator);
  for (std::size_t i = 0; i < hidden; ++i)
    layer.seeds[i] = {static_cast<Lifecycle>(i % 11), static_cast<ApplyMode>(i / 11), 0.3F, 0};
  const auto x = random_rows(DataType::float32, rows, hidden, Values::ordinary, generator);
  const auto g = random_rows(DataType::float32, rows, hidden, Values::ordinary, generator);
  const auto value = [](std::uint32_t element) {
    return static_cast<double>(std::bit_cast<float>(element));
  };
  // The loss is Σ g·y.
  constexpr double h = 1e-4;
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(Testing::context(), space, [&](const auto& exec_space) {
      const Backward got = backward(exec_space, layer, x, g, {0, hidden}, false);
      for (std::size_t f = 0; f < hidden; ++f) {
        const Reference::Seed& seed = layer.seeds[f];
        const double w = layer.weights[f];
        double of_w = 0;
        for (std::size_t row = 0; row < rows; ++row) {
          const double at = value(x.bits[row * hidden + f]);
          const double upper = value(g.bits[row * hidden + f]);
          const double of_x =
              upper * (applied(seed, w, at + h) - applied(seed, w, at - h)) / (2 * h);
          EXPECT_NEAR(value(got.dx.bits[row * hidden + f]), of_x, 1e-5 * (1 + std::abs(of_x)))
              << to_string(seed.lifecycle) << " " << to_string(seed.mode);
          of_w += upper * (applied(seed, w + h, at) - applied(seed, w - h, at)) / (2 * h);
        }
        EXPECT_NEAR(got.dw[f], of_w, 1e-5 * (1 + std::abs(of_w)))
            << to_string(seed.lifecycle) << " " << to_string(seed.mode);
      }
    });
  }
}

}  // namespace SeedBackwardTest
