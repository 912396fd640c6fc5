// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SPREAD_ARRAYS_HPP
#define KINDRED_MATCHER_SPREAD_ARRAYS_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>

namespace KINDRED_PUBLIC Kindred {

/// \brief The sources of queries as arrays: query q has the sources `offsets[q] … offsets[q + 1)`.
/// The arrays have no gaps. The values of a node that is listed twice are added.
struct SpreadSources {
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
