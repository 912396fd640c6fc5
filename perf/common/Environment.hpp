// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_ENVIRONMENT_HPP
#define KINDRED_PERF_COMMON_ENVIRONMENT_HPP

#include <kindred/backends/Context.hpp>

#include "machine/Limits.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace Kindred::Perf {

using Json = nlohmann::ordered_json;

/// \brief The conditions of a measurement: version, commit, compiler, Kokkos, devices, threads,
/// `OMP_*`, seed, and the limits of the machine if they were measured.
Json environment(const Context& context, std::uint64_t seed, const std::vector<Limits>& limits);

Json to_json(const Limits& limits);

/// The entry of \p limits for \p space; null if there is none.
const Limits* find_limits(const std::vector<Limits>& limits, Space space);

/// \brief Writes \p json atomically to the file \p path, or to standard output for "" and "-".
/// Creates missing folders. \throws Error with the reason if it cannot be written
void write_json(const Json& json, const std::string& path);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_ENVIRONMENT_HPP
