// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_HNSW_HOST_WORKERS_HPP
#define KINDRED_MATCHER_SRC_HNSW_HOST_WORKERS_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

namespace Kindred::Impl {

/// \brief Threads of a host instance that take items as they come free. Which takes which is open:
/// a result must not depend on it.
class HostWorkers {
 public:
  /// \param count threads of \p exec_space, which outlives this
  HostWorkers(const HostSpace& exec_space, std::size_t count)
      : m_exec_space(&exec_space), m_count(std::max<std::size_t>(count, 1)) {}

  std::size_t count() const noexcept { return m_count; }

  /// \brief `body(worker, i)` for every i below \p items, \p chunk taken at once. Fences the
  /// instance. What a body throws is thrown on when all have stopped.
  template <class Body>
  void run(const char* label, std::size_t items, std::size_t chunk, const Body& body) const {
    // A thread that has little to do is not worth waking.
    const std::size_t workers = std::min(m_count, items / (least_chunks * chunk));
    if (workers <= 1) {
      for (std::size_t i = 0; i < items; ++i) body(std::size_t{0}, i);
      return;
    }
    Loop<Body> loop{&body, items, chunk, {}, {}, {}};
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<HostSpace>(*m_exec_space, 0, workers).set_chunk_size(1),
        Turn<Body>{&loop});
    m_exec_space->fence(label);
    if (loop.failure) std::rethrow_exception(loop.failure);
  }

 private:
  static constexpr std::size_t least_chunks = 4;  ///< a thread

  template <class Body>
  struct Loop {
    const Body* body;
    std::size_t items;
    std::size_t chunk;
    std::atomic<std::size_t> next;
    std::mutex failing;
    std::exception_ptr failure;

    void work(std::size_t worker) {
      try {
        for (std::size_t begin = next.fetch_add(chunk); begin < items;
             begin = next.fetch_add(chunk)) {
          for (std::size_t i = begin; i < std::min(begin + chunk, items); ++i) (*body)(worker, i);
        }
      } catch (...) {
        const std::lock_guard lock(failing);
        if (!failure) failure = std::current_exception();
        next = items;
      }
    }
  };
  template <class Body>
  struct Turn {
    Loop<Body>* loop;
    void operator()(std::size_t worker) const { loop->work(worker); }
  };

  const HostSpace* m_exec_space;
  std::size_t m_count;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_HNSW_HOST_WORKERS_HPP
