// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_ORDERED_RESULTS_HPP
#define KINDRED_MATCHER_LATTICE_ORDERED_RESULTS_HPP

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

/// \brief Results of items that workers make at once, taken by one thread in order.
///
/// Workers are at most so many items ahead of what is taken: what is held is bounded. Once it is
/// stopped no item is begun, and those that were are finished and taken.
template <class Result>
class OrderedResults {
 public:
  OrderedResults(std::size_t items, std::size_t ahead) : m_items(items), m_slots(ahead) {}

  /// The item that a worker makes next; nothing: there is none. Waits for its turn.
  std::optional<std::size_t> begin() {
    std::unique_lock lock(m_mutex);
    m_not_full.wait(
        lock, [&] { return m_stopped || m_next == m_items || m_next < m_taken + m_slots.size(); });
    if (m_stopped || m_next == m_items) return {};
    return m_next++;
  }
  void end(std::size_t item, Result result) {
    {
      const std::lock_guard lock(m_mutex);
      m_slots[item % m_slots.size()] = std::move(result);
    }
    m_ready.notify_one();
  }
  /// The result of the next item in order; nothing: there is none.
  std::optional<Result> take() {
    std::optional<Result> result;
    {
      std::unique_lock lock(m_mutex);
      std::optional<Result>& slot = m_slots[m_taken % m_slots.size()];
      m_ready.wait(lock, [&] {
        return slot.has_value() || m_taken == m_items || (m_stopped && m_taken == m_next);
      });
      if (!slot) return {};
      result.swap(slot);
      ++m_taken;
    }
    m_not_full.notify_all();
    return result;
  }
  void stop() {
    {
      const std::lock_guard lock(m_mutex);
      m_stopped = true;
    }
    m_not_full.notify_all();
    m_ready.notify_all();
  }

 private:
  const std::size_t m_items;
  std::mutex m_mutex;
  std::condition_variable m_not_full;
  std::condition_variable m_ready;
  std::vector<std::optional<Result>> m_slots;
  std::size_t m_next = 0;   // to be begun
  std::size_t m_taken = 0;  // and the one to be taken
  bool m_stopped = false;
};

/// \brief `take(i, work(i))` for every i below \p items, in order and on the calling thread, which
/// does nothing else; \p make gives each of \p workers threads a `work` of its own. Of one worker
/// the calling thread is it. Returns how many were taken.
///
/// After \p stop no item is begun. What `take` throws ends the run when the items under way have
/// ended. `work` throws nothing.
template <class Result, class Make, class Take>
std::size_t run_in_order(std::size_t items, std::size_t workers, const std::stop_token& stop,
                         const Make& make, const Take& take) {
  std::size_t taken = 0;
  const auto run_here = [&] {
    auto work = make();
    for (; taken < items && !stop.stop_requested(); ++taken) take(taken, work(taken));
    return taken;
  };
  if (workers <= 1 || items <= 1) return run_here();
  OrderedResults<Result> results(items, 4 * workers);
  std::vector<std::jthread> threads;
  struct Stop {
    OrderedResults<Result>& results;
    ~Stop() { results.stop(); }  // before the threads are joined, whatever is thrown
  };
  const std::stop_callback stopping(stop, [&] { results.stop(); });
  try {
    for (std::size_t worker = 0; worker < workers && worker < items; ++worker) {
      threads.emplace_back([&results, work = make()]() mutable {
        while (const auto item = results.begin()) results.end(*item, work(*item));
      });
    }
  } catch (const std::exception&) {
    if (threads.empty()) return run_here();
    // fewer threads than wanted do the same work
  }
  const Stop guard{results};
  while (auto result = results.take()) take(taken++, std::move(*result));
  return taken;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LATTICE_ORDERED_RESULTS_HPP
