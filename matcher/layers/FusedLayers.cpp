// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "DeviceCopies.hpp"
#include "LayerQueue.hpp"
#include "PreparedLayers.hpp"
#include "kit/CallerArrays.hpp"
#include "kit/Preparation.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/backends/impl/KeptObjects.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace KINDRED_PUBLIC Kindred {

namespace {

/// A rough estimate of one thread.
template <class Layer>
double nanoseconds_of(std::span<const Layer> layers) {
  constexpr bool is_gradient =
      std::is_same_v<Layer, NormGradient> || std::is_same_v<Layer, LinearGradient>;
  double all = 0;
  for (const Layer& layer : layers) {
    const auto elements = static_cast<double>(layer.x.size());
    if constexpr (requires { layer.w; }) {
      all += elements * static_cast<double>(layer.w.extent(0)) * (is_gradient ? 0.1 : 0.03);
    } else {
      all += elements * (is_gradient ? 20 : 1);
    }
  }
  return all;
}

/// Calls `body(exec_space, queue, data)` for \p layers on the device of \p context, with the
/// instance of the stream of \p options. \throws InvalidArgument, SpaceUnavailable
template <class Layer, class Body>
void with_queue(const Context& context, std::span<const Layer> layers, const LayerOptions& options,
                const Body& body) {
  Impl::with_instance_on(
      context, Space::cuda, options.stream,
      [&]<class ExecutionSpace>([[maybe_unused]] const ExecutionSpace& exec_space) {
        if constexpr (Arch::is_device<ExecutionSpace>) {
          const auto data = Impl::checked(layers, Space::cuda);
          using queue_type = Impl::LayerQueue<ExecutionSpace, Impl::DeviceGemm>;
          body(exec_space, Impl::kept_objects(context).get<queue_type>(), data);
        }
      });
}

/// Runs \p layers where they lie on the device. Does not fence. \see LayerQueue::run
template <class Layer>
void queue(Context& context, std::span<const Layer> layers, const LayerOptions& options) {
  Impl::require_no_stream(options.stream, options.space.value_or(Space::cuda));
  with_queue(context, layers, options, [&](const auto& exec_space, auto& queue, const auto& data) {
    const auto workspace = Impl::checked_workspace(context, options.workspace);
    const Impl::ApartFromWorkspace apart(workspace);
    for (const Layer& layer : layers) (void)Impl::with_arrays(apart, layer);
    queue.run(
        {exec_space, context.memory(Space::cuda), *options.stream, workspace, options.reproducible},
        data);
  });
}

void refuse_workspace(const LayerOptions& options) {
  KINDRED_THROW_IF(options.workspace.size() > 0,
                   "a workspace is given without a stream, or for a prepared call; it is only for "
                   "calls on a stream that are not prepared");
}

template <class Layer>
Prepared prepared(Context& context, std::span<const Layer> layers, Space space,
                  const LayerOptions& options) {
  return Impl::prepare_on(
      context, space, options.stream, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        auto data = Impl::checked(layers, space);
        using data_type = typename decltype(data)::value_type;
        return Impl::PreparedLayers<ExecutionSpace, data_type>(
            exec_space, context.memory(space), std::move(data), options.reproducible);
      });
}

/// Computes copies of \p layers on the device, whose results are copied back.
template <class Layer>
void run_copies(Context& context, std::span<const Layer> layers, const LayerOptions& options) {
  (void)Impl::checked(layers, context.is_usable(Space::openmp) ? Space::openmp : Space::serial);
  Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
    Impl::DeviceCopies copies(exec_space, context.memory(Space::cuda));
    std::vector<Layer> taken;
    for (const Layer& layer : layers) taken.push_back(Impl::with_arrays(copies, layer));
    const Prepared call = prepared(context, std::span<const Layer>(taken), Space::cuda, options);
    call.run();
    call.wait();
    copies.give_back();
  });
}

template <class Layer>
bool on_device(std::span<const Layer> layers) {
  return std::ranges::any_of(layers, [](const Layer& layer) { return layer.x.on_device(); });
}

template <class Layer>
Space space_for(const Context& context, std::span<const Layer> layers,
                const LayerOptions& options) {
  if (options.space) return *options.space;
  return on_device(layers) ? Space::cuda : Impl::host_space_for(context, nanoseconds_of(layers));
}

}  // namespace

void run_layers(Context& context, const LayerList& layers, const LayerOptions& options) try {
  std::visit(
      [&](auto list) {
        if (options.stream) return queue(context, list, options);
        refuse_workspace(options);
        const Space space = space_for(context, list, options);
        if (space == Space::cuda && !on_device(list)) return run_copies(context, list, options);
        const Prepared call = prepared(context, list, space, options);
        call.run();
        if (space == Space::cuda) call.wait();
      },
      layers);
} catch (...) {
  Impl::rethrow_translated("Kindred::run_layers");
}

std::size_t layers_workspace(const Context& context, const LayerList& layers,
                             const LayerOptions& options) try {
  std::size_t bytes = 0;
  std::visit(
      [&](auto list) {
        with_queue(context, list, options,
                   [&](const auto& exec_space, auto& queue, const auto& data) {
                     bytes = queue.workspace_bytes(exec_space, data, options.reproducible);
                   });
      },
      layers);
  return bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::layers_workspace");
}

Prepared prepare_layers(Context& context, const LayerList& layers,
                        const LayerOptions& options) try {
  refuse_workspace(options);
  return std::visit(
      [&](auto list) {
        return prepared(context, list, space_for(context, list, options), options);
      },
      layers);
} catch (...) {
  Impl::rethrow_translated("Kindred::prepare_layers");
}

}  // namespace Kindred
