// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_FILES_WORKERS_HPP
#define KINDRED_MATCHER_SRC_FILES_WORKERS_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace Kindred::Impl {

/// \brief `body(i)` for every i < \p count, on at most \p threads threads, the calling one among
/// them.
///
/// Of what bodies throw, the one of the lowest i is thrown on: the same on every run.
template <class Body>
void for_each_task(std::size_t count, int threads, const Body& body) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t failed = count;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
        next = count;  // tasks below i are taken already, and finish
        return;
      }
    }
  };
  const std::size_t helpers =
      count == 0 ? 0
                 : std::min<std::size_t>(count, static_cast<std::size_t>(std::max(threads, 1))) - 1;
  std::vector<std::jthread> pool;
  try {
    while (pool.size() < helpers) pool.emplace_back(work);
  } catch (const std::exception&) {
    // fewer threads than wanted do the same work
  }
  work();
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

/// `body(begin, end)` over [0, \p size) in pieces of \p piece. \see for_each_task
template <class Body>
void for_each_piece(std::size_t size, std::size_t piece, int threads, const Body& body) {
  for_each_task((size + piece - 1) / piece, threads,
                [&](std::size_t i) { body(i * piece, std::min(size, (i + 1) * piece)); });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_FILES_WORKERS_HPP
