// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SPREADING_ENGINE_BODIES_HPP
#define KINDRED_PYTHON_SPREADING_ENGINE_BODIES_HPP

#include "SpreadArguments.hpp"

#include <numeric>

// What is special of SpreadingEngine.
namespace Kindred::Python::Spreads {

namespace {

/// \brief `(offsets, nodes, values, iterations, residuals, not_guaranteed, paths)`: int64, int64,
/// float32, uint32, float64; iterations and residuals are of PageRank. Paths are None, or
/// `(offsets, strengths, step_offsets, steps)` with four numbers of 32 bits per step, those of a
/// SpreadStep.
nb::object spread_of(const SpreadResults& found, bool has_paths) {
  nb::object paths = nb::none();
  if (has_paths) {
    const std::vector<SpreadStep>& steps = found.paths.steps.values;
    static_assert(sizeof(SpreadStep) == 4 * sizeof(std::uint32_t));
    paths = nb::make_tuple(ids_array_of(found.paths.strengths.offsets),
                           array_of(std::span<const float>(found.paths.strengths.values)),
                           ids_array_of(found.paths.steps.offsets),
                           array_of(std::span(reinterpret_cast<const std::uint32_t*>(steps.data()),
                                              4 * steps.size())));
  }
  const std::vector<Activation>& results = found.activations.values;
  return nb::make_tuple(
      ids_array_of(found.activations.offsets), column_of<std::int64_t>(results, &Activation::node),
      column_of<float>(results, &Activation::value),
      column_of<std::uint32_t>(found.convergence, &Convergence::iterations),
      column_of<double>(found.convergence, &Convergence::residual), found.not_guaranteed, paths);
}

/// \param nodes their number, or a collection of names
nb::object add_nodes(const Handle& self, nb::handle nodes, nb::handle kinds) {
  const std::shared_ptr<Shared> shared = self.open();
  const bool is_count = PyIndex_Check(nodes.ptr()) != 0;
  const Names names(is_count ? nb::none() : nb::borrow(nodes), "nodes");
  const auto count =
      is_count ? static_cast<std::size_t>(integer_of(nodes, "nodes", 0)) : names.rows();
  const auto codes = values_of<std::uint8_t>(kinds, "kinds", count, "nodes");
  std::vector<std::string_view> texts;
  for (std::size_t row = 0; row < names.rows(); ++row)
    texts.emplace_back(names[row].data(), names[row].size());
  const std::vector<std::uint32_t> ids = unlocked([&] {
    if (!is_count) return shared->graph.add_nodes(texts, codes);
    const std::uint32_t first = shared->graph.add_nodes(std::uint64_t{count}, codes);
    std::vector<std::uint32_t> added(count);
    std::iota(added.begin(), added.end(), first);
    return added;
  });
  return column_of<std::int64_t>(ids, [](std::uint32_t id) { return id; });
}

}  // namespace

}  // namespace Kindred::Python::Spreads

#endif  // KINDRED_PYTHON_SPREADING_ENGINE_BODIES_HPP
