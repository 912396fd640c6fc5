// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_VECTOR_SUPPORT_HPP
#define KINDRED_TESTS_VECTOR_VECTOR_SUPPORT_HPP

#include <kindred/matcher/VectorIndex.hpp>

#include <utility>

#include "StoredRows.hpp"

namespace Kindred::Testing {

inline constexpr SearchPath all_paths[] = {SearchPath::brute_force, SearchPath::quantized,
                                           SearchPath::gemm};

/// Ids and the bits of their scores, best first.
using Ranking = std::vector<std::pair<std::int64_t, std::uint32_t>>;

inline Ranking ranking_of(std::span<const std::int64_t> ids, std::span<const float> scores) {
  Ranking out;
  for (std::size_t i = 0; i < ids.size(); ++i)
    out.emplace_back(ids[i], std::bit_cast<std::uint32_t>(scores[i]));
  return out;
}
inline Ranking ranking_of(const SearchResults& results) {
  return ranking_of(results.ids, results.scores);
}
inline Ranking ranking_of(std::span<const ScoredId> items) {
  Ranking out;
  for (const ScoredId& item : items)
    out.emplace_back(item.id, std::bit_cast<std::uint32_t>(item.score));
  return out;
}
/// The id −2 marks the end of each query.
inline Ranking ranking_of(const ScoreResults& results) {
  Ranking out;
  for (std::size_t row = 0; row < results.results.rows(); ++row) {
    for (const auto& item : ranking_of(results.results[row])) out.push_back(item);
    out.emplace_back(-2, 0);
  }
  return out;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_VECTOR_SUPPORT_HPP
