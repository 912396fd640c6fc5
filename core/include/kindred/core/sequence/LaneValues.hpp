// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_LANE_VALUES_HPP
#define KINDRED_CORE_SEQUENCE_LANE_VALUES_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/PairValues.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Queries as sequences of symbols.
struct LaneQueries {
  /// Of all queries; the vocabulary of the patterns stands for symbols that no pattern contains.
  ArrayView<const std::uint32_t, HostSpace> symbols;
  ArrayView<const std::uint64_t, HostSpace> begins;  ///< queries + 1

  std::uint32_t count() const { return static_cast<std::uint32_t>(begins.size() - 1); }
  std::uint32_t length(std::uint32_t q) const {
    return static_cast<std::uint32_t>(begins(q + 1) - begins(q));
  }
};

/// Fewer queries do not repay the masks of the patterns.
inline constexpr std::uint32_t lane_queries_min = 8;

/// \brief Whether `lane_pair_values` is the fastest form for patterns of up to \p longest symbols.
bool suits_lanes(ShortRecurrence recurrence, std::uint32_t longest);

/// Bytes that `lane_pair_values` needs as workspace. \param longest symbols of a pattern
std::uint64_t lane_pair_workspace(const HostSpace& exec_space, const PatternTiles<HostSpace>& tiles,
                                  std::uint32_t longest, ShortRecurrence recurrence);

/// \brief Compares many queries with all patterns and writes the values: the fastest form for many
/// queries on hosts. Blocks until it is done.
///
/// A table of masks holds where each symbol occurs in the patterns of a group, one lane per
/// pattern. All queries are compared with this table: each of their symbols selects one row. Lanes
/// have 8, 16, 32 or 64 bits, as many as the patterns have symbols, or several words of 64 bits.
/// Complexity per query symbol: O(1) operations on registers per 32 bytes of lanes.
/// \param longest symbols of a pattern; `suits_lanes` \param recurrence not `jaro_winkler`
/// \param slot_of pattern → slot \param workspace `lane_pair_workspace` bytes
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void lane_pair_values(const HostSpace& exec_space, const PatternTiles<HostSpace>& tiles,
                      std::uint32_t longest, const LaneQueries& queries, ShortRecurrence recurrence,
                      const PairRule& rule,
                      const ArrayView<const std::uint32_t, HostSpace>& slot_of,
                      const ArrayView<std::byte, HostSpace>& workspace,
                      const PairValues<HostSpace>& values);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_LANE_VALUES_HPP
