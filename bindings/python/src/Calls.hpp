// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_CALLS_HPP
#define KINDRED_PYTHON_CALLS_HPP

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

namespace Kindred::Python {

/// \brief Releases the GIL, if this thread holds it, while it exists, around a call of Kindred.
///
/// The end of the interpreter waits for such calls (`wait_for_calls`). A thread that comes
/// back after that, or begins a call, waits until the process ends, as Python 3.14 lets daemon
/// threads do: earlier versions end the thread by unwinding its stack, which ends the process if a
/// frame of C++ must not be unwound.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* m_thread = nullptr;  // null: the GIL was not held
};

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
  bool m_was_released;
  nanobind::gil_scoped_acquire m_acquired;
};

/// Calls \p call without the GIL.
template <class Call>
decltype(auto) unlocked(Call&& call) {
  const Unlocked guard;
  return std::forward<Call>(call)();
}

/// Deletes an object of Kindred without the GIL: a destructor may wait for threads that want it.
struct UnlockedDelete {
  template <class T>
  void operator()(T* object) const {
    const Unlocked guard;
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

void register_calls(nanobind::module_& module);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_CALLS_HPP
