// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/CallbackDelay.hpp>

#include <exception>
#include <utility>

namespace Kindred::Impl {

namespace {
thread_local constinit CallbackDelay* outermost = nullptr;
}

CallbackDelay::CallbackDelay() noexcept
    : m_is_outermost(outermost == nullptr), m_exceptions(std::uncaught_exceptions()) {
  if (m_is_outermost) outermost = this;
}

CallbackDelay::~CallbackDelay() noexcept(false) {
  if (!m_is_outermost) return;
  outermost = nullptr;
  std::exception_ptr failure;
  for (const auto& callback : m_callbacks) {
    try {
      callback();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure && std::uncaught_exceptions() == m_exceptions) std::rethrow_exception(failure);
}

CallbackDelay* CallbackDelay::present() noexcept { return outermost; }

CallbackDelay::Part::Part(CallbackDelay* of) noexcept : m_before(std::exchange(outermost, of)) {}
CallbackDelay::Part::~Part() { outermost = m_before; }

}  // namespace Kindred::Impl
