// SPDX-License-Identifier: Apache-2.0
#include "dispatch_quality/ChildProcess.hpp"

#include <kindred/core/common/Error.hpp>

#include "common/Timing.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace Kindred::Perf {

double run_child(const std::vector<std::string>& arguments) {
  constexpr const char* self = "/proc/self/exe";
  std::string name = "kindred-perf";
  std::vector<std::string> kept = arguments;
  std::vector<char*> pointers{name.data()};
  for (std::string& argument : kept) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  // Same wait policy as the command: spinning threads slow each other down while other programs
  // run.
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  ::setenv("GOMP_SPINCOUNT", "1000", 0);
  const auto start = Clock::now();
  pid_t process = 0;
  const int failed = ::posix_spawn(&process, self, nullptr, nullptr, pointers.data(), environ);
  if (failed != 0)
    throw Error(std::string("kindred-perf cannot start itself again: ") + std::strerror(failed));
  int status = 0;
  ::waitpid(process, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error("a process of the measurement failed: see above");
  return seconds_since(start);
}

}  // namespace Kindred::Perf
