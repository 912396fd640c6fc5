// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_KEPT_MATCHES_HPP
#define KINDRED_MATCHER_SEQUENCE_KEPT_MATCHES_HPP

#include "PatternSegment.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace Kindred::Impl {

/// How many matches to request from \p size patterns so that \p top of them are probably among the
/// \p kept ones: twice the expected number and a margin. At most the number of patterns.
inline std::size_t first_top(std::uint64_t size, std::uint64_t kept, std::size_t top) {
  if (kept == size) return std::min<std::uint64_t>(top, size);
  const std::uint64_t least = std::min<std::uint64_t>(top, kept);
  const auto more = kept == 0 ? 0
                              : static_cast<std::uint64_t>(2.0 * static_cast<double>(least) *
                                                           static_cast<double>(size - kept) /
                                                           static_cast<double>(kept));
  return std::min(size, least + 16 + more);
}

/// \brief The best matches of every query among the patterns that are kept. Requests more matches
/// until enough of them are. Fences the instance of \p space.
/// \param kept number of patterns for which `keep(index)` is true
template <class Keep>
std::vector<std::vector<Match>> match_kept(const PatternSegment& segment, Space space,
                                           RaggedSpan<Symbol> queries, const MatchOptions& options,
                                           std::uint64_t kept, const Keep& keep) {
  std::vector<std::vector<Match>> answers(queries.rows());
  MatchOptions requested = options;
  requested.top = first_top(segment.size(), kept, options.top);
  std::vector<std::size_t> open(queries.rows());
  std::iota(open.begin(), open.end(), std::size_t{0});
  while (!open.empty()) {
    Ragged<Symbol> some;
    if (open.size() < queries.rows()) {
      for (const std::size_t q : open) some.push_row(queries[q]);
    }
    auto rows = segment.match(
        space, open.size() < queries.rows() ? RaggedSpan<Symbol>(some) : queries, requested);
    std::vector<std::size_t> cut_short;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool is_all = rows[i].size() < requested.top || requested.top == segment.size();
      std::erase_if(rows[i], [&](const Match& match) { return !keep(match.index); });
      if (is_all || rows[i].size() >= options.top) {
        if (rows[i].size() > options.top) rows[i].resize(options.top);
        answers[open[i]] = std::move(rows[i]);
      } else {
        cut_short.push_back(open[i]);
      }
    }
    open = std::move(cut_short);
    requested.top = std::min<std::size_t>(4 * requested.top, segment.size());
  }
  return answers;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_KEPT_MATCHES_HPP
