// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <string>

#include "QueryArrays.hpp"
#include "RowCalls.hpp"
#include "kit/ValueMessage.hpp"

namespace KINDRED_PUBLIC Kindred {

using Impl::any_extent;
using Impl::require_per_query;
using Impl::stride_of;
using Impl::value_message;

namespace {

/// Ranks number the rows with 32 bits, and one number means that there is no row.
constexpr std::size_t ranked_rows_max = 0xFFFFFFFEU;

void check_top(std::size_t top, std::size_t rows) {
  KINDRED_THROW_IF(top == 0, "top is 0; it must be at least 1");
  KINDRED_THROW_IF(rows > ranked_rows_max, value_message("the number of rows", rows) +
                                               "; at most " + std::to_string(ranked_rows_max) +
                                               " rows can be ranked");
}

/// \throws InvalidArgument
Impl::RowCall checked_call(std::span<const float> queries, const VectorSpan& rows,
                           const RowOptions& options) {
  Impl::check_rows(rows);
  KINDRED_THROW_IF(queries.size() % rows.dimension != 0,
                   value_message("the size of the queries", queries.size()) +
                       "; it must be a multiple of the dimension, " +
                       std::to_string(rows.dimension));
  Impl::RowCall call = Impl::row_call(queries, rows, options.space);
  call.metric = options.metric;
  return call;
}

DataType element_of(const ConstArray& rows) {
  if (rows.type() == DataType::float16) return DataType::float16;
  if (rows.type() == DataType::bfloat16) return DataType::bfloat16;
  KINDRED_THROW_IF(
      rows.type() != DataType::float32,
      "rows is " + to_string(rows) + "; its elements must be float32, float16 or bfloat16");
  return DataType::float32;
}

/// The arguments that all calls on arrays have. \throws InvalidArgument, SpaceUnavailable
Impl::RowCall checked_call(const Context& context, const Impl::NamedArray& queries,
                           const Impl::NamedArray& rows,
                           std::initializer_list<Impl::NamedArray> arrays,
                           const RowOptions& options) {
  Impl::RowCall call;
  call.metric = options.metric;
  call.space = options.space;
  call.element = element_of(rows.array);
  Impl::require_array(rows, rows.array.type(), {any_extent, any_extent});
  const std::int64_t dimension = rows.array.extent(1);
  KINDRED_THROW_IF(dimension == 0,
                   "rows is " + to_string(rows.array) + "; its dimension must be at least 1");
  const bool one_query = queries.array.rank() == 1;
  require_per_query(queries, DataType::float32, one_query, any_extent, dimension);
  call.rows = static_cast<const std::byte*>(rows.array.data());
  call.count = static_cast<std::size_t>(rows.array.extent(0));
  call.dimension = static_cast<std::size_t>(dimension);
  call.row_stride = stride_of(rows);
  call.queries = static_cast<const float*>(queries.array.data());
  call.query_count = one_query ? 1 : static_cast<std::size_t>(queries.array.extent(0));
  call.query_stride = stride_of(queries);
  call.on_device = Impl::space_of(context, arrays).has_value();
  KINDRED_THROW_IF(call.on_device && options.space.value_or(Space::cuda) != Space::cuda,
                   "the arrays lie on a device, and the requested space is " +
                       std::string(to_string(*options.space)) + "; request cuda or no space");
  return call;
}

}  // namespace

void row_scores(Context& context, std::span<const float> queries, const VectorSpan& rows,
                std::span<float> out, const RowOptions& options) try {
  const Impl::RowCall call = checked_call(queries, rows, options);
  const std::size_t size = size_product("queries × rows", {call.query_count, call.count});
  KINDRED_THROW_IF(out.size() != size, value_message("the size of the output", out.size()) +
                                           "; it must be queries × rows, " + std::to_string(size));
  Impl::score_given_rows(context, call, out.data(), call.count);
} catch (...) {
  Impl::rethrow_translated("Kindred::row_scores");
}

void row_scores(Context& context, const ConstArray& queries, const ConstArray& rows,
                const Array& out, const RowOptions& options) try {
  const Impl::NamedArray target{"out", out};
  const Impl::RowCall call = checked_call(context, {"queries", queries}, {"rows", rows},
                                          {{"queries", queries}, {"rows", rows}, target}, options);
  require_per_query(target, DataType::float32, queries.rank() == 1,
                    static_cast<std::int64_t>(call.query_count),
                    static_cast<std::int64_t>(call.count));
  const std::size_t stride = stride_of(target);
  Impl::score_given_rows(context, call, static_cast<float*>(out.data()), stride);
} catch (...) {
  Impl::rethrow_translated("Kindred::row_scores");
}

TopRows top_rows(Context& context, std::span<const float> queries, const VectorSpan& rows,
                 std::size_t top, const RowOptions& options) try {
  const Impl::RowCall call = checked_call(queries, rows, options);
  check_top(top, call.count);
  TopRows results;
  results.top = std::min(top, call.count);
  const std::size_t places = size_product("queries × top", {call.query_count, results.top});
  if (places == 0) return results;
  results.ids.resize(places);
  results.scores.resize(places);
  Impl::rank_given_rows(
      context, call,
      {results.scores.data(), results.top, results.ids.data(), results.top, results.top});
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::top_rows");
}

void top_rows(Context& context, const ConstArray& queries, const ConstArray& rows,
              const Array& scores, const Array& ids, const RowOptions& options) try {
  const Impl::NamedArray score_target{"scores", scores};
  const Impl::NamedArray id_target{"ids", ids};
  const Impl::RowCall call =
      checked_call(context, {"queries", queries}, {"rows", rows},
                   {{"queries", queries}, {"rows", rows}, score_target, id_target}, options);
  const bool one_query = queries.rank() == 1;
  const auto count = static_cast<std::int64_t>(call.query_count);
  require_per_query(score_target, DataType::float32, one_query, count, any_extent);
  const std::int64_t top = scores.extent(one_query ? 0 : 1);
  require_per_query(id_target, DataType::int64, one_query, count, top);
  check_top(static_cast<std::size_t>(top), call.count);
  const RankedOutput out{static_cast<float*>(scores.data()), stride_of(score_target),
                         static_cast<std::int64_t*>(ids.data()), stride_of(id_target),
                         static_cast<std::uint64_t>(top)};
  Impl::rank_given_rows(context, call, out);
} catch (...) {
  Impl::rethrow_translated("Kindred::top_rows");
}

}  // namespace Kindred
