// SPDX-License-Identifier: Apache-2.0
// The threads that a context uses, the device that Kokkos is initialized on if there are several,
// and the instructions that may be used, as functions of the machine and the environment variables.
#include <kindred/backends/Context.hpp>
#include <kindred/backends/InstructionSet.hpp>
#include <kindred/backends/impl/DeviceChoice.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/common/Error.hpp>

#include <gmock/gmock.h>

#include "EnvironmentVariable.hpp"

#include <map>
#include <set>

namespace MachineChoicesTest {

using namespace Kindred;
using Impl::DeviceChoice;
using Impl::ThreadCount;
using Impl::ThreadLimits;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Variables = std::map<std::string, std::string>;

Impl::Environment environment(const Variables& variables) {
  return [variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

// --- threads

ThreadCount threads_for(const ThreadLimits& limits, const Variables& variables = {}) {
  return Impl::choose_threads(limits, environment(variables));
}

TEST(ThreadCount, IsTheLeastOfTheLimitsUnlessAVariableSaysOtherwise) {
  struct Case {
    ThreadLimits limits;
    Variables variables;
    ThreadCount expected;
  };
  const ThreadLimits few{.openmp = 64, .allowed = 2, .online = 2};
  const ThreadLimits most_6{.openmp = 8, .openmp_limit = 6, .allowed = 8, .online = 8, .quota = 2};
  const ThreadLimits quota{.openmp = 128, .allowed = 128, .online = 128, .quota = 1};
  const char* const of_quota = "the CPU limit of the control group";
  for (const auto& [limits, variables, expected] : std::vector<Case>{
           {{.openmp = 128, .allowed = 128, .online = 128}, {}, {128, "all processors"}},
           {{}, {}, {1, "all processors"}},
           {{.openmp = 1, .allowed = 1, .online = 128},
            {},
            {1, "the processors that this process may use"}},
           {few, {{"OMP_NUM_THREADS", "64"}}, {64, "OMP_NUM_THREADS"}},
           {few, {{"OMP_NUM_THREADS", " 64,2"}}, {64, "OMP_NUM_THREADS"}},
           {few, {}, {64, "as OpenMP decides"}},
           // OpenMP ignores what it cannot read.
           {{.openmp = 2, .allowed = 2, .online = 2},
            {{"OMP_NUM_THREADS", "lots"}},
            {2, "all processors"}},
           {{.openmp = 64, .openmp_limit = 4, .allowed = 2, .online = 2},
            {{"OMP_NUM_THREADS", "64"}},
            {4, "OMP_THREAD_LIMIT"}},
           {most_6,
            {{"KOKKOS_NUM_THREADS", "3"}, {"OMP_NUM_THREADS", "8"}},
            {3, "KOKKOS_NUM_THREADS"}},
           {most_6, {{"KOKKOS_NUM_THREADS", "100"}}, {6, "OMP_THREAD_LIMIT"}},
           {quota, {}, {1, of_quota}},
           {quota, {{"OMP_NUM_THREADS", "128"}}, {1, of_quota}}})
    EXPECT_EQ(threads_for(limits, variables), expected) << testing::PrintToString(variables);
  for (const char* wrong : {"", "abc", "0", "-1", "99999999999"})
    EXPECT_THROW(threads_for(most_6, {{"KOKKOS_NUM_THREADS", wrong}}), InvalidArgument) << wrong;
  EXPECT_EQ(threads_for({.openmp = 1024, .allowed = 1024, .online = 1024}).threads, 512)
      << "as many as Kokkos can use";
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

// --- devices

DeviceChoice device_for(const Variables& variables, int count = 4,
                        std::optional<int> requested = {}, unsigned process_id = 1) {
  return Impl::choose_device(count, requested, environment(variables), process_id);
}
constexpr DeviceChoice both(int device) { return {device, device}; }

TEST(DeviceChoice, IsTheRequestedOneThenThatOfAVariableThenTheFirst) {
  struct Case {
    Variables variables;
    DeviceChoice expected;
    int count = 4;
    std::optional<int> requested = {};
  };
  for (const auto& [variables, expected, count, requested] : std::vector<Case>{
           {{}, both(0)},
           {{}, both(0), 1},
           {{}, both(3), 4, 3},
           {{{"KOKKOS_DEVICE_ID", "1"}, {"SLURM_LOCALID", "2"}}, both(3), 4, 3},
           {{{"KOKKOS_DEVICE_ID", "99"}}, both(3), 4, 3},
           {{{"KOKKOS_DEVICE_ID", "3"}, {"SLURM_LOCALID", "2"}}, both(3)},
           {{{"KOKKOS_DEVICE_ID", "2"}, {"KOKKOS_MAP_DEVICE_ID_BY", "random"}}, both(2)},
           {{{"KOKKOS_MAP_DEVICE_ID_BY", "mpi_rank"}, {"SLURM_LOCALID", "2"}}, both(2)},
           {{{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"SLURM_LOCALID", "2"}}, both(1)},
           {{{"MPI_LOCALRANKID", "3"}, {"PMI_LOCAL_RANK", "2"}}, both(3)},
           // Variables count among the visible devices, a request has CUDA's number.
           {{{"KOKKOS_VISIBLE_DEVICES", "3,1"}}, {3, 0}},
           {{{"KOKKOS_VISIBLE_DEVICES", "2 0"}}, {2, 0}},
           {{{"KOKKOS_VISIBLE_DEVICES", "3,1"}, {"KOKKOS_DEVICE_ID", "1"}}, {1, 1}},
           {{{"KOKKOS_VISIBLE_DEVICES", "3,1"}, {"SLURM_LOCALID", "3"}}, {1, 1}},
           {{{"KOKKOS_VISIBLE_DEVICES", "3,1"}}, {1, 1}, 4, 1}})
    EXPECT_EQ(device_for(variables, count, requested), expected)
        << testing::PrintToString(variables);
  EXPECT_THROW(device_for({{"KOKKOS_VISIBLE_DEVICES", "3,1"}}, 4, 0), SpaceUnavailable);
}

TEST(DeviceChoice, FollowsTheLocalRankOfEveryLauncher) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
                           "MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_LOCAL_RANK"}) {
    SCOPED_TRACE(name);
    for (int rank = 0; rank < 4; ++rank)
      EXPECT_EQ(device_for({{name, std::to_string(rank)}}), both(rank));
    EXPECT_EQ(device_for({{name, "5"}}), both(1))
        << "ranks beyond the number of devices wrap around";
    EXPECT_EQ(device_for({{name, "5"}}, 1), both(0));
    EXPECT_EQ(device_for({{name, "-1"}}), both(0)) << "no rank";
  }
}

TEST(DeviceChoice, IsTheOneThatCTestReservedForTheRank) {
  const Variables reserved{{"CTEST_KOKKOS_DEVICE_TYPE", "gpus"},
                           {"CTEST_RESOURCE_GROUP_COUNT", "2"},
                           {"CTEST_RESOURCE_GROUP_1", "gpus"},
                           {"CTEST_RESOURCE_GROUP_1_GPUS", "id:3,slots:1"}};
  Variables ranked = reserved;
  ranked["SLURM_LOCALID"] = "1";
  EXPECT_EQ(device_for(ranked), both(3));
  EXPECT_EQ(device_for(reserved), both(0))
      << "Kokkos uses CTest's resources only where it knows a rank";
  ranked["SLURM_LOCALID"] = "0";
  EXPECT_THROW(device_for(ranked), InvalidArgument);
  ranked["CTEST_RESOURCE_GROUP_0_GPUS"] = "slots:1";
  EXPECT_THROW(device_for(ranked), InvalidArgument);
  ranked["CTEST_RESOURCE_GROUP_0_GPUS"] = "id:7,slots:1";
  EXPECT_THROW(device_for(ranked), SpaceUnavailable);
}

TEST(DeviceChoice, AtRandomIsStableWithinAProcess) {
  const Variables random{{"KOKKOS_MAP_DEVICE_ID_BY", "random"}, {"SLURM_LOCALID", "3"}};
  std::set<int> chosen;
  for (unsigned process = 1000; process < 4'000'000; process += 20'011) {
    const DeviceChoice choice = device_for(random, 4, {}, process);
    EXPECT_EQ(choice, device_for(random, 4, {}, process));
    chosen.insert(choice.device);
  }
  EXPECT_EQ(chosen, (std::set<int>{0, 1, 2, 3}));
}

TEST(DeviceChoice, NamesTheVariableForWhichKokkosWouldAbort) {
  const auto message = [](const std::string& name, const std::string& value, const char* limit) {
    EXPECT_THAT(([&] {
                  device_for({{name, value}});
                }),
                ThrowsMessage<InvalidArgument>(AllOf(HasSubstr(name), HasSubstr(limit))));
  };
  message("KOKKOS_DEVICE_ID", "first", "'first'");
  message("KOKKOS_DEVICE_ID", "99999999999999999999", "whole number");
  message("KOKKOS_DEVICE_ID", "-1", "at least 0");
  message("KOKKOS_DEVICE_ID", "4", "sees 4");
  message("KOKKOS_MAP_DEVICE_ID_BY", "rank", "'random'");
  message("KOKKOS_VISIBLE_DEVICES", "", "at least one");
  message("KOKKOS_VISIBLE_DEVICES", "0,4", "below 4");
  message("KOKKOS_VISIBLE_DEVICES", "-1", "below 4");
  message("SLURM_LOCALID", "none", "whole number");
  EXPECT_THROW(device_for({{"KOKKOS_DEVICE_ID", "first"}}, 4, 2), InvalidArgument);
  EXPECT_THROW(device_for({{"KOKKOS_MAP_DEVICE_ID_BY", "rank"}}, 4, 2), InvalidArgument);
}

// --- instructions

TEST(InstructionSet, IsAvailableOnThisProcessor) {
  EXPECT_EQ(why_processor_is_unusable(), nullptr);
  EXPECT_FALSE(instruction_set().level.empty());
}

TEST(InstructionSet, IsLimitedByTheVariableOnlyAtRunTime) {
  const InstructionSet v4{"x86-64-v4", {}, {"VBMI"}};
  const InstructionSet native{"x86-64-v4", {"VBMI", "VNNI"}, {}};
  EXPECT_EQ(Impl::problem_of_max_level(nullptr, native), "");
  EXPECT_EQ(Impl::problem_of_max_level("x86-64-v4", v4), "");
  EXPECT_EQ(Impl::problem_of_max_level("x86-64-v4", {"x86-64-v2", {}, {}}), "");
  EXPECT_THAT(Impl::problem_of_max_level("x86-64-v3", v4),
              HasSubstr("KINDRED_MAX_LEVEL is 'x86-64-v3', and this build of Kindred is compiled "
                        "for x86-64-v4: "));
  EXPECT_THAT(Impl::problem_of_max_level("x86-64-v4", native),
              HasSubstr("compiled for x86-64-v4 with VBMI, VNNI: "));
  EXPECT_THAT(Impl::problem_of_max_level("v4", v4), HasSubstr("must be x86-64, x86-64-v2, "));
}

TEST(InstructionSet, AContextRejectsAVariableThatItCannotFollow) {
  {
    const Testing::EnvironmentVariable level("KINDRED_MAX_LEVEL", "avx2");
    EXPECT_THROW(Context(), InvalidArgument);
  }
  EXPECT_NO_THROW(Context());
}

}  // namespace MachineChoicesTest
