// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/CallbackDelay.hpp>

#include <utility>

namespace Kindred::Impl {

namespace {
thread_local constinit CallbackDelay* outermost = nullptr;
}

CallbackDelay::CallbackDelay() noexcept : m_is_outermost(outermost == nullptr) {
  if (m_is_outermost) outermost = this;
}

CallbackDelay::~CallbackDelay() {
  if (!m_is_outermost) return;
  outermost = nullptr;
  for (const auto& callback : m_callbacks) call_back(callback);
}

CallbackDelay* CallbackDelay::present() noexcept { return outermost; }

CallbackDelay::Part::Part(CallbackDelay* of) noexcept : m_before(std::exchange(outermost, of)) {}
CallbackDelay::Part::~Part() { outermost = m_before; }

}  // namespace Kindred::Impl
