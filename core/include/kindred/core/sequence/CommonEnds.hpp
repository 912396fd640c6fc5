// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_COMMON_ENDS_HPP
#define KINDRED_CORE_SEQUENCE_COMMON_ENDS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>

#include <cstdint>

namespace Kindred {

/// The ends of sequences that are compared.
enum class SequenceEnd : std::uint8_t { prefix, postfix };

/// \brief The length of the common prefix, or postfix, of every query and every pattern. Does not
/// fence. Complexity: O(length of the result + 1) per pair.
/// \param matched `queries × slots`, one row per query
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void common_ends(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                 const QueryTables<ExecutionSpace>& queries, SequenceEnd end,
                 const ArrayView<std::uint32_t, ExecutionSpace>& matched);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_COMMON_ENDS_HPP
