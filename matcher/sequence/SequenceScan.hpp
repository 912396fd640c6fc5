// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_SEQUENCE_SCAN_HPP
#define KINDRED_MATCHER_SEQUENCE_SEQUENCE_SCAN_HPP

#include "ScanWorkspace.hpp"

#include <kindred/memory/Copies.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

namespace Kindred::Impl {

/// \brief Scores all patterns for batches of queries on one space.
///
/// Each call uses its own workspace, and on a device its own stream, so that calls overlap;
/// workspaces are reused, and on a device, calls beyond `workspaces_max` wait.
template <class ExecutionSpace>
class SequenceScan {
 public:
  using tiles_type = TileBuffers<ExecutionSpace>;

  /// \param workers number of host threads; 0: as many warps as are resident on the device
  SequenceScan(MemoryResource& memory, std::shared_ptr<const tiles_type> tiles, int workers)
      : m_memory(&memory), m_tiles(std::move(tiles)), m_workers(workers) {}

  const tiles_type& tiles() const { return *m_tiles; }
  /// Bytes of the postings copied to this space; 0 on the host, which needs no copy.
  std::uint64_t postings_bytes() const {
    const std::lock_guard lock(m_postings_mutex);
    return m_postings.bytes();
  }

  /// Writes the matches of query `rows[i]` of \p queries (dense symbols, not empty) to
  /// `answers[rows[i]]`. \param index_limits per query, only patterns below this index are results;
  /// empty: no limit \param postings of the tiles if queries may use them, or null
  /// Fences the instance on which it runs: \p exec_space or that of its workspace. \throws
  /// OutOfMemory if the workspace of one query does not fit
  void match(const ExecutionSpace& exec_space, const HostPatterns& store,
             RaggedSpan<Symbol> queries, const std::vector<std::size_t>& rows,
             const MatchOptions& options, std::span<const std::uint32_t> index_limits,
             const PostingsIndex* postings, std::vector<std::vector<Match>>& answers) {
    const auto posted =
        postings == nullptr ? posted_view() : placed_postings(exec_space, *postings);
    lend(exec_space, [&](workspace_type& workspace) {
      workspace.match({store, queries, rows, options, index_limits, postings}, posted, answers);
    });
  }

  /// \brief Writes the value of every query of \p queries (dense symbols, maybe empty) and every
  /// pattern to \p target, whose memory this space can access.
  ///
  /// A pair whose similarity is below `options.threshold` may be taken to match less than it does.
  /// Fences as `match`. \throws as `match`
  void write_values(const ExecutionSpace& exec_space, const HostPatterns& store,
                    RaggedSpan<Symbol> queries, const MatchOptions& options, const PairRule& rule,
                    const ValueTarget& target) {
    std::vector<std::size_t> rows(queries.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    lend(exec_space, [&](workspace_type& workspace) {
      workspace.write_values({store, queries, rows, options, {}}, rule, target);
    });
  }

 private:
  using workspace_type = ScanWorkspace<ExecutionSpace>;
  /// On the host, as many as there are calls.
  static constexpr std::size_t workspaces_max = workspace_type::is_host ? 0 : 4;

  using posted_view = ArrayView<const std::uint32_t, ExecutionSpace>;

  /// The slots of \p postings in the memory of the kernels; copied once.
  posted_view placed_postings(const ExecutionSpace& exec_space, const PostingsIndex& postings) {
    const auto& slots = postings.slots();
    if constexpr (workspace_type::is_host) {
      return slots.const_view();
    } else {
      const std::lock_guard lock(m_postings_mutex);
      if (m_postings.size() != slots.size()) {
        Buffer<std::uint32_t, typename ExecutionSpace::memory_space> copy(
            *m_memory, "Kindred::SequenceMatcher::postings", slots.size());
        upload(exec_space, copy.view(), slots.data(), slots.size());
        m_postings = std::move(copy);
      }
      return m_postings.const_view();
    }
  }

  /// Calls `body(workspace)`.
  template <class Body>
  void lend(const ExecutionSpace& exec_space, const Body& body) {
    m_workspaces.lend(
        [&] {
          StreamUse own(m_is_stream_used.exchange(true) ? nullptr : &m_is_stream_used);
          return std::make_unique<workspace_type>(own ? exec_space : instance_beside(exec_space),
                                                  *m_memory, m_tiles, m_workers, std::move(own));
        },
        [](const workspace_type& workspace) -> const ExecutionSpace& {
          return workspace.exec_space();
        },
        "Kindred::SequenceMatcher::failed", 0,
        [&](workspace_type& workspace) {
          if constexpr (workspace_type::is_host) workspace.run_on(exec_space);
          body(workspace);
        });
  }

  MemoryResource* m_memory;
  std::shared_ptr<const tiles_type> m_tiles;
  int m_workers;
  mutable std::mutex m_postings_mutex;
  Buffer<std::uint32_t, typename ExecutionSpace::memory_space> m_postings;
  std::atomic<bool> m_is_stream_used{false};  ///< whether a workspace uses that of the context
  WorkspaceCache<workspace_type> m_workspaces{workspaces_max};
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SEQUENCE_SCAN_HPP
