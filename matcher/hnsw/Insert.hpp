// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_INSERT_HPP
#define KINDRED_MATCHER_HNSW_INSERT_HPP

#include "HnswStore.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace Kindred::Impl {

/// \brief Links the nodes [begin, end), whose rows, codes, levels and empty lists must exist.
///
/// All memory is allocated first, so an exception leaves the graph unchanged.
/// \param progress called after every round with the number of nodes linked so far
/// \throws OutOfMemory, std::bad_alloc
void insert_nodes(HnswStore& store, std::size_t begin, std::size_t end, const HostWorkers& workers,
                  const std::function<void(std::uint64_t)>& progress = {});

/// Number of nodes inserted per round into a graph of \p nodes.
std::size_t round_size(std::size_t nodes);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_INSERT_HPP
