// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_MATCHER_HPP
#define KINDRED_MATCHER_SEQUENCE_MATCHER_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Measure.hpp>
#include <kindred/matcher/Residency.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace Kindred {

/// \brief One pattern in an answer.
struct Match {
  std::uint64_t index = 0;  ///< of the pattern
  double similarity = 0;
  std::uint32_t matched = 0;  ///< symbols

  friend bool operator==(const Match&, const Match&) = default;
};

/// \brief Whether a query may go through an inverted index of the patterns in place of a scan. No
/// answer depends on it; the index takes 4 bytes a symbol.
enum class PostingsUse : std::uint8_t {
  automatic,  ///< on the host, once enough was scanned that making the index pays, where it takes
              ///< less than a scan
  never,
  always  ///< wherever it can answer: a threshold above 0, and under `lcs` at most 256 symbols
};

struct MatchOptions {
  Measure measure = Measure::lcs;
  double threshold = 0.1;  ///< in [0, 1], inclusive; 0 returns everything
  std::size_t top = 10;    ///< at most so many a query; more than there are patterns is legal
  bool blocks = false;    ///< also the matching blocks of every match, by Ratcliff-Obershelp, under
                          ///< either measure
  bool autojunk = false;  ///< with Python's default heuristic: in a query of 200 symbols or more,
                          ///< those that stand often begin no block; of `difflib` only, and then in
                          ///< its blocks too
  PostingsUse postings = PostingsUse::automatic;
  std::optional<Space> space;  ///< runs there instead of where the dispatcher would
};

/// \throws InvalidArgument for a threshold outside [0, 1] or NaN, top = 0, or autojunk under `lcs`
void check(const MatchOptions& options);

/// \brief The answers of a call, a row a query, best first (similarity, then lower index).
struct MatchResults {
  Ragged<Match> matches;
  Ragged<Block> blocks;  ///< row i: of `matches.values[i]`; no rows unless asked for
  DispatchRecord record;
};

/// \brief Finds the stored patterns most like a query, exactly. Answers KATO's matcher.
///
/// Patterns lie as tiles of 32 of near-equal length with interleaved symbols, 16 or 32 bits wide by
/// the largest symbol. Any length of pattern or query. `match` may be called from several threads.
class SequenceMatcher {
 public:
  /// \param context outlives this
  /// \param patterns a row a pattern; copied; symbols below `unknown_symbol`; empty rows are legal;
  /// index = row \throws InvalidArgument, OutOfMemory
  SequenceMatcher(Context& context, RaggedSpan<Symbol> patterns,
                  Residency residency = Residency::automatic);
  ~SequenceMatcher();
  SequenceMatcher(SequenceMatcher&&) noexcept;
  SequenceMatcher& operator=(SequenceMatcher&&) noexcept;

  std::size_t size() const noexcept;
  /// Bytes held where \p space computes, 0 if the patterns are not there.
  std::uint64_t bytes(Space space) const noexcept;

  /// \brief The best patterns of every query, in total order.
  ///
  /// An empty query has no results. Fences the instance it ran on.
  /// Complexity: O(Σ pattern length · ⌈query length / 64⌉) steps a query for `lcs`.
  /// \throws InvalidArgument as `check`; SpaceUnavailable; OutOfMemory
  MatchResults match(RaggedSpan<Symbol> queries, const MatchOptions& options = {}) const;

  /// \brief Duplicates: every pair of stored patterns i < j once, scored with pattern i and query
  /// j.
  ///
  /// Calls \p answer with the results of some queries at a time, in order: row r of the results has
  /// the patterns before `first + r` that match it, in total order. An empty pattern has no
  /// results. Holds some queries' results at a time. Fences the instance it ran on. \throws as
  /// `match`, and what \p answer throws
  void match_self(const MatchOptions& options,
                  const std::function<void(std::size_t first, const MatchResults&)>& answer) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEQUENCE_MATCHER_HPP
