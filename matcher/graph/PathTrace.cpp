// SPDX-License-Identifier: Apache-2.0
#include "PathTrace.hpp"

#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/graph/impl/EdgeAccessors.hpp>
#include <kindred/core/graph/impl/HopUpdate.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace Kindred::Impl {

namespace {

using Rows = GraphRows<Kokkos::HostSpace>;

/// The edges of one row, with the rules of the call applied.
class RowEdges {
 public:
  RowEdges(const GraphSide<Kokkos::HostSpace>& side, std::uint32_t node, const EdgeKinds& kinds)
      : m_place(row_of(side.built, side.delta, node)), m_kinds(kinds) {
    if (m_place.part != nullptr)
      m_edges =
          general_edges<HostSpace>(*m_place.part, ArrayView<const std::uint32_t, HostSpace>());
  }

  std::uint64_t size() const { return m_place.count; }
  std::uint32_t end(std::uint64_t i) const { return m_edges.sources[m_place.begin + i]; }
  float weight(std::uint64_t i) const { return m_edges.weight(m_place.begin + i); }
  bool is_followed(std::uint64_t i) const {
    return m_kinds.test(m_edges.kinds == nullptr ? 0 : m_edges.kinds[m_place.begin + i]);
  }

 private:
  RowPlace<Kokkos::HostSpace> m_place;
  GeneralEdges m_edges;
  const EdgeKinds& m_kinds;
};

/// The order of paths: |strength|, with NaN last.
double size_of(double strength) { return std::isnan(strength) ? -1.0 : std::abs(strength); }

float rounded(float value, bool is_short) {
  return is_short ? Arch::to_float(Arch::round_to<Arch::BFloat16>(value)) : value;
}

}  // namespace

PathTrace::PathTrace(const side_type& in, const side_type& out, std::span<const Activation> sources,
                     const SpreadRequest& request)
    : m_in(in), m_out(out), m_kinds(request.rules.kinds) {
  Layer& layer = m_layers.emplace_back();
  for (const Activation& source : sources) {
    if (source.value == 0.0F) continue;
    layer.passed[source.node] = rounded(source.value, request.short_activations);
    layer.rose.insert(source.node);
  }
  struct State {
    float value = 0;
    std::uint8_t tier = tier_untouched;
  };
  std::unordered_map<std::uint32_t, State> states;
  for (const Activation& source : sources)
    states[source.node] = {source.value, source.value > 0.0F ? std::uint8_t{0} : tier_untouched};
  std::vector<double> terms;
  HopParameters parameters = request.parameters;
  for (std::uint32_t hop = 1; hop <= parameters.hops && !m_layers.back().passed.empty(); ++hop) {
    std::unordered_set<std::uint32_t> reached;
    for (const auto& [node, passed] : m_layers.back().passed) {
      const RowEdges row(m_out, node, m_kinds);
      for (std::uint64_t i = 0; i < row.size(); ++i) reached.insert(row.end(i));
    }
    parameters.hop = hop;
    parameters.decay = decay_at(request.decay, hop);
    NodeUpdate update;
    update.set(parameters);
    Layer next;
    next.decay = parameters.decay;
    for (const std::uint32_t node : reached) {
      State& state = states[node];
      const float before = state.value;
      const float passed =
          update.take(&state.value, &state.tier, sum(node, m_layers.back(), terms));
      const bool is_linear = update.kind == NodeUpdate::Kind::linear;
      if (is_linear ? passed != 0.0F : state.value != before) next.rose.insert(node);
      const float next_passed = rounded(passed, request.short_activations);
      if (next_passed != 0.0F && !update.is_last) next.passed[node] = next_passed;
    }
    m_layers.push_back(std::move(next));
  }
}

double PathTrace::sum(std::uint32_t node, const Layer& before, std::vector<double>& terms) const {
  const RowEdges row(m_in, node, m_kinds);
  terms.assign(row.size(), 0.0);
  for (std::uint64_t i = 0; i < row.size(); ++i) {
    const auto from = before.passed.find(row.end(i));
    if (from != before.passed.end() && row.is_followed(i))
      terms[i] = static_cast<double>(from->second) * static_cast<double>(row.weight(i));
  }
  const Arch::Lanes<HostSpace> lanes(0);
  return reproducible_sum(lanes, terms.size(),
                          [&](std::uint64_t i, int count, const auto& partial) {
                            return lanes.add(partial, lanes.load(terms.data() + i, count));
                          });
}

void PathTrace::keep_best(std::vector<Prefix>& paths, std::size_t count) {
  std::ranges::stable_sort(paths, std::greater<>(),
                           [](const Prefix& path) { return size_of(path.strength); });
  if (paths.size() > count) paths.resize(count);
}

template <class Call>
void PathTrace::for_carriers(std::uint32_t node, const Layer& before, const Call& call) const {
  const RowEdges row(m_in, node, m_kinds);
  for (std::uint64_t i = 0; i < row.size(); ++i) {
    const float weight = row.weight(i);
    if (weight != 0.0F && row.is_followed(i) && before.passed.contains(row.end(i)))
      call(row.end(i), weight);
  }
}

std::vector<PathTrace::Prefixes> PathTrace::prefixes(std::span<const Activation> nodes,
                                                     std::size_t count) const {
  std::vector<Prefixes> layers(m_layers.size());
  for (std::size_t hop = m_layers.size(); hop-- > 0;) {
    for (const Activation& node : nodes) {
      if (m_layers[hop].rose.contains(node.node)) layers[hop][node.node];
    }
    if (hop == 0) continue;
    for (const auto& [node, paths] : layers[hop])
      for_carriers(node, m_layers[hop - 1],
                   [&](std::uint32_t from, float) { layers[hop - 1][from]; });
  }
  for (auto& [node, paths] : layers[0]) {
    Prefix path;
    path.strength = m_layers[0].passed.at(node);
    paths.push_back(path);
  }
  for (std::size_t hop = 1; hop < layers.size(); ++hop) {
    const auto decay = static_cast<double>(m_layers[hop].decay);
    for (auto& reached : layers[hop]) {
      std::vector<Prefix>& paths = reached.second;
      for_carriers(reached.first, m_layers[hop - 1], [&](std::uint32_t from, float weight) {
        const std::vector<Prefix>& extended = layers[hop - 1].at(from);
        for (std::uint32_t rank = 0; rank < extended.size(); ++rank)
          paths.push_back({extended[rank].strength * (decay * static_cast<double>(weight)), from,
                           rank, weight});
        // Otherwise, a hub would accumulate this number of paths for each of its edges.
        if (paths.size() > 8 * count + 64) keep_best(paths, count);
      });
      keep_best(paths, count);
    }
  }
  return layers;
}

void PathTrace::append_path(const std::vector<Prefixes>& layers, std::size_t hop,
                            std::uint32_t node, std::uint32_t rank, SpreadPaths& to) const {
  const std::size_t first = to.steps.values.size();
  for (; hop > 0; --hop) {
    const Prefix& path = layers[hop].at(node)[rank];
    const double term = static_cast<double>(m_layers[hop - 1].passed.at(path.from)) *
                        static_cast<double>(path.weight);
    const auto carried = static_cast<float>(static_cast<double>(m_layers[hop].decay) * term);
    to.steps.values.push_back({path.from, node, path.weight, carried});
    node = path.from;
    rank = path.rank;
  }
  std::reverse(to.steps.values.begin() + static_cast<std::ptrdiff_t>(first), to.steps.values.end());
  to.steps.close_row();
}

void PathTrace::append(std::span<const Activation> nodes, std::size_t count,
                       SpreadPaths& to) const {
  const std::vector<Prefixes> layers = prefixes(nodes, count);
  struct Found {
    double strength;
    std::size_t hop;
    std::uint32_t rank;
  };
  for (const Activation& node : nodes) {
    std::vector<Found> found;
    for (std::size_t hop = 0; hop < layers.size(); ++hop) {
      if (!m_layers[hop].rose.contains(node.node)) continue;
      const std::vector<Prefix>& paths = layers[hop].at(node.node);
      for (std::uint32_t rank = 0; rank < paths.size(); ++rank)
        found.push_back({paths[rank].strength, hop, rank});
    }
    std::ranges::stable_sort(found, std::greater<>(),
                             [](const Found& path) { return size_of(path.strength); });
    if (found.size() > count) found.resize(count);
    for (const Found& path : found) {
      to.strengths.values.push_back(static_cast<float>(path.strength));
      append_path(layers, path.hop, node.node, path.rank, to);
    }
    to.strengths.close_row();
  }
}

}  // namespace Kindred::Impl
