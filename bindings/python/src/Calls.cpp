// SPDX-License-Identifier: Apache-2.0
#include "Calls.hpp"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace Kindred::Python {

namespace {

/// Calls that have released the GIL.
std::atomic<int> calls{0};
std::atomic<bool> ending{false};
/// The thread that ends the interpreter; it may still call.
std::atomic<std::thread::id> ending_thread{};

/// Whether this thread has released the GIL by `Unlocked`.
thread_local bool is_released = false;

[[noreturn]] void wait_for_end() {
  while (true) pause();
}

bool may_call() noexcept {
  return !ending.load() || ending_thread.load() == std::this_thread::get_id();
}

/// The threads of the calls do not exist in a child process.
void forget_calls() { calls = 0; }

}  // namespace

Unlocked::Unlocked() {
  if (is_released || PyGILState_GetThisThreadState() == nullptr) return;
  m_thread = PyEval_SaveThread();
  is_released = true;
  ++calls;
  if (may_call()) return;
  --calls;
  wait_for_end();
}

Unlocked::~Unlocked() {
  if (m_thread == nullptr) return;
  try {
    PyEval_RestoreThread(m_thread);
  } catch (const abi::__forced_unwind&) {
    // The interpreter has ended, and Python ends this thread. The frames below it cannot be
    // unwound.
    wait_for_end();
  }
  is_released = false;
  --calls;
}

Locked::Locked() : m_was_released(is_released) { is_released = false; }
Locked::~Locked() { is_released = m_was_released; }

void wait_for_calls() {
  ending_thread = std::this_thread::get_id();
  ending = true;
  while (calls != 0) {
    {
      const nb::gil_scoped_release released;
      for (int i = 0; i < 500 && calls != 0; ++i)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

bool is_ending() noexcept { return ending; }

void register_calls(nb::module_& module) {
  pthread_atfork(nullptr, nullptr, forget_calls);
  module.def("wait_for_calls", wait_for_calls);
}

}  // namespace Kindred::Python
