// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LAYER_LAUNCHES_HPP
#define KINDRED_MATCHER_LAYERS_LAYER_LAUNCHES_HPP

#include "LayerChecks.hpp"
#include "LibraryLinears.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The launches of layers in the memory of a space.
class Launches {
 public:
  virtual ~Launches() = default;
  virtual void run() = 0;
  virtual void wait() const = 0;
};

template <class Layer, class ExecutionSpace>
Buffer<Layer, typename ExecutionSpace::memory_space> resident(const ExecutionSpace& exec_space,
                                                              MemoryResource& memory,
                                                              const std::vector<Layer>& layers) {
  Buffer<Layer, typename ExecutionSpace::memory_space> buffer(
      memory, "Kindred::FusedLayers::layers", layers.size());
  Impl::upload(exec_space, buffer.view(), layers.data(), layers.size());
  return buffer;
}

template <class ExecutionSpace>
class LinearLaunches final : public Launches {
 public:
  LinearLaunches(const ExecutionSpace& exec_space, MemoryResource& memory,
                 const std::vector<LinearLayerData>& layers, bool reproducible)
      : m_exec_space(exec_space) {
    std::vector<LinearLayerData> own;
    for (const LinearLayerData& layer : layers) {
      if (!reproducible && is_large(layer) && products::takes(layer)) {
        m_products.add(exec_space, memory, layer);
      } else {
        own.push_back(layer);
      }
    }
    m_units = plan_linears<ExecutionSpace>(own);
    m_layers = resident(exec_space, memory, own);
  }

  void run() override {
    m_products.run(m_exec_space);
    fused_linears(m_exec_space, m_units, m_layers.const_view());
  }
  void wait() const override { Arch::fence(m_exec_space, "Kindred::PreparedLinears::wait"); }

 private:
  using products = typename LinearsOf<ExecutionSpace>::type;

  static bool is_large(const LinearLayerData& layer) {
    constexpr std::uint64_t least = std::uint64_t{1} << 21U;
    const double all = static_cast<double>(layer.rows) * static_cast<double>(layer.inputs) *
                       static_cast<double>(layer.outputs);
    return all >= static_cast<double>(least);
  }

  ExecutionSpace m_exec_space;
  products m_products;
  std::uint64_t m_units = 0;
  Buffer<LinearLayerData, typename ExecutionSpace::memory_space> m_layers;
};

/// Prepares the launches of \p layers, which are validated if \p space is usable.
template <template <class> class Of, class Layer, class... Arguments>
std::unique_ptr<Launches> prepare_launches(Context& context, std::span<const Layer> layers,
                                           Space space, const std::optional<Stream>& stream,
                                           Arguments... arguments) {
  if (!context.is_usable(space)) throw SpaceUnavailable(context.info(space).why_not);
  const Impl::CurrentDeviceOf current(context, space);
  auto data = checked(layers, space);
  return with_instance(context, space, [&](const auto& exec_space) -> std::unique_ptr<Launches> {
    using execution_space = std::decay_t<decltype(exec_space)>;
    return std::make_unique<Of<execution_space>>(
        instance_on(exec_space, stream), context.memory(space), std::move(data), arguments...);
  });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LAYER_LAUNCHES_HPP
