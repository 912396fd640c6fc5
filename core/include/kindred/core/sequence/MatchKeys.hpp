// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_MATCH_KEYS_HPP
#define KINDRED_CORE_SEQUENCE_MATCH_KEYS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>
#include <kindred/core/sequence/Similarity.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Converts counts to ranking keys: similarity in double, best first, then the lower pattern
/// index. `key_none` marks a slot without a pattern, a pattern whose index reaches the query's
/// limit, or a similarity below \p threshold. Does not fence.
///
/// `Key` is `Rank`, which is exact while the lengths of any pattern and query add up to at most
/// `float_similarity_total_max`, or `WideRank`.
/// \param scale how counts become similarities
/// \param matched,keys `queries × slots` of every \p stride-th tile, densely packed
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Key>
void match_keys(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                const QueryTables<ExecutionSpace>& queries, SimilarityScale scale, double threshold,
                const ArrayView<const std::uint32_t, ExecutionSpace>& matched,
                const ArrayView<Key, ExecutionSpace>& keys, std::uint32_t stride = 1);

/// \brief The keys of the slots in a list, `key_none` after its end. Does not fence.
/// \param query row of \p queries
/// \param list,counters from `collect_survivors`
/// \param matched counts of the query, one per slot
/// \param keys its size is the number of keys to write
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Key>
void list_keys(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
               const QueryTables<ExecutionSpace>& queries, std::uint32_t query, double threshold,
               const ArrayView<const std::uint32_t, ExecutionSpace>& list,
               const ArrayView<const std::uint32_t, ExecutionSpace>& counters,
               const ArrayView<const std::uint32_t, ExecutionSpace>& matched,
               const ArrayView<Key, ExecutionSpace>& keys);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_MATCH_KEYS_HPP
