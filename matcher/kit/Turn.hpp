// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_TURN_HPP
#define KINDRED_MATCHER_KIT_TURN_HPP

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/core/arch/Process.hpp>
#include <kindred/core/common/LeasePool.hpp>

#include <memory>
#include <variant>

namespace Kindred::Impl {

/// \brief Orders calls that follow each other: one at a time is in turn. \see Turn
/// \tparam T what the call in turn has to itself: an object that was made with `take`, or nothing
template <class T = std::monostate>
struct Turns : LeasePool<T> {
  Turns() : LeasePool<T>(1) {}
};

/// \brief The call that made this is in turn until it is destroyed. It holds no lock. Callbacks of
/// contexts wait for its end.
template <class T = std::monostate>
class Turn {
 public:
  /// Waits until no other call is in turn. \throws SpaceUnavailable in a forked process; Busy in
  /// the check of a Cancellation; Cancelled
  explicit Turn(Turns<T>& turns) : m_lease(taken(turns)) {}

  T& operator*() const noexcept { return *m_lease; }
  T* operator->() const noexcept { return &*m_lease; }

 private:
  static typename LeasePool<T>::Lease taken(Turns<T>& turns) {
    Arch::require_usable_process();
    return turns.take([] { return std::unique_ptr<T>(); });  // it is there, or there is none
  }

  CallbackDelay m_delay;  // destroyed after the lease
  typename LeasePool<T>::Lease m_lease;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_TURN_HPP
