// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_OUT_WEIGHTS_HPP
#define KINDRED_MATCHER_GRAPH_OUT_WEIGHTS_HPP

#include "GraphView.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/memory/Buffer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace Kindred::Impl {

/// \brief The out-weight sums of the nodes of a graph, by which PageRank divides. Computed on first
/// use and then kept. Thread-safe.
class OutWeights {
 public:
  /// The sums in one memory space; a node without out-weights has `sums` 0 and `inverses` 1.
  template <class ExecutionSpace>
  struct Placed {
    Buffer<double, typename ExecutionSpace::memory_space> sums;
    Buffer<double, typename ExecutionSpace::memory_space> inverses;
  };

  /// Sums up the out-edges of \p graph, on all threads. Complexity O(nodes + edges) once. \throws
  /// InvalidArgument for a weight below 0, OutOfMemory
  void prepare(Context& context, const GraphView<Kokkos::HostSpace>& graph);
  /// Bytes in memory of \p space.
  std::uint64_t bytes(Space space) const noexcept {
    return space == Space::cuda ? m_device_bytes : m_host_bytes;
  }
  /// Whether float32 has enough range for the iterates. Call `prepare` first.
  bool fit_float() const noexcept { return m_fit_float; }
  /// The sums in memory of \p exec_space. Call `prepare` first. Fences \p exec_space. \throws
  /// OutOfMemory
  template <class ExecutionSpace>
  const Placed<ExecutionSpace>& on(Context& context, const ExecutionSpace& exec_space);

 private:
  Mutex m_mutex;
  bool m_is_made = false;
  bool m_fit_float = false;
  std::atomic<std::uint64_t> m_host_bytes{0};
  std::atomic<std::uint64_t> m_device_bytes{0};
  Arch::PerSpace<Placed> m_placed;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_OUT_WEIGHTS_HPP
