// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_INSERT_HPP
#define KINDRED_MATCHER_HNSW_INSERT_HPP

#include "HnswStore.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>

#include <cstddef>

namespace Kindred::Impl {

/// \brief Links the nodes [begin, end), whose rows, codes, levels and empty lists are there.
///
/// All memory is taken first: what throws has not changed the graph.
/// \throws OutOfMemory, std::bad_alloc
void insert_nodes(HnswStore& store, std::size_t begin, std::size_t end, const HostWorkers& workers);

/// Nodes that are inserted at once into a graph of \p nodes.
std::size_t round_size(std::size_t nodes);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_INSERT_HPP
