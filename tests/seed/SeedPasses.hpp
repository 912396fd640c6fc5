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
  Passes(Reference::SeedLayer of, std::size_t rows, DataType type, bool aligned)
      : layer(std::move(of)), in_place(random_below(3) == 0) {
    const Values values = random_below(2) == 0 ? Values::ordinary : Values::all;
    x = random_rows(type, rows, layer.hidden, values);
    gradient = random_rows(type, rows, layer.hidden, values);
    for (Layout* layout : {&of_x, &of_gradient, &of_y, &of_dx})
      if (!aligned) *layout = {random_below(3), layer.hidden + random_below(5)};
    if (in_place) of_y = of_x, of_dx = of_gradient;
    const DataType output =
        in_place || random_below(2) == 0 ? type : elements[random_below(std::size(elements))];
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
        y(given.in_place ? x : placed_like(exec_space, given.y, given.layer.hidden, given.of_y)),
        dx(given.in_place
               ? gradient
               : placed_like(exec_space, given.gradients.dx, given.layer.hidden, given.of_dx)) {}

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
};

}  // namespace Kindred::Testing::Seeds

#endif  // KINDRED_TESTS_SEED_SEED_PASSES_HPP
