// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_QUERY_GROUPS_HPP
#define KINDRED_MATCHER_GRAPH_QUERY_GROUPS_HPP

#include <kindred/core/graph/Hop.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <cstddef>
#include <vector>

namespace Kindred::Impl {

/// Queries of a call that spread alike, so that they can share hops; each may follow other kinds.
struct QueryGroup {
  HopParameters parameters;
  Decay decay;
  std::vector<std::size_t> queries;  ///< ascending
  std::vector<EdgeKinds> kinds;      ///< a query of `queries` each
};

/// The groups of \p queries queries: one, unless `options.per_query` tells them apart.
std::vector<QueryGroup> group_queries(const SpreadOptions& options, std::size_t queries);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_QUERY_GROUPS_HPP
