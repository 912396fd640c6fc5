// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_LATTICE_HPP
#define KINDRED_C_LATTICE_HPP

#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/LatticeBatch.hpp>

#include "Arguments.hpp"
#include "Results.hpp"

#include <cstdint>
#include <vector>

namespace Kindred::C {

KINDRED_C_HANDLE(lattice, WithContext<Lattice>);

inline const Lattice& lattice_of(const kindred_lattice* lattice) {
  return object_of(lattice, "lattice").engine;
}
kindred_lattice_statistics lattice_statistics(const LatticeStatistics& found);
kindred_graph_structure graph_structure(const GraphStructure& found);
LatticeBatchOptions lattice_batch_options(const kindred_lattice_batch_options* options);

std::span<const LatticePair> pairs_of(const kindred_lattice_pair* pairs, std::uint64_t count,
                                      const char* name);
/// \throws InvalidArgument unless the rows are those of an undirected graph without loops
RaggedSpan<std::uint32_t> undirected_rows_of(const std::uint64_t* offsets, std::size_t nodes,
                                             const std::uint32_t* ends);
/// Checks, before it is made, that the adjacency matrix fits.
void check_matrix(const Lattice& lattice, const std::uint8_t* matrix, std::size_t capacity);
/// Checks, before they are computed, that \p needed distances fit.
void check_distances(const std::uint32_t* distances, std::size_t capacity, std::uint64_t needed);

/// Lists of nodes, without scores.
Results results_of(const LatticeRows& rows);
Results results_of(const LatticePaths& paths);
Results results_of(const Ragged<std::uint64_t>& paths);

}  // namespace Kindred::C

#endif  // KINDRED_C_LATTICE_HPP
