// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_MEMORY_CANDIDATES_HPP
#define KINDRED_MATCHER_PATTERNS_MEMORY_CANDIDATES_HPP

#include "PatternCatalogue.hpp"

#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/matcher/Prediction.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>

#include <algorithm>
#include <cstdint>
#include <shared_mutex>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// \brief The matches of a query as candidates for predictions, with a consistent snapshot of the
/// statistics of patterns and symbols: of the patterns that were compared, less those that were
/// forgotten before the snapshot. What was learned since the comparison is not part of it.
class MemoryCandidates final : public CandidateSource {
 public:
  /// What existed when the patterns were compared.
  struct Limits {
    std::uint64_t patterns;  ///< those below were compared
    std::uint64_t symbols;
  };

  /// \param mutex of \p catalogue; must outlive this object
  MemoryCandidates(const std::vector<Match>& matches, const Limits& limits,
                   const PatternCatalogue& catalogue, SharedMutex& mutex)
      : m_mutex(&mutex), m_symbols(limits.symbols) {
    m_candidates.reserve(matches.size());
    m_rows.reserve(matches.size());
    const auto lock = cancellable_shared_lock(mutex);
    for (const Match& match : matches) {
      if (!catalogue.is_live(match.index)) continue;
      m_candidates.push_back(
          {match.index, match.similarity, match.matched, catalogue.frequency(match.index)});
      m_rows.push_back(catalogue.row(match.index));
    }
    m_patterns = catalogue.live();
    m_total_frequency = catalogue.total_frequency();
    m_patterns_with.assign(catalogue.patterns_with().begin(), catalogue.patterns_with().end());
    std::vector<Symbol> symbols;
    for (const std::uint64_t later : catalogue.live_in(limits.patterns, catalogue.size())) {
      symbols.clear();
      catalogue.append_symbols(later, symbols);
      std::sort(symbols.begin(), symbols.end());
      symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
      for (const Symbol symbol : symbols) --m_patterns_with[symbol];
      --m_patterns;
      m_total_frequency -= catalogue.frequency(later);
    }
  }

  SymbolStatistics statistics() const {
    return {m_patterns, m_total_frequency, m_symbols, m_patterns_with};
  }

  std::size_t size() const override { return m_candidates.size(); }
  Candidate candidate(std::size_t position) const override { return m_candidates[position]; }
  RaggedSpan<Symbol> events(std::size_t position, Ragged<Symbol>& scratch) const override {
    const std::shared_lock lock(*m_mutex);
    scratch = m_rows[position].events();
    return scratch;
  }
  std::string name(std::size_t position) const override {
    const std::shared_lock lock(*m_mutex);
    return std::string(m_rows[position].name().value_or(""));
  }

 private:
  SharedMutex* m_mutex;  ///< a pattern may be appended behind the last row at any time
  std::vector<Candidate> m_candidates;
  /// Of the candidates; they stay valid when patterns are forgotten.
  std::vector<PatternRow> m_rows;
  std::vector<std::uint64_t> m_patterns_with;
  std::uint64_t m_patterns = 0;
  std::uint64_t m_total_frequency = 0;
  std::uint64_t m_symbols = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_MEMORY_CANDIDATES_HPP
