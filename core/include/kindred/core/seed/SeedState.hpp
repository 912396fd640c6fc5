// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_STATE_HPP
#define KINDRED_CORE_SEED_SEED_STATE_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/SeedUpdate.hpp>

#include <cstdint>

namespace Kindred {

/// \brief The state of seeds, an array a field, where the kernels run. Index: the seed.
template <class ExecutionSpace>
struct SeedStateView {
  ArrayView<std::int8_t, ExecutionSpace> lifecycle;   ///< `Lifecycle`
  ArrayView<std::int32_t, ExecutionSpace> blueprint;  ///< `seed_none`: none
  ArrayView<std::int16_t, ExecutionSpace> epochs;     ///< in this state
  ArrayView<std::int8_t, ExecutionSpace> mode;        ///< `ApplyMode`
  ArrayView<std::int8_t, ExecutionSpace> schedule;    ///< `AlphaSchedule`
  ArrayView<float, ExecutionSpace> alpha;             ///< 0 … 1
  ArrayView<std::int8_t, ExecutionSpace> parent;      ///< the `Lifecycle` before this one
  ArrayView<std::int32_t, ExecutionSpace> checkpoint;
  ArrayView<float, ExecutionSpace> evaluation;
  ArrayView<std::int16_t, ExecutionSpace> errors;
  /// \name The last transitions: `seed_history` places a seed, the next one goes to `cursor`
  ///@{
  ArrayView<std::int8_t, ExecutionSpace> from;
  ArrayView<std::int8_t, ExecutionSpace> to;
  ArrayView<std::uint8_t, ExecutionSpace> cursor;
  ArrayView<std::uint8_t, ExecutionSpace> transitions;  ///< remembered: at most `seed_history`
  ///@}
};

/// \brief Sets fields of seeds. Does not fence; one launch, and three on a device beyond 4096
/// updates. A host makes them one after the other, on one thread.
///
/// Of several updates of a field of a seed the last wins. Where a seed's lifecycle becomes another
/// one, its parent is the one before, its history holds the transition, and its epochs are 0 unless
/// an update gives them. Complexity O(updates); on a device O(updates²) comparisons up to 4096.
/// \param updates of seeds below the number of \p state, whose values are codes that exist
/// \param winners `seed_fields` words a seed, 0 before the first call; a call leaves them so
template <class ExecutionSpace>
void update_seeds(const ExecutionSpace& exec_space, const SeedStateView<ExecutionSpace>& state,
                  const ArrayView<const SeedUpdate, ExecutionSpace>& updates,
                  const ArrayView<std::uint32_t, ExecutionSpace>& winners);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_STATE_HPP
