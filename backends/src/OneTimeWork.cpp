// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Context.hpp>

#include <utility>

namespace Kindred::Impl {

namespace {
thread_local constinit OneTimeWork* innermost = nullptr;
}

OneTimeWork::OneTimeWork(bool& is_done) noexcept
    : m_is_done(&is_done), m_outer(std::exchange(innermost, this)) {}
OneTimeWork::~OneTimeWork() { innermost = m_outer; }

void OneTimeWork::note() noexcept {
  for (const OneTimeWork* work = innermost; work != nullptr; work = work->m_outer)
    *work->m_is_done = true;
}

}  // namespace Kindred::Impl
