// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_GRAPH_CHANGES_HPP
#define KINDRED_MATCHER_HNSW_GRAPH_CHANGES_HPP

#include "HnswStore.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

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

/// \brief Links around deleted nodes: a node with a link to a deleted one selects its links again
/// from its own and those of the deleted nodes. No live node links to a deleted one afterwards, and
/// the entry is live.
/// \throws OutOfMemory, std::bad_alloc; the graph is then unchanged
void link_around_deleted(HnswStore& store, const HostWorkers& workers);

/// \brief All nodes in the order in which a nearest-first traversal of level 0 from the entry
/// reaches them, followed by the unreachable ones. \param reached number of reached nodes
/// \throws std::bad_alloc
std::vector<std::uint32_t> walk_order(const HnswStore& store, std::size_t& reached);

/// \brief Links every unreachable node from a near reachable one: in a free slot, or in place of a
/// link that reachability does not need. Complexity O(n · m), plus one search per unreachable node.
/// \throws std::bad_alloc; the graph is then unchanged
void connect_unreached(HnswStore& store);

/// \brief Renumbers the nodes so that nodes that are read together are close in memory. \param
/// order permutation: the old numbers in the new order \throws OutOfMemory
HnswStore renumbered(const HnswStore& store, MemoryResource& resource,
                     std::span<const std::uint32_t> order);

/// Removes the nodes from \p size on; no earlier node may link to them.
void drop_behind(HnswStore& store, std::size_t size) noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_GRAPH_CHANGES_HPP
