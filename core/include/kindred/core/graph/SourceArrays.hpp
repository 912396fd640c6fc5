// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_SOURCE_ARRAYS_HPP
#define KINDRED_CORE_GRAPH_SOURCE_ARRAYS_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/numeric/Rank.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief Sources of queries in arrays of a caller, which nothing has checked: query q has the
/// sources `offsets[q] … offsets[q + 1)`.
template <class ExecutionSpace>
struct SourceArrays {
  ArrayView<const std::int64_t, ExecutionSpace> offsets;  ///< queries + 1; empty: `short_offsets`
  ArrayView<const std::int32_t, ExecutionSpace> short_offsets;
  ArrayView<const std::uint32_t, ExecutionSpace> nodes;
  ArrayView<const float, ExecutionSpace> values;
  /// One bit per removed node; nodes beyond the end are not removed.
  ArrayView<const std::uint64_t, ExecutionSpace> removed;
};

/// \brief Starts spreading from the queries `first_query … first_query + queries`: sets every value
/// to 0, then those of the sources. The values of duplicates are added in input order, in float32,
/// and then limited to 1 in engine mode. Does not fence. Complexity O(nodes · width + sources).
/// \param nodes of the graph \param faults one word per query of the call, set to 1 for a query of
/// this part whose offsets lie outside the arrays or decrease, or that has a source that is not a
/// node, was removed, is not finite or, in engine mode, is outside [0, 1]. Such sources are not
/// used.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void start_from_arrays(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
                       const SourceArrays<ExecutionSpace>& sources, std::size_t nodes,
                       std::size_t first_query, std::size_t queries, SpreadMode mode,
                       const ArrayView<std::uint32_t, ExecutionSpace>& faults);

/// \brief Writes ranks as arrays: row `first_query + i` of \p nodes and \p values receives the
/// nodes and values of row i of \p ranks, then the node 0xFFFFFFFF with the value 0; for a query
/// with a fault, all nodes are 0xFFFFFFFF and all values NaN (0x7FC00000). Does not fence. \param
/// ranks `queries × found`, best first \param nodes,values rows of \p top ≥ \p found elements
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void put_ranks(const ExecutionSpace& exec_space, const ArrayView<const Rank, ExecutionSpace>& ranks,
               std::size_t found, std::size_t first_query, std::size_t queries, std::size_t top,
               const ArrayView<const std::uint32_t, ExecutionSpace>& faults,
               const ArrayView<std::uint32_t, ExecutionSpace>& nodes,
               const ArrayView<float, ExecutionSpace>& values);

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_SOURCE_ARRAYS_HPP
