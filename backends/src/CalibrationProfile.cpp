// SPDX-License-Identifier: Apache-2.0
#include "CalibrationProfile.hpp"

#include <kindred/core/common/Error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace Kindred::Impl {

namespace {

using nlohmann::json;
constexpr const char* format_name = "kindred-profile";
constexpr int format_version = 3;

[[noreturn]] void refuse(const std::string& why) {
  throw InvalidArgument("the calibration profile " + why + "; measure anew: kindred calibrate");
}

const json& member(const json& object, const char* key, std::string_view where) {
  if (!object.is_object()) refuse(std::string(where) + " is not an object");
  const auto found = object.find(key);
  if (found == object.end()) refuse(std::string(where) + " has no \"" + key + "\"");
  return *found;
}

/// A finite number > \p least, or ≥ \p least if \p or_equal.
double number(const json& object, const char* key, const std::string& where, bool or_equal) {
  const json& value = member(object, key, where);
  const double x = value.is_number() ? value.get<double>() : std::nan("");
  if (!std::isfinite(x) || x < 0 || (x == 0 && !or_equal)) {
    refuse(where + ": \"" + key + "\" is " + value.dump().substr(0, 40) +
           ", which is not a finite number " + (or_equal ? "≥ 0" : "> 0"));
  }
  return x;
}

std::uint64_t bytes_of(const json& object, const std::string& where) {
  const json& value = member(object, "bytes", where);
  if (!value.is_number_unsigned() || value == 0) {
    refuse(where + ": \"bytes\" is " + value.dump().substr(0, 40) +
           ", which is not a whole number > 0");
  }
  return value.get<std::uint64_t>();
}

std::string text_of(const json& object, const char* key, const std::string& where) {
  const json& value = member(object, key, where);
  if (!value.is_string()) refuse(where + ": \"" + key + "\" is not a string");
  return value.get<std::string>();
}

/// Profiles of earlier versions name two operations differently.
std::string operation_of(const json& object, const std::string& where) {
  std::string name = text_of(object, "op", where);
  if (name == "search-screen") return "search-quantized";
  if (name == "search-matrix") return "search-gemm";
  return name;
}

Space space_of(const json& object, const std::string& where) {
  const std::string name = text_of(object, "space", where);
  const auto space = space_from_string(name);
  if (!space) refuse(where + ": there is no space \"" + name + "\"");
  return *space;
}

/// Size of the team on `openmp`, otherwise 1.
int threads_of(const json& object, Space space, std::span<const int> teams,
               const std::string& where) {
  const json& value = member(object, "threads", where);
  const int threads = value.is_number_unsigned() && value <= 1'000'000 ? value.get<int>() : 0;
  const bool is_team =
      space == Space::openmp ? std::ranges::find(teams, threads) != teams.end() : threads == 1;
  if (!is_team) {
    refuse(where + ": \"threads\" is " + value.dump().substr(0, 40) +
           ", which is not a team size of " + std::string(to_string(space)));
  }
  return threads;
}

/// The machines of a profile. \throws InvalidArgument if \p text is not a profile
json machines_of(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) refuse("is not JSON");
  if (text_of(document, "format", "file") != format_name)
    refuse(std::string("is not of the format \"") + format_name + "\"");
  const json& version = member(document, "version", "file");
  if (version != format_version)
    refuse("has version " + version.dump().substr(0, 40) + ", but this program reads version " +
           std::to_string(format_version));
  const json& machines = member(document, "machines", "file");
  if (!machines.is_object()) refuse("file: \"machines\" is not an object");
  return machines;
}

json document_of(json machines) {
  return {{"format", format_name}, {"version", format_version}, {"machines", std::move(machines)}};
}

}  // namespace

std::string to_json(const CalibrationProfile& profile, const std::string& machine) {
  json points = json::array();
  for (const CalibrationProfile::Point& point : profile.points) {
    points.push_back({{"op", point.operation},
                      {"space", to_string(point.space)},
                      {"threads", point.threads},
                      {"work", point.work},
                      {"seconds", point.seconds}});
  }
  json entry = {{"points", std::move(points)}};
  if (!profile.starts.empty()) {
    json starts = json::array();
    for (const CalibrationProfile::Start& start : profile.starts)
      starts.push_back({{"space", to_string(start.space)},
                        {"threads", start.threads},
                        {"seconds", start.seconds}});
    entry["starts"] = std::move(starts);
  }
  if (profile.transfer) {
    entry["transfer"] = {{"bytes_per_second", profile.transfer->bytes_per_second},
                         {"latency_seconds", profile.transfer->latency_seconds}};
  }
  if (!profile.batches.empty()) {
    json batches = json::array();
    for (const CalibrationProfile::Batch& batch : profile.batches)
      batches.push_back({{"op", batch.operation}, {"bytes", batch.bytes}});
    entry["batches"] = std::move(batches);
  }
  return document_of({{machine, std::move(entry)}}).dump(1);
}

CalibrationProfile profile_from_json(std::string_view text, const std::string& machine,
                                     std::span<const int> teams) {
  const json machines = machines_of(text);
  const auto found = machines.find(machine);
  if (found == machines.end()) {
    std::string others;
    for (const auto& [name, entry] : machines.items())
      others += (others.empty() ? "\"" : ", \"") + name.substr(0, 200) + "\"";
    throw NotFound("the calibration profile has no entry for this machine (\"" + machine +
                   "\"), only of: " + (others.empty() ? "none" : others) +
                   "; measure it: kindred calibrate");
  }
  CalibrationProfile profile;
  const json& points = member(*found, "points", "machine");
  if (!points.is_array() || points.empty()) refuse("has no list of points");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string where = "point " + std::to_string(i);
    const Space space = space_of(points[i], where);
    profile.points.push_back(
        {operation_of(points[i], where), space, threads_of(points[i], space, teams, where),
         number(points[i], "work", where, false), number(points[i], "seconds", where, false)});
  }
  if (found->contains("starts")) {
    const json& starts = (*found)["starts"];
    if (!starts.is_array()) refuse("machine: \"starts\" is not a list");
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::string where = "start " + std::to_string(i);
      const Space space = space_of(starts[i], where);
      profile.starts.push_back({space, threads_of(starts[i], space, teams, where),
                                number(starts[i], "seconds", where, true)});
    }
  }
  if (found->contains("transfer")) {
    const json& transfer = (*found)["transfer"];
    profile.transfer = {number(transfer, "bytes_per_second", "transfer", false),
                        number(transfer, "latency_seconds", "transfer", true)};
  }
  if (found->contains("batches")) {
    const json& batches = (*found)["batches"];
    if (!batches.is_array()) refuse("machine: \"batches\" is not a list");
    for (std::size_t i = 0; i < batches.size(); ++i) {
      const std::string where = "batch " + std::to_string(i);
      profile.batches.push_back({operation_of(batches[i], where), bytes_of(batches[i], where)});
    }
  }
  return profile;
}

std::string merged_profile_json(std::string_view text, std::string_view before) {
  json machines;
  try {
    machines = machines_of(before);
  } catch (const InvalidArgument&) {
    return std::string(text);  // nothing in it can be used, now or later
  }
  machines.update(machines_of(text));
  return document_of(std::move(machines)).dump(1);
}

}  // namespace Kindred::Impl
