// SPDX-License-Identifier: Apache-2.0
#include "SyncWorker.hpp"

#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace Kindred::Impl {

namespace {

/// A smaller number of forgotten patterns does not cause a synchronisation.
constexpr std::uint64_t forgotten_least = 1024;

}  // namespace

SyncWorker::SyncWorker(const PatternSettings& settings, Sync sync, Fill fill)
    : m_settings(&settings),
      m_sync(std::move(sync)),
      m_fill(std::move(fill)),
      m_next(settings.sync_threshold) {
  m_statistics.background = settings.background_sync;
}

void SyncWorker::start() {
  if (m_settings->background_sync)
    m_thread = start_thread("the thread that synchronises patterns", [this] { loop(); });
}

SyncWorker::~SyncWorker() {
  {
    const std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_wake.notify_all();
  if (m_thread.joinable()) m_thread.join();
}

template <class IsDue>
void SyncWorker::start_if(const IsDue& is_due) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_statistics.training || !is_due()) return;
    m_reached = m_settings->background_sync;
  }
  if (m_settings->background_sync) {
    m_wake.notify_one();
  } else {
    run(SyncTrigger::threshold);
  }
}

void SyncWorker::learned() {
  start_if([this, fill = m_fill()] { return fill.recent >= m_next; });
}

void SyncWorker::forgot() {
  start_if([this, fill = m_fill()] { return must_reclaim(fill); });
}

bool SyncWorker::must_reclaim(const TierFill& fill) const noexcept {
  // If forgotten patterns could not be reclaimed for lack of memory, the next attempt is made when
  // their number has doubled.
  return fill.forgotten > std::max(forgotten_least, 2 * m_forgotten_left) &&
         4 * fill.forgotten > fill.patterns;
}

namespace {

/// A copy of \p text, or a short text, which is not allocated, where there is no memory for it.
std::string kept_text(const char* text) noexcept {
  try {
    return text;
  } catch (const std::bad_alloc&) {
    return "out of memory";
  }
}

}  // namespace

// Throws nothing where memory is missing: the patterns of the call that caused it are learned, and
// nobody catches what the background thread throws. For the same reason, it is incomplete if that
// call was cancelled, unless it asked for a synchronisation.
SyncRecord SyncWorker::run(SyncTrigger trigger) {
  const bool is_asked_for = trigger == SyncTrigger::manual || trigger == SyncTrigger::training;
  if (is_asked_for) CancelPoint().check();
  const Turn<> in_turn = [&] {
    if (is_asked_for) return turn();
    const CancelPoint::Suspended not_cancelled;
    return turn();
  }();
  SyncRecord record;
  record.trigger = trigger;
  try {
    record = m_sync(trigger);
  } catch (const std::exception& error) {
    if (is_asked_for && dynamic_cast<const Cancelled*>(&error) != nullptr) throw;
    record.left = m_fill().recent;
    record.why_left = kept_text(error.what());
  }
  const TierFill fill = m_fill();
  const std::lock_guard lock(m_mutex);
  m_forgotten_left = fill.forgotten;
  ++m_statistics.syncs[static_cast<std::size_t>(trigger)];
  m_statistics.patterns_synced += record.moved;
  m_statistics.incomplete += record.left > 0 ? 1 : 0;
  m_statistics.last = {trigger, record.moved, record.left, record.seconds,
                       kept_text(record.why_left.c_str())};
  // Patterns that could not be moved are tried again at the next interval, or when as many new ones
  // have been added.
  m_next = m_settings->sync_threshold + 2 * record.left;
  return record;
}

void SyncWorker::begin_training() {
  const std::lock_guard lock(m_mutex);
  KINDRED_THROW_IF(m_statistics.training, "training has begun already; end it first");
  m_statistics.training = true;
}

SyncRecord SyncWorker::end_training() {
  const TierFill fill = m_fill();
  bool reclaims = false;
  {
    const std::lock_guard lock(m_mutex);
    KINDRED_THROW_IF(!m_statistics.training, "training has not begun");
    m_statistics.training = false;
    reclaims = must_reclaim(fill);
  }
  if (reclaims || fill.recent > 0) {
    try {
      return run(SyncTrigger::training);
    } catch (const Cancelled&) {
      const std::lock_guard lock(m_mutex);
      m_statistics.training = true;
      throw;
    }
  }
  SyncRecord nothing;
  nothing.trigger = SyncTrigger::training;
  return nothing;
}

SyncStatistics SyncWorker::statistics() const {
  const std::uint64_t recent = m_fill().recent;
  const std::lock_guard lock(m_mutex);
  SyncStatistics statistics = m_statistics;
  statistics.recent = recent;
  return statistics;
}

void SyncWorker::loop() {
  using clock = std::chrono::steady_clock;
  const auto interval = std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>(m_settings->sync_interval_seconds));
  auto next = clock::now() + interval;
  std::unique_lock lock(m_mutex);
  while (true) {
    m_wake.wait_until(lock, next, [&] { return m_stop || m_reached; });
    if (m_stop) return;
    const bool reached = std::exchange(m_reached, false);
    const bool elapsed = clock::now() >= next;
    if (elapsed) next = clock::now() + interval;
    if (m_statistics.training) continue;
    lock.unlock();
    if (reached || (elapsed && m_fill().recent > 0)) {
      try {
        run(reached ? SyncTrigger::threshold : SyncTrigger::interval);
      } catch (const std::exception&) {
        // The process can use no context any more, or has no memory for now.
      }
    }
    lock.lock();
  }
}

}  // namespace Kindred::Impl
