// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_OPENMP_TEAMS_HPP
#define KINDRED_BACKENDS_IMPL_OPENMP_TEAMS_HPP

#include <kindred/backends/impl/HostInstance.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/LeasePool.hpp>

#include <memory>
#include <vector>

namespace Kindred::Impl {

/// \brief Teams of 2, 4, 8, … and all threads, each with a parked leader thread that executes
/// calls.
///
/// libgomp keeps one pool per thread that starts parallel regions. When a region is smaller than
/// the previous one it ends the surplus threads, and when a region is larger it starts them again,
/// which takes ten times as long as the region itself. The leader of a team starts regions of one
/// size only, so that its pool persists. All pools together have more threads than the machine has
/// processors; libgomp therefore waits passively unless OMP_WAIT_POLICY or GOMP_SPINCOUNT is set.
/// Thread-safe.
class OpenMPTeams {
 public:
  /// \param threads size of the largest team
  /// \param all an instance of \p threads threads, on which kernels of the largest team run
  /// \param single instances of one thread; must outlive this object
  OpenMPTeams(int threads, const HostSpace& all, LeasePool<HostInstance>& single);
  ~OpenMPTeams();
  OpenMPTeams(const OpenMPTeams&) = delete;
  OpenMPTeams& operator=(const OpenMPTeams&) = delete;

  using Call = void (*)(const void* body);
  /// \brief Runs `call(body)` on the team of \p threads and waits for it; during the call, `here()`
  /// is the team's instance.
  ///
  /// If the calling thread already belongs to a team or a parallel region, the call runs on that
  /// thread. If the team is busy, a larger one is used, otherwise a smaller one, otherwise the
  /// calling thread alone: a caller never waits for another.
  /// \return the number of threads used
  /// \throws SpaceUnavailable if the threads of the team cannot be started; what the call throws
  friend int run_on_team(OpenMPTeams& teams, int threads, Call call, const void* body);
  /// The instance of the team that the calling thread works for; null if it belongs to none of
  /// these teams.
  const HostSpace* here() const noexcept;

 private:
  class Team;

  LeasePool<HostInstance>& m_single;
  std::vector<std::unique_ptr<HostInstance>> m_instances;  ///< of the teams but the largest
  std::vector<std::unique_ptr<Team>> m_teams;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_OPENMP_TEAMS_HPP
