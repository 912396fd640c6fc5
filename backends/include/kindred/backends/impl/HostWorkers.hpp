// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_HOST_WORKERS_HPP
#define KINDRED_BACKENDS_IMPL_HOST_WORKERS_HPP

#include <kindred/backends/impl/HelperThreads.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/QuotientUp.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

namespace Kindred::Impl {

/// Nanoseconds of work that justify waking one more thread.
inline constexpr double thread_worth = 50'000;

/// Number of threads, from 1 to \p threads, that are worth waking for \p nanoseconds of
/// single-threaded work.
inline std::size_t useful_threads(std::size_t threads, double nanoseconds) noexcept {
  if (threads <= 1 || !(nanoseconds >= 2 * thread_worth)) return 1;
  return static_cast<std::size_t>(
      std::min(nanoseconds / thread_worth, static_cast<double>(threads)));
}

/// \brief A queue of items, which workers claim in chunks. The assignment of items to workers
/// varies between runs, so results must not depend on it.
class WorkQueue {
 public:
  WorkQueue(std::size_t items, std::size_t chunk) : m_items(items), m_chunk(chunk) {}

  /// Runs `body(worker, i)` on worker \p worker until no items are left.
  template <class Body>
  void work(std::size_t worker, const Body& body) noexcept {
    std::size_t i = 0;
    try {
      const CancelPoint::Part part(m_point);
      for (std::size_t begin = m_next.fetch_add(m_chunk); begin < m_items;
           begin = m_next.fetch_add(m_chunk)) {
        const std::size_t end = std::min(begin + m_chunk, m_items);
        for (i = begin; i < end; ++i) {
          m_point.check();
          body(worker, i);
        }
      }
    } catch (...) {
      const std::lock_guard lock(m_failing);
      if (!m_failure || i < m_failed) {
        m_failed = i;
        m_failure = std::current_exception();
      }
      m_next = m_items;  // items below i have been claimed already and will finish
    }
  }
  /// Call after all workers have stopped. Rethrows the exception of the item with the lowest index,
  /// which makes errors deterministic.
  void rethrow() const {
    if (m_failure) std::rethrow_exception(m_failure);
  }

 private:
  std::size_t m_items;
  std::size_t m_chunk;
  CancelPoint m_point;
  std::atomic<std::size_t> m_next{0};
  std::mutex m_failing;
  std::size_t m_failed = 0;
  std::exception_ptr m_failure;
};

/// \brief The threads available to the loops of one call: the calling thread and helpers. A loop
/// uses as many as its work justifies, and ends early with `Cancelled` if the call was cancelled.
/// Thread-safe.
class HostWorkers {
 public:
  /// Only the calling thread.
  HostWorkers() = default;
  /// At most \p count threads, including the calling thread. \p helpers must outlive this object.
  HostWorkers(HelperThreads& helpers, std::size_t count)
      : m_helpers(&helpers), m_count(std::max<std::size_t>(count, 1)) {}

  std::size_t count() const noexcept { return m_count; }
  /// The same helpers, with at most \p count threads.
  HostWorkers with_count(std::size_t count) const {
    return m_helpers == nullptr ? *this : HostWorkers(*m_helpers, count);
  }

  /// \brief Runs `body(worker, i)` for every i below \p items; worker is below `count()`.
  /// \param items number of items
  /// \param chunk items that are claimed together
  /// \param nanoseconds estimated time per item
  /// \param body called concurrently \see WorkQueue
  template <class Body>
  void for_each_item(std::size_t items, std::size_t chunk, double nanoseconds,
                     const Body& body) const {
    const std::size_t chunks = quotient_up(items, chunk);
    const std::size_t workers =
        std::min(chunks, useful_threads(m_count, nanoseconds * static_cast<double>(items)));
    if (workers <= 1) {
      const CancelPoint point;
      for (std::size_t i = 0; i < items; ++i) {
        point.check();
        body(std::size_t{0}, i);
      }
      return;
    }
    WorkQueue queue(items, chunk);
    m_helpers->run(workers, [&](std::size_t worker) { queue.work(worker, body); });
    queue.rethrow();
  }

  /// \brief Runs `body(begin, end)` for consecutive ranges that cover [0, \p count).
  /// \param count number of elements
  /// \param nanoseconds estimated time per element
  /// \param body called concurrently
  template <class Body>
  void for_each_range(std::size_t count, double nanoseconds, const Body& body) const {
    const std::size_t workers = useful_threads(m_count, nanoseconds * static_cast<double>(count));
    if (workers <= 1) {
      run_alone(count, nanoseconds, body);
      return;
    }
    // Several ranges per worker, so that a late worker claims fewer; multiples of 64 elements, so
    // that ranges consist of whole cache lines.
    std::size_t length =
        std::min(std::max<std::size_t>(1, count / (4 * workers)), length_max(nanoseconds, count));
    if (length > 64) length = length / 64 * 64;
    for_each_item(
        quotient_up(count, length), 1, nanoseconds * static_cast<double>(length),
        [&](std::size_t, std::size_t i) { body(i * length, std::min(count, (i + 1) * length)); });
  }

  /// \brief Runs `main()` and, if another thread becomes free before main ends, `other()`
  /// concurrently on that thread; exceptions of `other()` are ignored.
  /// \param main what the caller needs
  /// \param other work done in advance, which main would otherwise do itself
  template <class Main, class Other>
  void run_beside(const Main& main, const Other& other) const {
    if (m_count <= 1) return main();
    std::exception_ptr failure;
    m_helpers->run(2, [&](std::size_t worker) {
      try {
        if (worker == 0)
          main();
        else
          other();
      } catch (...) {
        if (worker == 0) failure = std::current_exception();
      }
    });
    if (failure) std::rethrow_exception(failure);
  }

 private:
  /// The largest number of elements of a range: those of a few milliseconds if the call can be
  /// cancelled.
  static std::size_t length_max(double nanoseconds, std::size_t count) {
    constexpr double most = 5e6;
    if (!(nanoseconds * static_cast<double>(count) > most) || !CancelPoint().is_needed())
      return count;
    return static_cast<std::size_t>(std::max(64.0, most / nanoseconds)) / 64 * 64;
  }
  /// All ranges on the calling thread: one, or several of a few milliseconds if the call can be
  /// cancelled.
  template <class Body>
  static void run_alone(std::size_t count, double nanoseconds, const Body& body) {
    const CancelPoint point;
    const std::size_t length = length_max(nanoseconds, count);
    for (std::size_t begin = 0; begin < count; begin += length) {
      point.check();
      body(begin, std::min(count, begin + length));
    }
  }

  HelperThreads* m_helpers = nullptr;
  std::size_t m_count = 1;
};

/// Runs `body(i)` for every i below \p count on at most \p threads threads, which end with the
/// call. Used for file access without a context, in pieces of megabytes that justify starting
/// threads.
template <class Body>
void for_each_task(std::size_t count, int threads, const Body& body) {
  HelperThreads helpers;
  HostWorkers(helpers, static_cast<std::size_t>(std::max(threads, 1)))
      .for_each_item(count, 1, thread_worth, [&](std::size_t, std::size_t i) { body(i); });
}

/// Runs `body(begin, end)` for pieces of \p piece that cover [0, \p size). \see for_each_task
template <class Body>
void for_each_piece(std::size_t size, std::size_t piece, int threads, const Body& body) {
  for_each_task(quotient_up(size, piece), threads,
                [&](std::size_t i) { body(i * piece, std::min(size, (i + 1) * piece)); });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_HOST_WORKERS_HPP
