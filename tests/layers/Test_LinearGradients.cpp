// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/matcher/FusedLayers.hpp>

#include <cmath>

#include "LayerCases.hpp"

namespace LinearGradientsTest {

using namespace Kindred;
using namespace Testing::Layers;

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
    const Doubles all_x = one.x.values(), all_w = one.w.values();
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
    const auto compare = [&](const Doubles& got, double rounding, const Bounded& expected,
                             const char* name) {
      for (std::size_t i = 0; i < expected.value.size(); ++i) {
        const double value = expected.value[i], error = expected.error[i];
        const double allowed = error + 2 * rounding * (std::abs(value) + error) + 1e-7;
        ASSERT_NEAR(got[i], value, allowed) << where << ": " << name << " " << i;
      }
    };
    compare(one.dx.values(), roundoff(one.dx.element()), dx, "dx");
    compare(one.dw.values(), roundoff(one.dw.element()), dw, "dw");
    compare(wide(one.dbias), roundoff(float32), dbias, "dbias");
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
    for (const DataType in : float_elements) {
      for (const LayerActivation activation : all_activations) {
        const DataType out = generator() % 2 == 0 ? in : float_elements[generator() % 3];
        LinearCase one =
            linear_case(generator, in, out, shape.rows, shape.inputs, shape.outputs, activation);
        const LinearReference reference(one);
        const auto results_of = [&](Space space, bool reproducible) {
          run(one.backward(), {space, reproducible});
          reference.expect_agrees(one, one.name() + " on " + std::string(to_string(space)) +
                                           (reproducible ? ", reproducible" : ""));
          EXPECT_TRUE(one.dx.has_gaps_untouched() && one.dw.has_gaps_untouched()) << one.name();
          return one.results();
        };
        const auto first = results_of(Testing::spaces()[0], true);
        for (const Space space : Testing::spaces()) {
          ASSERT_TRUE(results_of(space, true) == first) << one.name() << " on " << to_string(space);
          const auto fast = results_of(space, false);
          ASSERT_TRUE(results_of(space, false) == fast) << one.name() << " on " << to_string(space);
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST(LinearGradients, AgreeWithFiniteDifferences) {
  auto generator = Testing::generator("LinearGradients.differences");
  const std::size_t rows = 3, inputs = 4, outputs = 5;
  LinearCase one = linear_case(generator, float32, float32, rows, inputs, outputs, gelu);
  one.bias = normal_values(generator, outputs);
  one.dx = Matrix(float32, rows, inputs);
  one.dw = Matrix(float32, outputs, inputs);
  // The loss is Σ gradient · y.
  const auto loss = [&](const std::vector<Doubles>& arrays) {
    double out = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t o = 0; o < outputs; ++o) {
        double z = arrays[2][o];
        for (std::size_t i = 0; i < inputs; ++i)
          z += arrays[0][r * inputs + i] * arrays[1][o * inputs + i];
        out += one.gradient.at(r, o) * applied(gelu, z);
      }
    }
    return out;
  };
  const auto slopes = differences({one.x.values(), one.w.values(), wide(one.bias)}, loss);
  for (const Space space : Testing::spaces()) {
    run(one.backward(), {space});
    expect_near(one.dx.values(), slopes[0]);
    expect_near(one.dw.values(), slopes[1]);
    expect_near(wide(one.dbias), slopes[2]);
  }
}

TEST(LinearGradients, ComputeOnlyWhatIsGiven) {
  auto generator = Testing::generator("LinearGradients.parts");
  const LinearCase one = linear_case(generator, bfloat16, bfloat16, 20, 9, 11, relu);
  for (const Space space : Testing::spaces()) {
    LinearCase all = one;
    run(all.backward(), {space, true});
    for (int part = 0; part < 3; ++part) {
      LinearCase other = one;
      LinearGradient layer = other.backward();
      if (part != 0) layer.dx = {};
      if (part != 1) layer.dw = {};
      if (part != 2) layer.dbias = {};
      run(layer, {space, true});
      EXPECT_EQ(other.dx.bytes(), part == 0 ? all.dx.bytes() : one.dx.bytes());
      EXPECT_EQ(other.dw.bytes(), part == 1 ? all.dw.bytes() : one.dw.bytes());
      EXPECT_EQ(other.dbias, part == 2 ? all.dbias : one.dbias);
    }
  }
}

}  // namespace LinearGradientsTest
