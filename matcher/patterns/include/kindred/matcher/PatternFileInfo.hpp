// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERN_FILE_INFO_HPP
#define KINDRED_MATCHER_PATTERN_FILE_INFO_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// The contents of a file written by `PatternMemory::save`. \see PatternMemory::inspect
struct PatternFileInfo {
  std::uint64_t patterns = 0;  ///< not counting forgotten ones
  std::uint64_t learned = 0;   ///< patterns ever learned; also the next index
  std::uint64_t total_frequency = 0;
  std::uint64_t symbols = 0;  ///< of the patterns
  std::uint64_t vocabulary = 0;
  std::uint64_t segments = 0;           ///< of the bulk tier
  std::uint64_t bulk = 0;               ///< patterns in the segments
  std::uint64_t commits = 0;            ///< one for the save and one per append
  std::uint64_t bytes = 0;              ///< committed
  std::uint64_t uncommitted_bytes = 0;  ///< left by an interrupted append; ignored on loading
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PATTERN_FILE_INFO_HPP
