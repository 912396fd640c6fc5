// SPDX-License-Identifier: Apache-2.0
#include "Support.hpp"
#include "ThreadSanitizer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>

#if defined(__SANITIZE_THREAD__)
/// The parallel region that binds the threads of a team to different cores runs before the first
/// call, even in tests that use teams. ThreadSanitizer does not see the barrier of any parallel
/// region, so it would report a race.
extern "C" const char* __tsan_default_suppressions() { return "race:KeepApart\n"; }
#endif

/// LeakSanitizer reads this. Clang's OpenMP runtime does not free the records of its threads.
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so\n"; }

namespace Kindred::Testing {

Context& context() {
  static Context shared([] {
    ContextOptions options;
    options.load_profile = false;
    if (thread_sanitizer) options.threads = 1;
    return options;
  }());
  return shared;
}

std::vector<Space> spaces() {
  std::vector<Space> usable;
  for (const Space space : all_spaces) {
    if (context().is_usable(space)) usable.push_back(space);
  }
  return usable;
}

std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* text = std::getenv("KINDRED_TEST_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : 20261121ULL;
  }();
  return value;
}

std::mt19937_64 generator(const std::string& name) {
  std::uint64_t hash = seed();
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return std::mt19937_64(hash);
}

}  // namespace Kindred::Testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::cout << "KINDRED_TEST_SEED=" << Kindred::Testing::seed() << '\n';
  return RUN_ALL_TESTS();
}
