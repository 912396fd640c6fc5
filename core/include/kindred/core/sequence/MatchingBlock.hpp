// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_MATCHING_BLOCK_HPP
#define KINDRED_CORE_SEQUENCE_MATCHING_BLOCK_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// \brief A run of equal symbols: `pattern[pattern_begin + i] == query[query_begin + i]` for i <
/// length.
struct Block {
  std::uint32_t pattern_begin;
  std::uint32_t query_begin;
  std::uint32_t length;

  friend bool operator==(const Block&, const Block&) = default;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_MATCHING_BLOCK_HPP
