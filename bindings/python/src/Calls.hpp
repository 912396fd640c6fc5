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

/// \brief A call of this module, while it exists. The GIL must be held at both ends.
///
/// The end of the interpreter waits for calls (`wait_for_calls`). A thread that begins one after
/// that waits until the process ends, as Python 3.14 lets daemon threads do: earlier versions end a
/// thread that wants the GIL by unwinding its stack, which ends the process if frames of C++ hold
/// objects of Python or must not be unwound.
class CallScope {
 public:
  CallScope();
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
};

/// The module, or one of its classes, all of whose functions are calls.
template <class Base>
class Calls : public Base {
 public:
  using Base::Base;
  explicit Calls(const Base& base) : Base(base) {}

  template <class Function, class... Extra>
  Calls& def(const char* name, Function&& function, const Extra&... extra) {
    Base::def(name, std::forward<Function>(function), extra..., nanobind::call_guard<CallScope>());
    return *this;
  }
  template <class... Arguments, class... Extra>
  Calls& def(nanobind::init<Arguments...>&& init, const Extra&... extra) {
    Base::def(std::move(init), extra..., nanobind::call_guard<CallScope>());
    return *this;
  }
  template <class Function, class... Extra>
  Calls& def_static(const char* name, Function&& function, const Extra&... extra) {
    Base::def_static(name, std::forward<Function>(function), extra...,
                     nanobind::call_guard<CallScope>());
    return *this;
  }
};
using Module = Calls<nanobind::module_>;
template <class T>
using Class = Calls<nanobind::class_<T>>;

/// \brief Releases the GIL, if this thread holds it, while it exists, around a call of Kindred. On
/// the main thread, signals are handled while the call computes; if a handler raises, as that of
/// Ctrl-C does, the call ends with `Cancelled`. \see throw_raised
class Unlocked {
 public:
  explicit Unlocked(bool is_cancellable = true);
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  /// Runs the handlers of signals, on the thread of the call. Returns whether one raised.
  bool check_signals();

 private:
  std::optional<CallScope> m_call;    // a destructor is not called by a function of the module
  PyThreadState* m_thread = nullptr;  // null: the GIL was not held
  std::optional<Cancellation::Scope> m_scope;
};

/// \brief Throws what a signal handler raised during the last call of this thread, if one did. The
/// GIL must be held. \throws nanobind::python_error
void throw_raised();

/// Holds the GIL while it exists, in a callback of Kindred, on any thread. Once the interpreter
/// ends it does not, and nothing of Python may be called.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  explicit operator bool() const noexcept { return m_acquired.has_value(); }

 private:
  Unlocked* m_before = nullptr;
  std::optional<nanobind::gil_scoped_acquire> m_acquired;
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

/// Another number in a child process that was forked.
unsigned process_number() noexcept;

void register_calls(Module& module);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_CALLS_HPP
