// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include "BulkLearn.hpp"
#include "ChangesSinceSave.hpp"
#include "MemoryCandidates.hpp"
#include "PatternCatalogue.hpp"
#include "PatternTiers.hpp"
#include "PatternWriter.hpp"
#include "StoredPatterns.hpp"
#include "SyncWorker.hpp"
#include "common/CallerArrays.hpp"
#include "sequence/MeasureOperations.hpp"

#include <kindred/backends/impl/Instances.hpp>
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

struct KINDRED_HIDDEN PatternMemory::State {
  /// The patterns as they are compared at one level, in tiers.
  struct LevelTiers final : Impl::PatternRows {
    LevelTiers(const State& owner, Level at)
        : state(&owner), level(at), tiers(owner.context, owner.settings, *this) {}

    // Reads the rows in batches, so that learning never waits long for the lock.
    Impl::TierRows load(std::vector<std::uint64_t> indices) const override {
      constexpr std::size_t run = 4096;
      Impl::TierRows rows;
      rows.indices.reserve(indices.size());
      for (std::size_t begin = 0; begin < indices.size(); begin += run) {
        const std::shared_lock lock(state->mutex);
        for (std::size_t i = begin; i < std::min(indices.size(), begin + run); ++i) {
          if (!state->catalogue.is_live(indices[i])) continue;
          rows.indices.push_back(indices[i]);
          append_compared(indices[i], rows.symbols.values);
          rows.symbols.close_row();
        }
      }
      return rows;
    }
    std::vector<std::uint64_t> live_in(std::uint64_t begin, std::uint64_t end) const override {
      const std::shared_lock lock(state->mutex);
      return state->catalogue.live_in(begin, end);
    }
    /// Appends the symbols of a pattern at this level. The caller holds the lock.
    void append_compared(std::uint64_t index, std::vector<Symbol>& out) const {
      if (level == Level::token) {
        state->catalogue.append_symbols(index, out);
        return;
      }
      std::vector<Symbol> tokens;
      state->catalogue.append_symbols(index, tokens);
      const std::vector<Symbol> points = joined_code_points(state->vocabulary.decode(tokens));
      out.insert(out.end(), points.begin(), points.end());
    }

    const State* state;
    const Level level;
    Impl::PatternTiers tiers;
  };

  State(Context& made_from, const PatternSettings& given, Level compared)
      : context(made_from),
        settings(checked(made_from, given)),
        level(compared),
        own(*this, compared),
        tiers(own.tiers),
        worker(
            settings, [this](SyncTrigger trigger) { return synchronise(trigger); },
            [this] { return recent(); }, [this] { return tiers.view()->fill(); }) {}

  /// The tiers of the other level, or null if no call has needed them.
  Impl::PatternTiers* other_tiers() const noexcept {
    LevelTiers* const made = other.load();
    return made != nullptr ? &made->tiers : nullptr;
  }
  /// The tiers of \p at, which are made if necessary.
  Impl::PatternTiers& tiers_at(Level at) {
    if (at == level) return tiers;
    if (Impl::PatternTiers* const made = other_tiers()) return *made;
    const std::lock_guard one_writer(writing_mutex);
    if (!owned_other) owned_other = std::make_unique<LevelTiers>(*this, at);
    other = owned_other.get();
    return owned_other->tiers;
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
    warn_of_left(record);
    if (Impl::PatternTiers* const others = other_tiers())
      warn_of_left(others->sync(trigger, learned()));
    if (settings.log_memory_usage) log_memory();
    return record;
  }

  void warn_of_left(const SyncRecord& record) const {
    if (record.left == 0) return;
    context.log(LogLevel::warning, std::to_string(record.left) +
                                       " patterns stay in the recent tier: " + record.why_left);
  }

  /// Bytes of the tiers of both levels in the memory of \p space.
  std::uint64_t bytes(Space space) const {
    const Impl::PatternTiers* const others = other_tiers();
    return tiers.view()->bytes(space) + (others != nullptr ? others->view()->bytes(space) : 0);
  }
  void log_memory() const {
    context.log(LogLevel::info, "patterns hold " + std::to_string(bytes(Space::serial)) +
                                    " bytes on the host, " + std::to_string(bytes(Space::cuda)) +
                                    " on the device");
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
  /// \param is_lower whether its frequency becomes lower, but not 0
  void mark(std::uint64_t row, bool is_lower = false) {
    for (auto* changes : {&saved, &saving}) {
      if (*changes && is_lower) (*changes)->mark_lower(row);
      if (*changes && !is_lower) (*changes)->mark(row);
    }
  }
  /// Starts to record the changes after this moment. The caller holds the lock.
  Impl::PatternCut begin_saving(std::uint64_t first_row) {
    Impl::PatternCut cut;
    cut.rows = catalogue.cut(first_row);
    saving.emplace(cut.rows.end);
    return cut;
  }
  /// Adds what only a first commit contains to the cut of all rows. The caller holds the lock.
  void complete(Impl::PatternCut& cut) const {
    cut.by_name = catalogue.name_table();
    cut.by_events = catalogue.event_table();
    const auto patterns_with = catalogue.patterns_with();
    cut.patterns_with.assign(patterns_with.begin(), patterns_with.end());
    const auto symbol_frequency = catalogue.symbol_frequency();
    cut.symbol_frequency.assign(symbol_frequency.begin(), symbol_frequency.end());
    if (level != Level::token) return;
    const auto view = tiers.view();
    cut.parts = Impl::PatternTiers::stored(*view);
    cut.bulk_end = view->bulk_end;
  }
  /// \see RowReader
  void read_rows(const std::function<void()>& read) const {
    const std::shared_lock lock(mutex);
    read();
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
      const Impl::WrittenPatterns written =
          write(cut, [this](const std::function<void()>& read) { read_rows(read); });
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

  /// Learns what `plan()` returns, a `BulkLearn`.
  template <class Plan>
  std::vector<LearnedPattern> learn_all(const Plan& make_plan) {
    auto learned = Impl::translating_out_of_memory("Kindred::PatternMemory::learn_all", [&] {
      const std::lock_guard one_writer(writing_mutex);
      Impl::BulkLearn plan = make_plan();
      const std::vector<std::uint64_t> raised = plan.raised();
      const std::unique_lock lock(mutex);
      for (const std::uint64_t index : raised) mark(index);
      plan.prepare(catalogue, vocabulary);
      return plan.learn(catalogue);
    });
    worker.learned();
    return learned;
  }
  Impl::HostWorkers workers() const { return Impl::host_workers(context, Space::openmp); }
  /// Checks a text that is to be a symbol. \throws InvalidArgument
  Impl::BulkLearn::CheckText text_check() const {
    if (level == Level::character) return check_characters;
    return [](std::string_view) {};
  }

  /// Forgets all patterns in the catalogue and, by \p drop, in the tiers. The caller holds
  /// `writing_mutex`.
  void forget_all(const Impl::PatternTiers::Drop& drop) {
    const std::unique_lock lock(mutex);
    const std::vector<std::uint64_t> live = catalogue.live_in(0, catalogue.size());
    std::vector<std::uint64_t> since_saved;
    std::vector<std::uint64_t> since_saving;
    if (saved) since_saved = saved->cleared_with(live);
    if (saving) since_saving = saving->cleared_with(live);
    if (saved) saved->clear(std::move(since_saved));
    if (saving) saving->clear(std::move(since_saving));
    catalogue.clear();
    drop(catalogue.size());
  }

  [[noreturn]] void refuse_unknown(std::uint64_t index) const {
    throw NotFound("pattern " + std::to_string(index) +
                   (index < catalogue.size() ? " was forgotten" : " was never learned"));
  }

  Context& context;
  const PatternSettings settings;
  const Level level;
  /// The mapped file of the catalogue and the stored segments.
  std::shared_ptr<const Impl::SectionFile> file;
  /// Held by every call that changes the catalogue or adds to the vocabulary, before `mutex`.
  std::mutex writing_mutex;
  mutable std::shared_mutex mutex;  ///< protects the catalogue from being read during a change
  Vocabulary vocabulary;
  Impl::PatternCatalogue catalogue;
  LevelTiers own;
  Impl::PatternTiers& tiers;                ///< of `own`
  std::unique_ptr<LevelTiers> owned_other;  ///< made while `writing_mutex` is held
  std::atomic<LevelTiers*> other{nullptr};
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
        state.complete(cut);
        return cut;
      },
      [&](const Impl::PatternCut& cut, const Impl::RowReader& reader) {
        Impl::SectionWriter writer(path, Impl::patterns_kind);
        return Impl::write_patterns(writer, cut, state.vocabulary, reader);
      });
}

std::vector<std::byte> PatternMemory::to_bytes() const {
  State& state = *m_state;
  return Impl::translating_out_of_memory("Kindred::PatternMemory::to_bytes", [&] {
    if (state.level == Level::token) state.tiers.reclaim();
    const std::lock_guard one_at_a_time(state.saving_mutex);
    Impl::PatternCut cut;
    const auto drop_cut = [&] {
      const std::unique_lock lock(state.mutex);
      cut = {};
    };
    std::vector<std::byte> bytes;
    try {
      {
        const std::unique_lock lock(state.mutex);
        cut.rows = state.catalogue.cut(0);
        state.complete(cut);
      }
      Impl::SectionWriter writer(bytes, Impl::patterns_kind);
      Impl::write_patterns(writer, cut, state.vocabulary,
                           [&](const std::function<void()>& read) { state.read_rows(read); });
    } catch (...) {
      drop_cut();
      throw;
    }
    drop_cut();
    return bytes;
  });
}

PatternMemory PatternMemory::from_bytes(Context& context, std::span<const std::byte> bytes,
                                        PatternSettings settings, Level level) {
  auto state = std::make_unique<State>(context, settings, level);
  state->restore(Impl::read_patterns(
      std::make_shared<const Impl::SectionFile>(bytes, Impl::patterns_kind, context.threads()),
      context.threads()));
  return PatternMemory(std::move(state));
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
        cut.has_lower = state.saved->has_lower;
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
  const LearnedPattern result =
      Impl::translating_out_of_memory("Kindred::PatternMemory::learn", [&] {
        const std::lock_guard one_writer(state.writing_mutex);
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
        KINDRED_THROW_IF(!state.catalogue.frequency_sum().add(symbols.values.size(), times),
                         "times is " + std::to_string(times) +
                             ": the frequencies of all patterns, or of " +
                             "all symbols, would exceed 2^63 in total");
        if (same) {
          const std::uint64_t frequency = state.catalogue.frequency(*same);
          state.catalogue.prepare_to_set_frequency(*same);
          state.mark(*same);
          state.catalogue.set_frequency(*same, frequency + times);
          return LearnedPattern{*same, frequency + times, false};
        }
        if (!known) {
          symbols = {};
          append_events(
              events, [&](std::string_view text) { return state.vocabulary.add(text); }, symbols);
        }
        return LearnedPattern{state.catalogue.add(symbols, name, times), times, true};
      });
  if (result.is_new) state.worker.learned();
  return result;
}

std::vector<LearnedPattern> PatternMemory::learn_all(EventLists<std::string_view> patterns,
                                                     const LearnOptions& options) {
  State& state = *m_state;
  return state.learn_all([&] {
    return Impl::BulkLearn(state.workers(), state.catalogue, state.vocabulary, patterns, options,
                           state.text_check());
  });
}

std::vector<LearnedPattern> PatternMemory::learn_all(EventLists<Symbol> patterns,
                                                     std::span<const std::string_view> dictionary,
                                                     const LearnOptions& options) {
  State& state = *m_state;
  return state.learn_all([&] {
    return Impl::BulkLearn(state.workers(), state.catalogue, state.vocabulary, patterns, dictionary,
                           options, state.text_check());
  });
}

std::vector<LearnedPattern> PatternMemory::learn_all(EventLists<Symbol> patterns,
                                                     const LearnOptions& options) {
  State& state = *m_state;
  return state.learn_all([&] {
    return Impl::BulkLearn(state.workers(), state.catalogue, state.vocabulary, patterns, {},
                           options, state.text_check());
  });
}

void PatternMemory::set_frequency(std::uint64_t index, std::uint64_t frequency) {
  KINDRED_THROW_IF(frequency == 0, "frequency is 0; it must be at least 1, or forget the pattern");
  State& state = *m_state;
  Impl::translating_out_of_memory("Kindred::PatternMemory::set_frequency", [&] {
    const std::lock_guard one_writer(state.writing_mutex);
    const std::unique_lock lock(state.mutex);
    if (!state.catalogue.is_live(index)) state.refuse_unknown(index);
    const std::uint64_t before = state.catalogue.frequency(index);
    const std::uint64_t length = state.catalogue.length(index);
    Impl::FrequencySum sum = state.catalogue.frequency_sum();
    sum.patterns -= before;
    sum.symbols -= length * before;
    KINDRED_THROW_IF(
        !sum.add(length, frequency),
        "frequency is " + std::to_string(frequency) +
            ": the frequencies of all patterns, or of all symbols, would exceed 2^63 " +
            "in total");
    state.catalogue.prepare_to_set_frequency(index);
    state.mark(index, frequency < before);
    state.catalogue.set_frequency(index, frequency);
  });
}

bool PatternMemory::forget(std::uint64_t index) {
  State& state = *m_state;
  const bool was_there = Impl::translating_out_of_memory("Kindred::PatternMemory::forget", [&] {
    const std::lock_guard one_writer(state.writing_mutex);
    const std::unique_lock lock(state.mutex);
    if (!state.catalogue.is_live(index)) return false;
    state.catalogue.prepare_to_forget(index);
    state.mark(index);
    state.tiers.forget(index, [&] {
      if (Impl::PatternTiers* const others = state.other_tiers()) others->forget(index);
    });
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

void PatternMemory::clear() {
  State& state = *m_state;
  Impl::translating_out_of_memory("Kindred::PatternMemory::clear", [&] {
    const std::lock_guard one_writer(state.writing_mutex);
    state.tiers.clear([&](const Impl::PatternTiers::Drop& drop) {
      if (Impl::PatternTiers* const others = state.other_tiers()) {
        others->clear([&](const Impl::PatternTiers::Drop& drop_other) {
          state.forget_all([&](std::uint64_t end) {
            drop(end);
            drop_other(end);
          });
        });
      } else {
        state.forget_all(drop);
      }
    });
  });
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

std::vector<std::optional<std::uint64_t>> PatternMemory::find_all(
    std::span<const std::string_view> names) const {
  std::vector<std::optional<std::uint64_t>> found;
  found.reserve(names.size());
  const std::shared_lock lock(m_state->mutex);
  for (const std::string_view name : names) found.push_back(m_state->catalogue.find(name));
  return found;
}

std::vector<std::optional<std::string>> PatternMemory::names(
    std::span<const std::uint64_t> indices) const {
  const Impl::PatternCatalogue& catalogue = m_state->catalogue;
  std::vector<std::optional<std::string>> found(indices.size());
  const std::shared_lock lock(m_state->mutex);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!catalogue.is_live(indices[i])) continue;
    if (const auto name = catalogue.row(indices[i]).name()) found[i].emplace(*name);
  }
  return found;
}

StoredPattern PatternMemory::pattern(std::uint64_t index) const {
  const Impl::PatternCatalogue& catalogue = m_state->catalogue;
  const std::shared_lock lock(m_state->mutex);
  if (!catalogue.is_live(index)) m_state->refuse_unknown(index);
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
  encode(events, queries, m_state->level);
}

void PatternMemory::encode(Events events, Ragged<Symbol>& queries, Level level) const {
  if (level == Level::character) {
    queries.push_row(joined_code_points(events));
    return;
  }
  for (const std::string_view text : events.values) {
    queries.values.push_back(m_state->vocabulary.find(text));
  }
  queries.close_row();
}

MatchResults PatternMemory::match(RaggedSpan<Symbol> queries, const MatchOptions& options) const {
  return match(queries, options, m_state->level);
}

MatchResults PatternMemory::match(RaggedSpan<Symbol> queries, const MatchOptions& options,
                                  Level level) const {
  check(options);
  KINDRED_THROW_IF(compares_words(options.measure), "the patterns of a memory are not texts; " +
                                                        std::string(to_string(options.measure)) +
                                                        " compares the words of texts");
  Impl::check_rows(queries, "query");
  State& state = *m_state;
  Impl::PatternTiers& tiers = state.tiers_at(level);
  const auto view = tiers.view_to(state.learned());
  MatchResults results = tiers.match(*view, queries, options);
  state.queries += queries.rows();
  if (state.settings.log_kernel_timing) {
    state.context.log(LogLevel::info, to_json(results.record));
  }
  return results;
}

MatchResults PatternMemory::match(const ConstArray& symbols, const ConstArray& offsets,
                                  const MatchOptions& options) const {
  return match(Impl::host_rows<Symbol>({"symbols", symbols}, {"offsets", offsets}), options);
}

PredictionResults PatternMemory::predict(Events query, const MatchOptions& matching,
                                         const PredictionOptions& options) const {
  return predict(query, matching, options, m_state->level);
}

PredictionResults PatternMemory::predict(Events query, const MatchOptions& matching,
                                         const PredictionOptions& options, Level level) const {
  check(options);
  Impl::check_blocks(matching.measure);
  State& state = *m_state;
  Ragged<Symbol> queries;
  encode(query, queries, level);
  MatchOptions all = matching;
  all.threshold = candidate_threshold(options, query.values.size());
  all.top = std::max<std::uint64_t>(state.learned(), 1);
  all.blocks = false;
  PredictionResults results;
  const Impl::MemoryCandidates candidates = [&] {
    const MatchResults found = match(queries, all, level);
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
  for (const Space space : all_spaces) statistics.bytes[space_index(space)] = m_state->bytes(space);
  return statistics;
}

}  // namespace Kindred
