// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_SYNC_WORKER_HPP
#define KINDRED_MATCHER_PATTERNS_SYNC_WORKER_HPP

#include "PatternTiers.hpp"
#include "kit/Turn.hpp"

#include <kindred/core/common/Mutex.hpp>
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
  /// Synchronises; called by one thread at a time. Exceptions are recorded.
  using Sync = std::function<SyncRecord(SyncTrigger)>;
  /// Returns the fill of the tiers.
  using Fill = std::function<TierFill()>;

  SyncWorker(const PatternSettings& settings, Sync sync, Fill fill);
  ~SyncWorker();
  SyncWorker(const SyncWorker&) = delete;
  SyncWorker& operator=(const SyncWorker&) = delete;

  /// Starts the thread if the settings request it. To be called once, when everything that a
  /// synchronisation reads is constructed.
  void start();
  /// To be called after a pattern was learned; starts a synchronisation if the threshold is
  /// reached.
  void learned();
  /// To be called after a pattern was forgotten; starts a synchronisation if enough patterns are
  /// forgotten.
  void forgot();
  /// \throws Cancelled if the caller asked for it: each level has moved as a whole or not at all
  SyncRecord run(SyncTrigger trigger);
  /// While it exists, no synchronisation runs. \throws Cancelled
  Turn<> turn() { return Turn<>(m_turns); }
  void begin_training();
  SyncRecord end_training();
  SyncStatistics statistics() const;

 private:
  void loop();
  /// Whether more than a quarter of the patterns in the tiers, and a minimum number, are forgotten.
  /// The caller holds the lock.
  bool must_reclaim(const TierFill& fill) const noexcept;
  /// Starts a synchronisation if `is_due()`, which is called with the lock held.
  template <class IsDue>
  void start_if(const IsDue& is_due);

  const PatternSettings* m_settings;
  Sync m_sync;
  Fill m_fill;
  Turns<> m_turns;  ///< of synchronisations
  mutable Mutex m_mutex;
  std::condition_variable_any m_wake;
  SyncStatistics m_statistics;
  /// Number of recent patterns that triggers the next synchronisation; higher after one that could
  /// not move all.
  std::uint64_t m_next = 0;
  std::uint64_t m_forgotten_left = 0;  ///< forgotten patterns after the last synchronisation
  bool m_reached = false;  ///< whether the threshold was reached since the thread last checked
  bool m_stop = false;
  std::thread m_thread;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_SYNC_WORKER_HPP
