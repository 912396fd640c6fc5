// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_STATE_VIEW_HPP
#define KINDRED_CORE_SEED_SEED_STATE_VIEW_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/SeedUpdate.hpp>

#include <cstdint>

namespace Kindred {

/// \brief The state of the seeds, one array per field, indexed by seed, where the kernels run.
template <class ExecutionSpace>
struct SeedStateView {
  ArrayView<std::int8_t, ExecutionSpace> lifecycle;   ///< `Lifecycle`
  ArrayView<std::int32_t, ExecutionSpace> blueprint;  ///< `seed_none`: no blueprint
  ArrayView<std::int16_t, ExecutionSpace> epochs;     ///< epochs in this state
  ArrayView<std::int8_t, ExecutionSpace> mode;        ///< `ApplyMode`
  ArrayView<std::int8_t, ExecutionSpace> schedule;    ///< `AlphaSchedule`
  ArrayView<float, ExecutionSpace> alpha;             ///< 0 … 1
  ArrayView<std::int8_t, ExecutionSpace> parent;      ///< the previous `Lifecycle`
  ArrayView<std::int32_t, ExecutionSpace> checkpoint;
  ArrayView<float, ExecutionSpace> evaluation;
  ArrayView<std::int16_t, ExecutionSpace> errors;
  /// \name The last transitions: `seed_history` entries per seed, the next one is written at
  /// `cursor`
  ///@{
  ArrayView<std::int8_t, ExecutionSpace> from;
  ArrayView<std::int8_t, ExecutionSpace> to;
  ArrayView<std::uint8_t, ExecutionSpace> cursor;
  ArrayView<std::uint8_t, ExecutionSpace> transitions;  ///< number stored, at most `seed_history`
  ///@}
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_STATE_VIEW_HPP
