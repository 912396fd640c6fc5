// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_CHECKS_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_CHECKS_HPP

#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/seed/SeedLayerView.hpp>
#include <kindred/core/seed/SeedRows.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \p layer has the state of its seeds and the weights of its blueprints. A table of slots may lead
/// to any number of rows of weights.
template <class ExecutionSpace>
void check_layer(const ArgumentCheck& check, const SeedLayerView<ExecutionSpace>& layer) {
  const SeedWeights<ExecutionSpace>& weights = layer.weights;
  if (weights.blueprints == 0) return;
  check.has("layer.state.blueprint", layer.state.blueprint, layer.chunks.seeds);
  check.has("layer.state.alpha", layer.state.alpha, layer.chunks.seeds);
  check.has_if_given("layer.weights.slots", weights.slots, weights.blueprints);
  const std::uint64_t rows = weights.slots.size() == 0 ? weights.blueprints : 0;
  check.has("layer.weights.values", weights.values,
            extent_of_rows(rows, layer.chunks.hidden, weights.stride));
}

/// \p of has \p rows rows of \p hidden elements.
template <class Byte, class ExecutionSpace>
void check_seed_rows(const ArgumentCheck& check, const char* name,
                     const SeedRows<Byte, ExecutionSpace>& of, std::uint64_t rows,
                     std::uint64_t hidden) {
  const std::size_t bytes = size_of(of.element);
  check.has(name, of.bytes, extent_of(extent_of_rows(rows, hidden, of.stride), bytes));
  check.is_aligned(name, of.bytes.data(), bytes);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_CHECKS_HPP
