// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/lattice/GraphStructure.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

struct Rows {
  std::span<const std::uint64_t> offsets;
  std::span<const std::uint32_t> ends;

  std::size_t nodes() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::uint64_t degree(std::size_t node) const { return offsets[node + 1] - offsets[node]; }
};

/// A breadth-first search and its workspace.
struct Search {
  const Rows& rows;
  std::vector<std::uint32_t> distances = std::vector<std::uint32_t>(rows.nodes(), unreached);
  std::vector<std::uint32_t> queue = std::vector<std::uint32_t>(rows.nodes());

  /// Searches from \p source within its component. Returns its eccentricity there.
  std::uint32_t run(std::uint32_t source) {
    std::fill(distances.begin(), distances.end(), unreached);
    return extend(source);
  }
  /// As `run`, but keeps the distances that earlier searches set in other components.
  std::uint32_t extend(std::uint32_t source) {
    const std::uint64_t* offsets = rows.offsets.data();
    const std::uint32_t* ends = rows.ends.data();
    std::uint32_t* found = distances.data();
    std::uint32_t* waiting = queue.data();
    std::size_t first = 0;
    std::size_t last = 0;
    waiting[last++] = source;
    found[source] = 0;
    while (first < last) {
      if (first % 4096 == 0) Impl::CancelPoint().check();
      const std::uint32_t node = waiting[first++];
      const std::uint32_t next = found[node] + 1;
      for (std::uint64_t i = offsets[node]; i < offsets[node + 1]; ++i) {
        if (found[ends[i]] != unreached) continue;
        found[ends[i]] = next;
        waiting[last++] = ends[i];
      }
    }
    return found[waiting[last - 1]];
  }
};

/// Takes and Kosters' BoundingDiameters for a connected graph.
std::uint64_t diameter_of(const Rows& rows, Search& search, std::uint64_t& searches) {
  const std::size_t nodes = rows.nodes();
  std::vector<std::uint32_t> lower(nodes, 0);
  std::vector<std::uint32_t> upper(nodes, unreached);
  std::vector<std::uint32_t> candidates(nodes);
  std::uint32_t busiest = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    candidates[node] = node;
    if (rows.degree(node) > rows.degree(busiest)) busiest = node;
  }
  std::uint32_t greatest = 0;
  std::uint32_t next = busiest;
  bool wants_upper = true;
  while (true) {
    const std::uint32_t eccentricity = search.run(next);
    ++searches;
    greatest = std::max(greatest, eccentricity);
    std::size_t kept = 0;
    std::uint32_t best = next;
    std::uint32_t best_bound = wants_upper ? 0 : unreached;
    std::uint64_t best_degree = 0;
    for (const std::uint32_t node : candidates) {
      const std::uint32_t distance = search.distances[node];
      lower[node] =
          std::max({lower[node], distance, eccentricity > distance ? eccentricity - distance : 0});
      upper[node] = std::min(upper[node], eccentricity + distance);
      if (node == next || upper[node] <= greatest) continue;
      candidates[kept++] = node;
      const std::uint32_t bound = wants_upper ? upper[node] : lower[node];
      const std::uint64_t degree = rows.degree(node);
      const bool is_better = wants_upper ? bound > best_bound : bound < best_bound;
      if (is_better || (bound == best_bound && degree > best_degree)) {
        best = node;
        best_bound = bound;
        best_degree = degree;
      }
    }
    candidates.resize(kept);
    if (kept == 0) return greatest;
    next = best;
    wants_upper = !wants_upper;
  }
}

double clustering_of(const Rows& rows) {
  std::vector<std::uint32_t> mark(rows.nodes(), unreached);
  double sum = 0;
  for (std::uint32_t node = 0; node < rows.nodes(); ++node) {
    if (node % 1024 == 0) Impl::CancelPoint().check();
    const std::uint64_t degree = rows.degree(node);
    if (degree < 2) continue;
    const auto row = rows.ends.subspan(rows.offsets[node], degree);
    for (const std::uint32_t end : row) mark[end] = node;
    std::uint64_t closed = 0;  // counted in both directions
    for (const std::uint32_t end : row)
      for (std::uint64_t i = rows.offsets[end]; i < rows.offsets[end + 1]; ++i)
        closed += mark[rows.ends[i]] == node ? 1 : 0;
    sum += static_cast<double>(closed) /
           (static_cast<double>(degree) * static_cast<double>(degree - 1));
  }
  return rows.nodes() > 0 ? sum / static_cast<double>(rows.nodes()) : 0;
}

}  // namespace

GraphStructure measure_structure(std::span<const std::uint64_t> offsets,
                                 std::span<const std::uint32_t> ends) {
  const Rows rows{offsets, ends};
  GraphStructure out;
  out.nodes = rows.nodes();
  out.edges = ends.size() / 2;
  out.average_degree =
      average_degree(static_cast<double>(out.nodes), static_cast<double>(out.edges));
  out.density = graph_density(static_cast<double>(out.nodes), static_cast<double>(out.edges));
  if (out.nodes == 0) return out;
  out.least_degree = rows.degree(0);
  for (std::size_t node = 0; node < rows.nodes(); ++node) {
    out.least_degree = std::min(out.least_degree, rows.degree(node));
    out.greatest_degree = std::max(out.greatest_degree, rows.degree(node));
  }
  Search search{rows};
  for (std::uint32_t node = 0; node < out.nodes; ++node) {
    if (search.distances[node] != unreached) continue;
    search.extend(node);
    ++out.components;
  }
  if (out.is_connected()) out.diameter = diameter_of(rows, search, out.searches);
  out.clustering = clustering_of(rows);
  return out;
}

}  // namespace Kindred
