// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_OPERATION_INFO_HPP
#define KINDRED_MATCHER_SEED_OPERATION_INFO_HPP

#include <kindred/backends/Operation.hpp>

namespace Kindred::Operations {

/// Forward and backward pass of a seed layer. Prior: the telemetry of Kasmina's
/// 1,000 seeds, which a device computes faster for any number of rows.
inline constexpr OperationInfo seeds{"seeds", "elements", {1e9, 1.2e-4, 0}};

}  // namespace Kindred::Operations

#endif  // KINDRED_MATCHER_SEED_OPERATION_INFO_HPP
