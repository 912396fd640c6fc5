// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_CHANGE_GUARD_HPP
#define KINDRED_MATCHER_KIT_CHANGE_GUARD_HPP

#include <kindred/core/common/Cancellation.hpp>

#include <utility>

namespace Kindred::Impl {

/// \brief A change of an engine: has its `mutex` alone. At its end, also after an exception,
/// `publish()` copies what is readable without the lock.
template <class State>
class ChangeGuard {
 public:
  /// \throws Cancelled
  explicit ChangeGuard(State& state) : m_state(state), m_lock(cancellable_lock(state.mutex)) {}
  ~ChangeGuard() { m_state.publish(); }
  ChangeGuard(const ChangeGuard&) = delete;
  ChangeGuard& operator=(const ChangeGuard&) = delete;

 private:
  State& m_state;
  decltype(cancellable_lock(std::declval<State&>().mutex)) m_lock;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_CHANGE_GUARD_HPP
