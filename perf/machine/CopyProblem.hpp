// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_COPY_PROBLEM_HPP
#define KINDRED_PERF_MACHINE_COPY_PROBLEM_HPP

#include "common/Problem.hpp"

#include <cstddef>
#include <memory>

namespace Kindred::Perf {

/// \brief Copies within a memory space: what work that reads and writes as much is compared with.
struct CopyWork {
  std::size_t bytes = 0;  ///< of a copy: so many are read, and so many written
  std::size_t calls = 1;  ///< one after the other, before anybody waits
  std::size_t sets = 1;   ///< of arrays, by turns: together more than the caches hold
};

/// \brief By the fastest way there is: on a device its driver's or a kernel of 16-byte words, which
/// is found out once; on the host a piece a thread.
std::unique_ptr<Problem> copy_problem(Context& context, const CopyWork& work);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_COPY_PROBLEM_HPP
