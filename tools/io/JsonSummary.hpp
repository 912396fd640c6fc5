// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_JSON_SUMMARY_HPP
#define KINDRED_TOOLS_IO_JSON_SUMMARY_HPP

#include <nlohmann/json.hpp>

#include <string>

namespace Kindred::Tools {

/// Formats \p value for a message; nested values are only described.
inline std::string json_summary(const nlohmann::json& value) {
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  if (value.is_object()) return "an object";
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 60);
}

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_JSON_SUMMARY_HPP
