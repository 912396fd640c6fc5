// SPDX-License-Identifier: Apache-2.0
#include "EngineCalls.hpp"
#include "Support.hpp"

#include <execinfo.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace SystemCallsTest {

using namespace Kindred;

#if defined(__x86_64__) && defined(PR_SET_SYSCALL_USER_DISPATCH)

/// The first system call of the thread since it was set to −1. The kernel reads `is_watched`.
volatile sig_atomic_t first_call = -1;
volatile char is_watched = SYSCALL_DISPATCH_FILTER_ALLOW;
/// Where it was made, from the signal handler on.
void* first_callers[24];
int callers = 0;

/// Notes the call, watches no longer, and lets the thread repeat it.
void on_system_call(int, siginfo_t* info, void* given) {
  first_call = info->si_syscall;
  is_watched = SYSCALL_DISPATCH_FILTER_ALLOW;
  callers = ::backtrace(first_callers, 24);
  static_cast<ucontext_t*>(given)->uc_mcontext.gregs[REG_RIP] -= 2;
}

/// Whether the kernel tells of the system calls of this thread from now on.
bool can_watch() {
  struct sigaction action = {};
  action.sa_sigaction = on_system_call;
  action.sa_flags = SA_SIGINFO;
  return ::sigaction(SIGSYS, &action, nullptr) == 0 &&
         ::prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &is_watched) == 0;
}

/// The first system call that `body()` makes; −1: none.
template <class Body>
int first_system_call(const Body& body) {
  first_call = -1;
  is_watched = SYSCALL_DISPATCH_FILTER_BLOCK;
  body();
  is_watched = SYSCALL_DISPATCH_FILTER_ALLOW;
  return static_cast<int>(first_call);
}

/// What wakes threads or waits for them. Memory and, on some machines, clocks need other calls.
bool is_of_threads(int call) {
  return call == SYS_futex || call == SYS_sched_yield || call == SYS_nanosleep ||
         call == SYS_clock_nanosleep;
}

/// The last call that was found, and where it was made.
std::string described_call() {
  std::string out = "system call " + std::to_string(first_call);
  char** const names = ::backtrace_symbols(first_callers, callers);
  for (int i = 0; names != nullptr && i < callers; ++i) out += std::string("\n  ") + names[i];
  std::free(names);
  return out;
}

// The threads of a process share what the kernel locks for such a call: to wake nobody, as
// `call_once` and parallel regions of one thread do, took 16 threads as long as their searches.
class SmallCalls : public testing::TestWithParam<Testing::EngineCall> {};

TEST_P(SmallCalls, WakeNobodyOnOneThread) {
  if (!can_watch() || first_system_call([] { ::getppid(); }) != SYS_getppid)
    GTEST_SKIP() << "the kernel does not tell of system calls";
  const auto run = GetParam().make(Testing::context());
  const auto call = [&] { run(Space::serial); };
  for (int i = 0; i < 20; ++i) call();
  int found = 0;
  std::string last;
  for (int i = 0; i < 20; ++i) {
    if (!is_of_threads(first_system_call(call))) continue;
    ++found;
    last = described_call();
  }
  EXPECT_LT(found, 5) << "of 20 calls; threads of the context may hold a lock now and then; "
                      << last;
}

INSTANTIATE_TEST_SUITE_P(Calls, SmallCalls, testing::ValuesIn(Testing::engine_calls()),
                         Testing::name_of_engine_call);

#endif

}  // namespace SystemCallsTest
