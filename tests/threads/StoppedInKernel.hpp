// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_THREADS_STOPPED_IN_KERNEL_HPP
#define KINDRED_TESTS_THREADS_STOPPED_IN_KERNEL_HPP

#include <kindred/core/common/Cancellation.hpp>

#include "Threads.hpp"

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
    m_stop.go_on();
    m_thread.join();
  }
  StoppedInKernel(const StoppedInKernel&) = delete;
  StoppedInKernel& operator=(const StoppedInKernel&) = delete;

  bool wait_until_stopped() { return m_stop.wait_until_reached(); }

 private:
  /// The first checks of a call may come before its kernel.
  static constexpr int stops_at = 6;

  bool check() {
    m_cancellation.request_check();
    if (++m_checks == stops_at) m_stop.here();
    return false;
  }

  Cancellation m_cancellation{[this] { return check(); }};
  int m_checks = 0;
  Stop m_stop;
  std::thread m_thread;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_THREADS_STOPPED_IN_KERNEL_HPP
