// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERN_MEMORY_HPP
#define KINDRED_MATCHER_PATTERN_MEMORY_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/PatternSettings.hpp>
#include <kindred/matcher/Prediction.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Text.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred {

/// What `PatternMemory::learn` did.
struct LearnedPattern {
  std::uint64_t index = 0;
  std::uint64_t frequency = 0;
  bool is_new = false;
};

/// A pattern as it was learned; empty events are not kept.
struct StoredPattern {
  std::uint64_t index = 0;
  std::optional<std::string> name;
  Ragged<Symbol> events;
  std::uint64_t frequency = 0;
};

/// What made the tiers synchronise.
enum class SyncTrigger : std::uint8_t { threshold, interval, manual, training };
inline constexpr std::size_t sync_trigger_count = 4;
std::string_view to_string(SyncTrigger trigger) noexcept;

/// \brief One synchronisation: what left the recent tier, and why not all of it did.
struct SyncRecord {
  SyncTrigger trigger = SyncTrigger::manual;
  std::uint64_t moved = 0;  ///< patterns
  std::uint64_t left = 0;   ///< patterns that stay recent, and searchable
  double seconds = 0;
  std::string why_left;  ///< empty where nothing was left
};

struct SyncStatistics {
  std::uint64_t syncs[sync_trigger_count] = {};  ///< a trigger
  std::uint64_t patterns_synced = 0;
  std::uint64_t incomplete = 0;  ///< syncs that left something
  std::uint64_t recent = 0;      ///< patterns that wait
  bool background = false;       ///< the thread runs
  bool training = false;
  SyncRecord last;  ///< trigger manual, moved 0 before the first one
};

struct PatternStatistics {
  std::uint64_t patterns = 0;
  std::uint64_t learned = 0;  ///< ever, relearned ones not counted: the next index
  std::uint64_t total_frequency = 0;
  std::uint64_t bulk = 0, recent = 0;     ///< patterns of the tiers
  std::uint64_t segments = 0;             ///< of both tiers
  std::uint64_t queries = 0;              ///< answered
  std::uint64_t bytes[space_count] = {};  ///< held where a space computes
};

/// \brief A memory of named event sequences that learns and forgets while it is searched, exactly.
/// Answers KATO's hybrid matcher.
///
/// A bulk tier of immutable segments lies where the dispatcher may want it, a recent tier on the
/// host. Both are searched with the same measure and merged in the total order, so that a pattern's
/// score never depends on its tier. What was learned is visible to the next query. Identity is the
/// event list: learning it again raises its frequency. An index is the number of the learned
/// pattern, never used again.
///
/// Thread-safe. A query sees what was learned before it began, and never waits for a
/// synchronisation. A call that fails changes nothing.
class PatternMemory {
 public:
  using Events = RaggedSpan<std::string_view>;  ///< a row an event, of symbol texts

  /// \param context outlives this
  /// \param level at which patterns and queries are compared; predictions are of tokens at either
  /// \throws InvalidArgument for settings; SpaceUnavailable where a device is wanted, none is
  /// usable and `fallback_to_host` is off
  explicit PatternMemory(Context& context, PatternSettings settings = {},
                         Level level = Level::token);
  ~PatternMemory();
  PatternMemory(PatternMemory&&) noexcept;
  PatternMemory& operator=(PatternMemory&&) noexcept;

  /// \brief A memory of what a file holds, as `save` and `append` wrote it.
  ///
  /// The file is mapped and every byte of it checked; what is changed later is changed in memory
  /// only. It may be replaced or appended to meanwhile, but not be made shorter.
  /// \param level any: the file says nothing about it; the segments it holds serve `Level::token`
  /// \throws NotFound, InvalidArgument for what is no file, or, at character level, for a symbol
  /// that is no UTF-8; CorruptFile; as the constructor
  static PatternMemory load(Context& context, const std::string& path,
                            PatternSettings settings = {}, Level level = Level::token);

  /// \brief Writes everything to \p path, in place of what is there.
  ///
  /// The new file appears whole, or the old one stays. Others go on learning meanwhile; what they
  /// learn is in the next `append`. Nothing of what was forgotten is in the file, but the texts of
  /// its symbols.
  /// \throws InvalidArgument where no file can be written; Busy while another writes it; Error
  void save(const std::string& path);
  /// \brief Adds to the file that was saved or loaded last what was learned, seen again and
  /// forgotten since. What it held stays whatever happens.
  /// \throws InvalidArgument where nothing was saved or loaded, or the file has changed since;
  /// NotFound, CorruptFile, Busy, Error
  void append(const std::string& path);

  const PatternSettings& settings() const noexcept;
  Level level() const noexcept;
  const Vocabulary& vocabulary() const noexcept;

  /// \brief Learns a pattern, or that it was seen again.
  ///
  /// \param name kept with a new pattern; a known one keeps its first name \param times ≥ 1
  /// Complexity: O(symbols); a call that reaches `sync_threshold` synchronises where there is no
  /// background thread.
  /// \throws InvalidArgument where \p name is of a pattern with other events, or, at character
  /// level, a symbol is no UTF-8, or the frequencies of all patterns would pass 2^63 together, or
  /// those of all symbols; OutOfMemory
  LearnedPattern learn(Events events, std::optional<std::string_view> name = {},
                       std::uint64_t times = 1);

  /// \brief Forgets a pattern. Returns whether it was there.
  ///
  /// Complexity: O(symbols + log patterns), and amortised O(symbols) for reclaiming its memory; a
  /// call after which a quarter of the patterns in segments are forgotten ones synchronises where
  /// there is no background thread. \throws OutOfMemory
  bool forget(std::uint64_t index);
  bool forget(std::string_view name);

  std::optional<std::uint64_t> find(std::string_view name) const;
  std::optional<std::uint64_t> find(Events events) const;
  /// \throws NotFound
  StoredPattern pattern(std::uint64_t index) const;
  /// 0 for what is not there.
  std::uint64_t frequency(std::uint64_t index) const;
  /// Patterns that are there.
  std::uint64_t size() const;

  /// Appends a query row to \p queries: the symbols of all events, `unknown_symbol` for texts that
  /// were never learned; at character level their code points.
  /// \throws InvalidArgument, at character level, for what is no UTF-8
  void encode(Events events, Ragged<Symbol>& queries) const;

  /// \brief The best patterns of every query, in total order, of both tiers.
  ///
  /// `Match::index` is the index of the pattern. As `SequenceMatcher::match`; the record is of the
  /// bulk tier where both were asked.
  /// \throws InvalidArgument, SpaceUnavailable, OutOfMemory
  MatchResults match(RaggedSpan<Symbol> queries, const MatchOptions& options = {}) const;

  /// \brief What the patterns like \p query predict: all at or above `options.threshold` take part,
  /// by the measure of \p matching.
  ///
  /// Frequencies and statistics are those of one moment after the match.
  /// \throws InvalidArgument, SpaceUnavailable, OutOfMemory
  std::vector<Prediction> predict(Events query, const MatchOptions& matching = {},
                                  const PredictionOptions& options = {}) const;
  /// How often each symbol was learned, by its number: what `affinity_weights` takes.
  std::vector<std::uint64_t> symbol_frequencies() const;

  /// \brief Moves recent patterns to the bulk tier, joins small segments, and rebuilds those of
  /// which more than an eighth was forgotten.
  ///
  /// Queries go on meanwhile. What does not fit stays recent. \throws nothing for lack of memory:
  /// the record tells
  SyncRecord sync();

  /// Holds the automatic synchronisations. \throws InvalidArgument while training
  void begin_training();
  /// Lets them go on, and synchronises once if something is recent. \throws InvalidArgument while
  /// not training
  SyncRecord end_training();

  SyncStatistics sync_statistics() const;
  PatternStatistics statistics() const;

 private:
  struct State;
  /// Starts the thread of \p state, which is complete.
  explicit PatternMemory(std::unique_ptr<State> state);

  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PATTERN_MEMORY_HPP
