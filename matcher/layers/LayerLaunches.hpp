// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LAYER_LAUNCHES_HPP
#define KINDRED_MATCHER_LAYERS_LAYER_LAUNCHES_HPP

#include "LayerChecks.hpp"
#include "LibraryLinears.hpp"
#include "kit/Preparation.hpp"

#include <kindred/core/arch/Process.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The launches of layers in the memory of a space. \see PreparedOn
class Launches {
 public:
  virtual ~Launches() = default;
  virtual void run() = 0;
  virtual void wait() const = 0;
};

/// What `State` of a prepared list is.
struct LaunchState {
  explicit LaunchState(std::unique_ptr<Launches> prepared) : launches(std::move(prepared)) {}
  /// \throws SpaceUnavailable in a forked process
  void run() const {
    Arch::require_usable_process();
    launches->run();
  }
  /// \throws SpaceUnavailable in a forked process
  void wait() const {
    Arch::require_usable_process();
    launches->wait();
  }

  OwnedState<Launches> launches;
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
class LinearLaunches {
 public:
  static constexpr const char* wait_label = "Kindred::PreparedLinears::wait";

  LinearLaunches(const ExecutionSpace& exec_space, MemoryResource& memory,
                 const std::vector<LinearLayerData>& layers, bool reproducible) {
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

  void run(const ExecutionSpace& exec_space) {
    m_products.run(exec_space);
    fused_linears(exec_space, m_units, m_layers.const_view());
  }

 private:
  using products = typename LinearsOf<ExecutionSpace>::type;

  products m_products;
  std::uint64_t m_units = 0;
  Buffer<LinearLayerData, typename ExecutionSpace::memory_space> m_layers;
};

/// Prepares the launches of \p layers, which are validated if \p space is usable.
template <template <class> class Of, class Layer, class... Arguments>
std::unique_ptr<Launches> prepare_launches(Context& context, std::span<const Layer> layers,
                                           Space space, const std::optional<Stream>& stream,
                                           Arguments... arguments) {
  const Preparation prepare(context, space, stream);
  auto data = checked(layers, space);
  return prepare.launches<Launches, Of>(std::move(data), arguments...);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LAYER_LAUNCHES_HPP
