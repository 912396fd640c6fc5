// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_CANCELLATION_HPP
#define KINDRED_C_CANCELLATION_HPP

#include <kindred/core/common/Cancellation.hpp>

#include <kindred.h>

#include "FunctionTable.hpp"
#include "Handle.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>

namespace Kindred::C {

/// What a handle shares with the threads for which it is set, and with their calls. Any of them may
/// end first.
struct CancellationState {
  Cancellation cancellation;
  std::atomic<kindred_cancellation*> handle{nullptr};  ///< null once it was destroyed
};
using SharedCancellation = std::shared_ptr<CancellationState>;

struct CancellationObject {
  SharedCancellation state;
  ~CancellationObject() { state->handle = nullptr; }
};
KINDRED_C_HANDLE(cancellation, CancellationObject);
inline Cancellation& cancellation_of(const kindred_cancellation* cancellation) {
  return object_of(cancellation, "cancellation").state->cancellation;
}

/// What is set for the calling thread; null if nothing is.
SharedCancellation thread_cancellation() noexcept;

/// \brief While it exists, a call of the calling thread to an implementation can be cancelled.
/// \tparam Handle the type of the argument that chooses the implementation
template <class Handle = std::nullptr_t>
class CallScope {
 public:
  explicit CallScope(const Functions& functions) noexcept
      : m_functions(functions), m_state(thread_cancellation()) {
    if (m_state) m_functions.begin_scope(m_scope, m_state->cancellation);
  }
  ~CallScope() {
    if (m_state) m_functions.end_scope(m_scope);
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const Functions& m_functions;
  const SharedCancellation m_state;
  std::optional<Cancellation::Scope> m_scope;
};

/// Calls with a cancellation do nothing that could be cancelled. Signal handlers, which may make
/// them, must not use variables of the thread: their first use allocates.
template <class Handle>
requires std::is_same_v<std::remove_const_t<std::remove_pointer_t<Handle>>, kindred_cancellation>
class CallScope<Handle> {
 public:
  explicit CallScope(const Functions&) noexcept {}
};

}  // namespace Kindred::C

#endif  // KINDRED_C_CANCELLATION_HPP
