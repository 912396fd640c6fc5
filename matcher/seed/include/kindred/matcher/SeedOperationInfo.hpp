// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_OPERATION_INFO_HPP
#define KINDRED_MATCHER_SEED_OPERATION_INFO_HPP

#include <kindred/backends/Operation.hpp>

namespace Kindred::Operations {

/// Forward and backward pass of a seed layer. Prior: 64 rows of Kasmina's 4,096 features.
inline constexpr OperationInfo seeds{"seeds", "elements", {2.5e8, 5e-5, 64.0 * 4096}};

}  // namespace Kindred::Operations

#endif  // KINDRED_MATCHER_SEED_OPERATION_INFO_HPP
