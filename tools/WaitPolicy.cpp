// SPDX-License-Identifier: Apache-2.0
#include "WaitPolicy.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace Kindred::Tools {

bool prefer_passive_waiting() noexcept {
  constexpr std::array<const char*, 3> settings{"OMP_WAIT_POLICY", "GOMP_SPINCOUNT",
                                                "KMP_BLOCKTIME"};
  const auto is_set = [](const char* name) { return std::getenv(name) != nullptr; };
  if (std::any_of(settings.begin(), settings.end(), is_set)) return false;
  // 1,000 iterations of libgomp's spin loop take 10 to 50 µs; other runtimes only use the policy.
  return setenv("OMP_WAIT_POLICY", "passive", 0) == 0 && setenv("GOMP_SPINCOUNT", "1000", 0) == 0;
}

void wait_passively(char** argv) noexcept {
  if (prefer_passive_waiting()) (void)execv("/proc/self/exe", argv);
}

}  // namespace Kindred::Tools
