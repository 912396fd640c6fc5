// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of lattices.
#include "Lattice.hpp"

#include <algorithm>
#include <limits>

namespace Kindred::C {

static_assert(sizeof(kindred_lattice_pair) == sizeof(LatticePair) &&
              offsetof(kindred_lattice_pair, to) == offsetof(LatticePair, to));

std::span<const LatticePair> pairs_of(const kindred_lattice_pair* pairs, std::uint64_t count,
                                      const char* name) {
  const std::span<const kindred_lattice_pair> given = span_of(pairs, count, name);
  return {reinterpret_cast<const LatticePair*>(given.data()), given.size()};
}

RaggedSpan<std::uint32_t> undirected_rows_of(const std::uint64_t* offsets, std::size_t nodes,
                                             const std::uint32_t* ends) {
  constexpr std::size_t nodes_max = std::numeric_limits<std::uint32_t>::max();
  KINDRED_C_REFUSE_IF(nodes > nodes_max, "nodes is " + std::to_string(nodes) + "; the limit is " +
                                             std::to_string(nodes_max));
  const std::uint64_t size = check_row_offsets(offsets, nodes);
  const RaggedSpan<std::uint32_t> rows{{offsets, nodes + 1}, span_of(ends, size, "ends")};
  const auto named = [](std::size_t node) { return "the row of node " + std::to_string(node); };
  for (std::size_t node = 0; node < nodes; ++node) {
    std::uint64_t next = 0;
    for (const std::uint32_t end : rows[node]) {
      KINDRED_C_REFUSE_IF(end >= nodes, named(node) + " has the end " + std::to_string(end) +
                                            "; there are " + std::to_string(nodes) + " nodes");
      KINDRED_C_REFUSE_IF(end == node, named(node) + " has a loop");
      KINDRED_C_REFUSE_IF(end < next,
                          named(node) + " does not ascend at the end " + std::to_string(end));
      next = std::uint64_t{end} + 1;
    }
  }
  for (std::size_t node = 0; node < nodes; ++node)
    for (const std::uint32_t end : rows[node])
      KINDRED_C_REFUSE_IF(!std::binary_search(rows[end].begin(), rows[end].end(), node),
                          named(node) + " has the end " + std::to_string(end) +
                              ", whose row does not have the node; rows contain both directions of "
                              "every edge");
  return rows;
}

void check_matrix(const Lattice& lattice, const std::uint8_t* matrix, std::size_t capacity) {
  span_of(matrix, capacity, "matrix");
  const std::uint64_t nodes = lattice.shape().nodes();
  KINDRED_C_REFUSE_IF(nodes > 0 && capacity / nodes < nodes,
                      "matrix has a capacity of " + std::to_string(capacity) + " bytes; " +
                          std::to_string(nodes) + " * " + std::to_string(nodes) + " are needed");
}

void check_distances(const std::uint32_t* distances, std::size_t capacity, std::uint64_t needed) {
  span_of(distances, capacity, "distances");
  KINDRED_C_REFUSE_IF(needed > capacity, "distances has a capacity of " + std::to_string(capacity) +
                                             " elements; " + std::to_string(needed) +
                                             " are needed");
}

namespace {

template <class T>
Results results_of_nodes(const std::vector<std::uint64_t>& offsets, const std::vector<T>& nodes) {
  Results out;
  out.offsets = offsets;
  out.ids.assign(nodes.begin(), nodes.end());
  out.scores.assign(nodes.size(), 0);
  return out;
}

}  // namespace

Results results_of(const LatticeRows& rows) {
  Results out = results_of_nodes(rows.offsets, rows.ends);
  out.record = record_of(rows.record);
  return out;
}
Results results_of(const LatticePaths& paths) {
  Results out = results_of(paths.paths);
  out.record = record_of(paths.record);
  return out;
}
Results results_of(const Ragged<std::uint64_t>& paths) {
  return results_of_nodes(paths.offsets, paths.values);
}

}  // namespace Kindred::C
