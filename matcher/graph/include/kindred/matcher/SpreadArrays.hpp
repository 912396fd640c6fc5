// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SPREAD_ARRAYS_HPP
#define KINDRED_MATCHER_SPREAD_ARRAYS_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/graph/Spreading.hpp>

namespace KINDRED_PUBLIC Kindred {

/// \brief The sources of queries: query q has the sources `offsets[q] … offsets[q + 1)`. The values
/// of a node that is listed twice are added. On a device the arrays have no gaps.
struct SpreadSources {
  SpreadSources() = default;
  SpreadSources(const ConstArray& given_offsets, const ConstArray& given_nodes,
                const ConstArray& given_values)
      : offsets(given_offsets), nodes(given_nodes), values(given_values) {}
  /// One row per query, in host memory, which is used in place.
  SpreadSources(const RaggedSpan<Activation>& rows);  // NOLINT(google-explicit-constructor): a view
  SpreadSources(const Ragged<Activation>& rows)  // NOLINT(google-explicit-constructor): likewise
      : SpreadSources(RaggedSpan<Activation>(rows)) {}

  ConstArray offsets = {};  ///< int32 or int64 [queries + 1], not decreasing
  ConstArray nodes = {};    ///< int32 or uint32 [sources]
  ConstArray values = {};   ///< float32 [sources], the activations
};

/// \brief Where the results of queries are stored: greater activation first, then lower node. Row q
/// has the results of query q, padded with the node −1 (uint32: 4294967295) and the activation 0.
struct SpreadOutput {
  Array nodes = {};   ///< int32 or uint32 [queries, top] without gaps
  Array values = {};  ///< float32 [queries, top] without gaps, the activations
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SPREAD_ARRAYS_HPP
