// SPDX-License-Identifier: Apache-2.0
// The fuzzed readers run without Kokkos, in one process: what the library knows about forks.
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>

namespace Kindred::Impl {

unsigned process_number() noexcept { return 0; }
void require_same_process() {}
void refuse_interrupted_change() { throw SpaceUnavailable("a forked process"); }

}  // namespace Kindred::Impl
