// SPDX-License-Identifier: Apache-2.0
#include "Calls.hpp"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

namespace nb = nanobind;

namespace Kindred::Python {

namespace {

/// Threads within calls.
std::atomic<int> calls{0};
std::atomic<bool> ending{false};
/// The thread that ends the interpreter; it may still call.
std::atomic<std::thread::id> ending_thread{};

/// How often this thread has released the GIL for a call.
thread_local constinit unsigned releases = 0;
/// The calls of this thread, one within the other.
thread_local constinit int depth = 0;
/// The outermost call of this thread that has released the GIL; null in a callback.
thread_local constinit Unlocked* present = nullptr;
/// Whether the handlers of signals run in the midst of a call of this thread.
thread_local constinit bool handles_signals = false;
/// What a signal handler raised during the call of this thread, until it is thrown.
thread_local constinit nb::python_error* raised = nullptr;

/// The thread that handles signals.
std::atomic<unsigned long> main_thread{0};

std::atomic<unsigned> forks{0};

[[noreturn]] void wait_for_end() {
  while (true) pause();
}

bool may_call() noexcept {
  return !ending.load() || ending_thread.load() == std::this_thread::get_id();
}

/// Returns whether the call may begin. \p allowed is evaluated after the call is counted, so that
/// `wait_for_calls` sees the call, or this thread sees that the interpreter ends.
template <class Allowed>
bool begin_call(const Allowed& allowed) noexcept {
  if (depth == 0) ++calls;
  if (allowed()) {
    ++depth;
    return true;
  }
  if (depth == 0) --calls;
  return false;
}
void end_call() noexcept {
  if (--depth == 0) --calls;
}

/// Never destroyed, and never moved.
std::deque<BoundFunction>& bound_functions() {
  static std::deque<BoundFunction>& functions = *new std::deque<BoundFunction>;
  return functions;
}

bool is_main_thread() noexcept {
  return PyThread_get_thread_ident() == main_thread.load(std::memory_order_relaxed);
}

/// \brief Lets the calls of the main thread handle signals, as Ctrl-C, while they compute.
///
/// A thread looks every 20 ms whether a call has lasted that long, and asks it to check for
/// signals; a call of less does nothing for it. The thread sleeps while there are no calls.
class SignalChecks {
 public:
  Cancellation& cancellation() noexcept { return m_cancellation; }

  /// A call of the main thread begins.
  void begin() {
    m_cancellation.reset();
    m_changes.store(m_changes.load(std::memory_order_relaxed) + 1);
    if (m_is_awake.load()) return;
    if (m_is_started) {
      m_is_awake = true;
      m_changes.notify_one();
      return;
    }
    m_is_started = m_is_awake = true;
    try {
      std::thread([this] { watch(); }).detach();
    } catch (const std::exception&) {
      m_is_started = m_is_awake = false;  // signals are handled after the call
    }
  }
  void end() noexcept {
    m_changes.store(m_changes.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    m_cancellation.reset();
  }
  /// The thread does not exist in a child process.
  void forget() {
    m_is_started = m_is_awake = false;
    m_changes = 0;
  }

 private:
  void watch() {
    constexpr int idle_most = 100;
    std::uint32_t before = m_changes.load();
    for (int idle = 0;;) {
      std::this_thread::sleep_for(Impl::cancel_interval);
      const std::uint32_t now = m_changes.load();
      const bool is_same = now == before;
      before = now;
      if (is_same && now % 2 == 1) m_cancellation.request_check();
      idle = is_same && now % 2 == 0 ? idle + 1 : 0;
      if (idle < idle_most) continue;
      m_is_awake = false;
      m_changes.wait(now);  // returns at once if a call has begun meanwhile
      m_is_awake = true;
      idle = 0;
    }
  }

  Cancellation m_cancellation{[] { return present != nullptr && present->check_signals(); }};
  std::atomic<std::uint32_t> m_changes{0};  ///< odd during a call
  std::atomic<bool> m_is_awake{false};
  bool m_is_started = false;
};

/// Never destroyed: its thread uses it until the process ends.
SignalChecks& signal_checks() {
  static SignalChecks& checks = *new SignalChecks;
  return checks;
}

/// The threads of the calls do not exist in a child process.
void forget_calls() {
  ++forks;
  calls = depth > 0 ? 1 : 0;
  main_thread = PyThread_get_thread_ident();
  signal_checks().forget();
}

/// \brief Whether a thread has taken the GIL after a call, or is about to, and no thread has
/// released it for a call since.
///
/// A thread that finds the GIL taken sleeps, and wakes up later than it could have gone on: the
/// time that others need under the GIL between two calls is shorter. Therefore it waits for them
/// actively, for a while.
std::atomic<bool> is_taken_between_calls{false};

PyThreadState* release_gil() {
  PyThreadState* const thread = PyEval_SaveThread();
  is_taken_between_calls.store(false, std::memory_order_release);
  return thread;
}

void wait_for_gil() noexcept {
  using Clock = std::chrono::steady_clock;
  static const bool has_others = std::thread::hardware_concurrency() > 1;
  constexpr auto longest = std::chrono::microseconds(20);
  if (!is_taken_between_calls.exchange(true, std::memory_order_acquire) || !has_others) return;
  const Clock::time_point end = Clock::now() + longest;
  do {
    if (!is_taken_between_calls.load(std::memory_order_relaxed) &&
        !is_taken_between_calls.exchange(true, std::memory_order_acquire))
      return;
  } while (Clock::now() < end);
}

}  // namespace

BoundFunction& bound_function(std::string name) {
  const char* const why = why_keeping_gil(name);
  return bound_functions().emplace_back(BoundFunction{std::move(name), why});
}

CallScope::CallScope(BoundFunction* function) : m_function(function), m_releases(releases) {
  if (begin_call([] { return depth > 0 || may_call(); })) return;
  PyEval_SaveThread();
  wait_for_end();
}
CallScope::~CallScope() {
  if (m_function != nullptr && m_function->why_keeping == nullptr) {
    if (m_releases != releases) {
      m_function->has_released = true;
    } else if (std::uncaught_exceptions() == 0) {
      m_function->has_kept = true;
    }
  }
  end_call();
}

Unlocked::Unlocked(bool is_cancellable) {
  if (handles_signals) {
    // What the call holds cannot be used: locks, and the instance that runs its kernel.
    if (!is_cancellable) return;
    throw Busy(
        "the handler of a signal, which runs in the midst of a call of pykindred, cannot make "
        "another "
        "one; let it set a flag, and call later");
  }
  if (present != nullptr || PyGILState_GetThisThreadState() == nullptr) return;
  m_call.emplace();
  ++releases;
  m_thread = release_gil();
  present = this;
  if (!is_cancellable || !is_main_thread()) return;
  signal_checks().begin();
  m_scope.emplace(signal_checks().cancellation());
}

Unlocked::~Unlocked() {
  if (m_thread == nullptr) return;
  if (m_scope) {
    m_scope.reset();
    signal_checks().end();
  }
  wait_for_gil();
  try {
    PyEval_RestoreThread(m_thread);
  } catch (const abi::__forced_unwind&) {
    // The interpreter has not waited, because a signal handler raised, and Python ends this thread.
    wait_for_end();
  }
  present = nullptr;
}

bool Unlocked::check_signals() {
  PyEval_RestoreThread(m_thread);
  handles_signals = true;
  const bool has_raised = PyErr_CheckSignals() != 0;
  handles_signals = false;
  if (has_raised) {
    delete raised;
    raised = new nb::python_error();
  }
  m_thread = release_gil();
  return has_raised;
}

void throw_raised() {
  if (raised == nullptr) return;
  const std::unique_ptr<nb::python_error> error(std::exchange(raised, nullptr));
  throw nb::python_error(std::move(*error));
}

Locked::Locked() {
  if (!begin_call([] { return !ending.load(); })) return;
  m_acquired.emplace();
  if (*m_acquired) {
    m_before = std::exchange(present, nullptr);
    return;
  }
  m_acquired.reset();
  end_call();
}
Locked::~Locked() {
  if (!m_acquired) return;
  present = m_before;
  m_acquired.reset();
  end_call();
}

void wait_for_calls() {
  ending_thread = std::this_thread::get_id();
  ending = true;
  const int own = depth > 0 ? 1 : 0;
  while (calls != own) {
    {
      const nb::gil_scoped_release released;
      for (int i = 0; i < 500 && calls != own; ++i)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

unsigned process_number() noexcept { return forks.load(std::memory_order_relaxed); }

void register_calls(Module& module) {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  main_thread = nb::cast<unsigned long>(main.attr("ident"));
  pthread_atfork(nullptr, nullptr, forget_calls);
  module.def("wait_for_calls", wait_for_calls);
  module.def("functions", [] {
    nb::dict out;
    for (const BoundFunction& function : bound_functions()) {
      nb::dict of;
      of["why_keeping_gil"] = function.why_keeping == nullptr
                                  ? nb::object(nb::none())
                                  : nb::object(nb::str(function.why_keeping));
      of["has_released_gil"] = function.has_released;
      of["has_kept_gil"] = function.has_kept;
      out[function.name.c_str()] = of;
    }
    return out;
  });
  module.def("names_keeping_gil", [] {
    nb::list out;
    for (const std::string_view name : names_keeping_gil())
      out.append(nb::str(name.data(), name.size()));
    return out;
  });
  // Before anything is destroyed. Handlers that were registered earlier run later, and may still
  // compute.
  nb::module_::import_("atexit").attr("register")(module.attr("wait_for_calls"));
}

}  // namespace Kindred::Python
