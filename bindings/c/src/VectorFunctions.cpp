// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/VectorFunctions.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"
#include "Vector.hpp"

namespace Kindred::C {

namespace {

RowOptions row_options(std::int32_t metric, std::int32_t space, std::size_t top = 0) {
  return {enum_of<Metric>(metric, 3, "metric"), space_option(space), top};
}

/// The numbers of \p count rows. \throws InvalidArgument
std::span<const float> plain_rows(const float* rows, std::size_t count, std::size_t dim) {
  return span_of(rows, size_product("count × dim", {count, dim}), "rows");
}

}  // namespace

kindred_status kindred_row_scores(kindred_context* context, const DLTensor* queries,
                                  const DLTensor* rows, const DLTensor* scales, std::int32_t metric,
                                  std::int32_t space, DLTensor* out) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{queries, "queries"}, {rows, "rows"}, {out, "out"}});
    const RowOptions options = row_options(metric, space);
    row_scores(*object, array_of(queries, "queries"), row_array_of(rows, scales),
               output_array_of(out, "out"), options);
  });
}

kindred_status kindred_top_rows(kindred_context* context, const DLTensor* queries,
                                const DLTensor* rows, const DLTensor* scales, std::int32_t metric,
                                std::int32_t space, DLTensor* scores, DLTensor* ids) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{queries, "queries"}, {rows, "rows"}, {scores, "scores"}, {ids, "ids"}});
    const Array to = output_array_of(scores, "scores");
    const auto top = static_cast<std::size_t>(to.extent(to.rank() - 1));
    top_rows(*object, array_of(queries, "queries"), row_array_of(rows, scales),
             row_options(metric, space, top), {to, output_array_of(ids, "ids")});
  });
}

kindred_status kindred_cosine_rows(kindred_context* context, const float* query, const float* rows,
                                   std::size_t count, std::size_t dim, float* out) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    row_scores(*object, span_of(query, dim, "query"), {plain_rows(rows, count, dim), dim},
               span_of(out, count, "out"));
  });
}

kindred_status kindred_top_k_rows(kindred_context* context, std::int32_t metric, const float* query,
                                  const float* rows, std::size_t count, std::size_t dim,
                                  std::size_t k, float* scores, std::int64_t* ids) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    top_rows(*object, span_of(query, dim, "query"), {plain_rows(rows, count, dim), dim},
             row_options(metric, KINDRED_SPACE_ANY, k),
             {span_of(scores, k, "scores"), span_of(ids, k, "ids")});
  });
}

kindred_status kindred_cosine_sigmoids(kindred_context* context, const DLTensor* query,
                                       const DLTensor* rows, const DLTensor* scales,
                                       double threshold, double temperature, std::int32_t space,
                                       DLTensor* out) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{query, "query"}, {rows, "rows"}, {out, "out"}});
    const VectorSpan given = rows_of(rows, scales, "rows");
    const std::span<const float> values = row_of<float>(query, "query", given.dimension);
    const std::span<float> to = output_matrix_of<float>(out, "out", 1, given.count());
    const std::vector<float> found = cosine_sigmoids(*object, values, given, threshold, temperature,
                                                     {.space = space_option(space)});
    std::copy(found.begin(), found.end(), to.begin());
  });
}

kindred_status kindred_weighted_average(kindred_context* context, const DLTensor* rows,
                                        const DLTensor* scales, const DLTensor* weights,
                                        std::int32_t space, DLTensor* out) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{rows, "rows"}, {weights, "weights"}, {out, "out"}});
    const VectorSpan given = rows_of(rows, scales, "rows");
    const std::span<const float> factors = row_of<float>(weights, "weights", given.count());
    const std::span<float> to = output_matrix_of<float>(out, "out", 1, given.dimension);
    const std::vector<float> found =
        weighted_average(*object, given, factors, {.space = space_option(space)});
    std::copy(found.begin(), found.end(), to.begin());
  });
}

kindred_status kindred_weighted_average_rows(kindred_context* context, const float* const* rows,
                                             std::size_t count, std::size_t dim,
                                             const float* weights, std::int32_t space,
                                             float* out) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const std::span<const float* const> given = span_of(rows, count, "rows");
    const std::span<const float> factors = span_of(weights, count, "weights");
    const std::span<float> to = span_of(out, dim, "out");
    const std::vector<float> found =
        weighted_average(*object, given, dim, factors, {.space = space_option(space)});
    std::copy(found.begin(), found.end(), to.begin());
  });
}

kindred_status kindred_pairwise_dots(kindred_context* context, const DLTensor* a,
                                     const DLTensor* rows, const DLTensor* scales,
                                     std::int32_t space, DLTensor* out) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{a, "a"}, {rows, "rows"}, {out, "out"}});
    const VectorSpan given = rows_of(rows, scales, "rows");
    std::uint64_t count = 0;
    const std::span<const float> values = matrix_of<float>(a, "a", given.dimension, &count);
    const std::span<float> to = output_matrix_of<float>(out, "out", count, given.count());
    row_scores(*object, values, given, to, {Metric::ip, space_option(space)});
  });
}

}  // namespace Kindred::C
