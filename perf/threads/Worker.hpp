// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_THREADS_WORKER_HPP
#define KINDRED_PERF_THREADS_WORKER_HPP

#include <kindred/backends/Space.hpp>

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace Kindred::Perf {

/// The rate of small calls in one process.
struct CallRate {
  double calls_per_second = 0;  ///< of all threads together
  std::uint64_t calls = 0;
  std::uint64_t wrong = 0;  ///< calls whose results differ from those of one thread
};

/// What a small call waits beside a large one on another thread.
struct CallWait {
  double large_seconds = 0;    ///< duration of the large call
  double small_seconds = 0;    ///< median duration of a small call when it is alone
  double longest_seconds = 0;  ///< of a small call that began during the large one
  std::uint64_t calls = 0;
  std::uint64_t wrong = 0;
};

/// \brief A process with a context and objects of its own that makes calls on request.
///
/// It is forked from a process that has no context yet, so that its threads and spaces are its own.
/// It sleeps between requests, and ends with this object.
class Worker {
 public:
  Worker(std::uint64_t seed, int context_threads);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // A request is sent by one function and awaited by the other, so that many processes can work at
  // the same time. All throw Error if the process reports one.

  /// Creates the objects of \p kind and its reference results, if there are none yet.
  void start_preparing(std::size_t kind);
  /// Returns the hash of the reference results.
  std::uint64_t wait_prepared();

  /// Starts \p threads threads, which make every call once and check its results.
  void start_warming(std::size_t kind, std::optional<Space> space, int threads);
  void wait_warm();
  /// The threads repeat calls for \p seconds from the instant \p start of `CLOCK_MONOTONIC` on.
  void start_calls(double start, double seconds);
  CallRate wait_rate();

  /// One thread makes small calls of \p small while another makes one call of \p large that takes
  /// about \p seconds.
  void start_waiting(std::size_t small, std::size_t large, std::optional<Space> space,
                     double seconds);
  CallWait wait_for_wait();

 private:
  template <class Answer>
  Answer receive();

  int m_orders = -1;
  int m_answers = -1;
  pid_t m_process = -1;
};

/// Now, in seconds of `CLOCK_MONOTONIC`, which all processes share.
double monotonic_seconds();

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_THREADS_WORKER_HPP
