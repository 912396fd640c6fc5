// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_STORED_HNSW_HPP
#define KINDRED_MATCHER_HNSW_STORED_HNSW_HPP

#include "HnswStore.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/matcher/FileSource.hpp>

namespace Kindred::Impl {

/// \brief Writes all columns as a section file of kind `hnsw` (docs/internals/file-format.md).
/// \throws as SectionWriter
void save_hnsw(FileTarget target, const HnswStore& store);

/// \brief Reads such a file; the columns refer to its mapping. The file is validated so that the
/// result can be traversed, changed and written without leaving its bounds. \throws CorruptFile and
/// as SectionFile
HnswStore load_hnsw(MemoryResource& resource, const FileSource& source, int threads);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_STORED_HNSW_HPP
