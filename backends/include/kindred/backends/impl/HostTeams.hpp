// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_HOST_TEAMS_HPP
#define KINDRED_BACKENDS_IMPL_HOST_TEAMS_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <memory>
#include <vector>

namespace Kindred::Impl {

/// \brief Teams of 2, 4, 8, … and all threads, each with a parked thread that calls are handed to.
///
/// libgomp keeps one pool for each thread that starts parallel regions. It ends the surplus threads
/// when a region is smaller than the one before and starts them again when one is larger, which
/// takes ten times as long as the region itself. The thread of a team starts regions of one size
/// only, so that its pool stays. All pools together have more threads than the machine, for which
/// libgomp waits passively unless OMP_WAIT_POLICY or GOMP_SPINCOUNT says otherwise. Thread-safe.
class HostTeams {
 public:
  /// \param all an instance of \p threads threads, which kernels of that team run on
  HostTeams(int threads, const HostSpace& all);
  ~HostTeams();
  HostTeams(const HostTeams&) = delete;
  HostTeams& operator=(const HostTeams&) = delete;

  using Call = void (*)(const void* body);
  /// \brief `call(body)` on the team of \p threads, on which `here()` is its instance, and waits
  /// for it. On the calling thread where that belongs to a team or a parallel region already; with
  /// more threads where the team is busy, so that callers which hold locks cannot wait for one
  /// another. Returns the number of threads used. \throws what the call throws
  int run(int threads, Call call, const void* body);
  /// The instance of the team that the calling thread works for; null: for none of these.
  const HostSpace* here() const noexcept;

 private:
  class Team;
  const HostSpace m_all;
  std::vector<std::unique_ptr<Team>> m_teams;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_HOST_TEAMS_HPP
