// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_ENVIRONMENT_HPP
#define KINDRED_PERF_COMMON_ENVIRONMENT_HPP

#include <kindred/backends/Context.hpp>

#include "common/JsonOutput.hpp"
#include "machine/Limits.hpp"

#include <cstdint>
#include <vector>

namespace Kindred::Perf {

/// \brief The conditions of a measurement: version, commit, compiler, Kokkos, devices, threads,
/// `OMP_*`, seed, and the limits of the machine if they were measured.
Json environment(const Context& context, std::uint64_t seed, const std::vector<Limits>& limits);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_ENVIRONMENT_HPP
