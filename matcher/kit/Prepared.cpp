// SPDX-License-Identifier: Apache-2.0
#include "Preparation.hpp"

#include <kindred/core/arch/Process.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <utility>

namespace Kindred {

Prepared::Prepared(std::unique_ptr<Impl::PreparedLaunches> launches) noexcept
    : m_launches(std::move(launches)) {}

void Prepared::run() const try {
  Arch::require_usable_process();
  Impl::CancelPoint().check();
  m_launches->run();
} catch (...) {
  Impl::rethrow_translated("Kindred::Prepared::run");
}

Space Prepared::space() const noexcept { return m_launches->space(); }

void Prepared::wait() const try {
  Arch::require_usable_process();
  m_launches->wait();
} catch (...) {
  Impl::rethrow_translated("Kindred::Prepared::wait");
}

}  // namespace Kindred
