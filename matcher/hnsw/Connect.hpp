// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_CONNECT_HPP
#define KINDRED_MATCHER_HNSW_CONNECT_HPP

#include "HnswStore.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace Kindred::Impl {

/// \brief Nodes in the order in which a walk over all links of level 0 comes to them from the
/// entry, nearest first, then those that it does not come to. \param reached how many it comes to
/// \throws std::bad_alloc
std::vector<std::uint32_t> walk_order(const HnswStore& store, std::size_t& reached);

/// \brief Links every node that is not walked to from a near one that is: from a free place, else
/// in place of a link without which the walk comes everywhere too. Complexity O(n · m), and a
/// search a node that was not reached. \throws std::bad_alloc; the graph is then unchanged
void connect_unreached(HnswStore& store);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_CONNECT_HPP
