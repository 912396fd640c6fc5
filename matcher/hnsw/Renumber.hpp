// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_RENUMBER_HPP
#define KINDRED_MATCHER_HNSW_RENUMBER_HPP

#include "HnswStore.hpp"

#include <cstdint>
#include <span>

namespace Kindred::Impl {

/// \brief Renumbers the nodes so that nodes that are read together are close in memory. \param
/// order permutation: the old numbers in the new order \throws OutOfMemory
HnswStore renumbered(const HnswStore& store, MemoryResource& resource,
                     std::span<const std::uint32_t> order);

/// Removes the nodes from \p size on; no earlier node may link to them.
void drop_behind(HnswStore& store, std::size_t size) noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_RENUMBER_HPP
