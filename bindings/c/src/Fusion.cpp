// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/RankFusion.hpp>

#include "Arguments.hpp"
#include "Results.hpp"

namespace Kindred::C {

kindred_status kindred_fuse_rankings(const std::uint64_t* ids, const double* scores,
                                     const std::uint64_t* offsets, std::size_t rankings,
                                     const kindred_fusion_options* options,
                                     kindred_results** results) noexcept {
  return guarded([&] {
    require(results, "results");
    const kindred_fusion_options given =
        options_of(options, kindred_fusion_options KINDRED_FUSION_OPTIONS_INIT, "options");
    check_reserved(given.reserved, "options");
    FusionOptions fusion;
    fusion.rule = enum_of<FusionRule>(given.rule, 2, "rule");
    fusion.constant = given.constant;
    fusion.top = given.top;
    const std::span<const double> weights = span_of(given.weights, given.weights_size, "weights");
    fusion.weights.assign(weights.begin(), weights.end());
    const RaggedSpan<std::uint64_t> rows = ragged_of(ids, offsets, rankings, "ids");
    std::vector<std::vector<RankedItem>> items(rankings);
    for (std::size_t ranking = 0; ranking < rankings; ++ranking)
      for (std::uint64_t i = rows.offsets[ranking]; i < rows.offsets[ranking + 1]; ++i)
        items[ranking].push_back({rows.values[i], scores == nullptr ? 0 : scores[i]});
    *results = make_handle_of<kindred_results>(results_of(fuse_rankings(items, fusion)));
  });
}

}  // namespace Kindred::C
