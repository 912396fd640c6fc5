// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_JSON_OUTPUT_HPP
#define KINDRED_PERF_COMMON_JSON_OUTPUT_HPP

#include <nlohmann/json.hpp>

#include <string>

namespace Kindred::Perf {

/// \brief The record of a measurement.
using Json = nlohmann::ordered_json;

/// \brief Writes \p json atomically to the file \p path, or to standard output for "" and "-".
/// Creates missing folders. \throws Error with the reason if it cannot be written
void write_json(const Json& json, const std::string& path);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_JSON_OUTPUT_HPP
