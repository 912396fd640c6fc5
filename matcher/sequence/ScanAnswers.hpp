// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_SCAN_ANSWERS_HPP
#define KINDRED_MATCHER_SEQUENCE_SCAN_ANSWERS_HPP

#include "QueryMasks.hpp"
#include "ScanCall.hpp"

#include <kindred/core/select/WideRank.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/MatchKey.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// The match of a similarity that follows from a count, which is recovered.
inline Match match_of(double value, std::uint32_t index, const ScanCall& call,
                      std::uint64_t query_length) {
  const std::uint64_t length = call.store.tiles.lengths.data()[call.store.slot_of[index]];
  const double most = call.scale() == SimilarityScale::total
                          ? static_cast<double>(length + query_length) / 2.0
                          : static_cast<double>(std::max(length, query_length));
  const auto count = static_cast<std::uint32_t>(value * most + 0.5);
  return {index, similarity(call.scale(), count, length, query_length), count,
          static_cast<double>(distance(call.options.measure, count, length, query_length))};
}

/// Writes the matches of the queries of \p call to their rows of \p answers. \param keys `k` per
/// query, best first; `key_none` after the last
template <class Key>
void read_answers(const ScanCall& call, std::span<const Key> keys,
                  std::vector<std::vector<Match>>& answers) {
  const bool is_score = call.comparison() == Comparison::score;
  for (std::size_t q = 0; q < call.rows.size(); ++q) {
    const std::span<const Symbol> query = call.queries[call.rows[q]];
    const QueryMasks masks(is_score ? query : std::span<const Symbol>());
    auto& found = answers[call.rows[q]];
    found.clear();
    for (const Key& key : keys.subspan(q * call.k(), call.k())) {
      if (key == key_none<Key>()) break;
      const std::uint32_t index = key_index(key);
      const double value = key_similarity(key);
      if (!is_score) {
        found.push_back(match_of(value, index, call, query.size()));
        continue;
      }
      // What these matched is not in the key. It is counted again, for the results only.
      const PairResult pair = masks.score(
          call.score(), call.store.pattern(call.store.slot_of[index]), call.separator());
      found.push_back({index, value, pair.matched, 1.0 - value});
    }
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SCAN_ANSWERS_HPP
