// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#include <utility>

namespace KINDRED_PUBLIC Kindred {

namespace {

/// Of threads without a scope.
Cancellation never_cancelled;

struct ThreadScope {
  Cancellation* cancellation = &never_cancelled;
  bool may_check = false;  ///< whether this thread made the scope
};
thread_local constinit ThreadScope here;
/// Whether this thread is within a check.
thread_local constinit bool in_check = false;

}  // namespace

Cancellation::Scope::Scope(Cancellation& cancellation) noexcept { here = {&cancellation, true}; }

namespace Impl {

KeepScope::KeepScope() noexcept : m_before(here.cancellation), m_before_may_check(here.may_check) {}
KeepScope::~KeepScope() { here = {m_before, m_before_may_check}; }

void refuse_in_check() {
  if (!in_check) [[likely]]
    return;
  throw Busy(
      "the check of a cancellation, which runs in the midst of a call, cannot make another one: "
      "let it return whether to cancel, and call later");
}

MayLock::MayLock() noexcept : m_before(std::exchange(in_check, false)) {}
MayLock::~MayLock() { in_check = m_before; }

CancelPoint::CancelPoint() noexcept : m_cancellation(here.cancellation) {}

bool CancelPoint::is_needed() const noexcept { return m_cancellation != &never_cancelled; }

bool CancelPoint::is_cancelled_now() const noexcept {
  std::atomic<std::uint8_t>& state = m_cancellation->m_state;
  if (here.may_check && here.cancellation == m_cancellation) {
    std::uint8_t expected = Cancellation::wants_check;
    if (state.compare_exchange_strong(expected, Cancellation::none) && m_cancellation->m_check) {
      const ThreadScope before = std::exchange(here, {});
      in_check = true;
      if (m_cancellation->m_check()) m_cancellation->cancel();
      in_check = false;
      here = before;
    }
  }
  return m_cancellation->is_cancelled();
}

CancelPoint::Suspended::Suspended() noexcept { here = {}; }

void CancelPoint::throw_cancelled() { throw Cancelled("the call was cancelled"); }

CancelPoint::Part::Part(const CancelPoint& of) noexcept {
  if (here.cancellation != of.m_cancellation) here = {of.m_cancellation, false};
}

}  // namespace Impl

}  // namespace Kindred
