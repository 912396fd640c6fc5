// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_HNSW_HOST_WORKERS_HPP
#define KINDRED_MATCHER_SRC_HNSW_HOST_WORKERS_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <algorithm>
#include <cstddef>

#include "Workers.hpp"

namespace Kindred::Impl {

/// \brief The threads of a host instance as workers of a `WorkQueue`.
class HostWorkers {
 public:
  /// \param count threads of \p exec_space, which outlives this
  HostWorkers(const HostSpace& exec_space, std::size_t count)
      : m_exec_space(&exec_space), m_count(std::max<std::size_t>(count, 1)) {}

  std::size_t count() const noexcept { return m_count; }

  /// \brief `body(worker, i)` for every i below \p items, \p chunk taken at once. Fences the
  /// instance. \see WorkQueue
  template <class Body>
  void run(const char* label, std::size_t items, std::size_t chunk, const Body& body) const {
    // A thread that has little to do is not worth waking.
    const std::size_t workers = std::min(m_count, items / (least_chunks * chunk));
    if (workers <= 1) {
      for (std::size_t i = 0; i < items; ++i) body(std::size_t{0}, i);
      return;
    }
    WorkQueue queue(items, chunk);
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<HostSpace>(*m_exec_space, 0, workers).set_chunk_size(1),
        Turn<Body>{&queue, &body});
    m_exec_space->fence(label);
    queue.rethrow();
  }

 private:
  static constexpr std::size_t least_chunks = 4;  ///< a thread

  template <class Body>
  struct Turn {
    WorkQueue* queue;
    const Body* body;
    void operator()(std::size_t worker) const { queue->work(worker, *body); }
  };

  const HostSpace* m_exec_space;
  std::size_t m_count;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_HNSW_HOST_WORKERS_HPP
