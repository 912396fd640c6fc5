// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_INTERRUPT_HPP
#define KINDRED_PERF_COMMON_INTERRUPT_HPP

namespace Kindred::Perf {

/// Exit status of a command that wrote what it had measured before an interrupt.
inline constexpr int interrupted_status = 130;

/// Keeps the next interrupt (SIGINT) from ending the program; a second one ends it.
void watch_interrupts();
bool is_interrupted() noexcept;

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_INTERRUPT_HPP
