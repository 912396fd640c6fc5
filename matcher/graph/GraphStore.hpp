// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_GRAPH_STORE_HPP
#define KINDRED_MATCHER_GRAPH_GRAPH_STORE_HPP

#include "GraphSnapshot.hpp"

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/SharedSnapshot.hpp>
#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace Kindred::Impl {

struct FileTarget;
struct StoredGraph;

/// \brief A graph that can change while calls read it.
///
/// Every change creates a new snapshot, in which the affected rows are rebuilt completely and
/// stored next to the rows as built. A merge combines both into a new base and carries over the
/// rows that were rebuilt meanwhile. Thread-safe: changes are serialized, readers never wait.
class GraphStore {
 public:
  /// \throws InvalidArgument, SpaceUnavailable, OutOfMemory
  GraphStore(Context& context, const GraphSpan& graph, const GraphOptions& options);
  /// Borrows the rows of a caller, see `CsrGraph`. \throws as above
  GraphStore(Context& context, const CsrGraph& graph, const GraphOptions& options);
  /// Uses the mapped rows of a file in place. \throws CorruptFile for a duplicate name;
  /// SpaceUnavailable, OutOfMemory
  GraphStore(Context& context, const StoredGraph& stored, const GraphOptions& options);
  ~GraphStore();
  GraphStore(const GraphStore&) = delete;
  GraphStore& operator=(const GraphStore&) = delete;

  std::shared_ptr<const GraphSnapshot> snapshot() const { return m_snapshot.get(); }

  const std::optional<Vocabulary>& names() const noexcept { return m_names; }

  std::uint32_t add_nodes(std::uint64_t count, std::span<const std::uint8_t> kinds);
  std::vector<std::uint32_t> add_nodes(std::span<const std::string_view> names,
                                       std::span<const std::uint8_t> kinds);
  void add_edges(std::span<const Edge> edges, std::span<const std::uint8_t> kinds);
  std::uint64_t remove_edges(std::span<const EdgeEnds> edges);
  void remove_nodes(std::span<const std::uint32_t> nodes);
  /// \throws OutOfMemory; the graph is then unchanged
  void merge();

  void save(FileTarget target) const;
  GraphStatistics statistics() const;

 private:
  /// Of the rows of a caller or a file. \param owner of their memory, if they are borrowed
  void start(BothRows<Kokkos::HostSpace> rows, EdgeForm form, std::shared_ptr<const void> owner,
             std::shared_ptr<const NodeTable> table, std::uint64_t outside);
  struct Touched {
    std::vector<std::uint32_t> in;  ///< ascending and distinct, once they are sorted
    std::vector<std::uint32_t> out;

    void sort();
  };

  /// Publishes \p next after a change of the rows \p touched. `m_updates` must be held.
  void publish(std::shared_ptr<const GraphSnapshot> next, const Touched& touched);
  /// The snapshot after a change of rows. \param added in input order
  std::shared_ptr<const GraphSnapshot> changed(
      const GraphSnapshot& graph, std::span<const Edge> added, std::span<const std::uint8_t> kinds,
      const Touched& touched,
      const std::function<bool(std::uint32_t, std::uint32_t, std::uint8_t)>& drops,
      std::shared_ptr<const NodeTable> table) const;
  std::shared_ptr<const GraphSnapshot> with_nodes(const GraphSnapshot& graph,
                                                  std::shared_ptr<const NodeTable> table,
                                                  std::size_t nodes) const;
  /// Whether enough has changed for a merge.
  bool is_due(const GraphSnapshot& graph) const;
  void merge_if_due(EngineLock<TimedMutex>& updates);
  void merge_quietly() noexcept;
  /// Logs \p what and \p error, if memory permits.
  void log(LogLevel level, const char* what, const std::exception& error) const noexcept;
  /// On the thread that merges.
  void merge_while_due();

  Context* m_context;
  GraphOptions m_options;
  std::optional<Vocabulary> m_names;

  SharedSnapshot<GraphSnapshot> m_snapshot;

  TimedMutex m_updates;    ///< the only lock: held while the graph changes, not while it is merged
  bool m_merging = false;  ///< whether a merge runs
  Touched m_recorded;      ///< rows rebuilt since it started
  double m_failed = 0;     ///< changed rows and edges at the time of the last failed merge
  std::atomic<std::uint64_t> m_merges{0};

  std::condition_variable_any m_merged;  ///< of calls that wait for a merge
  bool m_merges_beside = false;          ///< whether the thread merges
  bool m_stop = false;
  std::thread m_thread;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_GRAPH_STORE_HPP
