// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/DeviceChoice.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <cctype>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

namespace {

std::string shown(const std::string& name, const char* text) {
  return name + " is '" + text + "'; it must ";
}

/// The value of a numeric variable; empty if it is not set.
std::optional<int> number_of(const Environment& environment, const std::string& name) {
  const char* const text = environment(name.c_str());
  if (text == nullptr) return {};
  const std::optional<int> number = leading_number(text);
  KINDRED_THROW_IF(!number, shown(name, text) + "be a whole number");
  return number;
}

/// CUDA indices of the devices that Kokkos sees.
std::vector<int> visible_devices(int count, const Environment& environment) {
  std::vector<int> devices;
  const char* const text = environment("KOKKOS_VISIBLE_DEVICES");
  if (text == nullptr) {
    for (int device = 0; device < count; ++device) devices.push_back(device);
    return devices;
  }
  std::istringstream list(text);
  for (int device = 0; list >> device;) {
    KINDRED_THROW_IF(device < 0 || device >= count,
                     shown("KOKKOS_VISIBLE_DEVICES", text) + "name devices below " +
                         std::to_string(count) + ", the number that this process sees");
    devices.push_back(device);
    if (list.peek() == ',') list.ignore();
  }
  KINDRED_THROW_IF(devices.empty(),
                   shown("KOKKOS_VISIBLE_DEVICES", text) + "name at least one device");
  return devices;
}

/// The rank among the processes of the job on this machine; empty outside a job.
std::optional<int> local_rank(const Environment& environment) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
                           "MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_LOCAL_RANK"}) {
    const std::optional<int> rank = number_of(environment, name);
    if (rank) return *rank < 0 ? std::nullopt : rank;
  }
  return {};
}

/// CUDA index of the device that CTest reserved for \p rank; empty if there is none.
std::optional<int> reserved_by_ctest(int rank, const Environment& environment) {
  const char* const type = environment("CTEST_KOKKOS_DEVICE_TYPE");
  if (type == nullptr || environment("CTEST_RESOURCE_GROUP_COUNT") == nullptr) return {};
  std::string name = "CTEST_RESOURCE_GROUP_" + std::to_string(rank) + '_';
  for (const char letter : std::string_view(type))
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  const char* const text = environment(name.c_str());
  KINDRED_THROW_IF(text == nullptr, name + " is not set; CTEST_RESOURCE_GROUP_COUNT asks for it");
  const std::string_view start = "id:";
  KINDRED_THROW_IF(!std::string_view(text).starts_with(start),
                   shown(name, text) + "begin with 'id:' and a number");
  const std::optional<int> device = leading_number(text + start.size());
  KINDRED_THROW_IF(!device, shown(name, text) + "begin with 'id:' and a number");
  return device;
}

DeviceChoice find(const std::vector<int>& visible, int device) {
  const auto found = std::find(visible.begin(), visible.end(), device);
  if (found == visible.end()) {
    throw SpaceUnavailable("device " + std::to_string(device) +
                           " cannot be used: KOKKOS_VISIBLE_DEVICES does not name it, or this "
                           "process does not see it");
  }
  return {device, static_cast<int>(found - visible.begin())};
}

}  // namespace

DeviceChoice choose_device(int count, std::optional<int> requested, const Environment& environment,
                           unsigned process_id) {
  const std::vector<int> visible = visible_devices(count, environment);
  const auto number = static_cast<int>(visible.size());
  const auto take = [&](int id) { return DeviceChoice{visible[static_cast<std::size_t>(id)], id}; };
  // Kokkos aborts on invalid values even if another device is requested.
  const std::optional<int> id = number_of(environment, "KOKKOS_DEVICE_ID");
  KINDRED_THROW_IF(id && *id < 0,
                   "KOKKOS_DEVICE_ID is " + std::to_string(*id) + "; it must be at least 0");
  const char* const map = environment("KOKKOS_MAP_DEVICE_ID_BY");
  const std::string_view by = map == nullptr ? "mpi_rank" : map;
  KINDRED_THROW_IF(by != "mpi_rank" && by != "random",
                   shown("KOKKOS_MAP_DEVICE_ID_BY", map) + "be 'mpi_rank' or 'random'");
  if (requested) return find(visible, *requested);
  if (id) {
    KINDRED_THROW_IF(*id >= number, "KOKKOS_DEVICE_ID is " + std::to_string(*id) +
                                        "; this process sees " + std::to_string(number) +
                                        ", counted from 0");
    return take(*id);
  }
  if (by == "random") {
    std::default_random_engine generator(process_id);
    return take(std::uniform_int_distribution<int>(0, number - 1)(generator));
  }
  const std::optional<int> rank = local_rank(environment);
  if (!rank) return take(0);
  if (const auto reserved = reserved_by_ctest(*rank, environment)) return find(visible, *reserved);
  return take(*rank % number);
}

}  // namespace Kindred::Impl
