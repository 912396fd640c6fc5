// SPDX-License-Identifier: Apache-2.0
// The device that Kokkos is initialized on if there are several, as a function of the environment
// variables.
#include <gmock/gmock.h>
#include <kindred/backends/impl/DeviceChoice.hpp>
#include <kindred/core/common/Error.hpp>

#include <map>
#include <set>

namespace DeviceChoiceTest {

using namespace Kindred;
using Impl::DeviceChoice;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Variables = std::map<std::string, std::string>;

DeviceChoice choose(const Variables& variables, int count = 4, std::optional<int> requested = {},
                    unsigned process_id = 1) {
  return Impl::choose_device(
      count, requested,
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      process_id);
}

constexpr DeviceChoice both(int device) { return {device, device}; }

TEST(DeviceChoice, IsTheFirstWithoutAnyVariable) {
  EXPECT_EQ(choose({}), both(0));
  EXPECT_EQ(choose({}, 1), both(0));
}

TEST(DeviceChoice, IsTheRequestedOneWhateverTheVariablesSay) {
  EXPECT_EQ(choose({}, 4, 3), both(3));
  EXPECT_EQ(choose({{"KOKKOS_DEVICE_ID", "1"}, {"SLURM_LOCALID", "2"}}, 4, 3), both(3));
  EXPECT_EQ(choose({{"KOKKOS_DEVICE_ID", "99"}}, 4, 3), both(3));
}

TEST(DeviceChoice, FollowsTheLocalRankOfEveryLauncher) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
                           "MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_LOCAL_RANK"}) {
    SCOPED_TRACE(name);
    for (int rank = 0; rank < 4; ++rank)
      EXPECT_EQ(choose({{name, std::to_string(rank)}}), both(rank));
    EXPECT_EQ(choose({{name, "5"}}), both(1)) << "ranks beyond the number of devices wrap around";
    EXPECT_EQ(choose({{name, "5"}}, 1), both(0));
    EXPECT_EQ(choose({{name, "-1"}}), both(0)) << "no rank";
  }
  EXPECT_EQ(choose({{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"SLURM_LOCALID", "2"}}), both(1));
  EXPECT_EQ(choose({{"MPI_LOCALRANKID", "3"}, {"PMI_LOCAL_RANK", "2"}}), both(3));
  EXPECT_EQ(choose({{"KOKKOS_MAP_DEVICE_ID_BY", "mpi_rank"}, {"SLURM_LOCALID", "2"}}), both(2));
}

TEST(DeviceChoice, KokkosDeviceIdPrecedesTheRank) {
  EXPECT_EQ(choose({{"KOKKOS_DEVICE_ID", "3"}, {"SLURM_LOCALID", "2"}}), both(3));
  EXPECT_EQ(choose({{"KOKKOS_DEVICE_ID", "2"}, {"KOKKOS_MAP_DEVICE_ID_BY", "random"}}), both(2));
}

TEST(DeviceChoice, CountsAmongTheVisibleDevices) {
  const Variables visible{{"KOKKOS_VISIBLE_DEVICES", "3,1"}};
  const auto with = [&](const char* name, const char* value) {
    Variables all = visible;
    all[name] = value;
    return all;
  };
  EXPECT_EQ(choose(visible), (DeviceChoice{3, 0}));
  EXPECT_EQ(choose(with("KOKKOS_DEVICE_ID", "1")), (DeviceChoice{1, 1}));
  EXPECT_EQ(choose(with("SLURM_LOCALID", "3")), (DeviceChoice{1, 1}));
  EXPECT_EQ(choose(visible, 4, 1), (DeviceChoice{1, 1})) << "the requested device is CUDA's number";
  EXPECT_THROW(choose(visible, 4, 0), SpaceUnavailable);
  EXPECT_EQ(choose({{"KOKKOS_VISIBLE_DEVICES", "2 0"}}), (DeviceChoice{2, 0}));
}

TEST(DeviceChoice, IsTheOneThatCTestReservedForTheRank) {
  const Variables reserved{{"CTEST_KOKKOS_DEVICE_TYPE", "gpus"},
                           {"CTEST_RESOURCE_GROUP_COUNT", "2"},
                           {"CTEST_RESOURCE_GROUP_1", "gpus"},
                           {"CTEST_RESOURCE_GROUP_1_GPUS", "id:3,slots:1"}};
  Variables ranked = reserved;
  ranked["SLURM_LOCALID"] = "1";
  EXPECT_EQ(choose(ranked), both(3));
  EXPECT_EQ(choose(reserved), both(0))
      << "Kokkos uses CTest's resources only where it knows a rank";
  ranked["SLURM_LOCALID"] = "0";
  EXPECT_THROW(choose(ranked), InvalidArgument);
  ranked["CTEST_RESOURCE_GROUP_0_GPUS"] = "slots:1";
  EXPECT_THROW(choose(ranked), InvalidArgument);
  ranked["CTEST_RESOURCE_GROUP_0_GPUS"] = "id:7,slots:1";
  EXPECT_THROW(choose(ranked), SpaceUnavailable);
}

TEST(DeviceChoice, AtRandomIsStableWithinAProcess) {
  const Variables random{{"KOKKOS_MAP_DEVICE_ID_BY", "random"}, {"SLURM_LOCALID", "3"}};
  std::set<int> chosen;
  for (unsigned process = 1000; process < 4'000'000; process += 20'011) {
    const DeviceChoice choice = choose(random, 4, {}, process);
    EXPECT_EQ(choice, choose(random, 4, {}, process));
    chosen.insert(choice.device);
  }
  EXPECT_EQ(chosen, (std::set<int>{0, 1, 2, 3}));
}

TEST(DeviceChoice, NamesTheVariableForWhichKokkosWouldAbort) {
  const auto message = [](const std::string& name, const std::string& value, const char* limit) {
    EXPECT_THAT(([&] {
                  choose({{name, value}});
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
  EXPECT_THROW(choose({{"KOKKOS_DEVICE_ID", "first"}}, 4, 2), InvalidArgument);
  EXPECT_THROW(choose({{"KOKKOS_MAP_DEVICE_ID_BY", "rank"}}, 4, 2), InvalidArgument);
}

}  // namespace DeviceChoiceTest
