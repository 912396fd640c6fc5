// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/OwnThreads.hpp>
#include <kindred/core/arch/Process.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/matcher/CallQueue.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <deque>
#include <string>

namespace Kindred {

namespace Impl {

void QueuedCall::run() noexcept {
  {
    const std::lock_guard lock(m_mutex);
    if (m_state != State::waiting) return;
    m_state = State::running;
  }
  std::exception_ptr failure;
  try {
    call();
  } catch (...) {
    failure = std::current_exception();
  }
  forget();
  finish(std::move(failure));
}

std::exception_ptr QueuedCall::cancellation() {
  return std::make_exception_ptr(Cancelled("the call was cancelled before it began"));
}

bool QueuedCall::cancel() try {
  require_same_process();
  return cancel(cancellation());
} catch (...) {
  rethrow_translated("Kindred::Submission::cancel");
}

bool QueuedCall::cancel(std::exception_ptr failure) noexcept {
  {
    const std::lock_guard lock(m_mutex);
    if (m_state != State::waiting) return false;
    m_state = State::cancelled;
  }
  forget();
  finish(std::move(failure));
  return true;
}

void QueuedCall::finish(std::exception_ptr failure) noexcept {
  {
    const std::lock_guard lock(m_mutex);
    m_failure = std::move(failure);
    m_state = State::done;
  }
  m_done.notify_all();
}

bool QueuedCall::is_done() const {
  require_same_process();
  const std::lock_guard lock(m_mutex);
  return m_state == State::done;
}

void QueuedCall::wait() const {
  Arch::require_usable_process();
  std::unique_lock lock(m_mutex);
  const bool is_ahead = m_state == State::waiting || m_state == State::running;
  if (is_ahead && m_runner == std::this_thread::get_id()) {
    throw Busy(
        "a call of a queue waits for a later call of the same queue, which would be a "
        "deadlock");
  }
  m_done.wait(lock, [&] { return m_state == State::done; });
}

void QueuedCall::rethrow() const {
  wait();
  if (m_failure) std::rethrow_exception(m_failure);
}

}  // namespace Impl

struct KINDRED_HIDDEN CallQueue::State {
  explicit State(std::size_t most) : waiting_max(most) {}
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  void loop();
  bool is_thread() const noexcept { return std::this_thread::get_id() == thread.get_id(); }

  std::size_t waiting_max;
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable not_full;
  std::deque<std::shared_ptr<Impl::QueuedCall>> waiting;
  std::shared_ptr<Impl::QueuedCall> running;
  bool stop = false;
  std::thread thread;
};

CallQueue::State::~State() {
  if (!thread.joinable()) return;
  {
    const std::lock_guard lock(mutex);
    stop = true;
  }
  wake.notify_all();
  thread.join();
}

void CallQueue::State::loop() {
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return stop || !waiting.empty(); });
    if (waiting.empty()) return;
    running = std::move(waiting.front());
    waiting.pop_front();
    std::shared_ptr<Impl::QueuedCall> call = running;
    lock.unlock();
    not_full.notify_one();
    call->run();
    lock.lock();
    running.reset();
    lock.unlock();
    call.reset();  // its captured objects are destroyed without the lock
    lock.lock();
  }
}

CallQueue::CallQueue(std::size_t waiting_max) try {
  KINDRED_THROW_IF(waiting_max == 0, "waiting_max is 0; at least one call must be able to wait");
  Arch::require_usable_process();
  Arch::watch_forks();
  m_state = std::make_unique<State>(waiting_max);
  m_state->thread = Impl::start_thread("the thread of a queue of calls",
                                       [state = m_state.get()] { state->loop(); });
} catch (...) {
  Impl::rethrow_translated("Kindred::CallQueue");
}

CallQueue::~CallQueue() = default;

void CallQueue::push(std::shared_ptr<Impl::QueuedCall> call) try {
  Arch::require_usable_process();
  State& state = *m_state;
  std::unique_lock lock(state.mutex);
  const auto is_not_full = [&] { return state.waiting.size() < state.waiting_max; };
  if (!is_not_full() && state.is_thread()) {
    throw Busy("a call of a queue submits to the full queue, where " +
               std::to_string(state.waiting.size()) +
               " calls are waiting, which would be a deadlock");
  }
  state.not_full.wait(lock, is_not_full);
  call->set_runner(state.thread.get_id());
  state.waiting.push_back(std::move(call));
  lock.unlock();
  state.wake.notify_one();
} catch (...) {
  Impl::rethrow_translated("Kindred::CallQueue::push");
}

void CallQueue::refuse_without_memory() { Impl::rethrow_translated("Kindred::CallQueue::submit"); }

std::size_t CallQueue::cancel() try {
  Arch::require_usable_process();
  // Made before the calls are taken out of the queue: each of them must become done.
  const std::exception_ptr failure = Impl::QueuedCall::cancellation();
  std::deque<std::shared_ptr<Impl::QueuedCall>> waiting;
  {
    const std::lock_guard lock(m_state->mutex);
    waiting.swap(m_state->waiting);
  }
  m_state->not_full.notify_all();
  std::size_t cancelled = 0;
  for (const auto& call : waiting) cancelled += call->cancel(failure) ? 1 : 0;
  return cancelled;
} catch (...) {
  Impl::rethrow_translated("Kindred::CallQueue::cancel");
}

void CallQueue::wait() try {
  Arch::require_usable_process();
  if (m_state->is_thread())
    throw Busy("a call of a queue waits for the same queue, which would be a deadlock");
  std::deque<std::shared_ptr<Impl::QueuedCall>> submitted;
  {
    const std::lock_guard lock(m_state->mutex);
    submitted = m_state->waiting;
    if (m_state->running) submitted.push_front(m_state->running);
  }
  for (const auto& call : submitted) call->wait();
} catch (...) {
  Impl::rethrow_translated("Kindred::CallQueue::wait");
}

}  // namespace Kindred
