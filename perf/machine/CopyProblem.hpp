// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_COPY_PROBLEM_HPP
#define KINDRED_PERF_MACHINE_COPY_PROBLEM_HPP

#include "problems/Problem.hpp"

#include <cstddef>
#include <memory>

namespace Kindred::Perf {

/// \brief Copies within a memory space, the baseline for work that reads and writes as many bytes.
struct CopyWork {
  std::size_t bytes = 0;  ///< per copy: the number of bytes read, and also of bytes written
  std::size_t calls = 1;  ///< enqueued before one fence
  std::size_t sets = 1;   ///< array sets, used in turn; together they exceed the caches
};

/// \brief Copies in the fastest way: on a device by its driver or by a kernel with 16-byte words,
/// whichever is faster when first measured; on the host by all threads.
std::unique_ptr<Problem> copy_problem(Context& context, const CopyWork& work);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_COPY_PROBLEM_HPP
