// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREDICTION_WORKERS_HPP
#define KINDRED_MATCHER_PREDICTION_WORKERS_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace Kindred::Impl {

/// How many threads \p items are worth.
inline std::size_t workers_for(std::size_t items, std::size_t threads) {
  constexpr std::size_t least_items = 512;  // to pay for starting a thread
  return std::clamp(items / least_items, std::size_t{1}, std::max<std::size_t>(threads, 1));
}

/// \brief Calls `body(worker, i)` for every i below \p items, each once, from \p workers threads.
///
/// Which worker takes which item is open, so a result must not depend on it. The first exception is
/// thrown again after all have stopped; a thread that cannot be started is done without.
template <class Body>
void for_each_item(std::size_t items, std::size_t workers, const Body& body) {
  if (workers <= 1) {
    for (std::size_t i = 0; i < items; ++i) body(std::size_t{0}, i);
    return;
  }
  constexpr std::size_t chunk = 64;
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&](std::size_t worker) {
    try {
      for (std::size_t begin = next.fetch_add(chunk); begin < items; begin = next.fetch_add(chunk))
        for (std::size_t i = begin; i < std::min(begin + chunk, items); ++i) body(worker, i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = items;
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(workers - 1);
  try {
    for (std::size_t worker = 1; worker < workers; ++worker) threads.emplace_back(work, worker);
  } catch (const std::system_error&) {
  }
  work(0);
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PREDICTION_WORKERS_HPP
