// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_STORED_HNSW_HPP
#define KINDRED_MATCHER_HNSW_STORED_HNSW_HPP

#include "HnswStore.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// \brief Writes all columns as a section file of kind `hnsw` (docs/internals/file-format.md).
/// \throws as SectionWriter
void write_hnsw(const HnswStore& store, const std::string& path);

/// \brief Maps such a file; the columns refer to the mapping. The file is validated so that the
/// result can be traversed, changed and written without leaving its bounds. \throws CorruptFile and
/// as SectionFile
HnswStore read_hnsw(MemoryResource& resource, const std::string& path, int threads);

/// The bytes of the file that `write_hnsw` writes.
std::vector<std::byte> hnsw_bytes(const HnswStore& store);
/// The same as for a file, of its bytes, which are copied.
HnswStore read_hnsw(MemoryResource& resource, std::span<const std::byte> bytes, int threads);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_STORED_HNSW_HPP
