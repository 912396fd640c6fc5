// SPDX-License-Identifier: Apache-2.0
#include "LayerCases.hpp"

namespace Kindred::Testing::Layers::LinearGradientsTest {

/// A number and the error that it may have.
struct Bounded {
  double value = 0, error = 0;
  void add(double of, double allowed) { value += of, error += allowed; }
};

/// Products in double of the gradient of z, which is rounded to the element type of x.
struct LinearReference {
  std::vector<Bounded> dx, dw, dbias;

  explicit LinearReference(const LinearCase& one)
      : dx(one.x.rows * one.x.columns), dw(one.w.rows * one.x.columns), dbias(one.w.rows) {
    const std::size_t inputs = one.x.columns;
    const Doubles all_x = one.x.values(), all_w = one.w.values();
    for (std::size_t r = 0; r < one.x.rows; ++r) {
      const double* x = all_x.data() + r * inputs;
      for (std::size_t o = 0; o < one.w.rows; ++o) {
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
        const double rounding = roundoff(one.x.element) * 1.3 * std::abs(g);
        const double error = std::abs(g) * (1e-5 * size + 1e-6) + rounding;
        dbias[o].add(dz, error + 1e-6 * std::abs(dz));
        for (std::size_t i = 0; i < inputs; ++i) {
          dx[r * inputs + i].add(dz * w[i], (error + 2e-5 * std::abs(dz)) * std::abs(w[i]));
          dw[o * inputs + i].add(dz * x[i], (error + 2e-5 * std::abs(dz)) * std::abs(x[i]));
        }
      }
    }
  }

  void expect_agrees(const LinearCase& one, const std::string& where) const {
    const auto compare = [&](const Doubles& got, double rounding,
                             const std::vector<Bounded>& expected, const char* name) {
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto& [value, error] = expected[i];
        const double allowed = error + 2 * rounding * (std::abs(value) + error) + 1e-7;
        ASSERT_NEAR(got[i], value, allowed) << where << ": " << name << " " << i;
      }
    };
    compare(one.dx.values(), roundoff(one.dx.element), dx, "dx");
    compare(one.dw.values(), roundoff(one.dw.element), dw, "dw");
    compare(wide(one.dbias), roundoff(float32), dbias, "dbias");
  }
};

TEST(LinearGradients, AreAccurateAndReproducible) {
  auto generator = Testing::generator("LinearGradients.shapes");
  // The last ones have more than 2²¹ products, for which the library multiplies.
  const LinearShape shapes[] = {{1, 1, 1},       {2, 3, 1},      {3, 2, 7},   {8, 8, 8},
                                {9, 31, 33},     {65, 17, 5},    {300, 4, 3}, {0, 3, 2},
                                {130, 136, 144}, {129, 131, 127}};
  for (const LinearShape& shape : shapes) {
    for (const DataType in : float_elements) {
      for (const LayerActivation activation : all_activations) {
        const DataType out = generator() % 2 == 0 ? in : any_element(generator);
        LinearCase one = linear_case(generator, in, out, shape, activation);
        const LinearReference reference(one);
        const auto results_of = [&](Space space, bool reproducible) {
          run(one.backward(), {space, reproducible});
          reference.expect_agrees(
              one, described(one.name(), "on", space, reproducible ? "reproducible" : ""));
          EXPECT_TRUE(one.dx.has_gaps_untouched() && one.dw.has_gaps_untouched()) << one.name();
          return one.results();
        };
        const auto first = results_of(spaces()[0], true);
        for (const Space space : spaces()) {
          ASSERT_TRUE(results_of(space, true) == first) << one.name() << " on " << to_string(space);
          const auto fast = results_of(space, false);
          ASSERT_TRUE(results_of(space, false) == fast) << one.name() << " on " << to_string(space);
        }
        if (HasFailure()) return;
      }
    }
  }
}

TEST(LinearGradients, ComputeOnlyWhatIsGiven) {
  auto generator = Testing::generator("LinearGradients.parts");
  const LinearCase one = linear_case(generator, bfloat16, bfloat16, {20, 9, 11}, relu);
  for (const Space space : spaces()) {
    LinearCase all = one;
    run(all.backward(), {space, true});
    for (int part = 0; part < 3; ++part) {
      LinearCase other = one;
      LinearGradient layer = other.backward();
      if (part != 0) layer.dx = {};
      if (part != 1) layer.dw = {};
      if (part != 2) layer.dbias = {};
      run(layer, {space, true});
      EXPECT_EQ(other.dx.bytes, part == 0 ? all.dx.bytes : one.dx.bytes);
      EXPECT_EQ(other.dw.bytes, part == 1 ? all.dw.bytes : one.dw.bytes);
      EXPECT_EQ(other.dbias, part == 2 ? all.dbias : one.dbias);
    }
  }
}

}  // namespace Kindred::Testing::Layers::LinearGradientsTest
