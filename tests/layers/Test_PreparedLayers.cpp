// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/KernelProfile.hpp>

#include <optional>

#include "LayerCases.hpp"
#include "layers/DeviceCopies.hpp"

namespace Kindred::Testing::Layers::PreparedLayersTest {

/// Prepares the layers that `layer_of(case)` makes, on arrays in the memory of every space and on a
/// stream, and compares what they write with calls one by one on the host.
/// \param kernel the only one of the calls; empty: there are several
template <class Case, class Layer>
void expect_prepared(const std::vector<Case>& given, Layer (Case::*layer_of)(),
                     const std::string& kernel) {
  std::vector<Case> expected = given;
  for (Case& one : expected) run((one.*layer_of)(), {Space::serial, true});
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    const ExecutionSpace own = Impl::instance_beside(exec_space);
    std::vector<Case> cases = given;
    Impl::DeviceCopies<ExecutionSpace> copies(own, context().memory(space));
    std::vector<Layer> layers;
    for (Case& one : cases) layers.push_back(Impl::with_arrays(copies, (one.*layer_of)()));
    std::optional<Stream> stream;
    if constexpr (Arch::is_device<ExecutionSpace>) stream = Stream::cuda(own.cuda_stream());
    // One kernel computes the same bits, reproducible or not.
    const Prepared prepared = prepare_layers(context(), layers, {space, kernel.empty(), stream});
    prepared.run();
    prepared.wait();
    const auto before = context().memory_statistics(space).allocations_total;
    const KernelProfile profile;
    prepared.run();
    prepared.run();
    prepared.wait();
    EXPECT_EQ(context().memory_statistics(space).allocations_total, before);
    const auto kernels = profile.kernels();
    if (!kernel.empty()) {
      ASSERT_EQ(kernels.size(), 1U);
      EXPECT_EQ(kernels[0].label, kernel);
      EXPECT_EQ(kernels[0].count, 2U);
    }
    copies.give_back();
    for (std::size_t i = 0; i < cases.size(); ++i)
      EXPECT_EQ(cases[i].results(), expected[i].results()) << cases[i].name();
  });
}

TEST(PreparedLayers, OfManySmallLayersAreOneLaunchWithoutAllocation) {
  auto generator = Testing::generator("PreparedLayers");
  std::vector<NormCase> norms;
  std::vector<LinearCase> linears;
  for (std::size_t i = 0; i < 60; ++i) {
    const DataType in = float_elements[i % 3], out = float_elements[i / 9 % 3];
    const LayerActivation activation = all_activations[i / 3 % 3];
    norms.push_back(norm_case(generator, in, out, 9, 16 * (i % 40 + 1), activation));
    linears.push_back(linear_case(generator, in, out, {4 + i % 9, 16 + i, 8 + i % 31}, activation));
  }
  expect_prepared(norms, &NormCase::forward, "Kindred::Layers::fused_norms::rows");
  expect_prepared(linears, &LinearCase::forward, "Kindred::Layers::fused_linears::tiles");
  expect_prepared(std::vector(norms.begin(), norms.begin() + 6), &NormCase::backward, "");
  expect_prepared(std::vector(linears.begin(), linears.begin() + 6), &LinearCase::backward, "");
}

}  // namespace Kindred::Testing::Layers::PreparedLayersTest
