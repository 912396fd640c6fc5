// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_ROW_FUNCTIONS_HPP
#define KINDRED_MATCHER_ROW_FUNCTIONS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <optional>

namespace KINDRED_PUBLIC Kindred {

// Scores and the best of rows that belong to the caller: no index is built, and on the host the
// rows are read where they are, once per 64 queries. Scores have the bits that a `VectorIndex` of
// the same rows gives, on every space. Thread-safe: calls of many threads do not wait for one
// another on the host. Work of less than 0.1 ms runs on the calling thread.

//
// Queries are float32 [queries, dimension], or of one dimension: then they follow one another, and
// so do the rows of the other arrays of the call. All arrays lie on the host, or all on the device
// of the context; what wrote those on a device must have ended, and the instance of the device is
// fenced. Calls throw InvalidArgument for a dimension of 0, other types, shapes and strides, a
// wrong number of scales, rows that are not aligned to their elements, arrays in different memory,
// and results that share memory with another array; SpaceUnavailable; OutOfMemory.

/// Options of `row_scores` and `top_rows`.
struct RowOptions {
  Metric metric = Metric::cosine;
  /// By default the host, or the device if the arrays are there; the dispatcher is not asked. With
  /// `serial`, a call uses the calling thread only; with `cuda`, arrays on the host are copied.
  std::optional<Space> space = {};
  std::size_t top = 10;  ///< of `top_rows`: maximum number of results per query
};

/// \brief The scores of all rows for every query, in the order of the rows. Complexity O(queries ·
/// count · dimension).
/// \param out float32 [queries, count]
void row_scores(Context& context, const ConstArray& queries, const RowArray& rows, const Array& out,
                const RowOptions& options = {});

/// \brief The exact best rows of every query, all rows if there are fewer than `options.top`: their
/// numbers as `ids`, in the total order (score, then lower row; NaN last). Complexity O(queries ·
/// count · dimension), plus O(log top) for each row that enters the best.
/// \param out arrays for the results: as of `VectorIndex::search`
/// \throws InvalidArgument also for top = 0, and 2³² − 1 rows or more
SearchResults top_rows(Context& context, const ConstArray& queries, const RowArray& rows,
                       const RowOptions& options = {}, const SearchOutput& out = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_ROW_FUNCTIONS_HPP
