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

/// \brief Which slots `ratcliff_obershelp` takes, and where it works.
template <class ExecutionSpace>
struct RunsShape {
  std::uint32_t query = 0;     ///< row of the query tables
  std::uint32_t slot_end = 0;  ///< slots from here on are left alone
  std::uint64_t words = 0;     ///< of the query
  std::uint64_t rows = 0;      ///< of the longest pattern before `slot_end`
  std::uint32_t workers = 1;   ///< host threads, or warps in flight
  bool listed = false;         ///< only the slots of a list
  /// The query's symbols, where its tables lack the popular ones: runs grow over these.
  ArrayView<const Symbol, ExecutionSpace> grow_over{};

  /// Words of workspace of one worker.
  std::uint64_t worker_words() const;
  /// Words of workspace of the call: 0 where team scratch is enough.
  std::uint64_t workspace_words() const;
};

/// \brief Appends the slots before \p slot_end whose count in `matched` reaches \p threshold > 0 to
/// \p list, in no particular order, and their number to `counters[0]`. Does not fence.
/// \param index_limit patterns from this index on are left out
/// \param counters two; both are set to 0 first
template <class ExecutionSpace>
void collect_survivors(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                       std::uint32_t query, std::uint32_t slot_end, std::uint32_t query_length,
                       double threshold, std::uint32_t index_limit,
                       const ArrayView<const std::uint32_t, ExecutionSpace>& matched,
                       const ArrayView<std::uint32_t, ExecutionSpace>& list,
                       const ArrayView<std::uint32_t, ExecutionSpace>& counters);

/// \brief Symbols in the matching blocks of Python's `SequenceMatcher(None, pattern, query,
/// autojunk=…)`: without autojunk, or with it where `shape.grow_over` is given. Does not fence.
///
/// Bit-parallel: level k holds a bit wherever a run of k equal symbols ends; the last level that is
/// not empty holds the longest ones.
/// \param list,counters of `collect_survivors` where `shape.listed`, else `counters` need only be
/// there \param matched `queries × slots`; only the slots that are taken are written
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
