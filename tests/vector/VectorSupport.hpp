// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_VECTOR_SUPPORT_HPP
#define KINDRED_TESTS_VECTOR_VECTOR_SUPPORT_HPP

#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/reference/Reference.hpp>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

#include "Support.hpp"

namespace Kindred::Testing {

inline constexpr Metric all_metrics[] = {Metric::cosine, Metric::ip, Metric::l2};

inline std::vector<float> normal_values(std::mt19937_64& generator, std::size_t size) {
  std::normal_distribution<float> normal;
  std::vector<float> out(size);
  for (float& value : out) value = normal(generator);
  return out;
}

inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

/// Ids and score bits of an answer, for exact comparison.
struct Answer {
  std::vector<std::int64_t> ids;
  std::vector<std::uint32_t> scores;

  friend bool operator==(const Answer&, const Answer&) = default;
};

inline Answer answer_of(const SearchResults& results) {
  return {results.ids, bits(results.scores)};
}

inline Answer answer_of(const ScoreResults& results) {
  Answer answer;
  for (std::size_t row = 0; row < results.results.rows(); ++row) {
    for (const ScoredId& item : results.results[row]) {
      answer.ids.push_back(item.id);
      answer.scores.push_back(std::bit_cast<std::uint32_t>(item.score));
    }
    answer.ids.push_back(-2);  // marks the end of the row
  }
  return answer;
}

inline Answer reference_search(const std::vector<float>& rows, std::size_t dimension,
                               const std::vector<float>& queries, const SearchOptions& options) {
  Answer answer;
  for (std::size_t begin = 0; begin < queries.size(); begin += dimension) {
    const auto found =
        Reference::search(options.metric, rows, std::span(queries).subspan(begin, dimension),
                          options.top, options.filter);
    answer.ids.insert(answer.ids.end(), found.ids.begin(), found.ids.end());
    const auto scores = bits(found.scores);
    answer.scores.insert(answer.scores.end(), scores.begin(), scores.end());
  }
  return answer;
}

inline Answer reference_score(const std::vector<float>& rows, std::size_t dimension,
                              const std::vector<float>& queries,
                              RaggedSpan<std::uint64_t> candidates, const SearchOptions& options) {
  Answer answer;
  for (std::size_t query = 0; query < candidates.rows(); ++query) {
    for (const Reference::Item& item : Reference::score_candidates(
             options.metric, rows, std::span(queries).subspan(query * dimension, dimension),
             candidates[query], options.top)) {
      answer.ids.push_back(static_cast<std::int64_t>(item.index));
      answer.scores.push_back(std::bit_cast<std::uint32_t>(item.score));
    }
    answer.ids.push_back(-2);
  }
  return answer;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_VECTOR_SUPPORT_HPP
