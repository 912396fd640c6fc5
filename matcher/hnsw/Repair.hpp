// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_REPAIR_HPP
#define KINDRED_MATCHER_HNSW_REPAIR_HPP

#include "HnswStore.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>

namespace Kindred::Impl {

/// \brief Links around deleted nodes: a node with a link to a deleted one selects its links again
/// from its own and those of the deleted nodes. No live node links to a deleted one afterwards, and
/// the entry is live.
/// \throws OutOfMemory, std::bad_alloc; the graph is then unchanged
void link_around_deleted(HnswStore& store, const HostWorkers& workers);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_REPAIR_HPP
