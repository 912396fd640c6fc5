// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_RUN_LAYERS_HPP
#define KINDRED_MATCHER_LAYERS_RUN_LAYERS_HPP

#include "DeviceCopies.hpp"
#include "LayerArrays.hpp"
#include "LayerChecks.hpp"
#include "LayerQueue.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/backends/vendor/DeviceGemm.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

inline Space host_of(const Context& context) {
  return context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

/// Elements of all \p layers.
template <class Layer>
double norm_elements(std::span<const Layer> layers) {
  double all = 0;
  for (const Layer& layer : layers)
    all += static_cast<double>(layer.x.rows) * static_cast<double>(layer.x.columns);
  return all;
}
/// Multiplications of all \p layers.
template <class Layer>
double linear_steps(std::span<const Layer> layers) {
  double all = 0;
  for (const Layer& layer : layers)
    all += static_cast<double>(layer.x.rows) * static_cast<double>(layer.x.columns) *
           static_cast<double>(layer.w.rows);
  return all;
}

inline bool is_reproducible(const NormOptions&) { return true; }
inline bool is_reproducible(const LinearOptions& options) { return options.reproducible; }

/// \brief Calls `body(exec_space, queue, data)` for \p layers on the device of \p context, with the
/// instance of the stream of \p options. \throws InvalidArgument, SpaceUnavailable
template <class Layer, class Options, class Body>
void with_layer_queue(const Context& context, std::span<const Layer> layers, const Options& options,
                      const Body& body) {
  with_instance_on(context, Space::cuda, options.stream,
                   [&]<class ExecutionSpace>([[maybe_unused]] const ExecutionSpace& exec_space) {
                     if constexpr (Arch::is_device<ExecutionSpace>) {
                       const auto data = checked(layers, Space::cuda);
                       body(exec_space,
                            kept_objects(context).get<LayerQueue<ExecutionSpace, DeviceGemm>>(),
                            data);
                     }
                   });
}

/// Bytes of the workspace of a call on a stream.
template <template <class, class> class Queued, class Layer, class Options>
std::size_t queued_workspace(const Context& context, std::span<const Layer> layers,
                             const Options& options) {
  std::size_t bytes = 0;
  with_layer_queue(
      context, layers, options, [&](const auto& exec_space, auto& queue, const auto& data) {
        bytes = queue.template workspace_bytes<Queued>(exec_space, data, is_reproducible(options));
      });
  return bytes;
}

/// \brief Runs \p layers, whose arrays lie on the device of \p context, on the stream of
/// \p options. Does not fence, \see LayerQueue::run
template <template <class, class> class Queued, class Layer, class Options>
void queue_layers(Context& context, std::span<const Layer> layers, const Options& options) {
  KINDRED_THROW_IF(options.space.value_or(Space::cuda) != Space::cuda,
                   "a stream is given, and the requested space is " +
                       std::string(to_string(*options.space)) + "; request cuda or no space");
  with_layer_queue(
      context, layers, options,
      [&]<class ExecutionSpace>(const ExecutionSpace& exec_space, auto& queue, const auto& data) {
        const auto workspace = checked_workspace(context, options.workspace);
        const ApartFromWorkspace apart(workspace);
        for (const Layer& layer : layers) (void)with_arrays(apart, layer);
        queue.template run<Queued>({exec_space, context.memory(Space::cuda), *options.stream,
                                    workspace, is_reproducible(options)},
                                   data);
      });
}

/// \brief Runs what `prepare(layers, space)` returns for \p layers in host memory. A device
/// computes copies of them, whose results are copied back. With a stream, runs \p layers where they
/// lie.
/// \tparam Queued the form of a layer on a stream
/// \param nanoseconds a rough estimate of one thread, if no space is requested
template <template <class, class> class Queued, class Layer, class Options, class Prepare>
void run_layers(Context& context, std::span<const Layer> layers, const Options& options,
                double nanoseconds, const Prepare& prepare) {
  if (options.stream) return queue_layers<Queued>(context, layers, options);
  KINDRED_THROW_IF(options.workspace.size() > 0,
                   "a workspace is given without a stream; it is only for calls on a stream");
  const Space chosen = options.space.value_or(host_space_for(context, nanoseconds));
  if (chosen != Space::cuda) return prepare(layers, chosen).run();
  (void)checked(layers, host_of(context));
  with_instance(context, Space::cuda, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    DeviceCopies<execution_space> copies(exec_space, context.memory(Space::cuda));
    std::vector<Layer> taken;
    for (const Layer& layer : layers) taken.push_back(with_arrays(copies, layer));
    const auto prepared = prepare(std::span<const Layer>(taken), Space::cuda);
    prepared.run();
    prepared.wait();
    copies.give_back();
  });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_RUN_LAYERS_HPP
