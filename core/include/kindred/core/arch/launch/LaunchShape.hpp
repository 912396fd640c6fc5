// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_LAUNCH_SHAPE_HPP
#define KINDRED_CORE_ARCH_LAUNCH_LAUNCH_SHAPE_HPP

#include <kindred/core/arch/Spaces.hpp>

namespace Kindred::Arch {

/// \brief Launch shape of a kernel whose work item is a warp (device) or a thread (host).
///
/// A kernel takes `TeamPolicy(exec, league, team_size, vector_length)`; work item u of the league
/// is `league_rank * team_size + team_rank`. Team scratch level 0 stays within 48 KB.
template <class ExecutionSpace>
struct LaunchShape {
  static constexpr int team_size = is_device<ExecutionSpace> ? 8 : 1;
  static constexpr int vector_length = is_device<ExecutionSpace> ? 32 : 1;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_LAUNCH_SHAPE_HPP
