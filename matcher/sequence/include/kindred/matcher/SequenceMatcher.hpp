// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_MATCHER_HPP
#define KINDRED_MATCHER_SEQUENCE_MATCHER_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/MatchingBlock.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Clusters.hpp>
#include <kindred/matcher/Measure.hpp>
#include <kindred/matcher/Residency.hpp>
#include <kindred/matcher/Sequences.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief One matching pattern.
struct Match {
  std::uint64_t index = 0;  ///< index of the pattern
  double similarity = 0;
  std::uint32_t matched = 0;  ///< symbols
  double distance = 0;  ///< a number of edits if the measure counts them, else 1 − similarity

  /// The distance follows from the others.
  friend bool operator==(const Match& a, const Match& b) {
    return a.index == b.index && a.similarity == b.similarity && a.matched == b.matched;
  }
};

/// \brief Whether a query may use an inverted index of the patterns instead of a scan. Results do
/// not depend on it; the index takes 4 bytes per symbol.
enum class PostingsUse : std::uint8_t {
  automatic,  ///< on the host, if it is cheaper than a scan and earlier scans have cost enough to
              ///< justify building the index
  never,
  always  ///< whenever it applies: a threshold above 0 and, under `lcs`, at most 256 symbols
};

struct MatchOptions {
  Measure measure = Measure::lcs;
  double threshold = 0.1;  ///< in [0, 1], inclusive; 0 returns everything
  std::size_t top = 10;  ///< maximum number of matches per query; may exceed the number of patterns
  bool blocks = false;   ///< also return the matching blocks of every match, whose lengths sum to
                         ///< `matched`, \see PreparedQuery::blocks
  bool autojunk =
      false;  ///< use Python's default heuristic: in a query of 200 symbols or more, frequent
              ///< symbols start no block; only for `difflib`, where it applies to the blocks too
  PostingsUse postings = PostingsUse::automatic;
  std::optional<Space> space = {};  ///< overrides the dispatcher's choice
  /// If set, only the patterns with these indices are results: those of a call without it, less the
  /// others. In any order; a repeated index counts once; an empty span allows none. Refers to
  /// memory of the caller. Few candidates are compared one by one on the host, which takes time
  /// proportional to their number.
  std::optional<std::span<const std::uint64_t>> filter = {};
};

/// What `SequenceMatcher::score_all` writes for a pair.
enum class PairValue : std::uint8_t {
  similarity,  ///< as `similarity` of the pair
  distance,    ///< a number of edits if the measure counts them (\see counts_edits), else 1 −
               ///< similarity
  percentage  ///< RapidFuzz's ratio, rounded as there: 100 · (1 − edits / the most possible), else
              ///< 100 · similarity; of two empty sequences 100, under `token_set` 0
};

/// Options of `SequenceMatcher::score_all`.
struct PairOptions {
  Measure measure = Measure::lcs;
  PairValue value = PairValue::similarity;
  /// RapidFuzz's `score_cutoff`: a similarity below it is 0; a number of edits above it is cutoff +
  /// 1, any other distance above it 1. In [0, 1]; for percentages in [0, 100]; for numbers of
  /// edits, a whole number below 2^31 − 1.
  std::optional<double> cutoff = {};
  bool autojunk = false;            ///< only for `difflib`, \see MatchOptions::autojunk
  std::optional<Space> space = {};  ///< overrides the dispatcher's choice
};

/// \brief The results of a call, one row per query, best first (similarity, then lower index).
struct MatchResults {
  Ragged<Match> matches;
  Ragged<Block> blocks;  ///< row i belongs to `matches.values[i]`; no rows unless `blocks` is set
  DispatchRecord record;
};

struct ClusterOptions {
  Linkage linkage = Linkage::single;
  /// Two patterns are similar if `match_self` lists them with these options, of which `top` and
  /// `blocks` have no effect. The threshold must be above 0.
  MatchOptions matching = {.threshold = 0.85};
};

/// \brief The clusters of the stored patterns. The record is that of the longest scan.
struct ClusterResults : Clusters {
  DispatchRecord record;
};

/// Size of a matcher.
struct MatcherStatistics {
  std::size_t patterns = 0;
  std::uint64_t host_bytes = 0;    ///< in the memory of the host
  std::uint64_t device_bytes = 0;  ///< in that of the device
};

/// \brief Exact search for the stored patterns most similar to a query. Equivalent to KATO's
/// matcher.
///
/// Patterns are stored in tiles of 32 patterns of similar length with interleaved symbols, which
/// are 16 or 32 bits wide depending on the largest symbol. Patterns and queries may have any
/// length. Thread-safe.
class SequenceMatcher {
 public:
  /// \param context must outlive this object
  /// \param patterns copied; symbols below `unknown_symbol`; may be empty; the index of a pattern
  /// is its row
  ///
  /// The first call with a measure of words stores the words of all patterns too; their symbols
  /// must be Unicode code points.
  /// \throws InvalidArgument, OutOfMemory
  SequenceMatcher(Context& context, const Sequences& patterns,
                  Residency residency = Residency::automatic);

  std::size_t size() const noexcept;
  /// Bytes in the memory of \p space; 0 if the patterns are not resident there.
  std::uint64_t bytes(Space space) const;
  MatcherStatistics statistics() const;
  Residency residency() const noexcept;
  /// A copy of the patterns, one row per pattern. Complexity O(symbols). Does not fence.
  /// \throws OutOfMemory
  Ragged<Symbol> patterns() const;

  /// \brief The best patterns of every query, in total order.
  ///
  /// An empty query has no results. Fences the instance it ran on. Complexity: O(Σ pattern length ·
  /// ⌈query length / 64⌉) steps per query for `lcs`; with `filter`, of the candidates alone if they
  /// are at most a sixteenth of the patterns and no device is requested.
  /// \throws InvalidArgument for a threshold outside [0, 1] or NaN, top = 0, autojunk under another
  /// measure than `difflib`, an index in `filter` that is not below `size()`, and under a measure
  /// of words for symbols that are no code points; SpaceUnavailable; OutOfMemory
  MatchResults match(const Sequences& queries, const MatchOptions& options = {}) const;

  /// \brief Writes the similarity or the distance of every query and every pattern to an array of
  /// the caller, in input order: the matrix of RapidFuzz's `cdist`.
  ///
  /// A similarity equals that of \ref similarity for the pair, bit for bit, rounded once to the
  /// type of \p out; empty queries are compared too. Fences the instance it ran on. Complexity: as
  /// `match` with threshold 0; under `difflib`, a similarity cutoff leaves out pairs whose LCS is
  /// too short.
  /// \param out [queries, size()], where there may be gaps between rows, or [queries · size()];
  /// float32 or float64, for numbers of edits also int32 or uint8, in which a larger number is the
  /// largest of the type. On the host, or on the device if the patterns are there
  /// \return where the call ran
  /// \throws InvalidArgument for another cutoff, as `match`, for another type or shape of \p out,
  /// for an array on the device and another space, and under a measure of words for symbols that
  /// are no code points; SpaceUnavailable; OutOfMemory
  DispatchRecord score_all(const Sequences& queries, const Array& out,
                           const PairOptions& options = {}) const;

  /// \brief Finds duplicates: scores every pair i < j of stored patterns once, with i as pattern
  /// and j as query.
  ///
  /// Calls \p answer with the results of consecutive groups of queries, in order: row r of the
  /// results lists the patterns before `first + r` that match it, in total order. An empty pattern
  /// has no results. Only one group of results is in memory at a time. Fences the instance it ran
  /// on. \throws as `match`, InvalidArgument also if `filter` is set, and what \p answer throws
  void match_self(const MatchOptions& options,
                  const std::function<void(std::size_t first, const MatchResults&)>& answer) const;

  /// \brief The clusters of similar stored patterns, with a representative of each. An empty
  /// pattern is a cluster of its own.
  ///
  /// All similar pairs are in memory at the same time. Fences the instance it ran on. \throws as
  /// `match_self`, InvalidArgument also for a threshold of 0
  ClusterResults cluster(const ClusterOptions& options = {}) const;

 private:
  struct State;
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEQUENCE_MATCHER_HPP
