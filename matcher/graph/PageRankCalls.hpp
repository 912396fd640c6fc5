// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_PAGE_RANK_CALLS_HPP
#define KINDRED_MATCHER_GRAPH_PAGE_RANK_CALLS_HPP

#include "GraphSnapshot.hpp"
#include "PageRankWorkspace.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <atomic>
#include <functional>
#include <span>

namespace Kindred::Impl {

/// \brief Runs PageRank calls and keeps their workspaces. Thread-safe. \see WorkspaceCaches
class PageRankCalls {
 public:
  explicit PageRankCalls(Context& context) : m_context(&context) {}

  /// Releases the workspaces of \p space that no call uses. Returns whether there were any.
  bool release(Space space);

  /// \brief The best \p top ranks and the convergence of every query, on the space that the
  /// dispatcher chooses. Fences its instance. \param make_room releases memory of a space, if
  /// possible
  /// \throws InvalidArgument for options out of range or a weight below 0; SpaceUnavailable;
  /// OutOfMemory
  DispatchRecord run(const GraphSnapshot& graph, std::span<const RestartSources> sources,
                     const SpreadOptions& options, std::size_t top, std::span<Rank> ranks,
                     std::span<Convergence> convergence,
                     const std::function<bool(Space)>& make_room);

 private:
  void run_on(Space space, const GraphSnapshot& graph, std::span<const RestartSources> sources,
              const PageRankRequest& request, std::span<Rank> ranks,
              std::span<Convergence> convergence);

  Context* m_context;
  CallHistory m_history;
  std::atomic<double> m_iterations = 16;  // recent iterations per query, for cost prediction
  WorkspaceCaches<PageRankWorkspace> m_workspaces;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_PAGE_RANK_CALLS_HPP
