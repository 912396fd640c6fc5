// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_QUERY_GROUPS_HPP
#define KINDRED_MATCHER_GRAPH_QUERY_GROUPS_HPP

#include <kindred/core/graph/Hop.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <cstddef>
#include <vector>

namespace Kindred::Impl {

/// Queries of a call with the same parameters, which can share hops; edge kinds may differ per
/// query.
struct QueryGroup {
  HopParameters parameters;
  Decay decay;
  std::vector<std::size_t> queries;  ///< ascending
  std::vector<EdgeKinds> kinds;      ///< one per element of `queries`
};

/// Groups \p queries queries; one group unless `options.per_query` differs.
std::vector<QueryGroup> group_queries(const SpreadOptions& options, std::size_t queries);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_QUERY_GROUPS_HPP
