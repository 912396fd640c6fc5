// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_THREADS_STOPPED_IN_KERNEL_HPP
#define KINDRED_TESTS_THREADS_STOPPED_IN_KERNEL_HPP

#include <kindred/core/common/Cancellation.hpp>

#include <future>
#include <thread>

namespace Kindred::Testing {

/// \brief A call on a thread of its own that stops in the midst of a kernel, and goes on when this
/// object is destroyed.
class StoppedInKernel {
 public:
  /// \param make prepares the call, which it returns, on that thread
  explicit StoppedInKernel(const std::function<std::function<void()>()>& make)
      : m_thread([this, make] {
          const std::function<void()> call = make();
          const Cancellation::Scope scope(m_cancellation);
          m_cancellation.request_check();
          call();
        }) {}
  ~StoppedInKernel() {
    m_goes_on.set_value();
    m_thread.join();
  }
  StoppedInKernel(const StoppedInKernel&) = delete;
  StoppedInKernel& operator=(const StoppedInKernel&) = delete;

  bool wait_until_stopped() {
    return m_stopped.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  }

 private:
  /// The first checks of a call may come before its kernel.
  static constexpr int stops_at = 6;

  bool check() {
    m_cancellation.request_check();
    if (++m_checks != stops_at) return false;
    m_stopped.set_value();
    m_goes_on.get_future().wait_for(std::chrono::seconds(20));
    return false;
  }

  Cancellation m_cancellation{[this] { return check(); }};
  int m_checks = 0;
  std::promise<void> m_stopped;
  std::promise<void> m_goes_on;
  std::thread m_thread;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_THREADS_STOPPED_IN_KERNEL_HPP
