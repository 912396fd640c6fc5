// SPDX-License-Identifier: Apache-2.0
#include "QueryGroups.hpp"

#include <map>
#include <tuple>

namespace Kindred::Impl {

namespace {

/// Modifiers are large, so a request is made in place.
void set(SpreadRequest& request, const SpreadOptions& options, const SpreadQuery& query) {
  request.parameters.mode = options.mode;
  request.parameters.hops = query.hops;
  for (std::size_t tier = 0; tier < default_tier_thresholds.size(); ++tier) {
    request.parameters.thresholds[tier] =
        query.threshold ? static_cast<float>(*query.threshold) : default_tier_thresholds[tier];
  }
  request.decay = query.decay;
  request.top = options.top;
  request.rules.kinds = query.kinds;
  if (options.modifiers) request.rules.modifiers = options.modifiers;
  request.short_activations = options.activations == ActivationPrecision::bfloat16;
}

}  // namespace

std::vector<QueryGroup> group_queries(const SpreadOptions& options, std::size_t queries) {
  const SpreadQuery common{options.hops, options.decay, options.threshold, options.kinds};
  std::vector<QueryGroup> groups;
  // Queries that follow all kinds are separate, because they can use the small-frontier path.
  using Key = std::tuple<std::uint32_t, Decay::Kind, double, std::optional<double>, bool>;
  std::map<Key, std::size_t> places;
  for (std::size_t i = 0; i < queries; ++i) {
    const SpreadQuery& query = options.per_query.empty() ? common : options.per_query[i];
    std::size_t place = 0;
    if (!options.per_query.empty())
      place = places
                  .try_emplace({query.hops, query.decay.kind, query.decay.parameter,
                                query.threshold, query.kinds.all()},
                               groups.size())
                  .first->second;
    if (place == groups.size()) set(groups.emplace_back().request, options, query);
    groups[place].queries.push_back(i);
    groups[place].kinds.push_back(query.kinds);
  }
  for (QueryGroup& group : groups) group.request.query_kinds = group.kinds;
  return groups;
}

}  // namespace Kindred::Impl
