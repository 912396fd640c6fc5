// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_CONNECT_UNREACHED_HPP
#define KINDRED_MATCHER_HNSW_CONNECT_UNREACHED_HPP

#include "HnswStore.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace Kindred::Impl {

/// \brief All nodes in the order in which a nearest-first traversal of level 0 from the entry
/// reaches them, followed by the unreachable ones. \param reached number of reached nodes
/// \throws std::bad_alloc
std::vector<std::uint32_t> walk_order(const HnswStore& store, std::size_t& reached);

/// \brief Links every unreachable node from a near reachable one: in a free slot, or in place of a
/// link that reachability does not need. Complexity O(n · m), plus one search per unreachable node.
/// \throws std::bad_alloc; the graph is then unchanged
void connect_unreached(HnswStore& store);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_CONNECT_UNREACHED_HPP
