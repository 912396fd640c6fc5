// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_THREAD_COUNT_HPP
#define KINDRED_BACKENDS_IMPL_THREAD_COUNT_HPP

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// Returns the value of an environment variable, or null if it is not set.
using Environment = std::function<const char*(const char* name)>;

/// The integer at the start of \p text, which Kokkos parses alike; empty if there is none or it
/// does not fit.
std::optional<int> leading_number(const char* text);

/// What decides how many host threads this process may use.
struct ThreadLimits {
  int openmp = 1;                                      ///< threads that OpenMP starts by default
  int openmp_limit = std::numeric_limits<int>::max();  ///< OMP_THREAD_LIMIT
  int allowed = 1;                                     ///< processors this process may use
  int online = 1;                                      ///< processors of the machine
  int quota = 0;  ///< processors of the control group, rounded up; 0: unlimited
};

/// A number of host threads and the reason for it, such as `OMP_NUM_THREADS`.
struct ThreadCount {
  int threads = 1;
  std::string why;

  friend bool operator==(const ThreadCount&, const ThreadCount&) = default;
};

/// The most threads of an OpenMP instance of Kokkos.
inline constexpr int threads_max = 512;

/// \brief The number of threads of a context that requests none: that of KOKKOS_NUM_THREADS, or
/// that of OpenMP up to the quota; at most the limits of OpenMP and of Kokkos.
/// \throws InvalidArgument if KOKKOS_NUM_THREADS is not a whole number ≥ 1 (Kokkos would abort)
ThreadCount choose_threads(const ThreadLimits& limits, const Environment& environment);
/// \p requested threads, at most \p openmp_limit: OpenMP would start fewer than Kokkos expects.
ThreadCount requested_threads(int requested, int openmp_limit);

/// The team sizes for \p threads ≥ 1 threads: 2, 4, 8, … and \p threads; only { 1 } for one thread.
inline std::vector<int> team_sizes(int threads) {
  std::vector<int> sizes;
  for (int size = 2; size < threads; size *= 2) sizes.push_back(size);
  sizes.push_back(threads);
  return sizes;
}

/// \brief Checks the variables that Kokkos reads as true or false.
/// \throws InvalidArgument for a value on which Kokkos would abort
void check_kokkos_switches(const Environment& environment);

/// The most threads that OpenMP starts, whatever is requested.
int openmp_thread_limit() noexcept;
/// The limits of this process; one thread if Kokkos has no OpenMP.
ThreadLimits query_thread_limits();
/// \p threads, or, if it is not positive, the default of a context. \throws as `choose_threads`
int threads_or_all(int threads);
/// Makes OpenMP start as many threads as the calling thread requests: with OMP_DYNAMIC it may start
/// fewer, and Kokkos would combine results of threads that did not run.
void start_all_threads() noexcept;
/// Parallel regions of the calling thread that request no number of threads get \p threads.
void set_region_threads(int threads) noexcept;
/// Bytes of the stack of OpenMP's threads that OMP_STACKSIZE or GOMP_STACKSIZE sets; 0: the
/// system's default.
std::size_t openmp_stack_bytes(const Environment& environment);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_THREAD_COUNT_HPP
