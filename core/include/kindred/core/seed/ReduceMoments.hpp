// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_REDUCE_MOMENTS_HPP
#define KINDRED_CORE_SEED_REDUCE_MOMENTS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/SeedTelemetry.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Merges a ring's moments over epochs, and over a range of seeds. Does not fence; two
/// launches.
///
/// Both merges combine neighbours, then pairs, then pairs of pairs, … as `seed_forward` does;
/// epochs first, from the oldest. Complexity O(epochs × seeds).
/// \param ring `slots × seeds`; epoch e of the call is in slot (first_slot + e) mod slots
/// \param each one per seed of the range, merged over the epochs \param whole one, merged over all
/// seeds
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void reduce_moments(const ExecutionSpace& exec_space,
                    const ArrayView<const SeedMoments, ExecutionSpace>& ring, std::uint32_t seeds,
                    std::uint32_t slots, std::uint32_t first_slot, std::uint32_t epochs,
                    std::uint32_t first_seed, const ArrayView<SeedMoments, ExecutionSpace>& each,
                    const ArrayView<SeedMoments, ExecutionSpace>& whole);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_REDUCE_MOMENTS_HPP
