// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include "MemoryCandidates.hpp"
#include "PatternMemoryState.hpp"
#include "sequence/MeasureOperations.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/CheckOffsets.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

/// \throws InvalidArgument
void check_call(const MatchOptions& options) {
  Impl::check_options(options);
  KINDRED_THROW_IF(compares_words(options.measure), "the patterns of a memory are not texts; " +
                                                        std::string(to_string(options.measure)) +
                                                        " compares the words of texts");
}

/// The nonempty events as symbols; \p symbol_of maps a text to its symbol.
template <class SymbolOf>
Ragged<Symbol> encoded(PatternMemory::Events events, const SymbolOf& symbol_of) {
  check_offsets(events, "event", "symbols");
  Ragged<Symbol> symbols;
  for (std::size_t e = 0; e < events.rows(); ++e) {
    if (events.length(e) == 0) continue;
    for (const std::string_view text : events[e]) symbols.values.push_back(symbol_of(text));
    symbols.close_row();
  }
  return symbols;
}

/// The texts of all events. \throws InvalidArgument for invalid offsets
std::span<const std::string_view> texts_of(const PatternMemory::Events& events) {
  check_offsets(events, "event", "texts");
  return events.values.first(events.offsets.empty() ? 0 : events.offsets.back());
}

}  // namespace

const PatternSettings& PatternMemory::State::checked(const Context& context,
                                                     const PatternSettings& settings) {
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

PatternMemory::PatternMemory(Context& context, PatternSettings settings, Level level) try
    : PatternMemory(std::make_unique<State>(context, settings, level)) {
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory");
}
PatternMemory::PatternMemory(std::unique_ptr<State> state) try : m_state(std::move(state)) {
  m_state->worker.start();
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory");
}
const PatternSettings& PatternMemory::settings() const noexcept { return m_state->settings; }
Level PatternMemory::level() const noexcept { return m_state->level; }
const Vocabulary& PatternMemory::vocabulary() const noexcept { return m_state->vocabulary; }

LearnedPattern PatternMemory::learn(Events events, std::optional<std::string_view> name,
                                    std::uint64_t times) try {
  KINDRED_THROW_IF(times == 0, "times is 0; it must be at least 1");
  KINDRED_THROW_IF(
      events.values.size() > Impl::pattern_length_max,
      "a pattern of " + std::to_string(events.values.size()) + " symbols; the limit is 2^31 - 1");
  State& state = *m_state;
  if (state.level == Level::character) {
    for (const std::string_view text : events.values) Impl::check_characters(text);
  }
  const LearnedPattern result = [&] {
    const auto lock = Impl::cancellable_lock(state.mutex);
    // New texts get the next numbers. They are added last, so that none stays behind without
    // its pattern.
    std::vector<std::string_view> added;
    std::unordered_map<std::string_view, Symbol> number_of;
    const Ragged<Symbol> symbols = encoded(events, [&](std::string_view text) {
      const Symbol symbol = state.vocabulary.find(text);
      if (symbol != unknown_symbol) return symbol;
      const auto next = static_cast<Symbol>(state.vocabulary.size() + added.size());
      const auto [place, is_new] = number_of.try_emplace(text, next);
      if (is_new) added.push_back(text);
      return place->second;
    });
    const std::vector<std::uint32_t> words = Impl::key_words(symbols);
    const Impl::PatternKey key{words, symbols.rows()};
    std::optional<std::uint64_t> same;
    if (added.empty()) same = state.catalogue.find(key);
    std::optional<std::uint64_t> named;
    if (name) named = state.catalogue.find(*name);
    KINDRED_THROW_IF(named && named != same,
                     "the name '" + std::string(*name) + "' belongs to pattern " +
                         std::to_string(*named) +
                         ", which has other events; forget it first, or choose another name");
    KINDRED_THROW_IF(!state.catalogue.frequency_sum().add(symbols.values.size(), times),
                     Impl::FrequencySum::refusal("times", times));
    if (same) {
      const std::uint64_t frequency = state.catalogue.frequency(*same);
      state.mark(*same);
      state.catalogue.set_frequency(*same, frequency + times);
      return LearnedPattern{*same, frequency + times, false};
    }
    const std::uint64_t index =
        state.catalogue.add(key, name, times, [&] { state.vocabulary.add_all(added); });
    return LearnedPattern{index, times, true};
  }();
  if (result.is_new) state.worker.learned();
  return result;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::learn");
}

template <class T>
std::vector<LearnedPattern> PatternMemory::State::learn_all(const EventLists<T>& patterns,
                                                            const LearnOptions& options) {
  std::vector<LearnedPattern> learned;
  std::optional<Impl::BulkLearn> plan;  // destroyed without the lock
  {
    Impl::PreparedChange change(mutex);
    plan.emplace(Impl::host_workers(context, Space::openmp), catalogue, vocabulary, patterns,
                 options, [this](std::string_view text) {
                   if (level == Level::character) Impl::check_characters(text);
                 });
    const std::vector<std::uint64_t> raised = plan->raised();
    change.begin();
    for (const std::uint64_t index : raised) mark(index);
    plan->prepare(catalogue, vocabulary);
    learned = plan->learn(catalogue);
  }
  worker.learned();
  return learned;
}

std::vector<LearnedPattern> PatternMemory::learn_all(EventLists<std::string_view> patterns,
                                                     const LearnOptions& options) try {
  return m_state->learn_all(patterns, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::learn_all");
}

std::vector<LearnedPattern> PatternMemory::learn_all(EventLists<Symbol> patterns,
                                                     const LearnOptions& options) try {
  return m_state->learn_all(patterns, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::learn_all");
}

void PatternMemory::set_frequency(std::uint64_t index, std::uint64_t frequency) try {
  KINDRED_THROW_IF(frequency == 0, "frequency is 0; it must be at least 1, or forget the pattern");
  State& state = *m_state;
  const auto lock = Impl::cancellable_lock(state.mutex);
  if (!state.catalogue.is_live(index)) state.refuse_unknown(index);
  const std::uint64_t before = state.catalogue.frequency(index);
  const std::uint64_t length = state.catalogue.length(index);
  Impl::FrequencySum sum = state.catalogue.frequency_sum();
  sum.patterns -= before;
  sum.symbols -= length * before;
  KINDRED_THROW_IF(!sum.add(length, frequency),
                   Impl::FrequencySum::refusal("frequency", frequency));
  state.mark(index, frequency < before);
  state.catalogue.set_frequency(index, frequency);
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::set_frequency");
}

template <class Find>
bool PatternMemory::State::forget_found(const Find& find) {
  {
    const auto lock = Impl::cancellable_lock(mutex);
    const std::optional<std::uint64_t> index = find();
    if (!index || !catalogue.is_live(*index)) return false;
    catalogue.prepare_to_forget(*index);
    mark(*index);
    auto views = updates();
    for (auto& view : views) view->forget(*index);
    // Nothing throws from here on.
    for (auto& view : views) view.publish();
    catalogue.forget(*index);
  }
  worker.forgot();
  return true;
}

bool PatternMemory::forget(std::uint64_t index) try {
  return m_state->forget_found([&] { return std::optional(index); });
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::forget");
}

bool PatternMemory::forget(std::string_view name) try {
  return m_state->forget_found([&] { return m_state->catalogue.find(name); });
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::forget");
}

void PatternMemory::clear() try {
  State& state = *m_state;
  const auto lock = Impl::cancellable_lock(state.mutex);
  auto views = state.updates();
  const std::vector<std::uint64_t> live = state.catalogue.live_in(0, state.catalogue.size());
  std::vector<std::uint64_t> since_saved;
  std::vector<std::uint64_t> since_saving;
  if (state.saved) since_saved = state.saved->cleared_with(live);
  if (state.saving) since_saving = state.saving->cleared_with(live);
  // Nothing throws from here on.
  if (state.saved) state.saved->clear(std::move(since_saved));
  if (state.saving) state.saving->clear(std::move(since_saving));
  state.catalogue.clear();
  for (auto& view : views) {
    view->clear(state.catalogue.size());
    view.publish();
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::clear");
}

std::optional<std::uint64_t> PatternMemory::find(std::string_view name) const try {
  const std::shared_lock lock(m_state->mutex);
  return m_state->catalogue.find(name);
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::find");
}

std::optional<std::uint64_t> PatternMemory::find(Events events) const try {
  const std::shared_lock lock(m_state->mutex);
  const Ragged<Symbol> symbols =
      encoded(events, [&](std::string_view text) { return m_state->vocabulary.find(text); });
  const std::vector<std::uint32_t> words = Impl::key_words(symbols);
  return m_state->catalogue.find(Impl::PatternKey{words, symbols.rows()});
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::find");
}

std::vector<std::optional<std::uint64_t>> PatternMemory::find_all(
    std::span<const std::string_view> names) const try {
  std::vector<std::optional<std::uint64_t>> found;
  found.reserve(names.size());
  const std::shared_lock lock(m_state->mutex);
  for (const std::string_view name : names) found.push_back(m_state->catalogue.find(name));
  return found;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::find_all");
}

std::vector<std::optional<std::string>> PatternMemory::names(
    std::span<const std::uint64_t> indices) const try {
  const Impl::PatternCatalogue& catalogue = m_state->catalogue;
  std::vector<std::optional<std::string>> found(indices.size());
  const std::shared_lock lock(m_state->mutex);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!catalogue.is_live(indices[i])) continue;
    if (const auto name = catalogue.row(indices[i]).name()) found[i].emplace(*name);
  }
  return found;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::names");
}

StoredPattern PatternMemory::pattern(std::uint64_t index) const try {
  const Impl::PatternCatalogue& catalogue = m_state->catalogue;
  const std::shared_lock lock(m_state->mutex);
  if (!catalogue.is_live(index)) m_state->refuse_unknown(index);
  const Impl::PatternRow row = catalogue.row(index);
  const auto name = row.name();
  return {index, name ? std::optional<std::string>(*name) : std::nullopt, row.events(),
          catalogue.frequency(index)};
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::pattern");
}

std::uint64_t PatternMemory::frequency(std::uint64_t index) const try {
  const std::shared_lock lock(m_state->mutex);
  return m_state->catalogue.frequency(index);
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::frequency");
}

std::uint64_t PatternMemory::size() const try {
  const std::shared_lock lock(m_state->mutex);
  return m_state->catalogue.live();
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::size");
}

void PatternMemory::encode(Events events, Ragged<Symbol>& queries, std::optional<Level> level) const
    try {
  const std::span<const std::string_view> texts = texts_of(events);
  if (level.value_or(m_state->level) == Level::character) {
    queries.push_row(joined_code_points(texts));
    return;
  }
  // A pattern that is being learned adds all of its symbols or none.
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  for (const std::string_view text : texts)
    queries.values.push_back(m_state->vocabulary.find(text));
  queries.close_row();
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::encode");
}

MatchResults PatternMemory::match(RaggedSpan<Symbol> queries, const MatchOptions& options,
                                  std::optional<Level> level) const try {
  check_call(options);
  Impl::check_rows(queries, "query");
  State& state = *m_state;
  Impl::PatternTiers& tiers = state.tiers_at(level.value_or(state.level));
  MatchResults results = tiers.match(*tiers.view_to(state.learned()), queries, options);
  state.count(queries.rows(), results.record);
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::match");
}

PredictionResults PatternMemory::predict(Events query, const MatchOptions& matching,
                                         const PredictionOptions& options,
                                         std::optional<Level> level) const try {
  MatchOptions all = matching;
  all.threshold = candidate_threshold(options, texts_of(query).size());
  Impl::check_blocks(matching.measure);
  State& state = *m_state;
  all.blocks = false;
  check_call(all);
  Impl::PatternTiers& tiers = state.tiers_at(level.value_or(state.level));
  std::uint64_t learned = 0;
  std::uint64_t symbols = 0;
  std::shared_ptr<const Impl::TierView> view;
  while (view == nullptr || view->end != learned) {  // another call may have made a newer view
    {
      const auto lock = Impl::cancellable_shared_lock(state.mutex);
      learned = state.catalogue.size();
      symbols = state.vocabulary.size();
    }
    view = tiers.view_to(learned);
  }
  Ragged<Symbol> queries;
  encode(query, queries, level);  // after the view, so that the symbols of its patterns are known
  all.top = std::max<std::uint64_t>(learned, 1);
  const MatchResults found = tiers.match(*view, queries, all);
  state.count(1, found.record);
  const Impl::MemoryCandidates candidates(found.matches.values, {learned, symbols}, state.catalogue,
                                          state.mutex);
  PredictionResults results;
  results.record = found.record;
  results.predictions = Kindred::predict(state.context, query, candidates, candidates.statistics(),
                                         state.vocabulary, options);
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::predict");
}

std::vector<std::uint64_t> PatternMemory::symbol_frequencies() const try {
  const std::shared_lock lock(m_state->mutex);
  const auto frequencies = m_state->catalogue.symbol_frequency();
  return {frequencies.begin(), frequencies.end()};
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::symbol_frequencies");
}

SyncRecord PatternMemory::State::synchronise(SyncTrigger trigger) {
  std::optional<SyncRecord> record;  // of the level of the memory
  for_each_tiers([&](Impl::PatternTiers& tiers) {
    try {
      const SyncRecord made = tiers.sync(trigger, learned());
      warn_of_left(made);
      if (!record) record = made;
    } catch (const InvalidArgument&) {
      if (!record) throw;  // otherwise texts that the other level cannot compare, as its calls say
    }
  });
  if (settings.log_memory_usage)
    context.log(LogLevel::info, "patterns hold " + std::to_string(bytes(Space::serial)) +
                                    " bytes on the host, " + std::to_string(bytes(Space::cuda)) +
                                    " on the device");
  return *record;
}

void PatternMemory::State::warn_of_left(const SyncRecord& record) const {
  if (record.left == 0) return;
  context.log(LogLevel::warning, std::to_string(record.left) +
                                     " patterns stay in the recent tier: " + record.why_left);
}

std::uint64_t PatternMemory::State::bytes(Space space) const {
  return own.tiers.view()->bytes(space) + other.tiers.view()->bytes(space);
}

SyncRecord PatternMemory::sync() try {
  return m_state->worker.run(SyncTrigger::manual);
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::sync");
}
void PatternMemory::begin_training() try { m_state->worker.begin_training(); } catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::begin_training");
}
SyncRecord PatternMemory::end_training() try {
  return m_state->worker.end_training();
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::end_training");
}
SyncStatistics PatternMemory::sync_statistics() const try {
  return m_state->worker.statistics();
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::sync_statistics");
}

PatternStatistics PatternMemory::statistics() const try {
  const State& state = *m_state;
  PatternStatistics statistics;
  std::shared_ptr<const Impl::TierView> view;
  {
    const std::shared_lock lock(state.mutex);
    view = state.tiers().view();
    statistics.patterns = state.catalogue.live();
    statistics.learned = state.catalogue.size();
    statistics.total_frequency = state.catalogue.total_frequency();
    statistics.queries = state.queries;
  }
  statistics.bulk = view->bulk_live();
  statistics.recent = statistics.patterns - statistics.bulk;
  statistics.segments = view->bulk.size() + view->recent.size();
  for (const Space space : all_spaces) statistics.bytes[space_index(space)] = state.bytes(space);
  return statistics;
} catch (...) {
  Impl::rethrow_translated("Kindred::PatternMemory::statistics");
}

}  // namespace Kindred
