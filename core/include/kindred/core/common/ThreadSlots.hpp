// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_THREAD_SLOTS_HPP
#define KINDRED_CORE_COMMON_THREAD_SLOTS_HPP

#include <bit>
#include <cstddef>
#include <memory>

namespace Kindred::Impl {

/// Bytes between two objects that different threads write without slowing each other down:
/// processors fetch cache lines of 64 bytes in pairs.
inline constexpr std::size_t apart_bytes = 128;

/// The number of the calling thread, counted from 0 in the order in which threads first ask.
std::size_t thread_number() noexcept;

/// A number of slots, a power of two up to 64, for which the threads that run at the same time
/// mostly have one each.
std::size_t thread_slot_count() noexcept;

/// \brief One `Slot` for about every thread that runs at the same time, each in cache lines of its
/// own. Threads may share a slot, so it must be safe to use concurrently.
template <class Slot>
class ThreadSlots {
 public:
  explicit ThreadSlots(std::size_t count = thread_slot_count())
      : m_count(count),
        m_mask(std::bit_floor(count) - 1),
        m_slots(std::make_unique<Aligned[]>(count)) {}

  /// The slot of the calling thread. A division would take longer than the rest.
  Slot& here() const noexcept { return m_slots[thread_number() & m_mask].slot; }

  /// Calls `function(slot)` for every slot.
  template <class Function>
  void for_each(const Function& function) const {
    for (std::size_t i = 0; i < m_count; ++i) function(m_slots[i].slot);
  }

 private:
  struct alignas(apart_bytes) Aligned {
    Slot slot{};
  };

  std::size_t m_count;
  std::size_t m_mask;  ///< of the numbers of threads
  std::unique_ptr<Aligned[]> m_slots;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_THREAD_SLOTS_HPP
