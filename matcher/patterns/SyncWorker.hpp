// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_SYNC_WORKER_HPP
#define KINDRED_MATCHER_PATTERNS_SYNC_WORKER_HPP

#include "PatternTiers.hpp"

#include <kindred/matcher/PatternMemory.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace Kindred::Impl {

/// \brief Schedules synchronisations of the tiers: the four triggers, the thread for two of them,
/// and statistics.
class SyncWorker {
 public:
  /// Synchronises now; called by one thread at a time. What it throws is recorded.
  using Sync = std::function<SyncRecord(SyncTrigger)>;
  /// Patterns that are not in the bulk tier.
  using Recent = std::function<std::uint64_t()>;

  /// What is in the tiers.
  using Fill = std::function<TierFill()>;

  SyncWorker(const PatternSettings& settings, Sync sync, Recent recent, Fill fill);
  ~SyncWorker();
  SyncWorker(const SyncWorker&) = delete;
  SyncWorker& operator=(const SyncWorker&) = delete;

  /// Starts the thread, where the settings ask for one; once, when all that a synchronisation reads
  /// is in place.
  void start();
  /// To be called after a pattern was learned; starts a sync if the threshold is reached.
  void learned();
  /// To be called after a pattern was forgotten; starts a sync if enough was forgotten.
  void forgot();
  SyncRecord run(SyncTrigger trigger);
  void begin_training();
  SyncRecord end_training();
  SyncStatistics statistics() const;

 private:
  void loop();
  /// Whether a quarter of what is in the tiers was forgotten, and not too little. Needs the lock.
  bool must_reclaim(const TierFill& fill) const noexcept;
  void start_sync();

  const PatternSettings* m_settings;
  Sync m_sync;
  Recent m_recent;
  Fill m_fill;
  std::mutex m_run_mutex;  ///< of a sync under way
  mutable std::mutex m_mutex;
  std::condition_variable m_wake;
  SyncStatistics m_statistics;
  std::uint64_t m_next = 0;  ///< recent patterns of the next automatic sync; more after a sync that
                             ///< could not move all
  std::uint64_t m_forgotten_left = 0;  ///< by the last sync
  bool m_reached = false;              ///< the threshold, since the thread last looked
  bool m_stop = false;
  std::thread m_thread;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_SYNC_WORKER_HPP
