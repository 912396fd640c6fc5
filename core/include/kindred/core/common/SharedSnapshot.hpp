// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_SHARED_SNAPSHOT_HPP
#define KINDRED_CORE_COMMON_SHARED_SNAPSHOT_HPP

#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/ThreadSlots.hpp>

#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace Kindred::Impl {

/// \brief A pointer to data that never changes, which is replaced as a whole while others read it.
///
/// Readers keep what they got for as long as they need it. They do not slow each other down: each
/// slot of threads has a reference count of its own. Thread-safe.
template <class T>
class SharedSnapshot {
 public:
  explicit SharedSnapshot(std::shared_ptr<const T> value = nullptr) : m_value(std::move(value)) {}
  SharedSnapshot(const SharedSnapshot&) = delete;
  SharedSnapshot& operator=(const SharedSnapshot&) = delete;

  /// \throws SpaceUnavailable in a forked child
  std::shared_ptr<const T> get() const {
    Slot& slot = m_slots.here();
    {
      const std::lock_guard lock(slot.mutex);
      if (slot.value != nullptr) return slot.value;
    }
    const std::lock_guard lock(m_mutex);
    try {
      const auto counted = std::make_shared<const std::shared_ptr<const T>>(m_value);
      std::shared_ptr<const T> own(counted, m_value.get());
      const std::lock_guard slot_lock(slot.mutex);
      slot.value = own;
      return own;
    } catch (const std::bad_alloc&) {
      return m_value;  // with the count that all share
    }
  }

  /// Replaces the value. The earlier one is destroyed by the last of its readers, or here.
  void set(std::shared_ptr<const T> next) noexcept {
    replace_if([](const T*) { return true; }, std::move(next));
  }
  /// The same if the value is still \p expected. Returns whether it was.
  bool replace(const T* expected, std::shared_ptr<const T> next) noexcept {
    return replace_if([expected](const T* value) { return value == expected; }, std::move(next));
  }

 private:
  template <class Predicate>
  bool replace_if(const Predicate& is_expected, std::shared_ptr<const T> next) noexcept {
    {
      const std::lock_guard lock(m_mutex);
      if (!is_expected(m_value.get())) return false;
      m_value.swap(next);
      m_slots.for_each([](Slot& slot) {
        // What is destroyed here only refers to the earlier value, which `next` keeps.
        const std::lock_guard slot_lock(slot.mutex);
        slot.value.reset();
      });
    }
    return true;  // the earlier value may be destroyed here, outside of the locks
  }

  struct Slot {
    Mutex mutex;
    std::shared_ptr<const T> value;  ///< null after a change, until it is read
  };

  mutable ThreadSlots<Slot> m_slots;
  mutable Mutex m_mutex;  ///< of the value, and held while a slot gets it
  std::shared_ptr<const T> m_value;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_SHARED_SNAPSHOT_HPP
