// SPDX-License-Identifier: Apache-2.0
#include "CandidatePatterns.hpp"

#include "MeasureOperations.hpp"
#include "PairQuery.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace Kindred::Impl {

namespace {

/// A scan takes about as long per pattern as a comparison of one in this many.
constexpr std::uint64_t scan_share = 16;

/// Time of comparing a pair, in units of the LCS.
double pair_weight(Measure measure) {
  switch (info_of(measure).comparison) {
    case Comparison::runs:
      return 8;
    case Comparison::edits:
      return 2;
    case Comparison::score:
      return 4;
    default:
      return 1;
  }
}

bool is_better(const Match& a, const Match& b) {
  return a.similarity != b.similarity ? a.similarity > b.similarity : a.index < b.index;
}

/// The best matches of a query so far.
class BestMatches {
 public:
  /// Below this similarity, no further match can be among the best.
  double cutoff(const MatchOptions& options) const noexcept {
    return std::max(options.threshold, m_worst);
  }
  void add(const Match& match, std::size_t top) {
    m_matches.push_back(match);
    constexpr std::size_t margin = 64;
    if (m_matches.size() > margin && m_matches.size() - margin > top && m_matches.size() / 2 > top)
      cut(top);
  }
  void add(const BestMatches& other) {
    m_matches.insert(m_matches.end(), other.m_matches.begin(), other.m_matches.end());
  }
  std::vector<Match> sorted(std::size_t top) {
    if (m_matches.size() > top) cut(top);
    std::sort(m_matches.begin(), m_matches.end(), is_better);
    return std::move(m_matches);
  }

 private:
  void cut(std::size_t top) {
    const auto last = m_matches.begin() + static_cast<std::ptrdiff_t>(top) - 1;
    std::nth_element(m_matches.begin(), last, m_matches.end(), is_better);
    m_worst = last->similarity;
    m_matches.resize(top);
  }

  std::vector<Match> m_matches;
  double m_worst = 0;
};

}  // namespace

std::vector<std::uint64_t> checked_candidates(std::span<const std::uint64_t> filter,
                                              std::uint64_t end) {
  std::vector<std::uint64_t> indices(filter.begin(), filter.end());
  if (!std::is_sorted(indices.begin(), indices.end())) std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  KINDRED_THROW_IF(!indices.empty() && indices.back() >= end,
                   "filter contains index " + std::to_string(indices.back()) +
                       "; the indices of patterns are below " + std::to_string(end));
  return indices;
}

bool CandidatePatterns::are_few(std::optional<Space> forced) const noexcept {
  return forced != Space::cuda && m_segment->resident().contains(Space::serial) &&
         scan_share * m_indices.size() <= m_segment->size();
}

void CandidatePatterns::add_to(Workload& workload, RaggedSpan<Symbol> queries,
                               const MatchOptions& options) const {
  std::uint64_t symbols = 0;
  for (const std::uint64_t index : m_indices) symbols += 1 + m_segment->length(index);
  std::uint64_t words = 0;
  for (std::size_t row = 0; row < queries.rows(); ++row)
    words += quotient_up(queries.length(row), word_symbols);
  workload.items += m_indices.size() * queries.rows();
  workload.work +=
      pair_weight(options.measure) * static_cast<double>(symbols) * static_cast<double>(words);
  workload.starts += 1;
}

std::vector<std::vector<Match>> CandidatePatterns::compare(const Context& context, Space space,
                                                           RaggedSpan<Symbol> queries,
                                                           const MatchOptions& options) const {
  const HostPatterns& store = m_segment->store();
  const Ragged<Symbol> dense = store.symbols.translate(queries);
  const Symbol word_end = store.symbols[word_separator];
  const Symbol separator = word_end == unknown_symbol ? store.tiles.vocabulary : word_end;
  std::vector<std::size_t> rows;
  std::vector<PairQuery> compared;
  for (std::size_t row = 0; row < dense.rows(); ++row) {
    if (dense[row].empty()) continue;
    rows.push_back(row);
    compared.emplace_back(options.measure, dense[row], options.autojunk, true, separator);
  }
  const HostWorkers workers = host_workers(context, space);
  std::vector<std::vector<BestMatches>> found(workers.count());
  const double nanoseconds =
      100.0 * pair_weight(options.measure) * static_cast<double>(1 + rows.size());
  constexpr std::size_t chunk = 16;
  workers.for_each_item(
      m_indices.size(), chunk, nanoseconds, [&](std::size_t worker, std::size_t i) {
        auto& best = found[worker];
        best.resize(rows.size());
        const std::vector<Symbol> pattern = m_segment->pattern(m_indices[i]);
        for (std::size_t q = 0; q < rows.size(); ++q) {
          const auto pair = compared[q].compare(pattern, best[q].cutoff(options));
          if (!pair) continue;
          const double distance = distance_of(options.measure, pair->similarity, pair->matched,
                                              pattern.size(), dense[rows[q]].size());
          best[q].add({m_indices[i], pair->similarity, pair->matched, distance}, options.top);
        }
      });
  std::vector<std::vector<Match>> answers(queries.rows());
  for (std::size_t q = 0; q < rows.size(); ++q) {
    BestMatches all;
    for (const auto& best : found)
      if (!best.empty()) all.add(best[q]);
    answers[rows[q]] = all.sorted(options.top);
  }
  return answers;
}

std::vector<std::vector<Match>> CandidatePatterns::scan(Space space, RaggedSpan<Symbol> queries,
                                                        const MatchOptions& options) const {
  std::vector<bool> is_candidate(m_segment->size(), false);
  for (const std::uint64_t index : m_indices) is_candidate[index] = true;
  return match_kept(*m_segment, space, queries, options, m_indices.size(),
                    [&](std::uint64_t index) { return is_candidate[index]; });
}

std::size_t CandidatePatterns::scanned_top(const MatchOptions& options) const noexcept {
  return first_top(m_segment->size(), m_indices.size(), options.top);
}

}  // namespace Kindred::Impl
