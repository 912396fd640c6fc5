// SPDX-License-Identifier: Apache-2.0
// The main function of the test programs, and their options for the sanitizers.
#include "Support.hpp"

#include <gtest/gtest.h>

#include <iostream>

#if defined(__SANITIZE_THREAD__)
/// The parallel region that binds the threads of a team to different cores runs before the first
/// call, even in tests that use teams. ThreadSanitizer does not see the barrier of any parallel
/// region, so it would report a race.
extern "C" const char* __tsan_default_suppressions() { return "race:KeepApart\n"; }
#endif

/// LeakSanitizer reads this. Clang's OpenMP runtime does not free the records of its threads.
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so\n"; }

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::cout << "KINDRED_TEST_SEED=" << Kindred::Testing::seed() << '\n';
  return RUN_ALL_TESTS();
}
