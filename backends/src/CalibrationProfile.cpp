// SPDX-License-Identifier: Apache-2.0
#include "CalibrationProfile.hpp"

#include "Json.hpp"

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace Kindred::Impl {

namespace {

constexpr const char* format_name = "kindred-profile";
constexpr int format_version = 3;

[[noreturn]] void refuse(const std::string& why) {
  throw InvalidArgument("the calibration profile " + why + "; measure anew: kindred calibrate");
}

const Json& member(const Json& object, const char* key, std::string_view where) {
  if (object.as<Json::Object>() == nullptr) refuse(std::string(where) + " is not an object");
  const Json* found = object.find(key);
  if (found == nullptr) refuse(std::string(where) + " has no \"" + key + "\"");
  return *found;
}

/// For messages.
std::string shown(const Json& value) { return value.dump().substr(0, 40); }

/// A finite number > 0, or ≥ 0 if \p or_equal.
double number(const Json& object, const char* key, const std::string& where, bool or_equal) {
  const Json& value = member(object, key, where);
  const double x = value.number().value_or(std::nan(""));
  if (!std::isfinite(x) || x < 0 || (x == 0 && !or_equal)) {
    refuse(where + ": \"" + key + "\" is " + shown(value) + ", which is not a finite number " +
           (or_equal ? "≥ 0" : "> 0"));
  }
  return x;
}

std::uint64_t bytes_of(const Json& object, const std::string& where) {
  const Json& value = member(object, "bytes", where);
  const auto* bytes = value.as<std::uint64_t>();
  if (bytes == nullptr || *bytes == 0)
    refuse(where + ": \"bytes\" is " + shown(value) + ", which is not a whole number > 0");
  return *bytes;
}

std::string text_of(const Json& object, const char* key, const std::string& where) {
  const auto* text = member(object, key, where).as<std::string>();
  if (text == nullptr) refuse(where + ": \"" + key + "\" is not a string");
  return *text;
}

/// Profiles of earlier versions name two operations differently.
std::string operation_of(const Json& object, const std::string& where) {
  std::string name = text_of(object, "op", where);
  if (name == "search-screen") return "search-quantized";
  if (name == "search-matrix") return "search-gemm";
  return name;
}

Space space_of(const Json& object, const std::string& where) {
  const std::string name = text_of(object, "space", where);
  const auto space = from_string<Space>(name);
  if (!space) refuse(where + ": there is no space \"" + name + "\"");
  return *space;
}

/// Size of the team on `openmp`, otherwise 1.
int threads_of(const Json& object, Space space, std::span<const int> teams,
               const std::string& where) {
  const Json& value = member(object, "threads", where);
  const auto* given = value.as<std::uint64_t>();
  const int threads = given != nullptr && *given <= 1'000'000 ? static_cast<int>(*given) : 0;
  const bool is_team =
      space == Space::openmp ? std::ranges::find(teams, threads) != teams.end() : threads == 1;
  if (!is_team) {
    refuse(where + ": \"threads\" is " + shown(value) + ", which is not a team size of " +
           std::string(to_string(space)));
  }
  return threads;
}

/// The machines of a profile. \throws InvalidArgument if \p text is not a profile
Json machines_of(std::string_view text) {
  const auto document = Json::parse(text);
  if (!document) refuse("is not JSON");
  if (text_of(*document, "format", "file") != format_name)
    refuse(std::string("is not of the format \"") + format_name + "\"");
  const Json& version = member(*document, "version", "file");
  if (version.number() != format_version)
    refuse("has version " + shown(version) + ", but this program reads version " +
           std::to_string(format_version));
  const Json& machines = member(*document, "machines", "file");
  if (machines.as<Json::Object>() == nullptr) refuse("file: \"machines\" is not an object");
  return machines;
}

/// The list \p key of \p machine; empty if there is none.
std::span<const Json> list_of(const Json& machine, const char* key) {
  const Json* list = machine.find(key);
  if (list == nullptr) return {};
  const auto* elements = list->as<Json::Array>();
  if (elements == nullptr) refuse(std::string("machine: \"") + key + "\" is not a list");
  return *elements;
}

std::string document_of(Json::Object machines) {
  return Json(Json::Object{{"format", format_name},
                           {"machines", std::move(machines)},
                           {"version", format_version}})
      .dump(1);
}

}  // namespace

// Members are in the order of their keys.
std::string to_json(const CalibrationProfile& profile, const std::string& machine) {
  Json::Object entry;
  if (!profile.batches.empty()) {
    Json::Array batches;
    for (const CalibrationProfile::Batch& batch : profile.batches)
      batches.emplace_back(Json::Object{{"bytes", batch.bytes}, {"op", batch.operation}});
    entry.emplace_back("batches", std::move(batches));
  }
  Json::Array points;
  for (const CalibrationProfile::Point& point : profile.points) {
    points.emplace_back(Json::Object{{"op", point.operation},
                                     {"seconds", point.seconds},
                                     {"space", to_string(point.space)},
                                     {"threads", point.threads},
                                     {"work", point.work}});
  }
  entry.emplace_back("points", std::move(points));
  if (!profile.starts.empty()) {
    Json::Array starts;
    for (const CalibrationProfile::Start& start : profile.starts)
      starts.emplace_back(Json::Object{{"seconds", start.seconds},
                                       {"space", to_string(start.space)},
                                       {"threads", start.threads}});
    entry.emplace_back("starts", std::move(starts));
  }
  if (profile.transfer) {
    entry.emplace_back("transfer",
                       Json::Object{{"bytes_per_second", profile.transfer->bytes_per_second},
                                    {"latency_seconds", profile.transfer->latency_seconds}});
  }
  return document_of({{machine, std::move(entry)}});
}

CalibrationProfile profile_from_json(std::string_view text, const std::string& machine,
                                     std::span<const int> teams) {
  const Json machines = machines_of(text);
  const Json* found = machines.find(machine);
  if (found == nullptr) {
    std::string others;
    for (const auto& [name, entry] : *machines.as<Json::Object>())
      others += (others.empty() ? "\"" : ", \"") + name.substr(0, 200) + "\"";
    throw NotFound("the calibration profile has no entry for this machine (\"" + machine +
                   "\"), only of: " + (others.empty() ? "none" : others) +
                   "; measure it: kindred calibrate");
  }
  CalibrationProfile profile;
  const auto* points = member(*found, "points", "machine").as<Json::Array>();
  if (points == nullptr || points->empty()) refuse("has no list of points");
  for (const Json& point : *points) {
    const std::string where = "point " + std::to_string(profile.points.size());
    const Space space = space_of(point, where);
    profile.points.push_back(
        {operation_of(point, where), space, threads_of(point, space, teams, where),
         number(point, "work", where, false), number(point, "seconds", where, false)});
  }
  for (const Json& start : list_of(*found, "starts")) {
    const std::string where = "start " + std::to_string(profile.starts.size());
    const Space space = space_of(start, where);
    profile.starts.push_back(
        {space, threads_of(start, space, teams, where), number(start, "seconds", where, true)});
  }
  if (const Json* transfer = found->find("transfer")) {
    profile.transfer = {number(*transfer, "bytes_per_second", "transfer", false),
                        number(*transfer, "latency_seconds", "transfer", true)};
  }
  for (const Json& batch : list_of(*found, "batches")) {
    const std::string where = "batch " + std::to_string(profile.batches.size());
    profile.batches.push_back({operation_of(batch, where), bytes_of(batch, where)});
  }
  return profile;
}

std::string merged_profile_json(std::string_view text, std::string_view before) {
  std::map<std::string, Json> machines;
  const auto add = [&](const Json& given) {
    for (const auto& [name, entry] : *given.as<Json::Object>())
      machines.insert_or_assign(name, entry);
  };
  try {
    add(machines_of(before));
  } catch (const InvalidArgument&) {
    return std::string(text);  // nothing in it can be used, now or later
  }
  add(machines_of(text));
  return document_of({machines.begin(), machines.end()});
}

}  // namespace Kindred::Impl
