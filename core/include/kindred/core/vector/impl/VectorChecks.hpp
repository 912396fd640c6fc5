// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_VECTOR_CHECKS_HPP
#define KINDRED_CORE_VECTOR_IMPL_VECTOR_CHECKS_HPP

#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/core/vector/UnpackRanks.hpp>
#include <kindred/core/vector/VectorRows.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \p rows has at least the rows 0 … \p count − 1.
template <class ExecutionSpace>
void check_rows(const ArgumentCheck& check, const VectorRows<ExecutionSpace>& rows,
                std::uint64_t count) {
  check.is_at_most("rows.element", static_cast<std::uint64_t>(rows.element),
                   static_cast<std::uint64_t>(DataType::int8));
  const std::uint64_t stride = rows.stride == 0 ? rows.dimension : rows.stride;
  const std::size_t bytes = size_of(rows.element);
  check.has("rows.values", rows.values,
            extent_of(extent_of_rows(count, rows.dimension, stride), bytes));
  check.is_aligned("rows.values", rows.values.data(), bytes);
  if (rows.element == DataType::int8) check.has("rows.scales", rows.scales, count);
  check.has_if_given("rows.ids", rows.ids, count);
}

/// \p rows has the norms of \p count rows if \p metric reads them.
template <class ExecutionSpace>
void check_norms(const ArgumentCheck& check, Metric metric, const VectorRows<ExecutionSpace>& rows,
                 std::uint64_t count) {
  if (metric == Metric::cosine) check.has("rows.norms", rows.norms, count);
}

/// \p queries has the widened values and the norms of its queries.
template <class ExecutionSpace>
void check_queries(const ArgumentCheck& check, const VectorQueries<ExecutionSpace>& queries,
                   std::uint64_t dimension) {
  check.has("queries.values", queries.values, extent_of(queries.count, dimension));
  check.has("queries.norms", queries.norms, queries.count);
}

/// \p queries has the floats and the norms of its queries.
template <class ExecutionSpace>
void check_float_queries(const ArgumentCheck& check, const VectorQueries<ExecutionSpace>& queries,
                         std::uint64_t dimension) {
  check.has("queries.floats", queries.floats, extent_of(queries.count, dimension));
  check.has("queries.norms", queries.norms, queries.count);
}

/// \p filter has the bits of \p rows rows for each of \p queries queries.
template <class ExecutionSpace>
void check_filter(const ArgumentCheck& check, const RowFilter<ExecutionSpace>& filter,
                  std::uint64_t queries, std::uint64_t rows) {
  const std::uint64_t bitmaps = filter.words_per_query == 0 ? 1 : queries;
  check.has_if_given("filter.words", filter.words,
                     extent_of_rows(bitmaps, filter_words(rows), filter.words_per_query));
}

/// \p out has the results of \p queries queries.
inline void check_output(const ArgumentCheck& check, const RankedOutput& out,
                         std::uint64_t queries) {
  check.is_array("out.scores", out.scores, extent_of(queries, out.top));
  check.is_array("out.ids", out.ids, extent_of(queries, out.top));
  if (queries > 1) {
    check.is_at_least("out.score_stride", out.score_stride, out.top);
    check.is_at_least("out.id_stride", out.id_stride, out.top);
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_VECTOR_CHECKS_HPP
