// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include "ChangesSinceSave.hpp"
#include "MemoryCandidates.hpp"
#include "PatternCatalogue.hpp"
#include "PatternTiers.hpp"
#include "PatternWriter.hpp"
#include "StoredPatterns.hpp"
#include "SyncWorker.hpp"
#include "sequence/MeasureOperations.hpp"

#include <kindred/core/common/CheckOffsets.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

constexpr std::uint64_t length_max = (std::uint64_t{1} << 31U) - 1;

/// Appends the nonempty events as symbols; \p encode maps a text to its symbols.
template <class Encode>
void append_events(PatternMemory::Events events, const Encode& encode, Ragged<Symbol>& out) {
  check_offsets(events, "event", "symbols");
  for (std::size_t e = 0; e < events.rows(); ++e) {
    if (events.length(e) == 0) continue;
    for (const std::string_view text : events[e]) out.values.push_back(encode(text));
    out.close_row();
  }
}

/// \throws InvalidArgument if \p text is not valid UTF-8
void check_characters(std::string_view text) {
  std::vector<Symbol> points;
  append_code_points(text, points);
}

/// \throws InvalidArgument for an invalid setting; SpaceUnavailable if a device is required and not
/// usable
const PatternSettings& checked(const Context& context, const PatternSettings& settings) {
  settings.validate();
  if (!settings.enabled || settings.fallback_to_host) return settings;
  const SpaceInfo& device = context.info(Space::cuda);
  const bool capable = device.compute_capability >= settings.min_compute_capability;
  if (device.usable && capable) return settings;
  throw SpaceUnavailable("cuda: " +
                         (device.usable
                              ? "compute capability " + std::to_string(device.compute_capability) +
                                    " is below " + std::to_string(settings.min_compute_capability) +
                                    ", min_compute_capability"
                              : device.why_not) +
                         "; set fallback_to_host, or clear enabled");
}

}  // namespace

std::string_view to_string(SyncTrigger trigger) noexcept {
  switch (trigger) {
    case SyncTrigger::threshold:
      return "threshold";
    case SyncTrigger::interval:
      return "interval";
    case SyncTrigger::manual:
      return "manual";
    case SyncTrigger::training:
      break;
  }
  return "training";
}

struct KINDRED_HIDDEN PatternMemory::State final : Impl::PatternRows {
  State(Context& made_from, const PatternSettings& given, Level compared)
      : context(made_from),
        settings(checked(made_from, given)),
        level(compared),
        tiers(made_from, settings, *this),
        worker(
            settings, [this](SyncTrigger trigger) { return synchronise(trigger); },
            [this] { return recent(); }, [this] { return tiers.view()->fill(); }) {}

  // Reads the rows in batches, so that learning never waits long for the lock.
  Impl::TierRows load(std::vector<std::uint64_t> indices) const override {
    constexpr std::size_t run = 4096;
    Impl::TierRows rows;
    rows.indices.reserve(indices.size());
    for (std::size_t begin = 0; begin < indices.size(); begin += run) {
      const std::shared_lock lock(mutex);
      for (std::size_t i = begin; i < std::min(indices.size(), begin + run); ++i) {
        if (!catalogue.is_live(indices[i])) continue;
        rows.indices.push_back(indices[i]);
        append_compared(indices[i], rows.symbols.values);
        rows.symbols.close_row();
      }
    }
    return rows;
  }

  std::vector<std::uint64_t> live_in(std::uint64_t begin, std::uint64_t end) const override {
    const std::shared_lock lock(mutex);
    return catalogue.live_in(begin, end);
  }

  /// Appends the symbols of a pattern at the level of the memory. The caller holds the lock.
  void append_compared(std::uint64_t index, std::vector<Symbol>& out) const {
    if (level == Level::token) {
      catalogue.append_symbols(index, out);
      return;
    }
    std::vector<Symbol> tokens;
    catalogue.append_symbols(index, tokens);
    const std::vector<Symbol> points = joined_code_points(vocabulary.decode(tokens));
    out.insert(out.end(), points.begin(), points.end());
  }

  std::uint64_t learned() const {
    const std::shared_lock lock(mutex);
    return catalogue.size();
  }
  /// Number of patterns that a synchronisation would move. A forgotten pattern is removed from both
  /// tiers and the catalogue under one lock.
  std::uint64_t recent() const {
    const std::shared_lock lock(mutex);
    return catalogue.live() - tiers.view()->bulk_live();
  }

  SyncRecord synchronise(SyncTrigger trigger) {
    SyncRecord record = tiers.sync(trigger, learned());
    if (record.left > 0) {
      context.log(LogLevel::warning, std::to_string(record.left) +
                                         " patterns stay in the recent tier: " + record.why_left);
    }
    if (settings.log_memory_usage) log_memory();
    return record;
  }

  void log_memory() const {
    const auto view = tiers.view();
    context.log(LogLevel::info, "patterns hold " + std::to_string(view->bytes(Space::serial)) +
                                    " bytes on the host, " +
                                    std::to_string(view->bytes(Space::cuda)) + " on the device");
  }

  void restore(Impl::StoredPatterns stored) {
    if (level == Level::character) {
      for (std::size_t s = 0; s < stored.vocabulary.size(); ++s) {
        check_characters(stored.vocabulary.text(static_cast<Symbol>(s)));
      }
      stored.parts.clear();  // they are segments of tokens
      stored.bulk_end = 0;
      stored.forgotten.clear();
    }
    tiers.restore(stored.parts, stored.bulk_end, stored.forgotten);
    const std::unique_lock lock(mutex);
    file = std::move(stored.file);
    vocabulary = std::move(stored.vocabulary);
    catalogue = std::move(stored.catalogue);
    saved.emplace(catalogue.size());
    saved->revision = file->revision();
    saved->symbols = vocabulary.size();
  }

  /// Records that a stored row is about to change. The caller holds the lock of the catalogue.
  void mark(std::uint64_t row) {
    if (saved) saved->mark(row);
    if (saving) saving->mark(row);
  }
  /// Starts to record the changes after this moment. The caller holds the lock.
  Impl::PatternCut begin_saving(std::uint64_t first_row) {
    Impl::PatternCut cut;
    cut.rows = catalogue.cut(first_row);
    saving.emplace(cut.rows.end);
    return cut;
  }
  /// Takes a snapshot with `take_cut()` under the lock and writes it with `write(cut, reader)`. The
  /// snapshot shares tables with the catalogue, so it is also destroyed under the lock.
  template <class Cut, class Write>
  void write_file(const Cut& take_cut, const Write& write) {
    const std::lock_guard one_at_a_time(saving_mutex);
    Impl::PatternCut cut;
    {
      const std::unique_lock lock(mutex);
      cut = take_cut();
    }
    try {
      const Impl::WrittenPatterns written = write(cut, [this](const std::function<void()>& read) {
        const std::shared_lock lock(mutex);
        read();
      });
      const std::unique_lock lock(mutex);
      cut = {};
      saving->revision = written.revision;
      saving->symbols = written.symbols;
      saved = std::exchange(saving, std::nullopt);
    } catch (...) {
      const std::unique_lock lock(mutex);
      cut = {};
      saving.reset();
      throw;
    }
  }

  Context& context;
  const PatternSettings settings;
  const Level level;
  /// The mapped file of the catalogue and the stored segments.
  std::shared_ptr<const Impl::SectionFile> file;
  mutable std::shared_mutex mutex;  ///< protects the catalogue and additions to the vocabulary
  Vocabulary vocabulary;
  Impl::PatternCatalogue catalogue;
  mutable Impl::PatternTiers tiers;
  mutable std::atomic<std::uint64_t> queries{0};
  std::mutex saving_mutex;                      ///< held during a save or append
  std::optional<Impl::ChangesSinceSave> saved;  ///< state of the last file; protected by `mutex`
  std::optional<Impl::ChangesSinceSave>
      saving;  ///< state of the file that is being written; likewise
  /// Last, so that its thread ends before the other members are destroyed.
  Impl::SyncWorker worker;
};

PatternMemory::PatternMemory(Context& context, PatternSettings settings, Level level)
    : PatternMemory(std::make_unique<State>(context, settings, level)) {}
PatternMemory::PatternMemory(std::unique_ptr<State> state) : m_state(std::move(state)) {
  m_state->worker.start();
}
PatternMemory::~PatternMemory() = default;
PatternMemory::PatternMemory(PatternMemory&&) noexcept = default;
PatternMemory& PatternMemory::operator=(PatternMemory&&) noexcept = default;

PatternMemory PatternMemory::load(Context& context, const std::string& path,
                                  PatternSettings settings, Level level) {
  auto state = std::make_unique<State>(context, settings, level);
  state->restore(Impl::read_patterns(path, context.threads()));
  return PatternMemory(std::move(state));
}

void PatternMemory::save(const std::string& path) {
  State& state = *m_state;
  if (state.level == Level::token) state.tiers.reclaim();
  state.write_file(
      [&] {
        Impl::PatternCut cut = state.begin_saving(0);
        cut.by_name = state.catalogue.name_table();
        cut.by_events = state.catalogue.event_table();
        const auto patterns_with = state.catalogue.patterns_with();
        cut.patterns_with.assign(patterns_with.begin(), patterns_with.end());
        const auto symbol_frequency = state.catalogue.symbol_frequency();
        cut.symbol_frequency.assign(symbol_frequency.begin(), symbol_frequency.end());
        if (state.level == Level::token) {
          const auto view = state.tiers.view();
          cut.parts = Impl::PatternTiers::stored(*view);
          cut.bulk_end = view->bulk_end;
        }
        return cut;
      },
      [&](const Impl::PatternCut& cut, const Impl::RowReader& reader) {
        return Impl::write_patterns(path, cut, state.vocabulary, reader);
      });
}

void PatternMemory::append(const std::string& path) {
  State& state = *m_state;
  Impl::FileRevision revision;
  state.write_file(
      [&] {
        KINDRED_THROW_IF(!state.saved, "this memory was neither saved nor loaded; save it first");
        Impl::PatternCut cut = state.begin_saving(state.saved->rows);
        cut.symbols = state.saved->symbols;
        cut.changed = state.saved->changed();
        for (const std::uint64_t row : cut.changed)
          cut.changed_frequency.push_back(state.catalogue.frequency(row));
        revision = state.saved->revision;
        return cut;
      },
      [&](const Impl::PatternCut& cut, const Impl::RowReader& reader) {
        return Impl::append_patterns(path, revision, cut, state.vocabulary, reader);
      });
}

const PatternSettings& PatternMemory::settings() const noexcept { return m_state->settings; }
Level PatternMemory::level() const noexcept { return m_state->level; }
const Vocabulary& PatternMemory::vocabulary() const noexcept { return m_state->vocabulary; }

LearnedPattern PatternMemory::learn(Events events, std::optional<std::string_view> name,
                                    std::uint64_t times) {
  KINDRED_THROW_IF(times == 0, "times is 0; it must be at least 1");
  KINDRED_THROW_IF(
      events.values.size() > length_max,
      "a pattern of " + std::to_string(events.values.size()) + " symbols; the limit is 2^31 - 1");
  State& state = *m_state;
  if (state.level == Level::character) {
    for (const std::string_view text : events.values) check_characters(text);
  }
  LearnedPattern result;
  {
    const std::unique_lock lock(state.mutex);
    Ragged<Symbol> symbols;
    bool known = true;
    append_events(
        events,
        [&](std::string_view text) {
          const Symbol symbol = state.vocabulary.find(text);
          known = known && symbol != unknown_symbol;
          return symbol;
        },
        symbols);
    std::optional<std::uint64_t> same;
    if (known) same = state.catalogue.find(RaggedSpan<Symbol>(symbols));
    std::optional<std::uint64_t> named;
    if (name) named = state.catalogue.find(*name);
    KINDRED_THROW_IF(named && named != same,
                     "the name '" + std::string(*name) + "' belongs to pattern " +
                         std::to_string(*named) +
                         ", which has other events; forget it first, or choose another name");
    KINDRED_THROW_IF(!state.catalogue.can_count(symbols.values.size(), times),
                     "times is " + std::to_string(times) +
                         ": the frequencies of all patterns, or of " +
                         "all symbols, would exceed 2^63 in total");
    if (same) {
      const std::uint64_t frequency = state.catalogue.frequency(*same);
      state.catalogue.prepare_to_raise(*same);
      state.mark(*same);
      state.catalogue.raise_frequency(*same, times);
      return {*same, frequency + times, false};
    }
    if (!known) {
      symbols = {};
      append_events(
          events, [&](std::string_view text) { return state.vocabulary.add(text); }, symbols);
    }
    result = {state.catalogue.add(symbols, name, times), times, true};
  }
  state.worker.learned();
  return result;
}

bool PatternMemory::forget(std::uint64_t index) {
  State& state = *m_state;
  const bool was_there = Impl::translating_out_of_memory("Kindred::PatternMemory::forget", [&] {
    const std::unique_lock lock(state.mutex);
    if (!state.catalogue.is_live(index)) return false;
    state.catalogue.prepare_to_forget(index);
    state.mark(index);
    state.tiers.forget(index);
    state.catalogue.forget(index);
    return true;
  });
  if (was_there) state.worker.forgot();
  return was_there;
}

bool PatternMemory::forget(std::string_view name) {
  const auto index = find(name);
  return index && forget(*index);
}

std::optional<std::uint64_t> PatternMemory::find(std::string_view name) const {
  const std::shared_lock lock(m_state->mutex);
  return m_state->catalogue.find(name);
}

std::optional<std::uint64_t> PatternMemory::find(Events events) const {
  Ragged<Symbol> symbols;
  const std::shared_lock lock(m_state->mutex);
  append_events(
      events, [&](std::string_view text) { return m_state->vocabulary.find(text); }, symbols);
  return m_state->catalogue.find(RaggedSpan<Symbol>(symbols));
}

StoredPattern PatternMemory::pattern(std::uint64_t index) const {
  const Impl::PatternCatalogue& catalogue = m_state->catalogue;
  const std::shared_lock lock(m_state->mutex);
  if (!catalogue.is_live(index)) {
    throw NotFound("pattern " + std::to_string(index) +
                   (index < catalogue.size() ? " was forgotten" : " was never learned"));
  }
  const Impl::PatternRow row = catalogue.row(index);
  const auto name = row.name();
  return {index, name ? std::optional<std::string>(*name) : std::nullopt, row.events(),
          catalogue.frequency(index)};
}

std::uint64_t PatternMemory::frequency(std::uint64_t index) const {
  const std::shared_lock lock(m_state->mutex);
  return m_state->catalogue.frequency(index);
}

std::uint64_t PatternMemory::size() const {
  const std::shared_lock lock(m_state->mutex);
  return m_state->catalogue.live();
}

void PatternMemory::encode(Events events, Ragged<Symbol>& queries) const {
  if (m_state->level == Level::character) {
    queries.push_row(joined_code_points(events));
    return;
  }
  for (const std::string_view text : events.values) {
    queries.values.push_back(m_state->vocabulary.find(text));
  }
  queries.close_row();
}

MatchResults PatternMemory::match(RaggedSpan<Symbol> queries, const MatchOptions& options) const {
  check(options);
  KINDRED_THROW_IF(compares_words(options.measure), "the patterns of a memory are not texts; " +
                                                        std::string(to_string(options.measure)) +
                                                        " compares the words of texts");
  Impl::check_rows(queries, "query");
  State& state = *m_state;
  const auto view = state.tiers.view_to(state.learned());
  MatchResults results = state.tiers.match(*view, queries, options);
  state.queries += queries.rows();
  if (state.settings.log_kernel_timing) {
    state.context.log(LogLevel::info, to_json(results.record));
  }
  return results;
}

PredictionResults PatternMemory::predict(Events query, const MatchOptions& matching,
                                         const PredictionOptions& options) const {
  check(options);
  Impl::check_blocks(matching.measure);
  State& state = *m_state;
  Ragged<Symbol> queries;
  encode(query, queries);
  MatchOptions all = matching;
  all.threshold = candidate_threshold(options, query.values.size());
  all.top = std::max<std::uint64_t>(state.learned(), 1);
  all.blocks = false;
  PredictionResults results;
  const Impl::MemoryCandidates candidates = [&] {
    const MatchResults found = match(queries, all);
    results.record = found.record;
    return Impl::MemoryCandidates(found.matches.values, state.catalogue, state.mutex);
  }();
  results.predictions =
      Kindred::predict(state.context, query, candidates,
                       candidates.statistics(state.vocabulary.size()), state.vocabulary, options);
  return results;
}

std::vector<std::uint64_t> PatternMemory::symbol_frequencies() const {
  const std::shared_lock lock(m_state->mutex);
  const auto frequencies = m_state->catalogue.symbol_frequency();
  return {frequencies.begin(), frequencies.end()};
}

SyncRecord PatternMemory::sync() { return m_state->worker.run(SyncTrigger::manual); }
void PatternMemory::begin_training() { m_state->worker.begin_training(); }
SyncRecord PatternMemory::end_training() { return m_state->worker.end_training(); }
SyncStatistics PatternMemory::sync_statistics() const { return m_state->worker.statistics(); }

PatternStatistics PatternMemory::statistics() const {
  PatternStatistics statistics;
  std::shared_ptr<const Impl::TierView> view;
  {
    const std::shared_lock lock(m_state->mutex);
    view = m_state->tiers.view();
    statistics.patterns = m_state->catalogue.live();
    statistics.learned = m_state->catalogue.size();
    statistics.total_frequency = m_state->catalogue.total_frequency();
  }
  statistics.bulk = view->bulk_live();
  statistics.recent = statistics.patterns - statistics.bulk;
  statistics.segments = view->bulk.size() + view->recent.size();
  statistics.queries = m_state->queries;
  for (const Space space : all_spaces) statistics.bytes[space_index(space)] = view->bytes(space);
  return statistics;
}

}  // namespace Kindred
