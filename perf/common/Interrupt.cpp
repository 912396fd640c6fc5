// SPDX-License-Identifier: Apache-2.0
#include "common/Interrupt.hpp"

#include <csignal>

namespace Kindred::Perf {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int /*signal*/) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

void watch_interrupts() { std::signal(SIGINT, note_interrupt); }
bool is_interrupted() noexcept { return interrupted != 0; }

}  // namespace Kindred::Perf
