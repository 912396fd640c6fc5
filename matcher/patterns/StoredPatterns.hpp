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

/// \brief A segment of the bulk tier, as it lies in a file.
struct StoredPart {
  StoredTiles tiles;
  std::span<const std::uint64_t> patterns;  ///< their indices, ascending
};

/// \brief What a patterns file holds, all of it checked: no later read can leave its bounds.
struct StoredPatterns {
  std::shared_ptr<const SectionFile> file;  ///< the catalogue and the parts lie in it
  Vocabulary vocabulary;
  PatternCatalogue catalogue;
  std::vector<StoredPart> parts;
  std::uint64_t bulk_end = 0;            ///< patterns below that are not forgotten are in a part
  std::vector<std::uint64_t> forgotten;  ///< ascending: still in a part
};

/// \brief Maps a file and checks it, on at most \p threads threads.
/// \throws as `SectionFile`; CorruptFile where its numbers contradict each other
StoredPatterns read_patterns(const std::string& path, int threads);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_STORED_PATTERNS_HPP
