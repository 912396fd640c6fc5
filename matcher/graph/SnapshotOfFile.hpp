// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SNAPSHOT_OF_FILE_HPP
#define KINDRED_MATCHER_GRAPH_SNAPSHOT_OF_FILE_HPP

#include "GraphSnapshot.hpp"
#include "StoredGraph.hpp"

#include <memory>

namespace Kindred::Impl {

/// A snapshot that uses the mapped rows of a file in place. \throws SpaceUnavailable, OutOfMemory
std::shared_ptr<const GraphSnapshot> snapshot_of(Context& context, const StoredGraph& stored,
                                                 const GraphOptions& options);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_SNAPSHOT_OF_FILE_HPP
