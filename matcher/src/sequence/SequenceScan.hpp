// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_SEQUENCE_SEQUENCE_SCAN_HPP
#define KINDRED_MATCHER_SRC_SEQUENCE_SEQUENCE_SCAN_HPP

#include "ScanWorkspace.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace Kindred::Impl {

/// \brief Scores all patterns for batches of queries on one space.
///
/// A caller works in a workspace of its own, on a device with a stream of its own, so that calls
/// overlap; workspaces are reused, and callers beyond `workspaces_max` wait.
template <class ExecutionSpace>
class SequenceScan {
 public:
  using tiles_type = TileBuffers<ExecutionSpace>;

  /// \param workers host threads, or 0 for as many warps as a device holds
  SequenceScan(MemoryResource& memory, std::shared_ptr<const tiles_type> tiles, int workers)
      : m_memory(&memory), m_tiles(std::move(tiles)), m_workers(workers) {}

  const tiles_type& tiles() const { return *m_tiles; }

  /// Answers query `rows[i]` of \p queries (dense symbols, not empty) into `answers[rows[i]]`.
  /// \param index_limits for every query, the index from which on patterns are no result; empty:
  /// all are
  /// Fences the instance it runs on: \p exec_space or one beside it. \throws OutOfMemory when one
  /// query does not fit
  void match(const ExecutionSpace& exec_space, const PatternStore& store,
             RaggedSpan<Symbol> queries, const std::vector<std::size_t>& rows,
             const MatchOptions& options, std::span<const std::uint32_t> index_limits,
             std::vector<std::vector<Match>>& answers) {
    const Lease lease(*this, exec_space);
    lease.workspace->match({store, queries, rows, options, index_limits}, answers);
  }

 private:
  using workspace_type = ScanWorkspace<ExecutionSpace>;
  /// The threads of the host work on one call at a time anyway.
  static constexpr std::size_t workspaces_max = workspace_type::is_host ? 1 : 4;

  /// A workspace for the time of a call.
  struct Lease {
    Lease(SequenceScan& from, const ExecutionSpace& exec_space) : scan(from) {
      std::unique_lock lock(scan.m_mutex);
      scan.m_returned.wait(lock,
                           [&] { return !scan.m_free.empty() || scan.m_made < workspaces_max; });
      if (scan.m_free.empty()) {
        workspace = std::make_unique<workspace_type>(
            scan.m_made == 0 ? exec_space : instance_beside(exec_space), *scan.m_memory,
            scan.m_tiles, scan.m_workers);
        ++scan.m_made;
      } else {
        workspace = std::move(scan.m_free.back());
        scan.m_free.pop_back();
      }
    }
    ~Lease() {
      {
        const std::lock_guard lock(scan.m_mutex);
        scan.m_free.push_back(std::move(workspace));
      }
      scan.m_returned.notify_one();
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    SequenceScan& scan;
    std::unique_ptr<workspace_type> workspace;
  };

  MemoryResource* m_memory;
  std::shared_ptr<const tiles_type> m_tiles;
  int m_workers;
  std::mutex m_mutex;
  std::condition_variable m_returned;
  std::vector<std::unique_ptr<workspace_type>> m_free;  ///< the last returned is taken first
  std::size_t m_made = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_SEQUENCE_SEQUENCE_SCAN_HPP
