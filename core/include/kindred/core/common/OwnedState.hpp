// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_OWNED_STATE_HPP
#define KINDRED_CORE_COMMON_OWNED_STATE_HPP

#include <kindred/core/common/Public.hpp>

#include <memory>
#include <type_traits>

namespace KINDRED_PUBLIC Kindred {

namespace Impl {

/// \brief Whether threads, devices and Kokkos can still be used to release what an object holds:
/// neither in a child process that was forked from one with a context, nor once Kokkos was
/// finalised or the process is ending. Thread-safe.
bool can_release() noexcept;

/// Keeps \p state until the process ends. Thread-safe.
void keep_until_exit(void* state) noexcept;

/// \brief Calls \p destroy with \p state, or keeps it until the process ends if `can_release` is
/// false. The current CUDA device of the calling thread stays what it is. Thread-safe.
void release(void* state, void (*destroy)(void* state)) noexcept;

/// \brief Deletes the state of an object. The type of the state has to be complete only where the
/// object is constructed, so a class with such a state declares neither destructor nor moves.
/// \tparam holds_devices the state is not deleted where `can_release` is false: it might wait for
/// threads that do not exist, or for a device
template <class State, bool holds_devices>
class DeleteState {
 public:
  DeleteState() = default;
  // From the pointers that std::make_unique returns.
  DeleteState(std::default_delete<State>) noexcept  // NOLINT(google-explicit-constructor)
      : m_delete([](void* owned) { delete static_cast<State*>(owned); }) {}

  void operator()(State* state) const noexcept {
    auto* const owned = const_cast<std::remove_const_t<State>*>(state);
    if constexpr (holds_devices) {
      release(owned, m_delete);
    } else {
      m_delete(owned);
    }
  }

 private:
  void (*m_delete)(void* state) = nullptr;
};

/// The state of an object that holds threads, memory of a device or instances of Kokkos.
template <class State>
using OwnedState = std::unique_ptr<State, DeleteState<State, true>>;

/// The state of an object that holds host memory only.
template <class State>
using HostState = std::unique_ptr<State, DeleteState<State, false>>;

}  // namespace Impl

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_OWNED_STATE_HPP
