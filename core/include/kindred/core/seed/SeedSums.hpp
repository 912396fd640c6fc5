// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_SUMS_HPP
#define KINDRED_CORE_SEED_SEED_SUMS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/SeedTelemetry.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Numbers of float32, float64, int32 or int64, one per seed, in the memory of a kernel;
/// null: not written.
struct SeedNumbers {
  void* values = nullptr;
  DataType type = DataType::float64;
};

/// The sums of the elements that each seed has processed, of their squares, and their number.
struct SeedSumArrays {
  SeedNumbers sum;
  SeedNumbers sum_of_squares;
  SeedNumbers count;
};

/// \brief Converts moments to sums. Does not fence; one launch.
///
/// In double, each operation rounded: sum = count · mean, sum of squares = m2 + mean · sum; then
/// rounded to the type of the array. Counts are converted to it. Complexity O(seeds).
/// \param moments of the first \p seeds seeds; size 0: of seeds that have processed nothing
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void seed_sums(const ExecutionSpace& exec_space, std::uint32_t seeds,
               const ArrayView<const SeedMoments, ExecutionSpace>& moments,
               const SeedSumArrays& sums);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_SUMS_HPP
