// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "GivenRowCalls.hpp"
#include "VectorCall.hpp"
#include "kit/ValueMessage.hpp"

namespace KINDRED_PUBLIC Kindred {

using Impl::NamedArray;
using Impl::value_message;

namespace {

/// Ranks number the rows with 32 bits, and one number means that there is no row.
constexpr std::size_t ranked_rows_max = 0xFFFFFFFEU;

/// The rows of a call. \throws InvalidArgument
Impl::RowCall checked_rows(const RowArray& rows, const RowOptions& options) {
  if (!rows.array) {
    Impl::check_rows(rows.span);
    return Impl::row_call(rows.span, options.space);
  }
  const NamedArray given{"rows", *rows.array};
  Impl::RowCall call;
  call.space = options.space;
  call.element = given.array.type();
  KINDRED_THROW_IF(
      !widens_to_float32(call.element),
      "rows is " + to_string(given.array) + "; its elements must be float32, float16 or bfloat16");
  Impl::require_array(given, call.element, {Impl::any_extent, Impl::any_extent});
  call.rows = static_cast<const std::byte*>(given.array.data());
  call.count = static_cast<std::size_t>(given.array.extent(0));
  call.dimension = static_cast<std::size_t>(given.array.extent(1));
  call.row_stride = Impl::stride_of(given);
  KINDRED_THROW_IF(call.dimension == 0,
                   "rows is " + to_string(given.array) + "; its dimension must be at least 1");
  return call;
}

/// The rows, for the test of where the arrays of a call lie.
NamedArray named(const RowArray& rows) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(rows.span.values.data());
  return {"rows", rows.array.value_or(std::span(bytes, rows.span.values.size()))};
}

}  // namespace

void row_scores(Context& context, const ConstArray& queries, const RowArray& rows, const Array& out,
                const RowOptions& options) try {
  Impl::RowCall call = checked_rows(rows, options);
  const Impl::VectorCall arrays(context, call.dimension, {{"queries", queries}, named(rows)}, out,
                                options.space);
  const Impl::VectorCall::Matrix to = arrays.matrix(out, call.count);
  call.metric = options.metric;
  call.queries = arrays.queries;
  call.on_device = arrays.on_device;
  Impl::score_given_rows(context, call, to.values, to.stride);
} catch (...) {
  Impl::rethrow_translated("Kindred::row_scores");
}

SearchResults top_rows(Context& context, const ConstArray& queries, const RowArray& rows,
                       const RowOptions& options, const SearchOutput& out) try {
  Impl::RowCall call = checked_rows(rows, options);
  const Impl::VectorCall arrays(context, call.dimension, {{"queries", queries}, named(rows)}, out,
                                options.space);
  if (!arrays.has_output) arrays.require_output_on_host();
  RankedOutput to = arrays.ranked(out, options.top);
  KINDRED_THROW_IF(call.count > ranked_rows_max,
                   value_message("the number of rows", call.count) + "; at most " +
                       std::to_string(ranked_rows_max) + " rows can be ranked");
  call.metric = options.metric;
  call.queries = arrays.queries;
  call.on_device = arrays.on_device;
  if (!arrays.has_output) to.top = std::min<std::size_t>(to.top, call.count);
  SearchResults results;
  results.top = to.top;
  if (!arrays.has_output) {
    const std::size_t places = size_product("queries × top", {call.queries.count, to.top});
    if (places == 0) return results;
    results.ids.resize(places);
    results.scores.resize(places);
    to = {results.scores.data(), to.top, results.ids.data(), to.top, to.top};
  }
  Impl::rank_given_rows(context, call, to);
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::top_rows");
}

}  // namespace Kindred
