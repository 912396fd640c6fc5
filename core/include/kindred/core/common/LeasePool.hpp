// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_LEASE_POOL_HPP
#define KINDRED_CORE_COMMON_LEASE_POOL_HPP

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/ThreadSlots.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace Kindred::Impl {

/// \brief Objects that are lent to one caller at a time and kept in between: as many as there are
/// callers at the same time, or at most a limit, beyond which callers wait.
///
/// A thread gets the object that it had before, if that is free, without writing to memory that
/// other threads write to. One that has none borrows an idle object; after a few times while other
/// objects were in use it gets one of its own, so that threads which call at the same time do not
/// take objects from each other again and again. Thread-safe. With a limit, or where leases are
/// taken alone, a thread that holds a lease must not take another one from the same pool.
template <class T>
class LeasePool {
  struct alignas(apart_bytes) Slot {
    std::atomic<bool> is_taken{false};
    std::atomic<bool> has_object{false};  ///< set by who has taken the slot
    std::unique_ptr<T> object;            ///< used only by who has taken the slot
    int borrowed = 0;  ///< how often a caller of this slot borrowed; used like `object`
    Slot* next = nullptr;
  };

 public:
  /// \param limit greatest number of objects; 0: no limit
  explicit LeasePool(std::size_t limit = 0)
      : m_is_limited(limit > 0), m_slots(limit > 0 ? limit : thread_slot_count()) {}
  ~LeasePool() {
    for (Slot* slot = m_further; slot != nullptr;) delete std::exchange(slot, slot->next);
  }
  LeasePool(const LeasePool&) = delete;
  LeasePool& operator=(const LeasePool&) = delete;

  /// Holds an object until it is destroyed, which cannot fail.
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : m_pool(std::exchange(other.m_pool, nullptr)),
          m_slot(other.m_slot),
          m_is_alone(other.m_is_alone),
          m_is_kept(other.m_is_kept) {}
    ~Lease() {
      if (m_pool == nullptr) return;
      if (m_is_alone) m_pool->m_is_alone = false;
      m_pool->give_back(*m_slot);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Lease& operator=(Lease&&) = delete;

    T& operator*() const noexcept { return *m_slot->object; }
    T* operator->() const noexcept { return m_slot->object.get(); }
    /// Whether the object was lent before.
    bool is_kept() const noexcept { return m_is_kept; }
    /// Destroys the object; the next caller gets a new one.
    void drop() noexcept {
      m_slot->has_object = false;
      m_slot->object.reset();
    }

   private:
    friend class LeasePool;
    Lease(LeasePool& pool, Slot& slot) noexcept : m_pool(&pool), m_slot(&slot) {}

    LeasePool* m_pool;
    Slot* m_slot;
    bool m_is_alone = false;
    bool m_is_kept = false;
  };

  /// \brief Lends an object: a kept one, or what `make()` returns, a `std::unique_ptr<T>`. Waits if
  /// the limit is reached or another lease is alone. \throws Cancelled, SpaceUnavailable in a
  /// forked child, and what \p make throws
  template <class Make>
  Lease take(const Make& make) {
    require_same_process();
    Slot* slot = nullptr;
    while (true) {
      slot = take_slot();
      if (slot != nullptr && !m_is_alone) break;
      if (slot != nullptr) give_back(*slot);
      wait([&] { return !m_is_alone && (!m_is_limited || has_free_slot()); });
    }
    return filled(Lease(*this, *slot), make);
  }

  /// \brief Lends a new object, once all other leases have ended and all kept objects are
  /// destroyed; until this lease ends, others wait. \throws as `take`
  template <class Make>
  Lease take_alone(const Make& make) {
    const auto next = cancellable_lock(m_next_alone);
    wait([&] { return !m_is_alone; });
    struct KeepOthersOut {
      LeasePool& pool;
      bool is_over = false;
      ~KeepOthersOut() {
        if (is_over) return;
        pool.m_is_alone = false;
        pool.notify();
      }
    } others{*this};
    m_is_alone = true;
    wait([&] { return !is_any_taken(); });
    release_idle();
    // Another caller may still look at a slot before it sees that it must wait.
    Slot* slot = nullptr;
    while ((slot = take_slot()) == nullptr) wait([&] { return has_free_slot(); });
    Lease lease(*this, *slot);
    lease.m_is_alone = others.is_over = true;
    return filled(std::move(lease), make);
  }

  /// Destroys the objects that nobody holds. Returns whether there were any.
  bool release_idle() noexcept {
    bool had_any = false;
    for_each_slot([&](Slot& slot) {
      if (!try_take(slot)) return;
      had_any = had_any || slot.object != nullptr;
      slot.has_object = false;
      slot.object.reset();
      give_back(slot);
    });
    return had_any;
  }

  /// Whether others than the holder of \p lease, if there is one, hold an object.
  bool has_others(const std::optional<Lease>& lease) const noexcept {
    const Slot* const own = lease ? lease->m_slot : nullptr;
    return has_slot([&](const Slot& slot) { return &slot != own && slot.is_taken; });
  }

 private:
  static bool try_take(Slot& slot) noexcept {
    return !slot.is_taken.load(std::memory_order_relaxed) && !slot.is_taken.exchange(true);
  }

  template <class Make>
  static Lease filled(Lease lease, const Make& make) {
    lease.m_is_kept = lease.m_slot->object != nullptr;
    if (!lease.m_is_kept) {
      lease.m_slot->object = make();
      lease.m_slot->has_object = true;
      lease.m_slot->borrowed = 0;
    }
    return lease;
  }

  /// The slot of the caller, another one with an object, or an empty one; null if the limit is
  /// reached.
  Slot* take_slot() {
    constexpr int borrowed_most = 8;
    Slot& own = m_slots.here();
    Slot* empty = nullptr;
    if (try_take(own)) {
      if (own.object != nullptr || own.borrowed == borrowed_most) return &own;
      empty = &own;
    }
    Slot* found = nullptr;
    bool are_others_in_use = false;
    for_each_slot([&](Slot& slot) {
      if (&slot != &own && slot.is_taken.load(std::memory_order_relaxed)) are_others_in_use = true;
      if (found != nullptr || !slot.has_object || !try_take(slot)) return;
      if (slot.object != nullptr)
        found = &slot;
      else
        give_back(slot);
    });
    if (found != nullptr) {
      if (empty != nullptr) {
        own.borrowed += are_others_in_use ? 1 : 0;
        give_back(own);
      }
      return found;
    }
    for_each_slot([&](Slot& slot) {
      if (empty == nullptr && try_take(slot)) empty = &slot;
    });
    if (empty != nullptr || m_is_limited) return empty;
    auto added = std::make_unique<Slot>();
    added->is_taken = true;
    added->next = m_further.load(std::memory_order_relaxed);
    while (!m_further.compare_exchange_weak(added->next, added.get())) {
    }
    return added.release();
  }

  void give_back(Slot& slot) noexcept {
    slot.is_taken = false;
    if (m_waiting != 0) notify();
  }
  void notify() noexcept {
    if (m_process != process_number()) return;  // in a forked child nobody waits
    { const std::lock_guard lock(m_mutex); }
    m_changed.notify_all();
  }
  template <class Predicate>
  void wait(const Predicate& is_over) {
    std::unique_lock lock(m_mutex);
    struct Waiting {
      std::atomic<std::size_t>& count;
      explicit Waiting(std::atomic<std::size_t>& of) noexcept : count(of) { ++count; }
      ~Waiting() { --count; }
    } const waiting(m_waiting);
    cancellable_wait(lock, m_changed, is_over);
  }

  template <class Function>
  void for_each_slot(const Function& function) const {
    m_slots.for_each(function);
    for (Slot* slot = m_further; slot != nullptr; slot = slot->next) function(*slot);
  }
  template <class Predicate>
  bool has_slot(const Predicate& predicate) const {
    bool any = false;
    for_each_slot([&](const Slot& slot) { any = any || predicate(slot); });
    return any;
  }
  bool has_free_slot() const noexcept {
    return has_slot([](const Slot& slot) { return !slot.is_taken; });
  }
  bool is_any_taken() const noexcept {
    return has_slot([](const Slot& slot) { return slot.is_taken.load(); });
  }

  const bool m_is_limited;
  const unsigned m_process = process_number();
  ThreadSlots<Slot> m_slots;
  std::atomic<Slot*> m_further{nullptr};  ///< of more callers than slots; only added
  std::atomic<bool> m_is_alone{false};    ///< whether a lease is, or waits to be, the only one
  std::atomic<std::size_t> m_waiting{0};
  TimedMutex m_next_alone;
  std::mutex m_mutex;  ///< of `m_changed`
  std::condition_variable m_changed;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_LEASE_POOL_HPP
