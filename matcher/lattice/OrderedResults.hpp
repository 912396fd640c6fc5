// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_ORDERED_RESULTS_HPP
#define KINDRED_MATCHER_LATTICE_ORDERED_RESULTS_HPP

#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/core/common/Cancellation.hpp>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief Results that several workers produce in parallel and one thread consumes in order.
///
/// Workers run ahead of the consumer by a bounded number of items, which bounds memory. After a
/// stop no item starts; started items are finished and consumed.
template <class Result>
class OrderedResults {
 public:
  OrderedResults(std::size_t items, std::size_t ahead) : m_items(items), m_slots(ahead) {}

  /// The next item for a worker, or no value if none is left. Waits if the workers are too far
  /// ahead.
  std::optional<std::size_t> begin() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(
        lock, [&] { return m_stopped || m_next == m_items || m_next < m_taken + m_slots.size(); });
    if (m_stopped || m_next == m_items) return {};
    return m_next++;
  }
  void end(std::size_t item, Result result) {
    {
      const std::lock_guard lock(m_mutex);
      m_slots[item % m_slots.size()] = std::move(result);
    }
    m_changed.notify_all();
  }
  /// The next result in order, or no value if none is left. \throws Cancelled
  std::optional<Result> take(const CancelPoint& point) {
    std::optional<Result> result;
    {
      std::unique_lock lock(m_mutex);
      std::optional<Result>& slot = m_slots[m_taken % m_slots.size()];
      const auto is_ready = [&] {
        return slot.has_value() || m_taken == m_items || (m_stopped && m_taken == m_next);
      };
      while (point.is_needed() && !m_changed.wait_for(lock, cancel_interval, is_ready)) {
        // A check of the program may take long: workers go on meanwhile.
        lock.unlock();
        point.check();
        lock.lock();
      }
      m_changed.wait(lock, is_ready);
      if (!slot) return {};
      result.swap(slot);
      ++m_taken;
    }
    m_changed.notify_all();
    return result;
  }
  void stop() {
    {
      const std::lock_guard lock(m_mutex);
      m_stopped = true;
    }
    m_changed.notify_all();
  }

 private:
  const std::size_t m_items;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<std::optional<Result>> m_slots;
  std::size_t m_next = 0;   // next item to start
  std::size_t m_taken = 0;  // next item to consume
  bool m_stopped = false;
};

/// \brief `take(i, work(i))` for every i below \p items, in order on the calling thread, which does
/// nothing else; \p make creates a separate `work` for each of \p workers threads. A single worker
/// runs on the calling thread. Returns the number of consumed items.
///
/// After \p stop no item starts. If `take` throws, the run ends after the running items. `work`
/// must not throw. \throws Cancelled before the result of an item that may have been cancelled is
/// consumed
template <class Result, class Make, class Take>
std::size_t run_in_order(std::size_t items, std::size_t workers, const std::stop_token& stop,
                         const Make& make, const Take& take) {
  std::size_t taken = 0;
  const CancelPoint point;
  const auto take_next = [&](Result result) {
    point.check();
    take(taken++, std::move(result));
  };
  const auto run_here = [&] {
    auto work = make();
    while (taken < items && !stop.stop_requested()) take_next(work(taken));
    return taken;
  };
  if (workers <= 1 || items <= 1) return run_here();
  OrderedResults<Result> results(items, 4 * workers);
  std::vector<std::jthread> threads;
  struct Stop {
    OrderedResults<Result>& results;
    ~Stop() { results.stop(); }  // before the threads are joined, also if an exception is thrown
  };
  const std::stop_callback stopping(stop, [&] { results.stop(); });
  try {
    for (std::size_t worker = 0; worker < workers && worker < items; ++worker) {
      threads.push_back(start_thread<std::jthread>("a thread of a batch",
                                                   [&results, point, work = make()]() mutable {
                                                     const CancelPoint::Part part(point);
                                                     while (const auto item = results.begin())
                                                       results.end(*item, work(*item));
                                                   }));
    }
  } catch (const std::exception&) {
    if (threads.empty()) return run_here();
    // the threads that could be started do all the work
  }
  const Stop guard{results};
  while (auto result = results.take(point)) take_next(std::move(*result));
  return taken;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LATTICE_ORDERED_RESULTS_HPP
