// SPDX-License-Identifier: Apache-2.0
#include "program/WaitPolicy.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace Kindred::Tools {

namespace {

bool one_is_set(std::initializer_list<const char*> names) noexcept {
  return std::any_of(names.begin(), names.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

bool prefer_passive_waiting() noexcept {
  if (one_is_set({"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})) return false;
  // 1,000 iterations of libgomp's spin loop take 10 to 50 µs; other runtimes only use the policy.
  return setenv("OMP_WAIT_POLICY", "passive", 0) == 0 && setenv("GOMP_SPINCOUNT", "1000", 0) == 0;
}

void wait_passively(char** argv) noexcept {
  // The OpenMP library has already bound this thread to one place, which the new program would
  // inherit: it would see one processor.
  if (one_is_set({"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})) return;
  if (prefer_passive_waiting()) (void)execv("/proc/self/exe", argv);
}

}  // namespace Kindred::Tools
