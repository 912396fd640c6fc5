// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/math/Pow.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "Canonical.hpp"

namespace Kindred::Reference {

namespace {

float decay_of(const Decay& decay, std::uint32_t hop) {
  using enum Decay::Kind;
  const double p = decay.parameter;
  if (decay.kind == exponential) return static_cast<float>(portable_exp(-p * hop));
  if (decay.kind == power) return static_cast<float>(portable_pow(hop + 1.0, -p));
  if (decay.kind == linear) return static_cast<float>(std::max(0.0, 1.0 - p * hop));
  return static_cast<float>(p);
}

using InLinks = std::vector<std::vector<Link>>;

/// float32(decay · Σ values[from] · weight), with a reproducible sum that is not rounded.
float pulled(const std::vector<Link>& row, Floats values, float decay, const EdgeKinds& kinds) {
  std::vector<double> terms;
  for (const Link& link : row) {
    const double product =
        static_cast<double>(values[link.from]) * static_cast<double>(link.weight);
    terms.push_back(kinds[link.kind] ? product : 0.0);
  }
  return canonical(static_cast<float>(static_cast<double>(decay) * reproducible_sum(terms)));
}

/// Rounds the values that a hop passes on to bfloat16 (ties to even) if activations are short.
void shorten(std::vector<float>& values, const SpreadSettings& settings) {
  if (!settings.short_activations) return;
  for (float& value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) continue;  // 0x7FC00000 is a bfloat16
    const std::uint32_t below = bits & 0xFFFF0000U;
    const std::uint32_t rest = bits & 0xFFFFU;
    const bool is_up = rest > 0x8000U || (rest == 0x8000U && (bits & 0x10000U) != 0);
    value = std::bit_cast<float>(is_up ? below + 0x10000U : below);
  }
}

std::vector<float> source_values(std::size_t nodes, Nodes sources) {
  std::vector<float> values(nodes, 0.0F);
  for (const Node& source : sources) values[source.node] += source.value;
  return values;
}

std::vector<bool> nonzero(const std::vector<float>& values) {
  std::vector<bool> out;
  for (const float value : values) out.push_back(value != 0.0F);
  return out;
}

void record(SpreadHistory* history, const std::vector<float>& passed, const std::vector<bool>& rose,
            float decay) {
  if (history == nullptr) return;
  history->passed.push_back(passed);
  history->rose.push_back(rose);
  history->decays.push_back(decay);
}

float threshold_of(std::uint32_t first_touch, const SpreadSettings& settings) {
  if (settings.threshold) return static_cast<float>(*settings.threshold);
  if (first_touch == 0) return 0.01F;
  return first_touch <= 2 ? 0.05F : 0.10F;
}

}  // namespace

std::vector<std::vector<Link>> links_into(std::size_t nodes, Links links) {
  std::vector<std::vector<Link>> rows(nodes);
  for (const Link& link : links) rows[link.to].push_back(link);
  for (std::vector<Link>& row : rows) std::ranges::stable_sort(row, {}, &Link::from);
  return rows;
}

std::vector<float> spread_engine(std::size_t nodes, Links links, Nodes sources,
                                 const SpreadSettings& settings, SpreadHistory* history) {
  const InLinks rows = links_into(nodes, links);
  std::vector<float> activation = source_values(nodes, sources);
  std::vector<std::optional<std::uint32_t>> first_touch(nodes);
  for (std::size_t v = 0; v < nodes; ++v) {
    activation[v] = std::min(1.0F, activation[v]);
    if (activation[v] > 0.0F) first_touch[v] = 0;
  }
  std::vector<float> delta = activation;
  shorten(delta, settings);
  record(history, delta, nonzero(activation), 1.0F);
  for (std::uint32_t hop = 1; hop <= settings.hops; ++hop) {
    const float decay = decay_of(settings.decay, hop);
    std::vector<float> next(nodes, 0.0F);
    std::vector<bool> rose(nodes, false);
    for (std::size_t v = 0; v < nodes; ++v) {
      const float c = pulled(rows[v], delta, decay, settings.kinds);
      if (!(c > 0.0F)) continue;
      if (!first_touch[v]) first_touch[v] = hop;
      const float threshold = threshold_of(*first_touch[v], settings);
      const float sum = activation[v] + c;
      const float updated = std::min(1.0F, sum);
      if (updated < threshold) continue;
      if (hop < settings.hops && c > threshold) next[v] = updated - activation[v];
      rose[v] = updated != activation[v];
      activation[v] = updated;
    }
    delta = next;
    shorten(delta, settings);
    record(history, delta, rose, decay);
  }
  return activation;
}

std::vector<float> spread_linear(std::size_t nodes, Links links, Nodes sources,
                                 const SpreadSettings& settings, SpreadHistory* history) {
  const InLinks rows = links_into(nodes, links);
  std::vector<float> x = source_values(nodes, sources);
  std::vector<float> result = x;
  shorten(x, settings);
  record(history, x, nonzero(result), 1.0F);
  for (std::uint32_t hop = 1; hop <= settings.hops; ++hop) {
    const float decay = decay_of(settings.decay, hop);
    std::vector<float> next(nodes);
    for (std::size_t v = 0; v < nodes; ++v) next[v] = pulled(rows[v], x, decay, settings.kinds);
    for (std::size_t v = 0; v < nodes; ++v) result[v] = result[v] + next[v];
    x = next;
    shorten(x, settings);
    record(history, x, nonzero(next), decay);
  }
  for (float& value : result) value = canonical(value);
  return result;
}

std::vector<Link> modified(std::size_t nodes, Links links, std::span<const std::uint8_t> node_kinds,
                           const SpreadModifiers& modifiers) {
  std::vector<std::size_t> out_degree(nodes);
  for (const Link& link : links) ++out_degree[link.from];
  const auto kind_of = [&](std::uint32_t node) {
    return node_kinds.empty() ? std::size_t{0} : std::size_t{node_kinds[node]};
  };
  std::vector<Link> out(links.begin(), links.end());
  for (Link& link : out) {
    const std::size_t from = kind_of(link.from);
    const std::size_t to = kind_of(link.to);
    const auto degree = static_cast<double>(out_degree[link.from]);
    double strength = 1;
    double fan = 1;
    if (from < SpreadModifiers::kinds) {
      if (to < SpreadModifiers::kinds) strength = modifiers.strengths[from][to];
      const SpreadModifiers::Fan& rule = modifiers.fans[from];
      if (rule.kind == SpreadModifiers::Fan::Kind::constant) fan = rule.factor;
      if (rule.kind == SpreadModifiers::Fan::Kind::inverse) fan = 1.0 / degree;
      if (rule.kind == SpreadModifiers::Fan::Kind::inverse_root) fan = 1.0 / std::sqrt(degree);
    }
    constexpr double largest = std::numeric_limits<float>::max();
    const double weight = static_cast<double>(link.weight) * strength * fan;
    link.weight = static_cast<float>(std::clamp(weight, -largest, largest));
  }
  return out;
}

std::vector<float> hop(std::size_t nodes, Links links, Floats x, HopDirection direction,
                       const EdgeKinds& kinds) {
  InLinks rows(nodes);
  if (direction == HopDirection::along) {
    rows = links_into(nodes, links);
  } else {
    for (const Link& link : links)
      rows[link.from].push_back({link.to, link.from, link.weight, link.kind});
  }
  std::vector<float> y(nodes);
  for (std::size_t v = 0; v < nodes; ++v) y[v] = pulled(rows[v], x, 1.0F, kinds);
  return y;
}

std::vector<Node> ranked_nodes(Floats values, std::size_t top) {
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
