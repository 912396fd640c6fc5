// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERN_MEMORY_HPP
#define KINDRED_MATCHER_PATTERN_MEMORY_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/EventLists.hpp>
#include <kindred/matcher/FileSource.hpp>
#include <kindred/matcher/PatternSettings.hpp>
#include <kindred/matcher/Prediction.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// The outcome of `PatternMemory::learn`.
struct LearnedPattern {
  std::uint64_t index = 0;
  std::uint64_t frequency = 0;
  bool is_new = false;
};

/// A pattern as it was learned, without its empty events.
struct StoredPattern {
  std::uint64_t index = 0;
  std::optional<std::string> name;
  Ragged<Symbol> events;
  std::uint64_t frequency = 0;
};

/// The results of `PatternMemory::predict`, best first.
struct PredictionResults {
  std::vector<Prediction> predictions;
  DispatchRecord record;  ///< of the match; predictions are made on host threads
};

/// The cause of a synchronisation of the tiers.
enum class SyncTrigger : std::uint8_t { threshold, interval, manual, training };
template <>
inline constexpr auto enum_names<SyncTrigger> =
    std::to_array<std::string_view>({"threshold", "interval", "manual", "training"});

/// \brief The outcome of one synchronisation: what moved out of the recent tier, and why some
/// patterns stayed.
struct SyncRecord {
  SyncTrigger trigger = SyncTrigger::manual;
  std::uint64_t moved = 0;  ///< patterns
  std::uint64_t left = 0;   ///< patterns that stay in the recent tier; they remain searchable
  double seconds = 0;
  std::string why_left;  ///< empty if nothing was left
};

struct SyncStatistics {
  std::uint64_t syncs[enum_names<SyncTrigger>.size()] =
      {};  ///< number of synchronisations per trigger
  std::uint64_t patterns_synced = 0;
  std::uint64_t incomplete = 0;  ///< synchronisations that left patterns behind
  std::uint64_t recent = 0;      ///< patterns in the recent tier
  bool background = false;       ///< whether the background thread runs
  bool training = false;
  SyncRecord last;  ///< before the first one: trigger manual, moved 0
};

struct PatternStatistics {
  std::uint64_t patterns = 0;
  std::uint64_t learned =
      0;  ///< patterns ever learned, not counting repetitions; also the next index
  std::uint64_t total_frequency = 0;
  std::uint64_t bulk = 0, recent = 0;     ///< patterns in each tier
  std::uint64_t segments = 0;             ///< of both tiers
  std::uint64_t queries = 0;              ///< queries answered
  std::uint64_t bytes[space_count] = {};  ///< in the memory of each space
};

/// The contents of a file written by `PatternMemory::save`. \see PatternMemory::inspect
struct PatternFileInfo {
  std::uint64_t patterns = 0;  ///< not counting forgotten ones
  std::uint64_t learned = 0;   ///< patterns ever learned; also the next index
  std::uint64_t total_frequency = 0;
  std::uint64_t symbols = 0;  ///< of the patterns
  std::uint64_t vocabulary = 0;
  std::uint64_t segments = 0;           ///< of the bulk tier
  std::uint64_t bulk = 0;               ///< patterns in the segments
  std::uint64_t commits = 0;            ///< one for the save and one per append
  std::uint64_t bytes = 0;              ///< committed
  std::uint64_t uncommitted_bytes = 0;  ///< left by an interrupted append; ignored on loading
};

/// \brief A memory of named event sequences with exact search that can learn and forget during
/// searches. Equivalent to KATO's hybrid matcher.
///
/// A bulk tier of immutable segments is resident wherever the dispatcher may run it; a recent tier
/// is on the host. Both are searched with the same measure and merged in the total order, so the
/// score of a pattern never depends on its tier. A learned pattern is visible to the next query.
/// Patterns are identified by their event list: learning the same list again increases the
/// frequency of the pattern. An index is the number of the learned pattern and is never reused.
///
/// Thread-safe. A query sees everything learned before it began, and never waits for a
/// synchronisation. A call that throws changes nothing.
class PatternMemory {
 public:
  using Events = RaggedSpan<std::string_view>;  ///< one row of symbol texts per event

  /// \param context must outlive this object
  /// \param level at which patterns and queries are compared, unless a call states another one;
  /// predictions consist of tokens at either level
  /// \throws InvalidArgument for invalid settings; SpaceUnavailable if the settings require a
  /// device, none is usable and `fallback_to_host` is off
  explicit PatternMemory(Context& context, PatternSettings settings = {},
                         Level level = Level::token);

  /// \brief Loads a memory from a file written by `save` and `append`, or from the bytes of one. If
  /// these are written to a file as they are, `append` can continue it.
  ///
  /// The file is mapped and every byte of it is validated; later changes affect the memory only.
  /// While it is mapped, the file may be replaced or appended to, but must not be truncated.
  /// \param level any level, because the file does not record one; stored segments are used at
  /// `Level::token` only
  /// \throws NotFound; InvalidArgument if the path is not a regular file or, at character level,
  /// for a symbol that is not valid UTF-8; CorruptFile; otherwise as the constructor
  static PatternMemory load(Context& context, const FileSource& source,
                            PatternSettings settings = {}, Level level = Level::token);
  /// \brief Validates every byte and every number of a file, as `load` does, and describes its
  /// contents. Complexity O(bytes). Does not fence.
  /// \param threads maximum number of threads; 0: the number of hardware threads
  /// \throws NotFound; InvalidArgument if the path is not a regular file; CorruptFile with the byte
  /// offset and the reason
  static PatternFileInfo inspect(const FileSource& source, int threads = 0);

  /// \brief Writes the whole memory to \p path atomically, replacing an existing file.
  ///
  /// Other threads may continue to learn during the call; what they learn is written by the next
  /// `append`. Of forgotten patterns, the file contains only the texts of their symbols.
  /// \throws InvalidArgument for a path that cannot be written; Busy while another process writes
  /// it; Error for failed writes
  void save(const std::string& path);
  /// \brief Appends everything learned, repeated and forgotten since the last save, append or load
  /// to that file. Its previous contents stay intact even if the call fails.
  /// \throws InvalidArgument if nothing was saved or loaded, or the file has changed since;
  /// NotFound; CorruptFile; Busy; Error
  void append(const std::string& path);

  /// \brief The bytes that `save` would write to a file, from one moment. The next `append` is not
  /// affected. \throws OutOfMemory
  std::vector<std::byte> to_bytes() const;

  const PatternSettings& settings() const noexcept;
  Level level() const noexcept;
  const Vocabulary& vocabulary() const noexcept;

  /// \brief Learns a pattern, or increases the frequency of a known one.
  ///
  /// \param name stored with a new pattern; a known pattern keeps its first name
  /// \param times number of occurrences, ≥ 1
  ///
  /// Complexity: O(symbols); without a background thread, a call that reaches `sync_threshold`
  /// synchronises.
  /// \throws InvalidArgument if \p name belongs to a pattern with other events, if a symbol is not
  /// valid UTF-8 (at character level), or if the total frequency of all patterns or of all symbols
  /// would exceed 2^63; OutOfMemory
  LearnedPattern learn(Events events, std::optional<std::string_view> name = {},
                       std::uint64_t times = 1);

  /// \brief Learns many patterns in one call, with the same results as calls of `learn` in their
  /// order: the same indices, frequencies, names and numbers of symbols. Returns what these calls
  /// would.
  ///
  /// All are learned or none. Queries see either none or all of them, and wait only while the
  /// encoded patterns are added. Other calls that learn or forget wait for the whole call.
  /// Complexity: O(symbols), most of it on the threads of the context; without a background thread,
  /// a call that reaches `sync_threshold` synchronises once.
  /// \throws InvalidArgument as `learn`, with the number of the pattern, for offsets that are not
  /// those of rows, for another number of names or times than of patterns, and for a dictionary;
  /// OutOfMemory
  std::vector<LearnedPattern> learn_all(EventLists<std::string_view> patterns,
                                        const LearnOptions& options = {});
  /// The same for patterns of numbers, which are faster than texts: each text is looked up only
  /// once. \throws InvalidArgument also for a symbol that is not below the size of the dictionary,
  /// or of the vocabulary
  std::vector<LearnedPattern> learn_all(EventLists<Symbol> patterns,
                                        const LearnOptions& options = {});

  /// \brief Sets the frequency of a pattern, for callers that count elsewhere.
  /// Complexity: O(symbols)
  /// \param frequency ≥ 1; use `forget` to forget it
  /// \throws NotFound; InvalidArgument for 0, or if the total frequency of all patterns or of all
  /// symbols would exceed 2^63; OutOfMemory
  void set_frequency(std::uint64_t index, std::uint64_t frequency);

  /// \brief Forgets a pattern. Returns whether it existed.
  ///
  /// Complexity: O(symbols + log patterns), plus amortised O(symbols) to reclaim its memory;
  /// without a background thread, a call after which a quarter of the patterns in segments are
  /// forgotten synchronises. \throws OutOfMemory
  bool forget(std::uint64_t index);
  bool forget(std::string_view name);
  /// \brief Forgets all patterns. Their names may be used again; the vocabulary, the settings and
  /// the next index stay. A running synchronisation then moves nothing.
  ///
  /// Complexity: O(patterns + symbols of the vocabulary). \throws OutOfMemory
  void clear();

  std::optional<std::uint64_t> find(std::string_view name) const;
  std::optional<std::uint64_t> find(Events events) const;
  /// The pattern of each of \p names, from one moment.
  std::vector<std::optional<std::uint64_t>> find_all(std::span<const std::string_view> names) const;
  /// The name of each of the patterns \p indices, from one moment; no value for a pattern that has
  /// no name, was forgotten or was never learned.
  std::vector<std::optional<std::string>> names(std::span<const std::uint64_t> indices) const;
  /// \throws NotFound
  StoredPattern pattern(std::uint64_t index) const;
  /// The frequency of a pattern; 0 if it does not exist.
  std::uint64_t frequency(std::uint64_t index) const;
  /// Number of patterns, not counting forgotten ones.
  std::uint64_t size() const;

  /// Appends one query row to \p queries: the symbols of all events, with `unknown_symbol` for
  /// texts that were never learned; at character level the code points of the texts.
  /// \param level no value: that of the memory
  /// \throws InvalidArgument at character level for text that is not valid UTF-8
  void encode(Events events, Ragged<Symbol>& queries, std::optional<Level> level = {}) const;

  /// \brief The best patterns of both tiers for every query, in total order.
  ///
  /// `Match::index` is the index of the pattern. Otherwise as `SequenceMatcher::match`. If both
  /// tiers were searched, the record describes the bulk tier. In `options.filter`, forgotten
  /// patterns are skipped, because another thread may forget a pattern at any time; an index that
  /// was never assigned is an error.
  /// \param level at which \p queries were encoded; no value: that of the memory. The first call at
  /// another level stores all patterns at that level too, in tiers of their own, which then follow
  /// every change and synchronisation; files do not contain them
  /// \throws InvalidArgument, at the other level also if a symbol of a pattern is not valid UTF-8;
  /// SpaceUnavailable, OutOfMemory
  MatchResults match(RaggedSpan<Symbol> queries, const MatchOptions& options = {},
                     std::optional<Level> level = {}) const;

  /// \brief Predictions from all patterns whose similarity to \p query, by the measure of \p
  /// matching, is at least `options.threshold`.
  ///
  /// With `matching.filter`, from those of the listed patterns; sums over all candidates then cover
  /// these alone. Candidates, frequencies and statistics are of the same patterns, whatever other
  /// threads learn and forget meanwhile.
  /// \param level at which candidates are compared, as in `match`
  /// \throws InvalidArgument, also for a measure without blocks; SpaceUnavailable, OutOfMemory
  PredictionResults predict(Events query, const MatchOptions& matching = {},
                            const PredictionOptions& options = {},
                            std::optional<Level> level = {}) const;
  /// How often each symbol of the vocabulary was learned, as `affinity_weights` takes it.
  std::vector<std::uint64_t> symbol_frequencies() const;

  /// \brief Moves recent patterns to the bulk tier, merges small segments, and rebuilds segments of
  /// which more than an eighth is forgotten.
  ///
  /// Queries continue meanwhile. Patterns that do not fit stay in the recent tier. Lack of memory
  /// is reported in the record and does not throw.
  SyncRecord sync();

  /// Suspends automatic synchronisation. \throws InvalidArgument while training
  void begin_training();
  /// Resumes automatic synchronisation, and synchronises once if the recent tier is not empty.
  /// \throws InvalidArgument while not training
  SyncRecord end_training();

  SyncStatistics sync_statistics() const;
  PatternStatistics statistics() const;

 private:
  struct State;
  /// Starts the background thread of the fully constructed \p state.
  explicit PatternMemory(std::unique_ptr<State> state);

  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PATTERN_MEMORY_HPP
