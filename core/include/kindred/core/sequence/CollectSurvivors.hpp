// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_COLLECT_SURVIVORS_HPP
#define KINDRED_CORE_SEQUENCE_COLLECT_SURVIVORS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Appends the slots whose count in `matched` reaches \p threshold, and which rank no worse
/// than \p bound, to \p list as long as it has capacity, in no particular order, and writes their
/// number to `counters[0]`. Does not fence. \param index_limit patterns from this index on are left
/// out \param matched `queries × slots` \param bound one rank, or empty \param counters two; both
/// are set to 0 first
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void collect_survivors(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                       std::uint32_t query, std::uint32_t query_length, double threshold,
                       std::uint32_t index_limit,
                       const ArrayView<const std::uint32_t, ExecutionSpace>& matched,
                       const ArrayView<const Rank, ExecutionSpace>& bound,
                       const ArrayView<std::uint32_t, ExecutionSpace>& list,
                       const ArrayView<std::uint32_t, ExecutionSpace>& counters);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_COLLECT_SURVIVORS_HPP
