// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_MEMORY_SYNC_WORKER_HPP
#define KINDRED_MATCHER_SRC_MEMORY_SYNC_WORKER_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace Kindred::Impl {

/// \brief When the tiers synchronise: the four triggers, the thread behind two of them, and what
/// they did.
class SyncWorker {
 public:
  /// Synchronises now; called by one thread at a time. What it throws is recorded.
  using Sync = std::function<SyncRecord(SyncTrigger)>;
  /// Patterns that are not in the bulk tier.
  using Recent = std::function<std::uint64_t()>;

  SyncWorker(const PatternSettings& settings, Sync sync, Recent recent);
  ~SyncWorker();
  SyncWorker(const SyncWorker&) = delete;
  SyncWorker& operator=(const SyncWorker&) = delete;

  /// Told after a pattern was learned: starts a sync where the threshold is reached.
  void learned();
  SyncRecord run(SyncTrigger trigger);
  void begin_training();
  SyncRecord end_training();
  SyncStatistics statistics() const;

 private:
  void loop();

  const PatternSettings* m_settings;
  Sync m_sync;
  Recent m_recent;
  std::mutex m_run_mutex;  ///< of a sync under way
  mutable std::mutex m_mutex;
  std::condition_variable m_wake;
  SyncStatistics m_statistics;
  std::uint64_t m_next = 0;  ///< recent patterns of the next automatic sync; more after a sync that
                             ///< could not move all
  bool m_reached = false;    ///< the threshold, since the thread last looked
  bool m_stop = false;
  std::thread m_thread;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_MEMORY_SYNC_WORKER_HPP
