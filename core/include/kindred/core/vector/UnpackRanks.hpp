// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_UNPACK_RANKS_HPP
#define KINDRED_CORE_VECTOR_UNPACK_RANKS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/ScoreOfRank.hpp>

#include <cstdint>

namespace Kindred {

/// \brief Where the results of a ranking are stored: one row of scores and one of ids per query.
struct RankedOutput {
  float* scores = nullptr;
  std::uint64_t score_stride = 0;  ///< elements from one query to the next
  std::int64_t* ids = nullptr;
  std::uint64_t id_stride = 0;
  std::uint64_t top = 0;  ///< results per query

  /// Stores result \p place of query \p query; `rank_none` as −1 and the padding score.
  KOKKOS_INLINE_FUNCTION void write(Metric metric, std::uint64_t query, std::uint64_t place,
                                    Rank rank) const {
    const bool none = rank == rank_none;
    const float infinity = metric == Metric::l2 ? __builtin_inff() : -__builtin_inff();
    scores[query * score_stride + place] = none ? infinity : score_of(metric, rank);
    ids[query * id_stride + place] = none ? -1 : std::int64_t{rank_index(rank)};
  }
};

/// \brief Stores ranks as scores and ids. Does not fence. Complexity O(queries × top).
/// \param ranks `queries × kept`, in order, padded with `rank_none`
/// \param kept ranks per query, at most `out.top`: the rest is padding
/// \param out in memory of \p exec_space
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void unpack_ranks(const ExecutionSpace& exec_space, Metric metric,
                  const ArrayView<const Rank, ExecutionSpace>& ranks, std::uint64_t queries,
                  std::uint64_t kept, const RankedOutput& out);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_UNPACK_RANKS_HPP
