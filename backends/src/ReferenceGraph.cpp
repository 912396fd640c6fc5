// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Reference.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace Kindred::Reference {

namespace {

float decay_of(const Decay& decay, std::uint32_t hop) {
  const double p = decay.parameter;
  switch (decay.kind) {
    case Decay::Kind::exponential:
      return static_cast<float>(std::exp(-p * hop));
    case Decay::Kind::power:
      return static_cast<float>(std::pow(hop + 1.0, -p));
    case Decay::Kind::linear:
      return static_cast<float>(std::max(0.0, 1.0 - p * hop));
    case Decay::Kind::constant:
      break;
  }
  return static_cast<float>(p);
}

using InLinks = std::vector<std::vector<Link>>;

/// Row v: the links that end in v, by source, parallel ones in input order.
InLinks links_into(std::size_t nodes, std::span<const Link> links) {
  InLinks rows(nodes);
  for (const Link& link : links) rows[link.to].push_back(link);
  for (std::vector<Link>& row : rows) {
    std::stable_sort(row.begin(), row.end(),
                     [](const Link& a, const Link& b) { return a.from < b.from; });
  }
  return rows;
}

/// float32(decay · Σ values[from] · weight), the sum canonical and not rounded.
float pulled(const std::vector<Link>& row, std::span<const float> values, float decay) {
  std::vector<double> terms;
  for (const Link& link : row)
    terms.push_back(static_cast<double>(values[link.from]) * static_cast<double>(link.weight));
  const auto rounded = static_cast<float>(static_cast<double>(decay) * canonical_sum(terms));
  return std::isnan(rounded) ? std::bit_cast<float>(0x7FC00000U) : rounded;
}

std::vector<float> source_values(std::size_t nodes, std::span<const Node> sources) {
  std::vector<float> values(nodes, 0.0F);
  for (const Node& source : sources) values[source.node] += source.value;
  return values;
}

float threshold_of(std::uint32_t first_touch, const SpreadSettings& settings) {
  if (settings.threshold) return static_cast<float>(*settings.threshold);
  if (first_touch == 0) return 0.01F;
  return first_touch <= 2 ? 0.05F : 0.10F;
}

}  // namespace

std::vector<float> spread_engine(std::size_t nodes, std::span<const Link> links,
                                 std::span<const Node> sources, const SpreadSettings& settings) {
  const InLinks rows = links_into(nodes, links);
  std::vector<float> activation = source_values(nodes, sources);
  std::vector<std::optional<std::uint32_t>> first_touch(nodes);
  for (std::size_t v = 0; v < nodes; ++v) {
    activation[v] = std::min(1.0F, activation[v]);
    if (activation[v] > 0.0F) first_touch[v] = 0;
  }
  std::vector<float> delta = activation;
  for (std::uint32_t hop = 1; hop <= settings.hops; ++hop) {
    const float decay = decay_of(settings.decay, hop);
    std::vector<float> next(nodes, 0.0F);
    for (std::size_t v = 0; v < nodes; ++v) {
      const float c = pulled(rows[v], delta, decay);
      if (!(c > 0.0F)) continue;
      if (!first_touch[v]) first_touch[v] = hop;
      const float threshold = threshold_of(*first_touch[v], settings);
      const float sum = activation[v] + c;
      const float updated = std::min(1.0F, sum);
      if (updated < threshold) continue;
      if (hop < settings.hops && c > threshold) next[v] = updated - activation[v];
      activation[v] = updated;
    }
    delta = next;
  }
  return activation;
}

std::vector<float> spread_linear(std::size_t nodes, std::span<const Link> links,
                                 std::span<const Node> sources, const SpreadSettings& settings) {
  const InLinks rows = links_into(nodes, links);
  std::vector<float> x = source_values(nodes, sources);
  std::vector<float> result = x;
  for (std::uint32_t hop = 1; hop <= settings.hops; ++hop) {
    const float decay = decay_of(settings.decay, hop);
    std::vector<float> next(nodes);
    for (std::size_t v = 0; v < nodes; ++v) next[v] = pulled(rows[v], x, decay);
    for (std::size_t v = 0; v < nodes; ++v) result[v] = result[v] + next[v];
    x = next;
  }
  for (float& value : result) {
    if (std::isnan(value)) value = std::bit_cast<float>(0x7FC00000U);
  }
  return result;
}

std::vector<Node> ranked_nodes(std::span<const float> values, std::size_t top) {
  std::vector<Item> items;
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (values[v] != 0.0F) items.push_back({v, values[v]});
  }
  std::vector<Node> nodes;
  for (const Item& item : top_k(items, top, Better::larger))
    nodes.push_back({static_cast<std::uint32_t>(item.index), item.score});
  return nodes;
}

}  // namespace Kindred::Reference
