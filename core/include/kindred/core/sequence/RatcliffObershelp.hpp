// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_RATCLIFF_OBERSHELP_HPP
#define KINDRED_CORE_SEQUENCE_RATCLIFF_OBERSHELP_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/MatchingBlocks.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <cstdint>

namespace Kindred {

/// \brief What `ratcliff_obershelp` reads of a list, and the size of its workspace.
template <class ExecutionSpace>
struct RunsShape {
  std::uint32_t query = 0;     ///< row of the query tables
  std::uint32_t slot_end = 0;  ///< slots from here on are skipped
  std::uint64_t words = 0;     ///< words of the query
  std::uint64_t rows = 0;      ///< rows of the longest pattern before `slot_end`
  std::uint32_t workers = 1;   ///< host threads, or warps in flight
  /// The query's symbols if its tables omit the popular ones: runs are extended over these.
  ArrayView<const Symbol, ExecutionSpace> grow_over{};

  /// Words of workspace of one worker.
  std::uint64_t worker_words() const;
  std::uint64_t workspace_words() const { return workers * worker_words(); }
};

/// \brief Number of symbols in the matching blocks of Python's `SequenceMatcher(None, pattern,
/// query, autojunk=…)`: with autojunk if `shape.grow_over` is given, else without. Does not fence.
///
/// Bit-parallel: level k has a bit wherever a run of k equal symbols ends; the last nonempty level
/// holds the longest runs. For a pattern with few runs of two or more symbols, a device lists these
/// runs instead of building levels.
/// \param list,counters from `collect_survivors` \param matched `queries × slots`; only the listed
/// slots are written
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void ratcliff_obershelp(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                        const QueryTables<ExecutionSpace>& queries,
                        const RunsShape<ExecutionSpace>& shape,
                        const ArrayView<const std::uint32_t, ExecutionSpace>& list,
                        const ArrayView<std::uint32_t, ExecutionSpace>& counters,
                        const ArrayView<std::uint64_t, ExecutionSpace>& workspace,
                        const ArrayView<std::uint32_t, ExecutionSpace>& matched);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_RATCLIFF_OBERSHELP_HPP
