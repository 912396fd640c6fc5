// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_PAIR_SCORES_HPP
#define KINDRED_CORE_SEQUENCE_PAIR_SCORES_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/select/WideRank.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>

#include <cstdint>

namespace Kindred {

/// Similarities of a pair that do not follow from its lengths and a count of matched symbols.
enum class PairScore : std::uint8_t {
  jaro_winkler,  ///< of any sequences
  token_set      ///< of sets of words in the form of `TokenSetScore`
};

/// Words that `pair_score_keys` needs as workspace, some of each of the pairs that are compared at
/// the same time; 0 if no query of the batch has more than one segment.
template <class ExecutionSpace>
std::uint64_t pair_score_workspace(const ExecutionSpace& exec_space,
                                   const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                                   std::uint32_t segments_max);

/// \brief The ranking keys of every query and every pattern: similarity in double, best first, then
/// the lower pattern index. `key_none` marks a slot without a pattern, a pattern whose index
/// reaches the query's limit, or a similarity below \p threshold. Does not fence.
///
/// The similarities are RapidFuzz's `JaroWinkler.similarity` and `token_set_ratio` / 100, bit for
/// bit. 64 query symbols per word, any number of words. Complexity: O(symbols of the patterns ·
/// words) per query.
/// \param separator `PairScore::token_set`: the dense symbol that begins every word
/// \param workspace `pair_score_workspace` words
/// \param keys `queries × slots`, one row per query
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void pair_score_keys(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                     const QueryTables<ExecutionSpace>& queries, PairScore score,
                     std::uint32_t separator, double threshold,
                     const ArrayView<std::uint64_t, ExecutionSpace>& workspace,
                     const ArrayView<WideRank, ExecutionSpace>& keys);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_PAIR_SCORES_HPP
