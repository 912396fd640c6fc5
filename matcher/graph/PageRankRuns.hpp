// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_PAGE_RANK_RUNS_HPP
#define KINDRED_MATCHER_GRAPH_PAGE_RANK_RUNS_HPP

#include "GraphSnapshot.hpp"
#include "PageRankWorkspace.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <span>

namespace Kindred::Impl {

/// \brief Calls of PageRank, and what they work in. Thread-safe: a call waits for the one before it
/// on the same space.
class PageRankRuns {
 public:
  explicit PageRankRuns(Context& context) : m_context(&context) {}

  /// Gives back what calls on \p space work in, once none runs. Returns whether there was any.
  bool release(Space space);

  /// \brief The best \p top ranks of every query, and how it converged, on the space that the
  /// dispatcher chooses. Fences its instance.
  /// \param make_room gives memory of a space back, if there is any to give
  /// \throws InvalidArgument for options out of range or a weight below 0; SpaceUnavailable;
  /// OutOfMemory
  DispatchRecord run(const GraphSnapshot& graph, std::span<const RestartSources> sources,
                     const SpreadOptions& options, std::size_t top, std::span<Rank> ranks,
                     std::span<Convergence> convergence,
                     const std::function<bool(Space)>& make_room);

 private:
  template <class ExecutionSpace>
  struct Side {
    std::mutex mutex;  // held while a call works in it
    std::optional<PageRankWorkspace<ExecutionSpace>> workspace;
  };

  void run_on(Space space, const GraphSnapshot& graph, std::span<const RestartSources> sources,
              const PageRankRequest& request, std::span<Rank> ranks,
              std::span<Convergence> convergence);

  Context* m_context;
  CallHistory m_history;
  std::atomic<double> m_iterations = 16;  // of late, a query: what a call is expected to take
  Side<HostSpace> m_serial;
  Arch::PerSpace<Side> m_sides;  // that of the host is of all threads
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_PAGE_RANK_RUNS_HPP
