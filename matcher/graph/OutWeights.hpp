// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_OUT_WEIGHTS_HPP
#define KINDRED_MATCHER_GRAPH_OUT_WEIGHTS_HPP

#include "GraphView.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/memory/Buffer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace Kindred::Impl {

/// \brief The sums of the out-weights of a graph's nodes, which PageRank divides by: made when
/// first asked for, then kept. Thread-safe.
class OutWeights {
 public:
  /// In one space; `sums` is 0 and `inverses` 1 of a node without out-weights.
  template <class ExecutionSpace>
  struct Placed {
    Buffer<double, typename ExecutionSpace::memory_space> sums;
    Buffer<double, typename ExecutionSpace::memory_space> inverses;
  };

  /// Sums up the out-edges of \p graph, on all threads. Complexity O(nodes + edges) once. \throws
  /// InvalidArgument for a weight below 0, OutOfMemory
  void prepare(Context& context, const GraphView<Kokkos::HostSpace>& graph);
  /// Bytes held where \p space computes.
  std::uint64_t bytes(Space space) const noexcept {
    return space == Space::cuda ? m_device_bytes : m_host_bytes;
  }
  /// True where iterates of float32 have the range for them; after `prepare`.
  bool fit_float() const noexcept { return m_fit_float; }
  /// Where \p exec_space computes; after `prepare`. Fences \p exec_space. \throws OutOfMemory
  template <class ExecutionSpace>
  const Placed<ExecutionSpace>& on(Context& context, const ExecutionSpace& exec_space);

 private:
  std::mutex m_mutex;
  bool m_is_made = false;
  bool m_fit_float = false;
  std::atomic<std::uint64_t> m_host_bytes{0};
  std::atomic<std::uint64_t> m_device_bytes{0};
  Arch::PerSpace<Placed> m_placed;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_OUT_WEIGHTS_HPP
