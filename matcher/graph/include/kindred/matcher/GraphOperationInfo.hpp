// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_OPERATION_INFO_HPP
#define KINDRED_MATCHER_GRAPH_OPERATION_INFO_HPP

#include <kindred/backends/Operation.hpp>

namespace Kindred::Operations {

/// Activation spreading and PageRank. Prior: Engram's spreading, 512 nodes of degree 10 and four
/// hops.
inline constexpr OperationInfo spread{"spread", "edges", {4e8, 2e-6, 512.0 * 10 * 4}};

}  // namespace Kindred::Operations

#endif  // KINDRED_MATCHER_GRAPH_OPERATION_INFO_HPP
