// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/vendor/Gemm.hpp>

#include <numeric>

#include "LayerCases.hpp"

namespace Kindred::Testing::Layers::LinearLayersTest {

using Cases = std::vector<LinearCase>;

/// The first error beyond the bound of docs/internals/layers.md.
std::string outside_bound(const LinearCase& one) {
  const Doubles x = one.x.values(), w = one.w.values();
  const std::size_t n = one.x.columns;
  const auto product = [n](const double* a, const double* b) {
    return std::inner_product(a, a + n, b, 0.0);
  };
  const auto norms_of = [&](const Matrix& matrix, const Doubles& values) {
    Doubles norms;
    for (std::size_t r = 0; r < matrix.rows; ++r)
      norms.push_back(std::sqrt(product(values.data() + r * n, values.data() + r * n)));
    return norms;
  };
  const Doubles x_norms = norms_of(one.x, x), w_norms = norms_of(one.w, w);
  for (std::size_t i = 0; i < one.x.rows * one.w.rows; ++i) {
    const std::size_t r = i / one.w.rows, o = i % one.w.rows;
    const double bias = one.bias.empty() ? 0.0 : one.bias[o];
    const double z = bias + product(x.data() + r * n, w.data() + o * n);
    const double exact = applied(one.activation, z);
    double allowed =
        Impl::gemm_error(n) * x_norms[r] * w_norms[o] + 0x1p-23 * std::abs(z) + 0x1p-100;
    if (one.activation == gelu) allowed = 1.13 * allowed + 0x1p-23 * std::abs(z);
    const double got = one.y.at(r, o);
    if (one.y.element == float16) allowed += 0x1p-11 * std::abs(got) + 0x1p-25;
    if (one.y.element == bfloat16) allowed += 0x1p-8 * std::abs(got);
    if (!(std::abs(got - exact) <= allowed))
      return described(one.name(), "at", r, o, "is", got, "exactly", exact, "allowed", allowed);
  }
  return one.y.has_gaps_untouched() ? "" : "wrote between the rows";
}

TEST(LinearLayers, ReproducibleMatchReferenceBitForBitAtEveryShape) {
  auto generator = Testing::generator("LinearLayers shapes");
  Cases cases;
  const auto add = [&](std::size_t rows, std::size_t inputs, std::size_t outputs) {
    cases.push_back(any_linear(generator, {rows, inputs, outputs}));
  };
  add(3, 0, 2);
  add(0, 4, 2);
  add(2, 4, 0);
  expect_reference(cases, false);  // without inputs they equal their bias
  for (std::size_t n = 0; n <= 130; ++n)
    add(n * 7 % 12, n, n * 5 % 11 + (n % 10 == 0 ? 130 - n : 0));
  add(5, 4097, 3);
  add(1, 20000, 2);
  expect_reference(cases);
  cases.clear();
  expect_reference(cases, false);
}

TEST(LinearLayers, ReproducibleMatchReferenceForDifficultNumbers) {
  auto generator = Testing::generator("LinearLayers hard");
  Cases cases;
  for (const DataType element : float_elements) {
    for (const LayerActivation activation : all_activations) {
      LinearCase& one =
          cases.emplace_back(linear_case(generator, element, element, {9, 40, 9}, activation));
      const bool is_half = element == float16;
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
      one.bias = normal_values(generator, 9);
      one.bias[7] = not_a_number;
      one.bias[8] = -infinity;
    }
  }
  expect_reference(cases);
}

TEST(LinearLayers, StayWithinTheirBoundAndAreReproducible) {
  auto generator = Testing::generator("LinearLayers large");
  // They use a vendor library on every space that has one for their shapes.
  const LinearShape shapes[] = {{128, 128, 128}, {257, 64, 520},  {130, 131, 129},
                                {8, 2048, 136},  {1, 2048, 1032}, {1000, 40, 72}};
  Cases cases;
  for (const LinearShape& shape : shapes) {
    for (const DataType element : float_elements) {
      for (const DataType output : {element, float32, bfloat16}) {
        const std::size_t turn = cases.size();
        const LayerActivation activation = all_activations[(turn + turn / 3 + turn / 9) % 3];
        const std::size_t gaps = turn % 5 == 4 ? 3 : 1;  // some with gaps between the rows
        cases.push_back(linear_case(generator, element, output, shape, activation, gaps));
      }
    }
  }
  Cases of_host, of_device;  // of the first calls
  for (const Space space : spaces()) {
    // The host spaces use the same library.
    Cases& first = space == Space::cuda ? of_device : of_host;
    for (int call = 0; call < 2; ++call) {
      run_all(cases, {space});
      if (first.empty()) first = cases;
      for (std::size_t i = 0; i < cases.size(); ++i)
        ASSERT_EQ(cases[i].y.bytes, first[i].y.bytes)
            << cases[i].name() << ", " << to_string(space);
    }
    for (const LinearCase& one : first) ASSERT_EQ(outside_bound(one), "") << to_string(space);
  }
}

TEST(LinearLayers, OfALibraryPropagateNaNAndInfinity) {
  auto generator = Testing::generator("LinearLayers NaN");
  for (const Space space : spaces()) {
    for (const DataType element : float_elements) {
      for (const LayerActivation activation : all_activations) {
        LinearCase one = linear_case(generator, element, element, {128, 128, 128}, activation, 1);
        SCOPED_TRACE(described(one.name(), "on", space));
        for (std::size_t i = 0; i < 128; ++i) one.w.set(3, i, 0.5F);
        one.x.set(7, 5, not_a_number);
        one.x.set(9, 5, infinity);
        one.x.set(11, 5, -infinity);
        run(one.forward(), {space});
        for (std::size_t i = 0; i < 128; ++i) {
          EXPECT_TRUE(std::isnan(one.y.at(7, i)));
          EXPECT_TRUE(std::isfinite(one.y.at(8, i)));
        }
        EXPECT_EQ(one.y.at(9, 3), infinity);
        EXPECT_EQ(one.y.at(11, 3), activation == none ? -infinity : 0.0F);
      }
    }
  }
}

}  // namespace Kindred::Testing::Layers::LinearLayersTest
