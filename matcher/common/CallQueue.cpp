// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/CallQueue.hpp>

#include <string>
#include <system_error>

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

bool QueuedCall::cancel() {
  {
    const std::lock_guard lock(m_mutex);
    if (m_state != State::waiting) return false;
    m_state = State::cancelled;
  }
  forget();
  finish(std::make_exception_ptr(Cancelled("the call was cancelled before it began")));
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
  const std::lock_guard lock(m_mutex);
  return m_state == State::done;
}

void QueuedCall::wait() const {
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

CallQueue::CallQueue(std::size_t waiting_max) : m_waiting_max(waiting_max) {
  KINDRED_THROW_IF(waiting_max == 0, "waiting_max is 0; at least one call must be able to wait");
  try {
    m_thread = std::thread([this] { loop(); });
  } catch (const std::system_error& error) {
    throw Error(std::string("the thread of a queue of calls cannot be started: ") + error.what());
  }
}

CallQueue::~CallQueue() {
  {
    const std::lock_guard lock(m_mutex);
    m_stop = true;
  }
  m_wake.notify_all();
  m_thread.join();
}

void CallQueue::push(std::shared_ptr<Impl::QueuedCall> call) {
  std::unique_lock lock(m_mutex);
  const auto is_not_full = [&] { return m_waiting.size() < m_waiting_max; };
  if (!is_not_full() && std::this_thread::get_id() == m_thread.get_id()) {
    throw Busy("a call of a queue submits to the full queue, where " +
               std::to_string(m_waiting.size()) + " calls are waiting, which would be a deadlock");
  }
  m_not_full.wait(lock, is_not_full);
  call->set_runner(m_thread.get_id());
  m_waiting.push_back(std::move(call));
  lock.unlock();
  m_wake.notify_one();
}

std::size_t CallQueue::cancel() {
  std::deque<std::shared_ptr<Impl::QueuedCall>> waiting;
  {
    const std::lock_guard lock(m_mutex);
    waiting.swap(m_waiting);
  }
  m_not_full.notify_all();
  std::size_t cancelled = 0;
  for (const auto& call : waiting) cancelled += call->cancel() ? 1 : 0;
  return cancelled;
}

void CallQueue::wait() {
  if (std::this_thread::get_id() == m_thread.get_id())
    throw Busy("a call of a queue waits for the same queue, which would be a deadlock");
  std::deque<std::shared_ptr<Impl::QueuedCall>> submitted;
  {
    const std::lock_guard lock(m_mutex);
    submitted = m_waiting;
    if (m_running) submitted.push_front(m_running);
  }
  for (const auto& call : submitted) call->wait();
}

void CallQueue::loop() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_wake.wait(lock, [&] { return m_stop || !m_waiting.empty(); });
    if (m_waiting.empty()) return;
    m_running = std::move(m_waiting.front());
    m_waiting.pop_front();
    std::shared_ptr<Impl::QueuedCall> call = m_running;
    lock.unlock();
    m_not_full.notify_one();
    call->run();
    lock.lock();
    m_running.reset();
    lock.unlock();
    call.reset();  // its captured objects are destroyed without the lock
    lock.lock();
  }
}

}  // namespace Kindred
