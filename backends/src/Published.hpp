// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_PUBLISHED_HPP
#define KINDRED_BACKENDS_SRC_PUBLISHED_HPP

#include <atomic>
#include <type_traits>

namespace Kindred::Impl {

/// \brief A value that one thread at a time changes while others read it. What was written before
/// it is visible to who reads it. Copying is not atomic over several of them.
template <class T>
class Published {
  static_assert(std::is_scalar_v<T>, "clang calls libatomic for classes");

 public:
  Published(T value = {}) noexcept : m_value(value) {}  // NOLINT(google-explicit-constructor)
  Published(const Published& other) noexcept : m_value(other.get()) {}
  Published& operator=(const Published& other) noexcept { return *this = other.get(); }
  /// Does not write where nothing changes: readers on other processors then keep their copy.
  Published& operator=(T value) noexcept {
    if (!(m_value.load(std::memory_order_relaxed) == value))
      m_value.store(value, std::memory_order_release);
    return *this;
  }

  T get() const noexcept { return m_value.load(std::memory_order_acquire); }
  operator T() const noexcept { return get(); }  // NOLINT(google-explicit-constructor)

 private:
  std::atomic<T> m_value;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_PUBLISHED_HPP
