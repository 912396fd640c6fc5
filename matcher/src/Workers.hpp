// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_WORKERS_HPP
#define KINDRED_MATCHER_SRC_WORKERS_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace Kindred::Impl {

/// \brief Items that workers take as they come free, `chunk` at once. Which takes which is open: a
/// result must not depend on it.
class WorkQueue {
 public:
  WorkQueue(std::size_t items, std::size_t chunk) : m_items(items), m_chunk(chunk) {}

  /// What worker \p worker does: `body(worker, i)` until there are no more items.
  template <class Body>
  void work(std::size_t worker, const Body& body) noexcept {
    std::size_t i = 0;
    try {
      for (std::size_t begin = m_next.fetch_add(m_chunk); begin < m_items;
           begin = m_next.fetch_add(m_chunk)) {
        const std::size_t end = std::min(begin + m_chunk, m_items);
        for (i = begin; i < end; ++i) body(worker, i);
      }
    } catch (...) {
      const std::lock_guard lock(m_failing);
      if (!m_failure || i < m_failed) {
        m_failed = i;
        m_failure = std::current_exception();
      }
      m_next = m_items;  // items below i are taken already, and finish
    }
  }
  /// Once all have stopped: throws on what a body threw, of the lowest item, the same on every run.
  void rethrow() const {
    if (m_failure) std::rethrow_exception(m_failure);
  }

 private:
  std::size_t m_items;
  std::size_t m_chunk;
  std::atomic<std::size_t> m_next{0};
  std::mutex m_failing;
  std::size_t m_failed = 0;
  std::exception_ptr m_failure;
};

/// \brief `body(worker, i)` for every i below \p items on \p workers threads, the calling one among
/// them, \p chunk items taken at once. \see WorkQueue
template <class Body>
void for_each_item(std::size_t items, std::size_t chunk, std::size_t workers, const Body& body) {
  WorkQueue queue(items, chunk);
  const std::size_t useful = std::min(workers, (items + chunk - 1) / chunk);
  {
    std::vector<std::jthread> threads;
    try {
      for (std::size_t worker = 1; worker < useful; ++worker)
        threads.emplace_back([&queue, &body, worker] { queue.work(worker, body); });
    } catch (const std::exception&) {
      // fewer threads than wanted do the same work
    }
    queue.work(0, body);
  }
  queue.rethrow();
}

/// `body(i)` for every i < \p count, on at most \p threads threads. \see for_each_item
template <class Body>
void for_each_task(std::size_t count, int threads, const Body& body) {
  for_each_item(count, 1, static_cast<std::size_t>(std::max(threads, 1)),
                [&](std::size_t, std::size_t i) { body(i); });
}

/// `body(begin, end)` over [0, \p size) in pieces of \p piece. \see for_each_task
template <class Body>
void for_each_piece(std::size_t size, std::size_t piece, int threads, const Body& body) {
  for_each_task((size + piece - 1) / piece, threads,
                [&](std::size_t i) { body(i * piece, std::min(size, (i + 1) * piece)); });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_WORKERS_HPP
