// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_SEED_PROBLEM_HPP
#define KINDRED_PERF_MACHINE_SEED_PROBLEM_HPP

#include <kindred/core/vector/VectorElement.hpp>

#include "common/Problem.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace Kindred::Perf {

/// \brief Calls of a kernel of the seed layer on rows that are where it runs.
struct SeedWork {
  enum class Kind : std::uint8_t { telemetry, plain, update };
  Kind kind = Kind::telemetry;
  std::uint64_t rows = 0;  ///< of an update: updates
  std::uint32_t hidden = 0;
  std::uint32_t seeds = 0;
  VectorElement element = VectorElement::float32;
  std::size_t calls = 1;  ///< one after the other, before anybody waits
  std::size_t sets = 1;   ///< of rows, by turns: together more than the caches hold
  bool overlaps = true;   ///< as a sequence's calls of rows that have nothing in common
  std::uint64_t seed = 7;
};

std::unique_ptr<Problem> seed_problem(Context& context, const SeedWork& work);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_SEED_PROBLEM_HPP
