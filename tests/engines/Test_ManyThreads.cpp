// SPDX-License-Identifier: Apache-2.0
// A machine of 128 processors, simulated by as many threads.

#include "EngineCalls.hpp"
#include "Support.hpp"
#include "ThreadSanitizer.hpp"

namespace ManyThreadsTest {

using namespace Kindred;
using Testing::EngineCall;

class ManyThreads : public testing::TestWithParam<EngineCall> {};

TEST_P(ManyThreads, GiveTheSameBitsInLittleMoreMemory) {
  if (Testing::thread_sanitizer) GTEST_SKIP() << "regions of several threads";
  ContextOptions options{.threads = 128, .load_profile = false};
  Context context(options);
  if (!context.is_usable(Space::openmp)) GTEST_SKIP() << "this Kokkos has no OpenMP";
  context.dispatcher().force_threads(context.threads());
  options.threads = 1;
  Context one(options);
  const std::string expected = GetParam().make(one)(Space::serial);
  const EngineCall::Run run = GetParam().make(context);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(Space::openmp), expected);
  // At most a workspace of 256 KiB per thread.
  EXPECT_LE(context.memory_statistics(Space::openmp).bytes_peak,
            one.memory_statistics(Space::serial).bytes_peak + (std::uint64_t{128} * 256U << 10U));
}

INSTANTIATE_TEST_SUITE_P(Calls, ManyThreads, testing::ValuesIn(Testing::engine_calls()),
                         Testing::name_of_engine_call);

}  // namespace ManyThreadsTest
