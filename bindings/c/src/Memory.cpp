// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/PatternMemory.hpp>

#include "Arguments.hpp"
#include "Predictions.hpp"
#include "Results.hpp"
#include "Sequences.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(memory, WithContext<PatternMemory>);
KINDRED_C_HANDLE(pattern, StoredPattern);

namespace {

/// The events of the caller; the views of texts are in `texts`.
struct EventsArgument {
  EventsArgument(const kindred_text* given, const std::uint64_t* offsets, std::size_t events) {
    if (events == 0) return;
    const std::uint64_t count = check_row_offsets(offsets, events);
    texts = texts_of(given, count, "texts");
    this->events = {{offsets, events + 1}, texts};
  }
  std::vector<std::string_view> texts;
  PatternMemory::Events events;
};

struct MemorySettings {
  PatternSettings settings;
  Level level = Level::token;
};

MemorySettings memory_settings(const kindred_memory_options* options) {
  const kindred_memory_options given =
      options_of(options, kindred_memory_options KINDRED_MEMORY_OPTIONS_INIT, "options");
  check_reserved(given.reserved, "options");
  MemorySettings out;
  out.level = enum_of<Level>(given.level, 2, "level");
  PatternSettings& settings = out.settings;
  settings.enabled = given.enabled != 0;
  settings.fallback_to_host = given.fallback_to_host != 0;
  settings.threads_per_block = given.threads_per_block;
  settings.min_compute_capability = given.min_compute_capability;
  settings.max_pattern_length = given.max_pattern_length;
  settings.memory_fraction = given.memory_fraction;
  settings.growth_fraction = given.growth_fraction;
  if (given.max_bulk_patterns != KINDRED_UNSET)
    settings.max_bulk_patterns = given.max_bulk_patterns;
  settings.sync_threshold = given.sync_threshold;
  settings.sync_interval_seconds = given.sync_interval_seconds;
  settings.background_sync = given.background_sync != 0;
  settings.log_memory_usage = given.log_memory_usage != 0;
  settings.log_kernel_timing = given.log_kernel_timing != 0;
  settings.use_shared_memory = given.use_shared_memory != 0;
  settings.early_termination = given.early_termination != 0;
  return out;
}

kindred_sync_record sync_record_of(const SyncRecord& record) {
  kindred_sync_record out = KINDRED_SYNC_RECORD_INIT;
  out.moved = record.moved;
  out.left = record.left;
  out.seconds = record.seconds;
  out.trigger = static_cast<std::int32_t>(record.trigger);
  copy_text(out.why_left, record.why_left);
  return out;
}

}  // namespace

kindred_status kindred_memory_options_from_environment(kindred_memory_options* options,
                                                       std::size_t struct_size) noexcept {
  return guarded([&] {
    require(options, "options");
    check_struct_size(struct_size, "the argument");
    const PatternSettings found = PatternSettings::from_environment();
    kindred_memory_options out = KINDRED_MEMORY_OPTIONS_INIT;
    out.enabled = found.enabled ? 1 : 0;
    out.fallback_to_host = found.fallback_to_host ? 1 : 0;
    out.threads_per_block = found.threads_per_block;
    out.min_compute_capability = found.min_compute_capability;
    out.max_pattern_length = found.max_pattern_length;
    out.memory_fraction = found.memory_fraction;
    out.growth_fraction = found.growth_fraction;
    out.max_bulk_patterns = found.max_bulk_patterns.value_or(KINDRED_UNSET);
    out.sync_threshold = found.sync_threshold;
    out.sync_interval_seconds = found.sync_interval_seconds;
    out.background_sync = found.background_sync ? 1 : 0;
    out.log_memory_usage = found.log_memory_usage ? 1 : 0;
    out.log_kernel_timing = found.log_kernel_timing ? 1 : 0;
    out.use_shared_memory = found.use_shared_memory ? 1 : 0;
    out.early_termination = found.early_termination ? 1 : 0;
    std::memcpy(static_cast<void*>(options), &struct_size, sizeof(struct_size));
    write_output(options, out);
  });
}

kindred_status kindred_memory_create(kindred_context* context,
                                     const kindred_memory_options* options,
                                     kindred_memory** memory) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(memory, "memory");
    const MemorySettings given = memory_settings(options);
    *memory =
        make_handle_of<kindred_memory>(object, PatternMemory(*object, given.settings, given.level));
  });
}

kindred_status kindred_memory_load(kindred_context* context, const char* path,
                                   const kindred_memory_options* options,
                                   kindred_memory** memory) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(memory, "memory");
    const MemorySettings given = memory_settings(options);
    *memory = make_handle_of<kindred_memory>(
        object, PatternMemory::load(*object, path_of(path), given.settings, given.level));
  });
}

kindred_status kindred_memory_inspect(const char* path, std::int32_t threads,
                                      kindred_memory_file_info* info) noexcept {
  return guarded([&] {
    check_output(info, "info");
    const PatternFileInfo found = PatternMemory::inspect(path_of(path), threads_argument(threads));
    write_output(info, kindred_memory_file_info{
                           sizeof(kindred_memory_file_info), found.patterns, found.learned,
                           found.total_frequency, found.symbols, found.vocabulary, found.segments,
                           found.bulk, found.commits, found.bytes, found.uncommitted_bytes});
  });
}

kindred_status kindred_memory_destroy(kindred_memory* memory) noexcept {
  return destroy_handle(memory, "memory");
}

kindred_status kindred_memory_save(kindred_memory* memory, const char* path) noexcept {
  return guarded([&] { object_of(memory, "memory").engine.save(path_of(path)); });
}
kindred_status kindred_memory_append(kindred_memory* memory, const char* path) noexcept {
  return guarded([&] { object_of(memory, "memory").engine.append(path_of(path)); });
}

kindred_status kindred_memory_learn(kindred_memory* memory, const kindred_text* texts,
                                    const std::uint64_t* offsets, std::size_t events,
                                    const char* name, std::size_t name_size, std::uint64_t times,
                                    kindred_learned* learned) noexcept {
  return guarded([&] {
    auto& object = object_of(memory, "memory");
    check_output(learned, "learned", true);
    const EventsArgument given(texts, offsets, events);
    std::optional<std::string_view> given_name;
    if (name != nullptr) given_name = text_of(name, name_size, "name");
    const LearnedPattern out = object.engine.learn(given.events, given_name, times);
    write_output(learned, kindred_learned{sizeof(kindred_learned), out.index, out.frequency,
                                          out.is_new ? 1 : 0, 0});
  });
}

kindred_status kindred_memory_forget(kindred_memory* memory, std::uint64_t index,
                                     std::int32_t* existed) noexcept {
  return guarded([&] {
    const bool found = object_of(memory, "memory").engine.forget(index);
    write_optional(existed, found ? 1 : 0);
  });
}
kindred_status kindred_memory_forget_name(kindred_memory* memory, const char* name,
                                          std::size_t size, std::int32_t* existed) noexcept {
  return guarded([&] {
    auto& object = object_of(memory, "memory");
    const bool found = object.engine.forget(text_of(name, size, "name"));
    write_optional(existed, found ? 1 : 0);
  });
}

kindred_status kindred_memory_find_name(const kindred_memory* memory, const char* name,
                                        std::size_t size, std::int64_t* index) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(index, "index");
    const auto found = object.engine.find(text_of(name, size, "name"));
    *index = found ? static_cast<std::int64_t>(*found) : -1;
  });
}
kindred_status kindred_memory_find_events(const kindred_memory* memory, const kindred_text* texts,
                                          const std::uint64_t* offsets, std::size_t events,
                                          std::int64_t* index) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(index, "index");
    const EventsArgument given(texts, offsets, events);
    const auto found = object.engine.find(given.events);
    *index = found ? static_cast<std::int64_t>(*found) : -1;
  });
}

kindred_status kindred_memory_frequency(const kindred_memory* memory, std::uint64_t index,
                                        std::uint64_t* frequency) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(frequency, "frequency");
    *frequency = object.engine.frequency(index);
  });
}
kindred_status kindred_memory_size(const kindred_memory* memory, std::uint64_t* size) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(size, "size");
    *size = object.engine.size();
  });
}

kindred_status kindred_memory_pattern(const kindred_memory* memory, std::uint64_t index,
                                      kindred_pattern** pattern) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(pattern, "pattern");
    *pattern = make_handle_of<kindred_pattern>(object.engine.pattern(index));
  });
}

kindred_status kindred_memory_symbol_text(const kindred_memory* memory, std::uint32_t symbol,
                                          kindred_text* text) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(text, "text");
    const std::string_view found = object.engine.vocabulary().text(symbol);
    *text = {found.data(), found.size()};
  });
}

kindred_status kindred_memory_encode(const kindred_memory* memory, const kindred_text* texts,
                                     const std::uint64_t* offsets, std::size_t events,
                                     std::uint32_t* symbols, std::size_t capacity,
                                     std::size_t* count) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(count, "count");
    span_of(symbols, capacity, "symbols");
    const EventsArgument given(texts, offsets, events);
    Ragged<Symbol> query;
    object.engine.encode(given.events, query);
    *count = query.values.size();
    write_array(std::span<const Symbol>(query.values), symbols, capacity, "symbols");
  });
}

kindred_status kindred_memory_match(const kindred_memory* memory, const std::uint32_t* symbols,
                                    const std::uint64_t* offsets, std::size_t rows,
                                    const kindred_match_options* options,
                                    kindred_results** results) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(results, "results");
    const MatchOptions given = match_options(options);
    *results = make_handle_of<kindred_results>(results_of(
        object.engine.match(ragged_of(symbols, offsets, rows, "symbols"), given), given.blocks));
  });
}

kindred_status kindred_memory_predict(const kindred_memory* memory, const kindred_text* texts,
                                      const std::uint64_t* offsets, std::size_t events,
                                      const kindred_match_options* matching,
                                      const kindred_prediction_options* options,
                                      kindred_predictions** predictions) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(predictions, "predictions");
    const EventsArgument query(texts, offsets, events);
    const kindred_prediction_options given =
        options_of(options, kindred_prediction_options KINDRED_PREDICTION_OPTIONS_INIT, "options");
    check_reserved(given.reserved, "options");
    PredictionOptions prediction;
    prediction.rank_by = enum_of<RankBy>(given.rank_by, 20, "rank_by");
    prediction.top = given.top;
    prediction.threshold = given.threshold;
    prediction.fuzzy_token_threshold = given.fuzzy_token_threshold;
    prediction.single_symbol_fast_path = given.single_symbol_fast_path != 0;
    prediction.weights = span_of(given.weights, given.weights_size, "weights");
    prediction.threads = threads_argument(given.threads);
    *predictions = make_handle<kindred_predictions>(std::make_unique<Predictions>(
        object.engine.predict(query.events, match_options(matching), prediction)));
  });
}

kindred_status kindred_memory_symbol_frequencies(const kindred_memory* memory,
                                                 std::uint64_t* frequencies, std::size_t capacity,
                                                 std::size_t* count) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(count, "count");
    span_of(frequencies, capacity, "frequencies");
    const std::vector<std::uint64_t> found = object.engine.symbol_frequencies();
    *count = found.size();
    write_array(std::span<const std::uint64_t>(found), frequencies, capacity, "frequencies");
  });
}

kindred_status kindred_memory_sync(kindred_memory* memory, kindred_sync_record* record) noexcept {
  return guarded([&] {
    auto& object = object_of(memory, "memory");
    check_output(record, "record", true);
    write_output(record, sync_record_of(object.engine.sync()));
  });
}
kindred_status kindred_memory_begin_training(kindred_memory* memory) noexcept {
  return guarded([&] { object_of(memory, "memory").engine.begin_training(); });
}
kindred_status kindred_memory_end_training(kindred_memory* memory,
                                           kindred_sync_record* record) noexcept {
  return guarded([&] {
    auto& object = object_of(memory, "memory");
    check_output(record, "record", true);
    write_output(record, sync_record_of(object.engine.end_training()));
  });
}

kindred_status kindred_memory_describe(const kindred_memory* memory,
                                       kindred_memory_statistics* statistics) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    check_output(statistics, "statistics");
    const PatternStatistics found = object.engine.statistics();
    const SyncStatistics syncs = object.engine.sync_statistics();
    kindred_memory_statistics out = KINDRED_MEMORY_STATISTICS_INIT;
    out.patterns = found.patterns;
    out.learned = found.learned;
    out.total_frequency = found.total_frequency;
    out.bulk = found.bulk;
    out.recent = found.recent;
    out.segments = found.segments;
    out.queries = found.queries;
    std::copy(std::begin(found.bytes), std::end(found.bytes), out.bytes);
    std::copy(std::begin(syncs.syncs), std::end(syncs.syncs), out.syncs);
    out.patterns_synced = syncs.patterns_synced;
    out.incomplete = syncs.incomplete;
    out.background = syncs.background ? 1 : 0;
    out.training = syncs.training ? 1 : 0;
    write_output(statistics, out);
  });
}

kindred_status kindred_pattern_get(const kindred_pattern* pattern,
                                   kindred_pattern_view* view) noexcept {
  return guarded([&] {
    const StoredPattern& object = object_of(pattern, "pattern");
    check_output(view, "view");
    write_output(view,
                 kindred_pattern_view{sizeof(kindred_pattern_view), object.index, object.frequency,
                                      object.name ? object.name->c_str() : nullptr,
                                      object.name ? object.name->size() : 0, object.events.rows(),
                                      object.events.offsets.data(), object.events.values.data()});
  });
}

kindred_status kindred_pattern_destroy(kindred_pattern* pattern) noexcept {
  return destroy_handle(pattern, "pattern");
}

}  // namespace Kindred::C
