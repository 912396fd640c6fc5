// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>

namespace Kindred::Reference {

namespace {

/// The sum of the weights of the links of every node.
std::vector<double> out_weights(std::size_t nodes, Links links) {
  std::vector<std::vector<double>> weights(nodes);
  for (const Link& link : links) weights[link.from].push_back(static_cast<double>(link.weight));
  std::vector<double> sums;
  for (const std::vector<double>& row : weights) sums.push_back(reproducible_sum(row));
  return sums;
}

/// The sources, each node once in float32, divided by their sum.
std::vector<double> restart_of(std::size_t nodes, Nodes sources) {
  std::vector<float> values(nodes, 0.0F);
  std::vector<bool> is_named(nodes);
  for (const Node& source : sources) {
    values[source.node] += source.value;
    is_named[source.node] = true;
  }
  std::vector<double> terms;
  for (std::size_t v = 0; v < nodes; ++v) {
    if (is_named[v]) terms.push_back(static_cast<double>(values[v]));
  }
  const double total = reproducible_sum(terms);
  std::vector<double> restart;
  for (const float value : values)
    restart.push_back(total == 0 ? 0.0 : static_cast<double>(value) / total);
  return restart;
}

}  // namespace

PageRankAnswer page_rank(std::size_t nodes, Links links, Nodes sources,
                         const PageRankSettings& settings) {
  const auto rows = links_into(nodes, links);
  const std::vector<double> out = out_weights(nodes, links);
  const std::vector<double> restart = restart_of(nodes, sources);
  const bool is_float = settings.tolerance >= 1e-6 && std::ranges::all_of(out, [](double sum) {
                          return sum == 0 || (sum >= 0x1p-40 && sum <= 0x1p40);
                        });
  // Stored is p / W, from which the iterate is computed.
  const auto divisor = [&](std::size_t v) { return out[v] > 0 ? out[v] : 1.0; };
  const auto stored = [&](std::size_t v, double value) {
    const double share = value * (1.0 / divisor(v));
    return is_float ? static_cast<double>(static_cast<float>(share)) : share;
  };
  std::vector<double> p;
  for (std::size_t v = 0; v < nodes; ++v) p.push_back(stored(v, restart[v]));
  PageRankAnswer answer;
  do {
    std::vector<double> lost, next, differences;
    for (std::size_t v = 0; v < nodes; ++v) lost.push_back(out[v] > 0 ? 0.0 : p[v]);
    const double share = settings.damping * reproducible_sum(lost) + (1.0 - settings.damping);
    for (std::size_t v = 0; v < nodes; ++v) {
      std::vector<double> terms;
      for (const Link& link : rows[v])
        terms.push_back(p[link.from] * static_cast<double>(link.weight));
      next.push_back(stored(v, settings.damping * reproducible_sum(terms) + share * restart[v]));
      differences.push_back(std::abs(next[v] * divisor(v) - p[v] * divisor(v)));
    }
    answer.residual = reproducible_sum(differences);
    p = next;
    ++answer.iterations;
  } while (answer.residual > settings.tolerance && answer.iterations < settings.max_iterations);
  for (std::size_t v = 0; v < nodes; ++v)
    answer.values.push_back(static_cast<float>(p[v] * divisor(v)));
  return answer;
}

std::vector<double> page_rank_limit(std::size_t nodes, Links links, Nodes sources, double damping) {
  const std::vector<double> out = out_weights(nodes, links);
  const std::vector<double> restart = restart_of(nodes, sources);
  std::vector<double> p = restart;
  double change = 1;
  for (int iteration = 0; iteration < 10000 && change > 1e-16; ++iteration) {
    double lost = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      if (out[v] == 0) lost += p[v];
    }
    std::vector<double> next(nodes, 0.0);
    for (const Link& link : links) {
      if (out[link.from] > 0)
        next[link.to] += p[link.from] * (static_cast<double>(link.weight) / out[link.from]);
    }
    change = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      next[v] = damping * (next[v] + lost * restart[v]) + (1.0 - damping) * restart[v];
      change += std::abs(next[v] - p[v]);
    }
    p = next;
  }
  return p;
}

}  // namespace Kindred::Reference
