// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEED_SEED_PASSES_HPP
#define KINDRED_TESTS_SEED_SEED_PASSES_HPP

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds {

struct Shape {
  std::size_t hidden, seeds, rows, chunk = 0;
};

/// What a forward and a backward pass are given, how it lies in memory, and what `Reference` makes
/// of it.
struct Passes {
  Reference::SeedLayer layer;
  Reference::SeedRows x, gradient;
  Layout of_x, of_gradient, of_y, of_dx;
  bool in_place;  ///< y lies in x, and dx in the gradient
  Reference::SeedRows y;
  std::vector<SeedMoments> moments;
  Reference::SeedGradients gradients;
  std::string name;

  /// \param aligned the rows are consecutive
  Passes(Reference::SeedLayer of, std::size_t rows, DataType type, bool aligned,
         std::mt19937_64& generator)
      : layer(std::move(of)), in_place(generator() % 3 == 0) {
    const Values values = generator() % 2 == 0 ? Values::ordinary : Values::all;
    x = random_rows(type, rows, layer.hidden, values, generator);
    gradient = random_rows(type, rows, layer.hidden, values, generator);
    for (Layout* layout : {&of_x, &of_gradient, &of_y, &of_dx})
      if (!aligned) *layout = {generator() % 3, layer.hidden + generator() % 5};
    if (in_place) of_y = of_x, of_dx = of_gradient;
    const DataType output =
        in_place || generator() % 2 == 0 ? type : elements[generator() % std::size(elements)];
    y = Reference::seed_forward(layer, x, output);
    moments = Reference::seed_moments(layer.hidden, layer.seeds.size(), x, layer.chunk);
    gradients = Reference::seed_backward(layer, x, gradient);
    name = described("hidden", layer.hidden, "seeds", layer.seeds.size(), "rows", rows, "chunk",
                     layer.chunk, type, "to", output, in_place ? "in place" : "",
                     aligned ? "aligned" : "");
  }
};

/// The arrays of the passes in the memory of a space.
template <class ExecutionSpace>
struct PlacedPasses {
  Placed<ExecutionSpace> x, gradient, y, dx;

  PlacedPasses(const ExecutionSpace& exec_space, const Passes& given)
      : x(placed_rows(exec_space, given.x, given.layer.hidden, given.of_x)),
        gradient(placed_rows(exec_space, given.gradient, given.layer.hidden, given.of_gradient)),
        y(given.in_place ? x : without_values(exec_space, given.y, given.of_y, given)),
        dx(given.in_place ? gradient
                          : without_values(exec_space, given.gradients.dx, given.of_dx, given)) {}

  /// Compares also what lies between the rows. Passes that write in place follow each other in
  /// this order: backward, forward.
  void expect_dx(const Passes& given) const {
    EXPECT_TRUE(dx.bytes() == packed(given.gradients.dx, given.layer.hidden, given.of_dx))
        << given.name << ": dx";
  }
  void expect_y(const Passes& given) const {
    EXPECT_TRUE(y.bytes() == packed(given.y, given.layer.hidden, given.of_y))
        << given.name << ": y";
  }

 private:
  static Placed<ExecutionSpace> without_values(const ExecutionSpace& exec_space,
                                               const Reference::SeedRows& like,
                                               const Layout& layout, const Passes& given) {
    return placed_rows(exec_space, {like.element, like.rows, {}}, given.layer.hidden, layout);
  }
};

}  // namespace Kindred::Testing::Seeds

#endif  // KINDRED_TESTS_SEED_SEED_PASSES_HPP
