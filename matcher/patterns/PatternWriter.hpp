// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_WRITER_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_WRITER_HPP

#include "StoredPatterns.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// \brief A snapshot of what a commit will contain.
struct PatternCut {
  CatalogueCut rows;
  std::uint64_t symbols = 0;  ///< number of symbols in earlier commits
  // Only for a first commit:
  HashTable by_name;
  HashTable by_events;
  std::vector<std::uint64_t> patterns_with;
  std::vector<std::uint64_t> symbol_frequency;
  std::vector<StoredPart> parts;
  std::uint64_t bulk_end = 0;
  // Only for a later commit:
  std::vector<std::uint64_t> changed;  ///< rows before `begin` that changed
  std::vector<std::uint64_t> changed_frequency;
  bool has_lower = false;  ///< whether a frequency may have become lower, but not 0
};

struct WrittenPatterns {
  FileRevision revision;
  std::uint64_t symbols = 0;  ///< number of symbols in the file
};

/// \brief Writes a new file.
/// \param writer of a new file of `patterns_kind`
/// \param mutex of the catalogue, which is shared while rows are read, in batches, so that other
/// threads wait only briefly
/// \throws as `SectionWriter`
WrittenPatterns write_patterns(SectionWriter& writer, const PatternCut& cut,
                               const Vocabulary& vocabulary, SharedMutex& mutex);
/// Appends a commit to the file, whose state must be \p expected. \throws as `SectionWriter`
WrittenPatterns append_patterns(const std::string& path, const FileRevision& expected,
                                const PatternCut& cut, const Vocabulary& vocabulary,
                                SharedMutex& mutex);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_WRITER_HPP
