// SPDX-License-Identifier: Apache-2.0
#include "EngineCalls.hpp"
#include "Support.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace SystemCallsTest {

using namespace Kindred;

#if defined(__x86_64__) && defined(PR_SET_SYSCALL_USER_DISPATCH)

/// The first system call of the thread since it was set to −1. The kernel reads `is_watched`.
volatile sig_atomic_t first_call = -1;
volatile char is_watched = SYSCALL_DISPATCH_FILTER_ALLOW;

/// Notes the call, watches no longer, and lets the thread repeat it.
void on_system_call(int, siginfo_t* info, void* given) {
  first_call = info->si_syscall;
  is_watched = SYSCALL_DISPATCH_FILTER_ALLOW;
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

/// Allocation may ask for memory or return it.
bool is_of_memory(int call) {
  return call == SYS_brk || call == SYS_mmap || call == SYS_munmap || call == SYS_madvise;
}

// The threads of a process share what many system calls lock: to wake nobody, as `call_once` and
// parallel regions of one thread do, took 16 threads as long as their searches.
class SmallCalls : public testing::TestWithParam<Testing::EngineCall> {};

TEST_P(SmallCalls, MakeNoSystemCallsButForMemoryOnOneThread) {
  if (!can_watch()) GTEST_SKIP() << "the kernel does not tell of system calls";
  ASSERT_EQ(first_system_call([] { ::getppid(); }), SYS_getppid);
  const auto run = GetParam().make(Testing::context());
  const auto call = [&] { run(Space::serial); };
  for (int i = 0; i < 20; ++i) call();
  for (int i = 0; i < 20; ++i) {
    const int first = first_system_call(call);
    EXPECT_TRUE(first < 0 || is_of_memory(first)) << "number " << first;
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, SmallCalls, testing::ValuesIn(Testing::engine_calls()),
                         Testing::name_of_engine_call);

#endif

}  // namespace SystemCallsTest
