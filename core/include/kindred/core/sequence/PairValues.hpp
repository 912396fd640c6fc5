// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_PAIR_VALUES_HPP
#define KINDRED_CORE_SEQUENCE_PAIR_VALUES_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/select/WideRank.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>
#include <kindred/core/sequence/Similarity.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief How the comparison of a pair becomes the value that a caller asked for.
struct PairRule {
  SimilarityScale scale = SimilarityScale::total;  ///< of counts
  bool is_distance = false;                        ///< else a similarity
  bool counts_edits = false;   ///< the distance is a number of edits, else 1 − similarity
  bool is_percentage = false;  ///< the similarity is 100 · (1 − edits / largest number of edits)
  double of_empty = 1.0;       ///< the similarity of two empty sequences
  /// A similarity below it is 0; a number of edits above it is cutoff + 1, any other distance 1.
  double cutoff = 0.0;

  KOKKOS_INLINE_FUNCTION double of_similarity(double similarity) const {
    const double distance = 1.0 - similarity;
    if (is_distance) return distance > cutoff ? 1.0 : distance;
    const double value = is_percentage ? similarity * 100.0 : similarity;
    return value >= cutoff ? value : 0.0;
  }
  /// \param matched symbols of sequences of the lengths \p pattern and \p query
  KOKKOS_INLINE_FUNCTION double of_count(std::uint64_t matched, std::uint64_t pattern,
                                         std::uint64_t query) const {
    const bool is_total = scale != SimilarityScale::longest;
    const std::uint64_t longest = pattern < query ? query : pattern;
    const std::uint64_t largest = is_total ? pattern + query : longest;
    const auto edits = static_cast<double>(largest - (is_total ? 2 : 1) * matched);
    if (is_distance && counts_edits) return edits > cutoff ? cutoff + 1.0 : edits;
    if (largest == 0) return of_similarity(of_empty);
    if (is_percentage) return of_similarity(1.0 - edits / static_cast<double>(largest));
    return of_similarity(similarity(scale, matched, pattern, query));
  }
};

/// \brief A matrix of values, one row per query and one column per pattern, in the order of the
/// pattern indices.
template <class ExecutionSpace>
struct PairValues {
  void* data = nullptr;
  DataType type = DataType::float32;  ///< float32, float64, int32 or uint8
  /// Per query: the element in which its row begins.
  ArrayView<const std::uint64_t, ExecutionSpace> rows;
};

/// \brief Writes the values of all pairs; a number beyond the largest of the type becomes that one.
/// Does not fence.
/// \param sources `queries × slots`, one row per query: counts of matched symbols
/// (`std::uint32_t`), or keys from `pair_score_keys` with threshold 0 (`WideRank`)
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Source>
void write_pair_values(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                       const QueryTables<ExecutionSpace>& queries, const PairRule& rule,
                       const ArrayView<const Source, ExecutionSpace>& sources,
                       const PairValues<ExecutionSpace>& values);

/// What is computed of a short query and a pattern.
enum class ShortRecurrence : std::uint8_t {
  lcs,
  levenshtein,
  osa,
  jaro_winkler  ///< of queries that are not empty
};

/// \brief Symbols of the longest query that `short_pair_values` takes; 0 if it is not compiled for
/// this host, or switched off.
std::uint32_t short_query_max();
/// Distinct symbols, of those that occur in patterns, that such a query may have.
inline constexpr std::uint32_t short_codes_max = 64;

/// Bytes that `short_pair_values` needs as workspace.
std::uint64_t short_pair_workspace(const HostSpace& exec_space,
                                   const PatternTiles<HostSpace>& tiles, std::uint32_t queries,
                                   DataType type);

/// \brief Scans all patterns for queries of one segment and writes the values: the fastest form for
/// short texts on hosts. Blocks until it is done.
///
/// Values are computed in the order of the slots, 64 patterns at a time, and moved to that of the
/// patterns row by row, from a workspace that fits the caches of a thread.
/// \param queries their lengths are at most `short_query_max()`, and their codes `short_codes_max`
/// \param slot_of pattern → slot \param workspace `short_pair_workspace` bytes
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void short_pair_values(const HostSpace& exec_space, const PatternTiles<HostSpace>& tiles,
                       const QueryTables<HostSpace>& queries, ShortRecurrence recurrence,
                       const PairRule& rule,
                       const ArrayView<const std::uint32_t, HostSpace>& slot_of,
                       const ArrayView<std::byte, HostSpace>& workspace,
                       const PairValues<HostSpace>& values);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_PAIR_VALUES_HPP
