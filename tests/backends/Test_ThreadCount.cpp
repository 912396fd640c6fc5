// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/common/Error.hpp>

#include <gtest/gtest.h>

#include "EnvironmentVariable.hpp"

#include <map>

namespace ThreadCountTest {

using namespace Kindred;
using Impl::ThreadCount;
using Impl::ThreadLimits;

Impl::Environment environment(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

ThreadCount choose(const ThreadLimits& limits,
                   const std::map<std::string, std::string>& variables = {}) {
  return Impl::choose_threads(limits, environment(variables));
}

TEST(ThreadCount, IsTheWholeMachineWithoutLimits) {
  EXPECT_EQ(choose({.openmp = 128, .allowed = 128, .online = 128}),
            (ThreadCount{128, "all processors"}));
  EXPECT_EQ(choose({}), (ThreadCount{1, "all processors"}));
}

TEST(ThreadCount, FollowsTheAffinityOfTheProcess) {
  EXPECT_EQ(choose({.openmp = 1, .allowed = 1, .online = 128}),
            (ThreadCount{1, "the processors that this process may use"}));
}

TEST(ThreadCount, FollowsTheVariablesOfOpenMP) {
  const ThreadLimits many{.openmp = 64, .allowed = 2, .online = 2};
  EXPECT_EQ(choose(many, {{"OMP_NUM_THREADS", "64"}}), (ThreadCount{64, "OMP_NUM_THREADS"}));
  EXPECT_EQ(choose(many, {{"OMP_NUM_THREADS", " 64,2"}}), (ThreadCount{64, "OMP_NUM_THREADS"}));
  EXPECT_EQ(choose(many), (ThreadCount{64, "as OpenMP decides"}));
  // OpenMP ignores what it cannot read.
  EXPECT_EQ(choose({.openmp = 2, .allowed = 2, .online = 2}, {{"OMP_NUM_THREADS", "lots"}}),
            (ThreadCount{2, "all processors"}));
  EXPECT_EQ(choose({.openmp = 64, .openmp_limit = 4, .allowed = 2, .online = 2},
                   {{"OMP_NUM_THREADS", "64"}}),
            (ThreadCount{4, "OMP_THREAD_LIMIT"}));
}

TEST(ThreadCount, OfFilesIsThatOfContexts) {
  EXPECT_EQ(Impl::threads_or_all(3), 3);
  {
    const Testing::EnvironmentVariable one("KOKKOS_NUM_THREADS", "1");
    EXPECT_EQ(Impl::threads_or_all(0), 1);
  }
  const Impl::Environment real = [](const char* variable) { return std::getenv(variable); };
  EXPECT_EQ(Impl::threads_or_all(0),
            Impl::choose_threads(Impl::query_thread_limits(), real).threads);
}

TEST(ThreadCount, FollowsTheVariableOfKokkos) {
  const ThreadLimits limits{.openmp = 8, .openmp_limit = 6, .allowed = 8, .online = 8, .quota = 2};
  EXPECT_EQ(choose(limits, {{"KOKKOS_NUM_THREADS", "3"}, {"OMP_NUM_THREADS", "8"}}),
            (ThreadCount{3, "KOKKOS_NUM_THREADS"}));
  EXPECT_EQ(choose(limits, {{"KOKKOS_NUM_THREADS", "100"}}), (ThreadCount{6, "OMP_THREAD_LIMIT"}));
  for (const char* wrong : {"", "abc", "0", "-1", "99999999999"})
    EXPECT_THROW(choose(limits, {{"KOKKOS_NUM_THREADS", wrong}}), InvalidArgument) << wrong;
}

TEST(ThreadCount, IsWithinTheQuotaOfTheControlGroup) {
  const ThreadLimits limits{.openmp = 128, .allowed = 128, .online = 128, .quota = 1};
  EXPECT_EQ(choose(limits), (ThreadCount{1, "the CPU limit of the control group"}));
  EXPECT_EQ(choose(limits, {{"OMP_NUM_THREADS", "128"}}),
            (ThreadCount{1, "the CPU limit of the control group"}));
}

TEST(ThreadCount, IsWhatKokkosCanUse) {
  EXPECT_EQ(choose({.openmp = 1024, .allowed = 1024, .online = 1024}).threads, 512);
}

TEST(ThreadCount, OfARequestIsWithinTheLimitOfOpenMP) {
  EXPECT_EQ(Impl::requested_threads(8, 100), (ThreadCount{8, "as requested"}));
  EXPECT_EQ(Impl::requested_threads(8, 4), (ThreadCount{4, "OMP_THREAD_LIMIT"}));
}

TEST(ThreadCount, RejectsSwitchesOnWhichKokkosWouldAbort) {
  Impl::check_kokkos_switches(environment({{"KOKKOS_DISABLE_WARNINGS", "TRUE"},
                                           {"KOKKOS_PRINT_CONFIGURATION", "no"},
                                           {"KOKKOS_TUNE_INTERNALS", "0"}}));
  for (const char* name :
       {"KOKKOS_DISABLE_WARNINGS", "KOKKOS_PRINT_CONFIGURATION", "KOKKOS_TUNE_INTERNALS"})
    EXPECT_THROW(Impl::check_kokkos_switches(environment({{name, "maybe"}})), InvalidArgument);
}

TEST(ThreadCount, OfThisMachineHasAThread) {
  const ThreadLimits limits = Impl::query_thread_limits();
  EXPECT_GE(limits.openmp, 1);
  EXPECT_GE(limits.openmp_limit, 1);
  EXPECT_GE(limits.quota, 0);
}

}  // namespace ThreadCountTest
