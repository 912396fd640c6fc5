// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_CALLS_HPP
#define KINDRED_PYTHON_CALLS_HPP

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace Kindred::Python {

/// \brief Releases the GIL, if this thread holds it, while it exists, around a call of Kindred. On
/// the main thread, signals are handled while the call computes; if a handler raises, as that of
/// Ctrl-C does, the call ends with `Cancelled`. \see throw_raised
///
/// The end of the interpreter waits for such calls (`wait_for_calls`). A thread that comes
/// back after that, or begins a call, waits until the process ends, as Python 3.14 lets daemon
/// threads do: earlier versions end the thread by unwinding its stack, which ends the process if a
/// frame of C++ must not be unwound.
class Unlocked {
 public:
  explicit Unlocked(bool is_cancellable = true);
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  /// Runs the handlers of signals, on the thread of the call. Returns whether one raised.
  bool check_signals();

 private:
  PyThreadState* m_thread = nullptr;  // null: the GIL was not held
  std::optional<Cancellation::Scope> m_scope;
};

/// \brief Throws what a signal handler raised during the last call of this thread, if one did. The
/// GIL must be held. \throws nanobind::python_error
void throw_raised();

/// Holds the GIL while it exists, in a callback of Kindred, on any thread.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  /// Whether the GIL is held: it cannot be once the interpreter ends.
  explicit operator bool() const { return static_cast<bool>(m_acquired); }

 private:
  Unlocked* m_before;
  nanobind::gil_scoped_acquire m_acquired;
};

/// \brief Calls \p call without the GIL. \throws what it throws, or what a signal handler raised
template <class Call>
std::invoke_result_t<Call&> unlocked(Call&& call) {
  using Result = std::invoke_result_t<Call&>;
  const auto call_now = [&]() -> Result {
    const Unlocked guard;
    return call();
  };
  try {
    if constexpr (std::is_void_v<Result>) {
      call_now();
      throw_raised();
    } else {
      Result result = call_now();
      throw_raised();
      return result;
    }
  } catch (const Cancelled&) {
    throw_raised();
    throw;
  }
}

/// \brief Handles signals in a long loop over Python objects, which holds the GIL.
class ItemLoop {
 public:
  /// Call for every item. \throws nanobind::python_error if the handler of a signal raises
  void next() {
    constexpr std::size_t items_between_checks = 4096;
    if (++m_items % items_between_checks == 0 && PyErr_CheckSignals() != 0)
      throw nanobind::python_error();
  }

 private:
  std::size_t m_items = 0;
};

/// Deletes an object of Kindred without the GIL: a destructor may wait for threads that want it.
struct UnlockedDelete {
  template <class T>
  void operator()(T* object) const {
    const Unlocked guard(false);
    delete object;
  }
};

template <class T, class... Arguments>
std::shared_ptr<T> make_unlocked(Arguments&&... arguments) {
  // Made without the GIL, and deleted so by whichever thread drops the last reference.
  return std::shared_ptr<T>(unlocked([&] { return new T(std::forward<Arguments>(arguments)...); }),
                            UnlockedDelete());
}

/// Called at the end of the interpreter, before anything is destroyed: waits until the calls
/// of other threads have ended, and lets them begin no other.
void wait_for_calls();
/// Whether `wait_for_calls` was called.
bool is_ending() noexcept;

/// Another number in a child process that was forked.
unsigned process_number() noexcept;

void register_calls(nanobind::module_& module);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_CALLS_HPP
