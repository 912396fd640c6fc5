// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CALL_QUEUE_HPP
#define KINDRED_MATCHER_CALL_QUEUE_HPP

#include <kindred/core/common/Error.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

namespace Kindred {

namespace Impl {

/// \brief A call that waits, runs once on the thread of a queue, or is cancelled.
class QueuedCall {
 public:
  QueuedCall() = default;
  QueuedCall(const QueuedCall&) = delete;
  QueuedCall& operator=(const QueuedCall&) = delete;
  virtual ~QueuedCall() = default;

  /// Makes the call unless it was cancelled.
  void run() noexcept;
  /// Whether it had not begun, and never will.
  bool cancel();
  bool is_done() const;
  /// \throws Busy on the thread that is to run it
  void wait() const;
  /// Waits. \throws what the call threw, Cancelled; Busy as `wait`
  void rethrow() const;
  /// Before it is submitted: the thread that will run it.
  void set_runner(std::thread::id runner) noexcept { m_runner = runner; }

 protected:
  virtual void call() = 0;
  /// Gives up what the call holds.
  virtual void forget() noexcept = 0;

 private:
  enum class State : std::uint8_t { waiting, running, cancelled, done };
  void finish(std::exception_ptr failure) noexcept;

  mutable std::mutex m_mutex;
  mutable std::condition_variable m_done;
  State m_state = State::waiting;
  std::exception_ptr m_failure;
  std::thread::id m_runner;
};

template <class Result>
class CallWithResult : public QueuedCall {
 public:
  using stored_type = std::conditional_t<std::is_void_v<Result>, std::monostate, Result>;
  std::optional<stored_type> result;
};

template <class Result, class Call>
class CallOf final : public CallWithResult<Result> {
 public:
  template <class Given>
  explicit CallOf(Given&& call) : m_call(std::forward<Given>(call)) {}

 private:
  void call() override {
    if constexpr (std::is_void_v<Result>) {
      (*m_call)();
      this->result.emplace();
    } else {
      this->result.emplace((*m_call)());
    }
  }
  void forget() noexcept override { m_call.reset(); }

  std::optional<Call> m_call;
};

}  // namespace Impl

/// \brief What a call of a `CallQueue` will have given. Outlives the queue if need be.
template <class Result>
class Submission {
 public:
  /// Whether it has ended: with a result, an error, or cancelled.
  bool is_done() const { return m_call->is_done(); }
  /// \throws Busy in a call of the same queue that would wait for itself or for one behind it
  void wait() const { m_call->wait(); }
  /// Waits; the result, which can be had once. \throws what the call threw; Cancelled;
  /// InvalidArgument the second time; Busy as `wait`
  Result get() {
    m_call->rethrow();
    KINDRED_THROW_IF(!m_call->result, "the result of a submission was taken before");
    auto result = std::exchange(m_call->result, std::nullopt);
    if constexpr (!std::is_void_v<Result>) return std::move(*result);
  }
  /// Whether it had not begun, and never will: `get` then throws `Cancelled`.
  bool cancel() { return m_call->cancel(); }

 private:
  friend class CallQueue;
  explicit Submission(std::shared_ptr<Impl::CallWithResult<Result>> call)
      : m_call(std::move(call)) {}
  std::shared_ptr<Impl::CallWithResult<Result>> m_call;
};

/// \brief Makes calls on a thread of its own, one after the other in the order in which they are
/// submitted; that is the order of their results too.
///
/// For any call of the library: `queue.submit([&] { return bulk.reduce<float>(…); })`. What it
/// reads and writes must stay until it is done. An error belongs to its own submission and stops no
/// other. Thread-safe; calls of two queues must not wait for one another. A forked child process
/// has no thread to make the calls: it must not use a queue of its parent.
class CallQueue {
 public:
  /// \param waiting_max calls that wait at a time: a further one waits in `submit` for its place
  /// \throws InvalidArgument for 0; Error where no thread can be started
  explicit CallQueue(std::size_t waiting_max = 64);
  /// Waits for all that was submitted; `cancel` before it for what has not begun. Not in a call of
  /// the queue.
  ~CallQueue();
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;

  /// \brief Puts `call()` behind what was submitted. Waits while `waiting_max` calls wait. \throws
  /// Busy where a call of this queue submits another and would wait for itself
  template <class Call>
  auto submit(Call&& call) {
    using call_type = std::decay_t<Call>;
    using result_type = std::invoke_result_t<call_type&>;
    auto made = std::make_shared<Impl::CallOf<result_type, call_type>>(std::forward<Call>(call));
    push(made);
    return Submission<result_type>(std::move(made));
  }
  /// Cancels all that has not begun; returns how many.
  std::size_t cancel();
  /// Waits for all that was submitted before. \throws Busy in a call of this queue, which would
  /// wait for itself
  void wait();

 private:
  void push(std::shared_ptr<Impl::QueuedCall> call);
  void loop();

  std::size_t m_waiting_max;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  std::condition_variable m_not_full;
  std::deque<std::shared_ptr<Impl::QueuedCall>> m_waiting;
  std::shared_ptr<Impl::QueuedCall> m_running;
  bool m_stop = false;
  std::thread m_thread;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_CALL_QUEUE_HPP
