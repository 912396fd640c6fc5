// SPDX-License-Identifier: Apache-2.0
#include "QueryGroups.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace Kindred::Impl {

namespace {

QueryGroup group_of(SpreadMode mode, const SpreadQuery& query) {
  QueryGroup group;
  group.parameters.mode = mode;
  group.parameters.hops = query.hops;
  for (std::size_t tier = 0; tier < default_tier_thresholds.size(); ++tier) {
    group.parameters.thresholds[tier] =
        query.threshold ? static_cast<float>(*query.threshold) : default_tier_thresholds[tier];
  }
  group.decay = query.decay;
  return group;
}

}  // namespace

std::vector<QueryGroup> group_queries(const SpreadOptions& options, std::size_t queries) {
  if (options.per_query.empty()) {
    QueryGroup all =
        group_of(options.mode, {options.hops, options.decay, options.threshold, options.kinds});
    all.queries.resize(queries);
    all.kinds.assign(queries, options.kinds);
    std::iota(all.queries.begin(), all.queries.end(), std::size_t{0});
    return {std::move(all)};
  }
  std::vector<QueryGroup> groups;
  // Queries that follow all kinds are separate, because they can use the small-frontier path.
  using Key = std::tuple<std::uint32_t, Decay::Kind, double, std::optional<double>, bool>;
  std::map<Key, std::size_t> places;
  for (std::size_t i = 0; i < queries; ++i) {
    const SpreadQuery& query = options.per_query[i];
    const auto [place, is_new] = places.try_emplace(
        {query.hops, query.decay.kind, query.decay.parameter, query.threshold, query.kinds.all()},
        groups.size());
    if (is_new) groups.push_back(group_of(options.mode, query));
    groups[place->second].queries.push_back(i);
    groups[place->second].kinds.push_back(query.kinds);
  }
  return groups;
}

}  // namespace Kindred::Impl
