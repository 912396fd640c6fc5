// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_PREPARED_LAYERS_HPP
#define KINDRED_MATCHER_LAYERS_PREPARED_LAYERS_HPP

#include "LayerChecks.hpp"
#include "LibraryLinears.hpp"
#include "LinearGradientSteps.hpp"

#include <kindred/core/layers/NormGradient.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// A table of layers in the memory of a space.
template <class ExecutionSpace, class Data>
auto table_of(const ExecutionSpace& exec_space, MemoryResource& memory,
              const std::vector<Data>& layers) {
  Buffer<Data, typename ExecutionSpace::memory_space> table(memory, "Kindred::FusedLayers::layers",
                                                            layers.size());
  upload(exec_space, table.view(), layers.data(), layers.size());
  return table;
}

/// \brief The launches of a prepared list of layers on memory of one space. \tparam Data the form
/// of a layer that kernels take
template <class ExecutionSpace, class Data>
class PreparedLayers;

template <class ExecutionSpace>
class PreparedLayers<ExecutionSpace, NormLayerData> {
 public:
  PreparedLayers(const ExecutionSpace& exec_space, MemoryResource& memory,
                 std::vector<NormLayerData> layers, bool)
      : m_plan(plan_norms(exec_space, std::span(layers))),
        m_layers(table_of(exec_space, memory, layers)) {}

  void run(const ExecutionSpace& exec_space) {
    fused_norms(exec_space, m_plan, m_layers.const_view());
  }

 private:
  NormPlan m_plan;
  Buffer<NormLayerData, typename ExecutionSpace::memory_space> m_layers;
};

template <class ExecutionSpace>
class PreparedLayers<ExecutionSpace, LinearLayerData> {
 public:
  PreparedLayers(const ExecutionSpace& exec_space, MemoryResource& memory,
                 const std::vector<LinearLayerData>& layers, bool reproducible) {
    std::vector<LinearLayerData> own;
    for (const LinearLayerData& layer : layers) {
      if (!reproducible && is_large(layer) && m_products.takes(layer)) {
        m_products.add(exec_space, memory, layer);
      } else {
        own.push_back(layer);
      }
    }
    m_units = plan_linears<ExecutionSpace>(own);
    m_layers = table_of(exec_space, memory, own);
  }

  void run(const ExecutionSpace& exec_space) {
    m_products.run(exec_space);
    fused_linears(exec_space, m_units, m_layers.const_view());
  }

 private:
  LibraryLinears<ExecutionSpace> m_products;
  std::uint64_t m_units = 0;
  Buffer<LinearLayerData, typename ExecutionSpace::memory_space> m_layers;
};

template <class ExecutionSpace>
class PreparedLayers<ExecutionSpace, NormGradientData> {
 public:
  PreparedLayers(const ExecutionSpace&, MemoryResource& memory,
                 std::vector<NormGradientData> layers, bool)
      : m_layers(std::move(layers)) {
    std::size_t bytes = 0;  // layers run one after the other and share it
    for (const NormGradientData& layer : m_layers)
      bytes = std::max(bytes, norm_gradient_workspace(layer));
    m_workspace = {memory, "Kindred::LayerGradients::workspace", bytes};
  }

  void run(const ExecutionSpace& exec_space) {
    for (const NormGradientData& layer : m_layers)
      norm_gradients(exec_space, layer, m_workspace.view());
  }

 private:
  std::vector<NormGradientData> m_layers;
  Buffer<std::byte, typename ExecutionSpace::memory_space> m_workspace;
};

/// First the arguments of all activations, last all products.
template <class ExecutionSpace>
class PreparedLayers<ExecutionSpace, LinearGradientData> {
 public:
  PreparedLayers(const ExecutionSpace& exec_space, MemoryResource& memory,
                 const std::vector<LinearGradientData>& layers, bool reproducible) {
    const auto take = [&](std::size_t bytes) {
      return m_operands.emplace_back(memory, "Kindred::LayerGradients::operands", bytes).data();
    };
    std::vector<LinearLayerData> arguments;
    std::vector<LinearLayerData> products;
    for (const LinearGradientData& layer : layers) {
      const LinearGradientSteps& steps = m_steps.emplace_back(layer, take);
      if (steps.argument()) arguments.push_back(*steps.argument());
      if (steps.dx()) products.push_back(*steps.dx());
      if (steps.dw()) products.push_back(*steps.dw());
    }
    m_arguments.emplace(exec_space, memory, arguments, reproducible);
    m_products.emplace(exec_space, memory, products, reproducible);
  }

  void run(const ExecutionSpace& exec_space) {
    m_arguments->run(exec_space);
    for (const LinearGradientSteps& steps : m_steps) steps.derive(exec_space);
    m_products->run(exec_space);
  }

 private:
  using linears = PreparedLayers<ExecutionSpace, LinearLayerData>;

  std::vector<Buffer<std::byte, typename ExecutionSpace::memory_space>> m_operands;
  std::vector<LinearGradientSteps> m_steps;
  std::optional<linears> m_arguments;
  std::optional<linears> m_products;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_PREPARED_LAYERS_HPP
