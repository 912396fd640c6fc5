// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_LATTICE_HPP
#define KINDRED_C_LATTICE_HPP

#include <kindred/matcher/Lattice.hpp>

#include "Arguments.hpp"
#include "Results.hpp"

#include <cstdint>
#include <vector>

namespace Kindred::C {

std::vector<LatticePair> pairs_of(const kindred_lattice_pair* pairs, std::uint64_t count,
                                  const char* name);
kindred_lattice_metrics metrics_of(const LatticeMetrics& metrics);
kindred_graph_structure structure_of(const GraphStructure& structure);

/// Rows of nodes, without scores.
template <class T>
Results rows_of_nodes(const std::vector<std::uint64_t>& offsets, const std::vector<T>& nodes) {
  Results out;
  out.offsets = offsets;
  out.ids.assign(nodes.begin(), nodes.end());
  out.scores.assign(nodes.size(), 0);
  return out;
}

}  // namespace Kindred::C

#endif  // KINDRED_C_LATTICE_HPP
