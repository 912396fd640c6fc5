// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_STORED_PATTERNS_HPP
#define KINDRED_MATCHER_PATTERNS_STORED_PATTERNS_HPP

#include "PatternCatalogue.hpp"
#include "sequence/StoredTiles.hpp"
#include "storage/SectionFile.hpp"

#include <kindred/matcher/Vocabulary.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Impl {

inline constexpr const char* patterns_kind = "patterns";

/// \brief A segment of the bulk tier as stored in a file.
struct StoredPart {
  StoredTiles tiles;
  std::span<const std::uint64_t> patterns;  ///< their indices, ascending
};

/// \brief The validated contents of a pattern file: no later read can be out of bounds.
struct StoredPatterns {
  /// Keeps the memory of the catalogue and the segments alive.
  std::shared_ptr<const SectionFile> file;
  Vocabulary vocabulary;
  PatternCatalogue catalogue;
  std::vector<StoredPart> parts;
  std::uint64_t bulk_end = 0;  ///< patterns below this that are not forgotten are in a part
  std::vector<std::uint64_t> forgotten;  ///< patterns that are still in a part, ascending
};

/// \brief Reads a file and checks it with at most \p threads threads.
/// \throws as `SectionFile`; CorruptFile if its numbers contradict each other
StoredPatterns read_patterns(const FileSource& source, int threads);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_STORED_PATTERNS_HPP
