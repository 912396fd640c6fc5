// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_CALL_ORDER_HPP
#define KINDRED_MATCHER_KIT_CALL_ORDER_HPP

#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/Event.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Stream.hpp>

#include <deque>
#include <memory>

namespace Kindred::Impl {

/// \brief The order of calls on arrays of callers, which may still run when they have returned: the
/// calls share a workspace, so each runs behind the one before it, also across streams. Not
/// thread-safe.
template <class ExecutionSpace>
class CallOrder {
 public:
  CallOrder() = default;
  /// Waits for all calls.
  ~CallOrder() {
    try {
      wait();
    } catch (const Error&) {
      return;  // a lost device runs nothing
    }
  }
  CallOrder(const CallOrder&) = delete;
  CallOrder& operator=(const CallOrder&) = delete;

  /// \brief Calls `body()`, whose launches on \p exec_space run behind those of earlier calls. Does
  /// not fence, unless \p body throws: the next call is not ordered behind what it launched.
  /// \throws InvalidArgument if the stream of \p exec_space is captured
  /// \param label name of that fence
  /// \param read what the launches read; kept until they have ended and a later call notices it
  template <class Body>
  void run(const ExecutionSpace& exec_space, const char* label,
           const std::shared_ptr<const void>& read, const Body& body) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      KINDRED_THROW_IF(is_captured(Stream::cuda(exec_space.cuda_stream())),
                       "the stream is captured; this call uses memory that later calls change, so "
                       "it cannot be part of a CUDA graph");
    }
    while (m_calls.size() > 1 && m_calls.front().end.is_complete()) m_calls.pop_front();
    if (!m_calls.empty()) m_calls.back().end.wait_on(exec_space);
    try {
      body();
      if (m_calls.empty() || m_calls.back().read != read) m_calls.emplace_back();
      m_calls.back().read = read;
      m_calls.back().end.record(exec_space);
    } catch (...) {
      Arch::fence(exec_space, label);
      throw;
    }
  }

  /// \brief Waits for all calls and releases what they read. May be called within `run`, before
  /// memory is changed that earlier calls use. \throws DeviceLost
  void wait() {
    if (m_calls.empty()) return;
    m_calls.back().end.synchronize();
    m_calls.back().read.reset();
    while (m_calls.size() > 1) m_calls.pop_front();
  }

 private:
  /// Consecutive calls that read the same.
  struct Calls {
    Arch::Event<ExecutionSpace> end;
    std::shared_ptr<const void> read;
  };

  std::deque<Calls> m_calls;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_CALL_ORDER_HPP
