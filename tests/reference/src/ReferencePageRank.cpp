// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>

namespace Kindred::Reference {

namespace {

/// The sum of the weights of the links of every node.
std::vector<double> out_weights(std::size_t nodes, std::span<const Link> links) {
  std::vector<std::vector<double>> weights(nodes);
  for (const Link& link : links) weights[link.from].push_back(static_cast<double>(link.weight));
  std::vector<double> sums;
  for (const std::vector<double>& row : weights) sums.push_back(reproducible_sum(row));
  return sums;
}

/// The sources, each node once in float32, divided by their sum.
std::vector<double> restart_of(std::size_t nodes, std::span<const Node> sources) {
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

/// The stored part of an iterate, p / W, and the iterate that it represents.
template <class Value>
class Iterate {
 public:
  explicit Iterate(const std::vector<double>& out) : m_out(&out), m_stored(out.size()) {}
  void store(std::size_t v, double p) { m_stored[v] = static_cast<Value>(p * (1.0 / divisor(v))); }
  double stored(std::size_t v) const { return static_cast<double>(m_stored[v]); }
  double value(std::size_t v) const { return stored(v) * divisor(v); }

 private:
  double divisor(std::size_t v) const { return (*m_out)[v] > 0 ? (*m_out)[v] : 1.0; }

  const std::vector<double>* m_out;
  std::vector<Value> m_stored;
};

template <class Value>
PageRankAnswer iterate(std::size_t nodes, std::span<const Link> links,
                       const std::vector<double>& out, const std::vector<double>& restart,
                       const PageRankSettings& settings) {
  const auto rows = links_into(nodes, links);
  Iterate<Value> p(out);
  for (std::size_t v = 0; v < nodes; ++v) p.store(v, restart[v]);
  PageRankAnswer answer;
  do {
    std::vector<double> lost;
    for (std::size_t v = 0; v < nodes; ++v) lost.push_back(out[v] > 0 ? 0.0 : p.value(v));
    const double share = settings.damping * reproducible_sum(lost) + (1.0 - settings.damping);
    Iterate<Value> next(out);
    for (std::size_t v = 0; v < nodes; ++v) {
      std::vector<double> terms;
      for (const Link& link : rows[v])
        terms.push_back(p.stored(link.from) * static_cast<double>(link.weight));
      next.store(v, settings.damping * reproducible_sum(terms) + share * restart[v]);
    }
    std::vector<double> differences;
    for (std::size_t v = 0; v < nodes; ++v)
      differences.push_back(std::abs(next.value(v) - p.value(v)));
    answer.residual = reproducible_sum(differences);
    p = next;
    ++answer.iterations;
  } while (answer.residual > settings.tolerance && answer.iterations < settings.max_iterations);
  for (std::size_t v = 0; v < nodes; ++v) answer.values.push_back(static_cast<float>(p.value(v)));
  return answer;
}

}  // namespace

PageRankAnswer page_rank(std::size_t nodes, std::span<const Link> links,
                         std::span<const Node> sources, const PageRankSettings& settings) {
  const std::vector<double> out = out_weights(nodes, links);
  const bool fits_float = std::ranges::all_of(
      out, [](double sum) { return sum == 0 || (sum >= 0x1p-40 && sum <= 0x1p40); });
  const std::vector<double> restart = restart_of(nodes, sources);
  return settings.tolerance >= 1e-6 && fits_float
             ? iterate<float>(nodes, links, out, restart, settings)
             : iterate<double>(nodes, links, out, restart, settings);
}

std::vector<double> page_rank_limit(std::size_t nodes, std::span<const Link> links,
                                    std::span<const Node> sources, double damping) {
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
