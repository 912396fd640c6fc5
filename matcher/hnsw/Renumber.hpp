// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_RENUMBER_HPP
#define KINDRED_MATCHER_HNSW_RENUMBER_HPP

#include "HnswStore.hpp"

#include <cstdint>
#include <span>

namespace Kindred::Impl {

/// \brief The same nodes with new numbers, so that what is read together lies together.
/// \param order the old numbers, each once, in the new order \throws OutOfMemory
HnswStore renumbered(const HnswStore& store, MemoryResource& resource,
                     std::span<const std::uint32_t> order);

/// Drops the nodes from \p size on, to which none before links.
void drop_behind(HnswStore& store, std::size_t size) noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_RENUMBER_HPP
