// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_CANDIDATE_PATTERNS_HPP
#define KINDRED_MATCHER_SEQUENCE_CANDIDATE_PATTERNS_HPP

#include "PatternSegment.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The candidates of a call, ascending and distinct. \throws InvalidArgument for an index that is
/// not below \p end
std::vector<std::uint64_t> checked_candidates(std::span<const std::uint64_t> filter,
                                              std::uint64_t end);

/// \brief Patterns of a segment to which the results of a call are restricted: they are compared
/// one by one if they are few, otherwise the segment is scanned.
class CandidatePatterns {
 public:
  /// \param indices within the segment, ascending and distinct
  CandidatePatterns(const PatternSegment& segment, std::vector<std::uint64_t> indices)
      : m_segment(&segment), m_indices(std::move(indices)) {}

  /// Whether the candidates are compared one by one, if \p forced is the requested space.
  bool are_few(std::optional<Space> forced) const noexcept;
  /// Adds the cost of comparing them one by one to \p workload.
  void add_to(Workload& workload, RaggedSpan<Symbol> queries, const MatchOptions& options) const;
  /// \brief The best candidates of every query, compared one by one with the threads of \p space, a
  /// host space. \param context of the segment
  std::vector<std::vector<Match>> compare(const Context& context, Space space,
                                          RaggedSpan<Symbol> queries,
                                          const MatchOptions& options) const;
  /// The same by a scan on any space. Fences its instance.
  std::vector<std::vector<Match>> scan(Space space, RaggedSpan<Symbol> queries,
                                       const MatchOptions& options) const;
  /// Number of matches that `scan` requests first.
  std::size_t scanned_top(const MatchOptions& options) const noexcept;

 private:
  const PatternSegment* m_segment;
  std::vector<std::uint64_t> m_indices;
};

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
    const bool is_part = open.size() < queries.rows();
    Ragged<Symbol> some;
    if (is_part) {
      for (const std::size_t q : open) some.push_row(queries[q]);
    }
    const DenseQueries dense = segment.dense(is_part ? some : queries);
    std::vector<std::vector<Match>> rows;
    PatternSegment::Matching{segment, dense, requested, rows}(space);
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

#endif  // KINDRED_MATCHER_SEQUENCE_CANDIDATE_PATTERNS_HPP
