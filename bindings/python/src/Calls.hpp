// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_CALLS_HPP
#define KINDRED_PYTHON_CALLS_HPP

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#include <nanobind/nanobind.h>

#include "Kept.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred::Python {

/// \brief A function of the module, as `_kindred.functions` reports it.
///
/// A function releases the GIL, so that it may wait: for a lock, for another thread, for a device.
/// Those that do not are named in KeepingGil.cpp, with the reason. A function that is not named
/// there and ended without having released the GIL breaks this rule, which a test reports.
struct BoundFunction {
  std::string name;
  const char* why_keeping = nullptr;  ///< null: it releases the GIL
  bool has_released = false;          ///< in a call so far
  bool has_kept = false;              ///< in a call that returned, against the rule
};
/// A new function of the module. \param name `Class.function` or `function`
BoundFunction& bound_function(std::string name);
/// Why the function \p name keeps the GIL; null if it releases it.
const char* why_keeping_gil(std::string_view name) noexcept;
/// The names in the list of `why_keeping_gil`.
std::vector<std::string_view> names_keeping_gil();

/// \brief A call of this module, while it exists. The GIL must be held at both ends.
///
/// The end of the interpreter waits for calls (`wait_for_calls`). A thread that begins one after
/// that waits until the process ends, as Python 3.14 lets daemon threads do: earlier versions end a
/// thread that wants the GIL by unwinding its stack, which ends the process if frames of C++ hold
/// objects of Python or must not be unwound.
class CallScope {
 public:
  /// \param function that is called, which must outlive this object; null: none
  explicit CallScope(BoundFunction* function = nullptr);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  BoundFunction* m_function;
  unsigned m_releases;
};

/// \brief The module, or one of its classes. All functions are bound here: each is a call, and is
/// known by its name. What nanobind would bind without a call, such as properties, does not exist.
template <class Base>
class Calls : public Base {
 public:
  template <class Function, class... Extra>
  Calls& def(const char* name, Function&& function, const Extra&... extra) {
    Base::def(name, called(name, std::forward<Function>(function)), extra...);
    return *this;
  }
  template <class Function, class... Extra>
  Calls& def_static(const char* name, Function&& function, const Extra&... extra) {
    Base::def_static(name, called(name, std::forward<Function>(function)), extra...);
    return *this;
  }

  void def_prop_rw() = delete;
  void def_prop_ro() = delete;
  void def_prop_rw_static() = delete;
  void def_prop_ro_static() = delete;
  void def_rw() = delete;
  void def_ro() = delete;
  void def_rw_static() = delete;
  void def_ro_static() = delete;

 protected:
  /// \param prefix of the names of its functions
  template <class... Arguments>
  explicit Calls(std::string prefix, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), m_prefix(std::move(prefix)) {}

 private:
  template <class Function>
  auto called(const char* name, Function&& function) const {
    BoundFunction& bound = bound_function(m_prefix + name);
    using Given = std::decay_t<Function>;
    if constexpr (std::is_class_v<Given>) {
      return called_as(bound, std::forward<Function>(function), &Given::operator());
    } else {
      return called_as(bound, function, function);
    }
  }
  template <class Function, class Result, class... Arguments>
  static auto called_as(BoundFunction& bound, Function&& function, Result (*)(Arguments...)) {
    return [&bound, function](Arguments... arguments) -> Result {
      const CallScope scope(&bound);
      return function(std::forward<Arguments>(arguments)...);
    };
  }
  template <class Function, class Of, class Result, class... Arguments>
  static auto called_as(BoundFunction& bound, Function&& function,
                        Result (Of::*)(Arguments...) const) {
    if constexpr (std::is_class_v<std::decay_t<Function>>) {
      return called_as(bound, std::forward<Function>(function),
                       static_cast<Result (*)(Arguments...)>(nullptr));
    } else {
      return called_as(bound, std::mem_fn(function),
                       static_cast<Result (*)(const Of&, Arguments...)>(nullptr));
    }
  }
  template <class Function, class Of, class Result, class... Arguments>
  static auto called_as(BoundFunction& bound, Function&& function, Result (Of::*)(Arguments...)) {
    return called_as(bound, std::mem_fn(function),
                     static_cast<Result (*)(Of&, Arguments...)>(nullptr));
  }
  template <class Function, class Of, class Result, class... Arguments>
  static auto called_as(BoundFunction& bound, Function&& function,
                        Result (Of::*of)(Arguments...) const noexcept) {
    return called_as(bound, std::forward<Function>(function),
                     static_cast<Result (Of::*)(Arguments...) const>(of));
  }

  std::string m_prefix;
};

class Module : public Calls<nanobind::module_> {
 public:
  explicit Module(const nanobind::module_& module) : Calls(std::string(), module) {}
};

/// A class of the module. \see Keeping
template <class T>
class Class : public Calls<nanobind::class_<T>> {
  using Base = Calls<nanobind::class_<T>>;

 public:
  Class(Module& module, const char* name) requires(!Keeping<T>)
      : Base(name + std::string("."), module, name) {}
  Class(Module& module, const char* name) requires Keeping<T>
      : Base(name + std::string("."), module, name,
             nanobind::type_slots(CollectedSlots<T>::slots)) {}

  using Base::def;
  template <class... Arguments, class... Extra>
  Base& def(nanobind::init<Arguments...>&& /*init*/, const Extra&... extra) {
    return Base::def(
        "__init__",
        [](T* self, Arguments... arguments) {
          new (self) T(std::forward<Arguments>(arguments)...);
        },
        extra...);
  }
};

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
