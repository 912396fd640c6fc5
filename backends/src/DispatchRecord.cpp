// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/DispatchRecord.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

std::string_view to_string(Reason reason) noexcept {
  constexpr std::array<std::string_view, reason_count> names{
      "predicted", "forced", "only", "hysteresis", "probe", "fallback", "memory", "threshold"};
  return names[static_cast<std::size_t>(reason)];
}

std::string to_json(const DispatchRecord& record) {
  using nlohmann::ordered_json;
  ordered_json predicted = ordered_json::object();
  for (const Space space : all_spaces) {
    const double seconds = record.predicted[space_index(space)];
    if (!std::isnan(seconds)) predicted[std::string(to_string(space))] = seconds;
  }
  return ordered_json{{"op", to_string(record.operation)},
                      {"items", record.items},
                      {"predicted", std::move(predicted)},
                      {"chosen", to_string(record.chosen)},
                      {"taken", record.taken},
                      {"why", to_string(record.why)},
                      {"threads", record.threads},
                      {"starts", record.starts},
                      {"first", record.first}}
      .dump();
}

}  // namespace Kindred
