// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <deque>
#include <functional>

namespace Kindred::Reference {

namespace {

using Neighbours = std::vector<std::vector<std::uint64_t>>;

constexpr std::uint32_t unreached = 0xFFFFFFFFU;

std::vector<std::uint32_t> searched(std::span<const std::vector<std::uint64_t>> neighbours,
                                    Numbers sources) {
  std::vector<std::uint32_t> distances(neighbours.size(), unreached);
  std::deque<std::uint64_t> queue;
  for (const std::uint64_t source : sources) {
    distances[source] = 0;
    queue.push_back(source);
  }
  for (; !queue.empty(); queue.pop_front()) {
    for (const std::uint64_t end : neighbours[queue.front()]) {
      if (distances[end] != unreached) continue;
      distances[end] = distances[queue.front()] + 1;
      queue.push_back(end);
    }
  }
  return distances;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> lattice_neighbours(const LatticeShape& shape) {
  Neighbours out(shape.nodes());
  for (std::uint64_t node = 0; node < shape.nodes(); ++node) {
    for (std::uint32_t i = 0; i < shape.dimensions(); ++i) {
      std::vector<std::uint32_t> at = shape.coordinates(node);
      if (at[i]-- > 0) out[node].push_back(shape.index(at));
      at[i] += 2;
      if (at[i] < shape.size()) out[node].push_back(shape.index(at));
    }
  }
  return out;
}

BlockedLattice::BlockedLattice(const LatticeShape& shape, Numbers nodes,
                               std::span<const std::pair<std::uint64_t, std::uint64_t>> edges)
    : neighbours(lattice_neighbours(shape)) {
  const auto cut = [&](std::uint64_t from, std::uint64_t to) { std::erase(neighbours[from], to); };
  for (const auto& [a, b] : edges) {
    cut(a, b);
    cut(b, a);
  }
  for (const std::uint64_t node : nodes) {
    for (const std::uint64_t end : neighbours[node]) cut(end, node);
    neighbours[node].clear();
  }
}

std::vector<std::uint32_t> BlockedLattice::distances(Numbers sources) const {
  return searched(neighbours, sources);
}

std::vector<std::uint64_t> BlockedLattice::path(std::uint64_t from, std::uint64_t to) const {
  const std::vector<std::uint32_t> distance = distances({&from, 1});
  if (distance[to] == unreached) return {};
  std::vector<std::uint64_t> out{to};
  while (out.back() != from) {
    const std::uint64_t node = out.back();
    out.push_back(*std::ranges::find_if(
        neighbours[node], [&](std::uint64_t end) { return distance[end] + 1 == distance[node]; }));
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<std::vector<std::uint64_t>> BlockedLattice::all_paths(std::uint64_t from,
                                                                  std::uint64_t to,
                                                                  std::uint64_t edges_max) const {
  std::vector<std::vector<std::uint64_t>> out;
  std::vector<std::uint64_t> path{from};
  const std::function<void()> walk = [&] {
    if (path.back() == to) {
      out.push_back(path);
      return;
    }
    if (path.size() > edges_max) return;
    for (const std::uint64_t end : neighbours[path.back()]) {
      if (std::ranges::find(path, end) != path.end()) continue;
      path.push_back(end);
      walk();
      path.pop_back();
    }
  };
  walk();
  return out;
}

GraphStructure graph_structure(std::span<const std::vector<std::uint64_t>> neighbours) {
  GraphStructure out;
  out.nodes = neighbours.size();
  if (out.nodes == 0) return out;
  out.least_degree = neighbours[0].size();
  std::uint64_t entries = 0;
  std::uint64_t diameter = 0;
  for (std::uint64_t node = 0; node < out.nodes; ++node) {
    const std::vector<std::uint64_t>& row = neighbours[node];
    entries += row.size();
    out.least_degree = std::min<std::uint64_t>(out.least_degree, row.size());
    out.greatest_degree = std::max<std::uint64_t>(out.greatest_degree, row.size());
    bool is_first = true;  // the first node of its component
    const std::vector<std::uint32_t> distances = searched(neighbours, {&node, 1});
    for (std::uint64_t other = 0; other < out.nodes; ++other) {
      if (distances[other] == unreached) continue;
      is_first = is_first && other >= node;
      diameter = std::max<std::uint64_t>(diameter, distances[other]);
    }
    out.components += is_first ? 1 : 0;
    std::uint64_t closed = 0;
    for (const std::uint64_t a : row)
      for (const std::uint64_t b : row)
        closed += std::ranges::find(neighbours[a], b) != neighbours[a].end() ? 1 : 0;
    if (row.size() > 1)
      out.clustering += static_cast<double>(closed) /
                        (static_cast<double>(row.size()) * static_cast<double>(row.size() - 1));
  }
  out.edges = entries / 2;
  const auto nodes = static_cast<double>(out.nodes);
  out.clustering /= nodes;
  out.average_degree = 2 * static_cast<double>(out.edges) / nodes;
  if (out.nodes > 1) out.density = 2 * static_cast<double>(out.edges) / (nodes * (nodes - 1));
  if (out.components == 1) out.diameter = diameter;
  return out;
}

}  // namespace Kindred::Reference
