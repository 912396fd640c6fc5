// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include "StoredPatterns.hpp"

#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

namespace Kindred {

PatternFileInfo PatternMemory::inspect(const std::string& path, int threads) try {
  const Impl::StoredPatterns stored = Impl::read_patterns(path, Impl::threads_or_all(threads));
  const Impl::PatternCatalogue& catalogue = stored.catalogue;
  PatternFileInfo info;
  info.patterns = catalogue.live();
  info.learned = catalogue.size();
  info.total_frequency = catalogue.total_frequency();
  info.symbols = catalogue.symbols();
  info.vocabulary = stored.vocabulary.size();
  info.segments = stored.parts.size();
  for (const Impl::StoredPart& part : stored.parts) {
    for (const std::uint64_t pattern : part.patterns) {
      info.bulk += catalogue.is_live(pattern) ? 1 : 0;
    }
  }
  info.commits = stored.file->commits();
  info.bytes = stored.file->revision().bytes;
  info.uncommitted_bytes = stored.file->uncommitted_bytes();
  return info;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::inspect");
}

}  // namespace Kindred
