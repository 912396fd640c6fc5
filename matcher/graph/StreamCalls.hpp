// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_STREAM_CALLS_HPP
#define KINDRED_MATCHER_GRAPH_STREAM_CALLS_HPP

#include "GraphSnapshot.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/launch/LaunchMark.hpp>
#include <kindred/core/common/Stream.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief The calls on streams of callers that may still run: keeps the graphs that they read, and
/// orders calls that share a workspace, each behind the one before it. Not thread-safe.
template <class ExecutionSpace>
class StreamCalls {
 public:
  StreamCalls() = default;
  /// `wait` must have been called.
  ~StreamCalls() {
    // Kokkos aborts when it frees the memory of instances on a lost device: they stay allocated.
    if (Arch::device_is_lost())
      static_cast<void>(new std::vector<std::pair<Stream, ExecutionSpace>>(std::move(m_instances)));
  }
  StreamCalls(const StreamCalls&) = delete;
  StreamCalls& operator=(const StreamCalls&) = delete;

  /// \brief The instance on \p stream; kept, because making one allocates memory.
  /// \param exec_space of the same device
  const ExecutionSpace& on(const ExecutionSpace& exec_space, Stream stream) {
    constexpr std::size_t instances_max = 64;
    for (const auto& [known, instance] : m_instances) {
      if (known == stream) return instance;
    }
    if (m_instances.size() == instances_max) {
      wait();
      m_instances.clear();
    }
    m_instances.emplace_back(stream, instance_on(exec_space, stream));
    return m_instances.back().second;
  }

  /// Makes later launches on \p exec_space wait for all calls so far. Does not fence.
  void begin(const ExecutionSpace& exec_space) {
    while (!m_running.empty() && m_running.front().end.is_reached()) m_running.pop_front();
    if (!m_running.empty()) m_running.back().end.order(exec_space);
  }
  /// Notes the end of a call that was launched on \p exec_space after `begin`.
  void end(const ExecutionSpace& exec_space, const std::shared_ptr<const GraphSnapshot>& graph) {
    if (m_running.empty() || m_running.back().graph != graph) {
      m_running.emplace_back();
      m_running.back().graph = graph;
    }
    m_running.back().end.set(exec_space);
  }
  /// Waits for all calls and releases their graphs.
  void wait() {
    if (!m_running.empty()) m_running.back().end.wait();
    m_running.clear();
  }

 private:
  struct Running {
    Arch::LaunchMark<ExecutionSpace> end;
    std::shared_ptr<const GraphSnapshot> graph;
  };

  std::deque<Running> m_running;
  std::vector<std::pair<Stream, ExecutionSpace>> m_instances;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_STREAM_CALLS_HPP
