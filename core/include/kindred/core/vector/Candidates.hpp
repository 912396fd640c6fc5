// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_CANDIDATES_HPP
#define KINDRED_CORE_VECTOR_CANDIDATES_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/vector/FindRows.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/UnpackRanks.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief The sizes of one call of `rank_candidates`.
struct CandidateShape {
  std::size_t queries = 0;
  std::size_t longest = 0;  ///< length of the longest list, in rows
  std::size_t top = 0;      ///< may exceed the length of a list
};

/// \brief How the lists of a call are split: a device team or a host thread processes `chunk`
/// candidates of one list.
struct CandidatePlan {
  std::uint32_t chunk = 0;   ///< a power of two
  std::uint32_t chunks = 0;  ///< of the longest list
  std::uint32_t keep = 0;    ///< ranks that a chunk passes on
  /// Ranks of the workspace.
  std::size_t workspace(std::size_t queries) const {
    return chunks == 1 ? 0 : queries * std::size_t{chunks} * keep;
  }
};

/// \brief Whether one launch can handle \p shape over \p rows. It can handle any list where
/// threads rank chunks, as usual on the host. Where teams do, rows must be aligned to four
/// elements, top ≤ 1024, and the ranks that the chunks of a list keep must fit into scratch for
/// sorting (208,896 candidates for a top of 10, 2048 for
/// 1024).
template <class ExecutionSpace>
bool fits_one_launch(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                     const CandidateShape& shape);

/// \brief What `rank_candidates` validates while it reads a list: a candidate that is not a row is
/// skipped, and the first query that contains one is recorded.
template <class ExecutionSpace>
struct CandidateCheck {
  std::uint64_t rows = 0;  ///< candidates must be below it
  /// Lowered to the index of a query with an invalid candidate; must be accessible from the space;
  /// null: candidates are not validated.
  std::uint32_t* bad_query = nullptr;
};

/// The split for \p shape, for which `fits_one_launch` must hold.
template <class ExecutionSpace>
CandidatePlan candidate_plan(const ExecutionSpace& exec_space, const CandidateShape& shape);

/// \brief The best `top` rows of every query's list: each row is gathered, scored and ranked once.
/// One launch on a device. Does not fence.
///
/// A row that occurs twice is scored once per chunk and ranked once. Complexity O(candidates ×
/// dimension).
/// \param offsets query q's list is `candidates[offsets[q] … offsets[q + 1])`
/// \param candidates indices below the number of \p rows, unless \p check handles the others
/// \param filter which rows a query may return
/// \param best `queries × top`, ascending, padded with `rank_none`
/// \param workspace `plan.workspace(queries)` ranks, with any contents
/// \param arrived one word per query, which must be 0 before the first call; each call leaves them
/// 0. Not used if `plan.chunks` is 1, or by threads \throws InvalidArgument if an array is too
/// short or misaligned, or a size is out of range
template <class ExecutionSpace>
void rank_candidates(const ExecutionSpace& exec_space, Metric metric,
                     const VectorRows<ExecutionSpace>& rows,
                     const ArrayView<const std::uint64_t, ExecutionSpace>& offsets,
                     const ArrayView<const std::uint32_t, ExecutionSpace>& candidates,
                     const RowFilter<ExecutionSpace>& filter,
                     const VectorQueries<ExecutionSpace>& queries, const CandidatePlan& plan,
                     std::size_t top, const ArrayView<Rank, ExecutionSpace>& best,
                     const ArrayView<Rank, ExecutionSpace>& workspace,
                     const ArrayView<std::uint32_t, ExecutionSpace>& arrived,
                     const CandidateCheck<ExecutionSpace>& check = {});

/// \brief Queries as a caller gave them: not widened, without norms.
struct GivenQueries {
  const float* values = nullptr;
  std::size_t count = 0;
  std::size_t stride = 0;  ///< elements from one query to the next
};

/// \brief Whether `rank_given_candidates` can handle \p shape: on a device, if `fits_one_launch`
/// and the queries are aligned to four elements.
template <class ExecutionSpace>
bool fits_given_candidates(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                           const CandidateShape& shape, const GivenQueries& queries);

/// \brief `prepare_queries`, `find_rows`, `rank_candidates` and `unpack_ranks` in one launch, with
/// the same results. Does not fence.
///
/// Every group of threads computes the norm of its query, so this pays for few queries and short
/// lists, where launches take longer than kernels. Complexity O(candidates × dimension).
/// \param lists one list per query; ids that \p segment does not contain are skipped
/// \param top at most `out.top` \param workspace,arrived as of `rank_candidates`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void rank_given_candidates(const ExecutionSpace& exec_space, Metric metric,
                           const VectorRows<ExecutionSpace>& rows, const SegmentIds& segment,
                           const IdLists& lists, const RowFilter<ExecutionSpace>& filter,
                           const GivenQueries& queries, const CandidatePlan& plan, std::size_t top,
                           const RankedOutput& out,
                           const ArrayView<Rank, ExecutionSpace>& workspace,
                           const ArrayView<std::uint32_t, ExecutionSpace>& arrived);

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_CANDIDATES_HPP
