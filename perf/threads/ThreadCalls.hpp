// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_THREADS_THREAD_CALLS_HPP
#define KINDRED_PERF_THREADS_THREAD_CALLS_HPP

#include <kindred/backends/Context.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace Kindred::Perf {

/// \brief Small calls of one object, which may be made from many threads.
class ThreadCalls {
 public:
  /// Number of different queries.
  static constexpr std::size_t inputs = 8;

  virtual ~ThreadCalls() = default;
  /// Makes one call with \p count queries: \p first, \p first + 1, …, modulo `inputs`. Returns the
  /// sum of the hashes of their results. Fences.
  virtual std::uint64_t call(std::size_t first, std::size_t count,
                             std::optional<Space> space) const = 0;
};

/// Such an object for every row of the table.
struct ThreadCallsKind {
  const char* name;
  const char* text;  ///< its size
  std::unique_ptr<ThreadCalls> (*make)(Context& context, std::uint64_t seed);
};
std::span<const ThreadCallsKind> thread_calls_kinds();

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_THREADS_THREAD_CALLS_HPP
