// SPDX-License-Identifier: Apache-2.0
#include "common/Environment.hpp"

#include <kindred/Version.hpp>

#include "common/Record.hpp"

#include "BuildInfo.hpp"
#include "Commit.hpp"

#include <unistd.h>

#include <ctime>
#include <string>
#include <utility>

extern char** environ;

namespace Kindred::Perf {

namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Json openmp_variables() {
  Json variables = Json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (text.rfind("OMP_", 0) == 0 || text.rfind("GOMP_", 0) == 0 || text.rfind("KOKKOS_", 0) == 0)
      variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

Json limits_json(const Limits& limits) {
  return {{"space", to_string(limits.space)},
          {"array_bytes", limits.array_bytes},
          {"copy_bytes_per_second", limits.copy},
          {"read_bytes_per_second", limits.read},
          {"triad_bytes_per_second", limits.triad},
          {"random_row_bytes_per_second", limits.random_rows},
          {"lcs_word_steps_per_second", limits.word_steps},
          {"double_multiply_adds_per_second", limits.multiply_adds},
          {"launch_and_fence_seconds", limits.launch},
          {"launch_queued_seconds", limits.launch_queued}};
}

}  // namespace

Json environment(const Context& context, std::uint64_t seed, const std::vector<Limits>& limits) {
  Json spaces = Json::array();
  for (const SpaceInfo& info : context.spaces()) {
    Json space{{"space", to_string(info.space)}, {"usable", info.usable}};
    if (info.usable) {
      space["device"] = info.device;
      space["concurrency"] = info.concurrency;
      space["memory_bytes"] = info.memory_total;
    } else {
      space["why_not"] = info.why_not;
    }
    spaces.push_back(std::move(space));
  }
  Json out{{"record_format", record_format},
           {"kindred",
            {{"version", KINDRED_VERSION_STRING},
             {"commit", KINDRED_COMMIT},
             {"dirty", KINDRED_COMMIT_DIRTY},
             {"build_type", KINDRED_PERF_BUILD_TYPE},
             {"compiler", KINDRED_PERF_COMPILER},
             {"flags", KINDRED_PERF_FLAGS},
             {"arch", KINDRED_PERF_ARCH}}},
           {"kokkos", {{"version", kokkos_version()}, {"configuration", kokkos_configuration()}}},
           {"date", utc_now()},
           {"spaces", std::move(spaces)},
           {"threads", context.threads()},
           {"environment", openmp_variables()},
           {"calibrated", context.dispatcher().calibrated()},
           {"seed", seed}};
  Json measured = Json::array();
  for (const Limits& entry : limits) measured.push_back(limits_json(entry));
  out["limits"] = std::move(measured);
  return out;
}

}  // namespace Kindred::Perf
