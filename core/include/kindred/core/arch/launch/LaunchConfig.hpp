// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_LAUNCH_CONFIG_HPP
#define KINDRED_CORE_ARCH_LAUNCH_LAUNCH_CONFIG_HPP

#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// The teams of a launch that can synchronise with each other.
enum class GroupKind : std::uint8_t {
  team,     ///< none: every team is alone
  cluster,  ///< those of a cluster, as many as the device can place together
  grid      ///< all: as many as the device can keep resident together
};

/// \brief What a launch consists of, where a Kokkos policy cannot express it.
struct LaunchConfig {
  const char* label;       ///< as the profiling tools see it
  std::size_t groups = 1;  ///< one if the group is the grid
  GroupKind kind = GroupKind::team;
  unsigned threads = 0;           ///< per team; 0: as many as the functor declares
  std::size_t scratch_bytes = 0;  ///< per team; more than 48 KB if the device has it
  /// Starts before the preceding launch in the stream has ended, if that launch allows it and the
  /// device supports it; the functor must then call `wait_for_previous_launch`.
  bool begins_early = false;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_LAUNCH_CONFIG_HPP
