// SPDX-License-Identifier: Apache-2.0
// The fuzzed readers run without Kokkos, in one process and on one thread: what the library knows
// of forks and threads.
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/ThreadSlots.hpp>

namespace Kindred::Impl {

unsigned process_number() noexcept { return 0; }
void require_same_process() {}
void refuse_interrupted_change() { throw SpaceUnavailable("a forked process"); }
std::size_t thread_number() noexcept { return 0; }
std::size_t thread_slot_count() noexcept { return 1; }
void keep_until_exit(void*) noexcept {}

}  // namespace Kindred::Impl
