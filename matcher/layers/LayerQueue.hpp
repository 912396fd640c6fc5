// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LAYER_QUEUE_HPP
#define KINDRED_MATCHER_LAYERS_LAYER_QUEUE_HPP

#include "QueuedLayers.hpp"
#include "kit/CallOrder.hpp"
#include "kit/StreamWorkspaces.hpp"

#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// \brief Runs calls on streams of callers, and keeps what they need in a context: the product
/// library, and one workspace per stream for calls without one of the caller. Thread-safe.
/// \tparam Gemm `DeviceGemm`
template <class ExecutionSpace, class Gemm>
class LayerQueue {
 public:
  /// Where a call runs.
  struct Call {
    const ExecutionSpace& exec_space;  ///< on the stream
    MemoryResource& memory;
    Stream stream;
    std::span<std::byte> workspace;  ///< of the caller, checked; empty: none
    bool reproducible = false;
  };

  /// Bytes of the workspace of \p layers, which share it.
  template <class Data>
  std::size_t workspace_bytes(const ExecutionSpace& exec_space, const std::vector<Data>& layers,
                              bool reproducible) {
    const std::lock_guard lock(m_mutex);
    return made(exec_space, layers, reproducible, nullptr).bytes;
  }

  /// \brief Launches \p layers one after the other. Does not fence, unless the workspace of the
  /// stream must grow, or that of another stream makes way for it: then it waits for the calls that
  /// use it.
  /// \throws InvalidArgument for a workspace that is too small, or a captured stream without one
  template <class Data>
  void run(const Call& call, const std::vector<Data>& layers) {
    const std::lock_guard lock(m_mutex);
    const auto planned = made(call.exec_space, layers, call.reproducible, nullptr);
    const std::size_t bytes = planned.bytes;
    if (bytes == 0) return launch(call.exec_space, planned.layers);
    const auto launch_in = [&](std::byte* workspace) {
      launch(call.exec_space, made(call.exec_space, layers, call.reproducible, workspace).layers);
    };
    if (!call.workspace.empty()) {
      KINDRED_THROW_IF(call.workspace.size() < bytes,
                       "the workspace has " + std::to_string(call.workspace.size()) +
                           " bytes; this call needs " + std::to_string(bytes) + " there");
      return launch_in(call.workspace.data());
    }
    KINDRED_THROW_IF(is_captured(call.stream),
                     "the stream is captured and this call needs a workspace of " +
                         std::to_string(bytes) +
                         " bytes, which must be the caller's: set the workspace of the options, or "
                         "use the prepared form");
    Workspace& kept = m_workspaces.of(call.stream, call.memory);
    kept.reserve(bytes);
    kept.calls.run(call.exec_space, "Kindred::FusedLayers::failed", nullptr,
                   [&] { launch_in(kept.bytes.data()); });
  }

 private:
  using bytes_type = Buffer<std::byte, typename ExecutionSpace::memory_space>;

  /// What calls on one stream use.
  struct Workspace {
    explicit Workspace(MemoryResource& given) : memory(&given) {}

    void reserve(std::size_t size) {
      if (size <= bytes.size()) return;
      calls.wait();
      bytes = {};  // the old and the new memory need not exist together
      bytes = {*memory, "Kindred::FusedLayers::workspace", size};
    }

    MemoryResource* memory;
    bytes_type bytes;
    CallOrder<ExecutionSpace> calls;  ///< destroyed first: they use the bytes
  };

  template <class Data>
  struct Layers {
    std::vector<QueuedLayer<ExecutionSpace, Gemm, Data>> layers;
    std::size_t bytes = 0;
  };

  /// \param workspace null: only for the size of the workspace, unless that is 0
  template <class Data>
  Layers<Data> made(const ExecutionSpace& exec_space, const std::vector<Data>& layers,
                    bool reproducible, std::byte* workspace) {
    Layers<Data> out;
    out.layers.reserve(layers.size());
    for (const Data& layer : layers) {
      WorkspaceParts parts(workspace);  // layers run one after the other and share it
      out.layers.emplace_back(exec_space, m_gemm, layer, reproducible, parts);
      out.bytes = std::max(out.bytes, parts.bytes());
    }
    return out;
  }
  template <class Layer>
  void launch(const ExecutionSpace& exec_space, const std::vector<Layer>& layers) {
    for (const Layer& layer : layers) layer.run(exec_space, m_gemm);
  }

  Mutex m_mutex;
  SharedGemm<Gemm> m_gemm;
  StreamWorkspaces<Workspace> m_workspaces;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LAYER_QUEUE_HPP
