// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/matcher/FusedLayers.hpp>

#include <cmath>
#include <functional>

#include "GradientCases.hpp"
#include "MessageOf.hpp"

namespace LinearGradientsTest {

using namespace Kindred;
using namespace Testing::Gradients;
using Testing::context;
using ::testing::HasSubstr;
using Testing::Matrix;

/// Numbers and the errors that they may have.
struct Bounded {
  Doubles value, error;
  explicit Bounded(std::size_t count) : value(count), error(count) {}
  void add(std::size_t i, double of, double allowed) {
    value[i] += of;
    error[i] += allowed;
  }
};

/// Products in double of the gradient of z, which is rounded to the element type of x.
struct LinearReference {
  Bounded dx, dw, dbias;

  explicit LinearReference(const LinearCase& one)
      : dx(one.x.rows() * one.x.columns()),
        dw(one.w.rows() * one.x.columns()),
        dbias(one.w.rows()) {
    const std::size_t inputs = one.x.columns();
    const auto wide = [](const Matrix& matrix) {
      Doubles out;
      for (std::size_t r = 0; r < matrix.rows(); ++r) {
        for (const float value : matrix.row(r)) out.push_back(value);
      }
      return out;
    };
    const Doubles all_x = wide(one.x), all_w = wide(one.w);
    for (std::size_t r = 0; r < one.x.rows(); ++r) {
      const double* x = all_x.data() + r * inputs;
      for (std::size_t o = 0; o < one.w.rows(); ++o) {
        const double* w = all_w.data() + o * inputs;
        double z = one.bias.empty() ? 0.0 : one.bias[o];
        double size = std::abs(z);
        for (std::size_t i = 0; i < inputs; ++i) {
          z += x[i] * w[i];
          size += std::abs(x[i] * w[i]);
        }
        const double g = one.gradient.at(r, o);
        const double dz = g * derivative(one.activation, z);
        // The derivative of GELU is below 1.2 and has a slope below 0.8; that of ReLU has a step,
        // which random z miss.
        const double rounding = roundoff(one.x.element()) * 1.3 * std::abs(g);
        const double error = std::abs(g) * (1e-5 * size + 1e-6) + rounding;
        dbias.add(o, dz, error + 1e-6 * std::abs(dz));
        for (std::size_t i = 0; i < inputs; ++i) {
          dx.add(r * inputs + i, dz * w[i], (error + 2e-5 * std::abs(dz)) * std::abs(w[i]));
          dw.add(o * inputs + i, dz * x[i], (error + 2e-5 * std::abs(dz)) * std::abs(x[i]));
        }
      }
    }
  }

  void expect_agrees(const LinearCase& one, const std::string& where) const {
    const auto compare = [&](const Matrix& got, const Bounded& expected, const char* name) {
      for (std::size_t i = 0; i < expected.value.size(); ++i) {
        const double value = expected.value[i];
        const double allowed = expected.error[i] +
                               2 * roundoff(got.element()) * (std::abs(value) + expected.error[i]) +
                               1e-7;
        ASSERT_NEAR(got.at(i / got.columns(), i % got.columns()), value, allowed)
            << where << ": " << name << " " << i;
      }
    };
    compare(one.dx, dx, "dx");
    compare(one.dw, dw, "dw");
    for (std::size_t o = 0; o < one.dbias.size(); ++o)
      ASSERT_NEAR(one.dbias[o], dbias.value[o], dbias.error[o] + 1e-6) << where << ": dbias " << o;
  }
};

TEST(LinearGradients, AreAccurateAndReproducible) {
  auto generator = Testing::generator("LinearGradients.shapes");
  struct Shape {
    std::size_t rows, inputs, outputs;
  };
  // The last ones have more than 2²¹ products, for which the library multiplies.
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{2, 3, 1}, Shape{3, 2, 7}, Shape{8, 8, 8},
                             Shape{9, 31, 33}, Shape{65, 17, 5}, Shape{300, 4, 3}, Shape{0, 3, 2},
                             Shape{130, 136, 144}, Shape{129, 131, 127}}) {
    for (const DataType in : Testing::float_elements) {
      for (const LayerActivation activation : Testing::all_activations) {
        const DataType out = generator() % 2 == 0 ? in : Testing::float_elements[generator() % 3];
        LinearCase one =
            linear_case(generator, in, out, shape.rows, shape.inputs, shape.outputs, activation);
        const std::string where = std::to_string(shape.rows) + ", " + std::to_string(shape.inputs) +
                                  " → " + std::to_string(shape.outputs) + " of " +
                                  std::string(to_string(in)) + ", " + Testing::name_of(activation);
        const LinearReference reference(one);
        const LinearResult first = run(one, Testing::spaces()[0], true);
        reference.expect_agrees(one, where + ", reproducible");
        if (HasFatalFailure()) return;
        for (const Space space : Testing::spaces()) {
          ASSERT_TRUE(run(one, space, true) == first) << where << " on " << to_string(space);
          const LinearResult fast = run(one, space, false);
          reference.expect_agrees(one, where + " on " + std::string(to_string(space)));
          if (HasFatalFailure()) return;
          ASSERT_TRUE(run(one, space, false) == fast) << where << " on " << to_string(space);
          ASSERT_TRUE(one.dx.has_gaps_untouched() && one.dw.has_gaps_untouched()) << where;
        }
      }
    }
  }
}

TEST(LinearGradients, AgreeWithFiniteDifferences) {
  auto generator = Testing::generator("LinearGradients.differences");
  const std::size_t rows = 3, inputs = 4, outputs = 5;
  LinearCase one = linear_case(generator, DataType::float32, DataType::float32, rows, inputs,
                               outputs, LayerActivation::gelu);
  one.bias = Testing::normal_values(generator, outputs);
  one.dx = Matrix(DataType::float32, rows, inputs);
  one.dw = Matrix(DataType::float32, outputs, inputs);
  struct Changes {
    std::size_t array = 0, i = 0, j = 0;
    double step = 0;
  };
  const auto loss = [&](const Changes& change) {
    const auto value = [&](std::size_t array, std::size_t i, std::size_t j, double given) {
      const bool is_changed = array == change.array && i == change.i && j == change.j;
      return given + (is_changed ? change.step : 0.0);
    };
    double out = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t o = 0; o < outputs; ++o) {
        double z = value(2, o, 0, one.bias[o]);
        for (std::size_t i = 0; i < inputs; ++i)
          z += value(0, r, i, one.x.at(r, i)) * value(1, o, i, one.w.at(o, i));
        out += one.gradient.at(r, o) * applied(LayerActivation::gelu, z);
      }
    }
    return out;
  };
  const auto slope = [&](std::size_t array, std::size_t i, std::size_t j) {
    constexpr double h = 1e-5;
    return (loss({array, i, j, h}) - loss({array, i, j, -h})) / (2 * h);
  };
  for (const Space space : Testing::spaces()) {
    run(one, space, false);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < inputs; ++i) EXPECT_NEAR(one.dx.at(r, i), slope(0, r, i), 1e-5);
    }
    for (std::size_t o = 0; o < outputs; ++o) {
      EXPECT_NEAR(one.dbias[o], slope(2, o, 0), 1e-5);
      for (std::size_t i = 0; i < inputs; ++i) EXPECT_NEAR(one.dw.at(o, i), slope(1, o, i), 1e-5);
    }
  }
}

TEST(LinearGradients, ComputeOnlyWhatIsGiven) {
  auto generator = Testing::generator("LinearGradients.parts");
  LinearCase one = linear_case(generator, DataType::bfloat16, DataType::bfloat16, 20, 9, 11,
                               LayerActivation::relu);
  for (const Space space : Testing::spaces()) {
    const LinearResult all = run(one, space, true);
    for (int part = 0; part < 3; ++part) {
      LinearCase other = one;
      other.dx = Matrix(one.dx.element(), 20, 9, static_cast<std::size_t>(one.dx.view().stride(0)));
      other.dw = Matrix(one.dw.element(), 11, 9, static_cast<std::size_t>(one.dw.view().stride(0)));
      other.dbias.assign(11, -7.0F);
      LinearGradient layer = other.layer();
      if (part != 0) layer.dx = {};
      if (part != 1) layer.dw = {};
      if (part != 2) layer.dbias = {};
      run_layers(context(), std::span(&layer, 1), {space, true});
      EXPECT_EQ(other.dx.bytes() == all.dx, part == 0);
      EXPECT_EQ(other.dw.bytes() == all.dw, part == 1);
      EXPECT_EQ(bits(other.dbias) == all.dbias, part == 2);
    }
  }
}

TEST(LinearGradients, RejectInvalidArgumentsAndChangeNothing) {
  auto generator = Testing::generator("LinearGradients.refusals");
  LinearCase one =
      linear_case(generator, DataType::float32, DataType::float32, 4, 8, 6, LayerActivation::none);
  const LinearCase before = one;
  const auto message = [&](const std::function<void(LinearGradient&)>& change) {
    LinearGradient layers[2] = {one.layer(), one.layer()};
    change(layers[1]);
    const std::string text = Testing::message_of<InvalidArgument>(
        [&] { run_layers(context(), layers, {Space::serial}); });
    EXPECT_EQ(one.dx.bytes(), before.dx.bytes());
    EXPECT_EQ(one.dbias, before.dbias);
    return text;
  };
  const std::vector<float> seven(7);
  using Testing::reshaped;
  const std::string gradient =
      message([](auto& layer) { layer.gradient = reshaped(layer.gradient, 4, 5); });
  EXPECT_THAT(gradient, HasSubstr("layer 1: gradient is float32 [4, 5]"));
  EXPECT_THAT(gradient, HasSubstr("it must be float32 [4, 6]"));
  EXPECT_THAT(message([](auto& layer) { layer.w = reshaped(layer.w, 6, 7); }),
              HasSubstr("w is float32 [6, 7]"));
  EXPECT_THAT(message([](auto& layer) { layer.dx = reshaped(layer.dx, 3, 8); }),
              HasSubstr("dx is float32 [3, 8]"));
  EXPECT_THAT(message([](auto& layer) { layer.dw = reshaped(layer.dw, 4, 8); }),
              HasSubstr("dw is float32 [4, 8]"));
  EXPECT_THAT(message([](auto& layer) { layer.w = Testing::retyped(layer.w, DataType::float16); }),
              HasSubstr("w is float16"));
  EXPECT_THAT(message([&](auto& layer) { layer.bias = seven; }), HasSubstr("bias has 7"));
  EXPECT_THAT(message([&](auto& layer) { layer.x = std::as_const(one.dx).view(); }),
              HasSubstr("overlaps x"));
}

}  // namespace LinearGradientsTest
