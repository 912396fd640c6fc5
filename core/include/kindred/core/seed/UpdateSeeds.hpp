// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_UPDATE_SEEDS_HPP
#define KINDRED_CORE_SEED_UPDATE_SEEDS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/SeedStateView.hpp>
#include <kindred/core/seed/SeedUpdate.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Sets fields of seeds. Does not fence; one launch, in which one thread of a host applies
/// all updates, or three launches: on a device for more than 4096 updates, and without special
/// forms.
///
/// If several updates set the same field of a seed, the last one wins. When a seed's lifecycle
/// changes, its parent becomes the previous state, its history records the transition, and its
/// epochs become 0 unless an update sets them. Complexity O(updates); on a device O(updates²)
/// comparisons up to 4096.
/// \param updates of seeds below the size of \p state, with valid codes
/// \param winners `seed_fields` words per seed, 0 before the first call; each call leaves them 0
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void update_seeds(const ExecutionSpace& exec_space, const SeedStateView<ExecutionSpace>& state,
                  const ArrayView<const SeedUpdate, ExecutionSpace>& updates,
                  const ArrayView<std::uint32_t, ExecutionSpace>& winners);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_UPDATE_SEEDS_HPP
