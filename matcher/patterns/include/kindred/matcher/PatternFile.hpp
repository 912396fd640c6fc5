// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERN_FILE_HPP
#define KINDRED_MATCHER_PATTERN_FILE_HPP

#include <cstdint>
#include <string>

namespace Kindred {

/// What a file holds that `PatternMemory::save` wrote.
struct PatternFileInfo {
  std::uint64_t patterns = 0;  ///< that were not forgotten
  std::uint64_t learned = 0;   ///< ever: the next index
  std::uint64_t total_frequency = 0;
  std::uint64_t symbols = 0;  ///< of the patterns
  std::uint64_t vocabulary = 0;
  std::uint64_t segments = 0;           ///< of the bulk tier
  std::uint64_t bulk = 0;               ///< patterns in them
  std::uint64_t commits = 0;            ///< a save and the appends behind it
  std::uint64_t bytes = 0;              ///< committed
  std::uint64_t uncommitted_bytes = 0;  ///< left by an append that did not finish; no part of it
};

/// \brief Checks every byte and every number of a patterns file, as loading it does, and tells what
/// it holds.
/// \param threads at most; 0: as many as the processor has
/// \throws NotFound; InvalidArgument for what is no file; CorruptFile with the byte and the reason
PatternFileInfo inspect_pattern_file(const std::string& path, int threads = 0);

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PATTERN_FILE_HPP
