// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_CALL_QUEUE_HPP
#define KINDRED_MATCHER_CALL_QUEUE_HPP

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

namespace KINDRED_PUBLIC Kindred {

namespace Impl {

/// \brief A call that waits, runs once on the thread of a queue, or is cancelled.
class QueuedCall {
 public:
  QueuedCall() = default;
  QueuedCall(const QueuedCall&) = delete;
  QueuedCall& operator=(const QueuedCall&) = delete;
  virtual ~QueuedCall() = default;

  /// Executes the call unless it was cancelled.
  void run() noexcept;
  /// Cancels the call if it has not started. Returns whether it was cancelled.
  bool cancel();
  /// The same. \param failure what waiting for the call throws then
  bool cancel(std::exception_ptr failure) noexcept;
  /// What waiting for a cancelled call throws.
  static std::exception_ptr cancellation();
  bool is_done() const;
  /// Waits until the call has finished or was cancelled. \throws Busy on the thread that would run
  /// it
  void wait() const;
  /// Waits, then rethrows. \throws what the call threw; Cancelled if it was cancelled; Busy as
  /// `wait`
  void rethrow() const;
  /// Sets the thread that will run the call. To be called before the call is submitted.
  void set_runner(std::thread::id runner) noexcept { m_runner = runner; }

 protected:
  virtual void call() = 0;
  /// Releases what the call holds.
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

/// \brief The future result of a call that was submitted to a `CallQueue`. May outlive the queue.
template <class Result>
class Submission {
 public:
  /// Whether the call has finished: with a result, with an error, or by cancellation.
  bool is_done() const { return m_call->is_done(); }
  /// Waits until the call is done. \throws Busy within a call of the same queue, which would wait
  /// for itself or for a later call
  void wait() const { m_call->wait(); }
  /// Waits and returns the result, which can be taken only once. \throws what the call threw;
  /// Cancelled; InvalidArgument when called a second time; Busy as `wait`
  Result get() {
    m_call->rethrow();
    KINDRED_THROW_IF(!m_call->result, "the result of a submission was taken before");
    auto result = std::exchange(m_call->result, std::nullopt);
    if constexpr (!std::is_void_v<Result>) return std::move(*result);
  }
  /// Cancels the call if it has not started. Returns whether it was cancelled; if so, `get` throws
  /// `Cancelled`.
  bool cancel() { return m_call->cancel(); }

 private:
  friend class CallQueue;
  explicit Submission(std::shared_ptr<Impl::CallWithResult<Result>> call)
      : m_call(std::move(call)) {}
  std::shared_ptr<Impl::CallWithResult<Result>> m_call;
};

/// \brief Executes calls asynchronously on one thread, in the order of submission. Results become
/// available in the same order.
///
/// Works for any call of the library: `queue.submit([&] { return bulk.reduce<float>(…); })`. Data
/// that the call reads or writes must remain valid until it is done. An error is reported by the
/// submission it belongs to and does not stop later calls. A call that has started ends early if it
/// makes a `Cancellation::Scope` that another thread cancels. Thread-safe. Calls of two queues must
/// not wait for each other. The thread does not exist in a forked child process, where calls of a
/// queue of its parent throw `SpaceUnavailable`.
class CallQueue {
 public:
  /// \param waiting_max maximum number of waiting calls; when it is reached, `submit` blocks until
  /// a call has started
  /// \throws InvalidArgument if `waiting_max` is 0; Error if the thread cannot be started
  explicit CallQueue(std::size_t waiting_max = 64);
  /// Waits for all submitted calls. To discard the calls that have not started, call `cancel`
  /// first. Must not run within a call of this queue.
  ~CallQueue();
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;

  /// \brief Appends `call()` to the queue. Blocks while `waiting_max` calls are waiting.
  /// \throws Busy if a call of this queue submits another one and would thereby wait for itself
  template <class Call>
  auto submit(Call&& call) {
    using call_type = std::decay_t<Call>;
    using result_type = std::invoke_result_t<call_type&>;
    std::shared_ptr<Impl::CallOf<result_type, call_type>> made;
    try {
      made = std::make_shared<Impl::CallOf<result_type, call_type>>(std::forward<Call>(call));
    } catch (const std::bad_alloc&) {
      refuse_without_memory();
    }
    push(made);
    return Submission<result_type>(std::move(made));
  }
  /// Cancels all calls that have not started. Returns their number.
  std::size_t cancel();
  /// Waits for all calls submitted so far. \throws Busy within a call of this queue, which would
  /// wait for itself
  void wait();

 private:
  void push(std::shared_ptr<Impl::QueuedCall> call);
  /// Called in an exception handler. \throws OutOfMemory
  [[noreturn]] static void refuse_without_memory();

  struct State;
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_CALL_QUEUE_HPP
