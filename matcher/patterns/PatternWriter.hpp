// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_WRITER_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_WRITER_HPP

#include "StoredPatterns.hpp"
#include "storage/SectionFormat.hpp"

#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// Calls what it is given, which reads rows of a cut, while nobody adds to the catalogue: so that
/// nobody waits for longer than a run of rows takes.
using RowReader = std::function<void(const std::function<void()>&)>;

/// \brief What a commit shall hold, as it was at one moment.
struct PatternCut {
  CatalogueCut rows;
  std::uint64_t symbols = 0;  ///< that earlier commits have
  // Of a first commit:
  IndexTable by_name;
  IndexTable by_events;
  std::vector<std::uint64_t> patterns_with;
  std::vector<std::uint64_t> symbol_frequency;
  std::vector<StoredPart> parts;
  std::uint64_t bulk_end = 0;
  // Of a later one:
  std::vector<std::uint64_t> changed;  ///< rows before `begin`
  std::vector<std::uint64_t> changed_frequency;
};

struct WrittenPatterns {
  FileRevision revision;
  std::uint64_t symbols = 0;  ///< that the file has
};

/// A whole new file. \throws as `SectionWriter`
WrittenPatterns write_patterns(const std::string& path, const PatternCut& cut,
                               const Vocabulary& vocabulary, const RowReader& reader);
/// One more commit of the file in the state \p expected. \throws as `SectionWriter`
WrittenPatterns append_patterns(const std::string& path, const FileRevision& expected,
                                const PatternCut& cut, const Vocabulary& vocabulary,
                                const RowReader& reader);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_WRITER_HPP
