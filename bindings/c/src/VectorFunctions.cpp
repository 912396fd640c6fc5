// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorFunctions.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

namespace Kindred::C {

kindred_status kindred_cosine_sigmoids(kindred_context* context, const DLTensor* query,
                                       const DLTensor* rows, const DLTensor* scales,
                                       double threshold, double temperature, std::int32_t space,
                                       DLTensor* out) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    require(query, "query");
    require(rows, "rows");
    require(out, "out");
    const VectorSpan given = rows_of(rows, scales, "rows");
    std::uint64_t queries = 0;
    const std::span<const float> values =
        matrix_of<float>(query, "query", given.dimension, &queries);
    KINDRED_C_REFUSE_IF(queries != 1,
                        "query has " + std::to_string(queries) + " rows; it must have one");
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
    const SharedContext object = context_of(context);
    require(rows, "rows");
    require(weights, "weights");
    require(out, "out");
    const VectorSpan given = rows_of(rows, scales, "rows");
    const std::span<const float> factors = matrix_of<float>(weights, "weights", given.count());
    KINDRED_C_REFUSE_IF(factors.size() != given.count(), "weights must be one row");
    const std::span<float> to = output_matrix_of<float>(out, "out", 1, given.dimension);
    const std::vector<float> found =
        weighted_average(*object, given, factors, {.space = space_option(space)});
    std::copy(found.begin(), found.end(), to.begin());
  });
}

kindred_status kindred_pairwise_dots(kindred_context* context, const DLTensor* a,
                                     const DLTensor* rows, const DLTensor* scales,
                                     std::int32_t space, DLTensor* out) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    require(a, "a");
    require(rows, "rows");
    require(out, "out");
    const VectorSpan given = rows_of(rows, scales, "rows");
    std::uint64_t count = 0;
    const std::span<const float> values = matrix_of<float>(a, "a", given.dimension, &count);
    const std::span<float> to = output_matrix_of<float>(out, "out", count, given.count());
    const std::vector<float> found =
        pairwise_dots(*object, values, given, {.space = space_option(space)});
    std::copy(found.begin(), found.end(), to.begin());
  });
}

}  // namespace Kindred::C
