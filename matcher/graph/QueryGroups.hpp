// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_QUERY_GROUPS_HPP
#define KINDRED_MATCHER_GRAPH_QUERY_GROUPS_HPP

#include "EdgeChoice.hpp"

#include <kindred/core/graph/Hop.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// The sources of one query: distinct nodes in ascending order, with the values of duplicates
/// added.
using QuerySources = std::span<const Activation>;

/// Parameters common to all queries of a group.
struct SpreadRequest {
  HopParameters parameters;
  Decay decay;
  std::size_t top = 10;
  EdgeRules rules;
  std::span<const EdgeKinds>
      query_kinds;  ///< one per query; empty: all queries follow the kinds of `rules`
  bool short_activations = false;

  /// Whether they can use the bins of a graph.
  bool is_plain() const { return rules.is_plain() && !short_activations; }
};

/// Queries of a call with the same parameters, which can share hops; edge kinds may differ per
/// query.
struct QueryGroup {
  SpreadRequest request;             ///< views `kinds`
  std::vector<std::size_t> queries;  ///< ascending
  std::vector<EdgeKinds> kinds;      ///< one per element of `queries`
};

/// Groups \p queries queries; one group unless `options.per_query` differs.
std::vector<QueryGroup> group_queries(const SpreadOptions& options, std::size_t queries);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_QUERY_GROUPS_HPP
