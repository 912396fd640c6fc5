// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_HNSWLIB_FILE_HPP
#define KINDRED_MATCHER_HNSW_HNSWLIB_FILE_HPP

#include "HnswStore.hpp"

#include <cstddef>
#include <string>

namespace Kindred::Impl {

/// \brief Reads the graph of a file written by hnswlib's `HierarchicalNSW::saveIndex`, without
/// codes.
///
/// The format has neither magic nor checksum: every number is checked against the file and the
/// others. \throws NotFound; InvalidArgument; CorruptFile; OutOfMemory
HnswStore read_hnswlib(MemoryResource& resource, const std::string& path, Metric metric,
                       std::size_t dimension);

/// Writes such a file. \throws InvalidArgument; Error
void write_hnswlib(const HnswStore& store, const std::string& path);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_HNSWLIB_FILE_HPP
