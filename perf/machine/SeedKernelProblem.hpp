// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_SEED_KERNEL_PROBLEM_HPP
#define KINDRED_PERF_MACHINE_SEED_KERNEL_PROBLEM_HPP

#include <kindred/core/common/Array.hpp>

#include "problems/Problem.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace Kindred::Perf {

/// \brief Calls of a kernel of the seed layer on resident rows.
struct SeedKernelWork {
  enum class Kind : std::uint8_t { telemetry, plain, backward, update };
  Kind kind = Kind::telemetry;
  std::uint64_t rows = 0;  ///< number of updates for an update kernel
  std::uint32_t hidden = 0;
  std::uint32_t seeds = 0;
  DataType element = DataType::float32;
  std::size_t calls = 1;  ///< enqueued before one fence
  std::size_t sets = 1;   ///< row sets, used in turn; together they exceed the caches
  bool overlaps = true;   ///< calls may overlap, like those of a sequence on independent rows
  std::uint64_t seed = 7;
};

std::unique_ptr<Problem> seed_kernel_problem(Context& context, const SeedKernelWork& work);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_SEED_KERNEL_PROBLEM_HPP
