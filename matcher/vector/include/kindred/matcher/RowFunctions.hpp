// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_ROW_FUNCTIONS_HPP
#define KINDRED_MATCHER_ROW_FUNCTIONS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

// Scores and the best of rows that belong to the caller: no index is built, and on the host the
// rows are read where they are, once per 64 queries. Scores have the bits that a `VectorIndex` of
// the same rows gives, on every space. Thread-safe: calls of many threads do not wait for one
// another on the host. Work of less than 0.1 ms runs on the calling thread.

/// Options of `row_scores` and `top_rows`.
struct RowOptions {
  Metric metric = Metric::cosine;
  /// By default the host, or the device if the arrays are there; the dispatcher is not asked. With
  /// `serial`, a call uses the calling thread only; with `cuda`, arrays on the host are copied.
  std::optional<Space> space = {};
};

/// \brief The scores of all rows for every query, in the order of the rows. Does not fence on the
/// host; otherwise fences the instance of the device. Complexity O(queries · count · dimension).
/// \param queries `queries × dimension`, row-major
/// \param out `queries × count`, row-major
/// \throws InvalidArgument for a dimension of 0, sizes that do not match, a wrong number of scales,
/// or rows that are not aligned to their elements; SpaceUnavailable; OutOfMemory
void row_scores(Context& context, std::span<const float> queries, const VectorSpan& rows,
                std::span<float> out, const RowOptions& options = {});

/// \brief The same for arrays, whose rows may lie apart. All arrays lie on the host, or all on the
/// device of the context; what wrote those on the device must have ended.
/// \param queries float32 [queries, dimension], or [dimension] for one query
/// \param rows float32, float16 or bfloat16 [count, dimension]
/// \param out float32 [queries, count], or [count] for one query
/// \throws InvalidArgument also for other types, shapes and strides, and for arrays in different
/// memory; otherwise as above
void row_scores(Context& context, const ConstArray& queries, const ConstArray& rows,
                const Array& out, const RowOptions& options = {});

/// \brief The results of `top_rows`: `queries × top`, row-major, best first in the total order
/// (score, then lower row; NaN last).
struct TopRows {
  std::size_t top = 0;            ///< results per query: the requested number, or all rows
  std::vector<std::int64_t> ids;  ///< numbers of rows
  std::vector<float> scores;
};

/// \brief The exact best \p top rows of every query; all rows if there are fewer. Fences as
/// `row_scores`. Complexity O(queries · count · dimension), plus O(log top) for each row that
/// enters the best.
/// \throws InvalidArgument for top = 0, 2³² − 1 rows or more, and as `row_scores`;
/// SpaceUnavailable; OutOfMemory
TopRows top_rows(Context& context, std::span<const float> queries, const VectorSpan& rows,
                 std::size_t top, const RowOptions& options = {});

/// \brief The same for arrays of the caller, as `row_scores`. Beyond the number of rows, ids are −1
/// and scores −inf (+inf under `l2`).
/// \param scores float32 [queries, top], or [top] for one query
/// \param ids int64, of the same shape
/// \throws InvalidArgument as `row_scores` and for top = 0; SpaceUnavailable; OutOfMemory
void top_rows(Context& context, const ConstArray& queries, const ConstArray& rows,
              const Array& scores, const Array& ids, const RowOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_ROW_FUNCTIONS_HPP
