// SPDX-License-Identifier: Apache-2.0
// Memories of patterns: their files, queries and synchronisation.
#include "Memory.hpp"

#include "Arguments.hpp"
#include "Predictions.hpp"
#include "Results.hpp"
#include "Sequences.hpp"
#include "Strings.hpp"
#include "Vocabulary.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(pattern, StoredPattern);

namespace {

std::optional<Level> level_option(std::int32_t level) {
  if (level == KINDRED_LEVEL_OF_MEMORY) return {};
  KINDRED_C_REFUSE_IF(level < 0 || level > KINDRED_LEVEL_CHARACTER,
                      "level is " + std::to_string(level) +
                          "; it must be KINDRED_LEVEL_TOKEN (0), KINDRED_LEVEL_CHARACTER (1) or "
                          "KINDRED_LEVEL_OF_MEMORY (-1)");
  return static_cast<Level>(level);
}

struct MemorySettings {
  PatternSettings settings;
  Level level = Level::token;
};

MemorySettings memory_settings(const kindred_memory_options* options) {
  const kindred_memory_options given =
      options_of(options, kindred_memory_options KINDRED_MEMORY_OPTIONS_INIT, "options");
  MemorySettings out;
  out.level = enum_of<Level>(given.level, 2, "level");
  PatternSettings& settings = out.settings;
  settings.enabled = given.enabled != 0;
  settings.fallback_to_host = given.fallback_to_host != 0;
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
  return out;
}

kindred_memory_options options_of_settings(const PatternSettings& settings, Level level) {
  kindred_memory_options out = KINDRED_MEMORY_OPTIONS_INIT;
  out.level = static_cast<std::int32_t>(level);
  out.enabled = settings.enabled ? 1 : 0;
  out.fallback_to_host = settings.fallback_to_host ? 1 : 0;
  out.min_compute_capability = settings.min_compute_capability;
  out.max_pattern_length = settings.max_pattern_length;
  out.memory_fraction = settings.memory_fraction;
  out.growth_fraction = settings.growth_fraction;
  out.max_bulk_patterns = settings.max_bulk_patterns.value_or(KINDRED_UNSET);
  out.sync_threshold = settings.sync_threshold;
  out.sync_interval_seconds = settings.sync_interval_seconds;
  out.background_sync = settings.background_sync ? 1 : 0;
  out.log_memory_usage = settings.log_memory_usage ? 1 : 0;
  out.log_kernel_timing = settings.log_kernel_timing ? 1 : 0;
  return out;
}

std::int64_t index_or_none(const std::optional<std::uint64_t>& index) {
  return index ? static_cast<std::int64_t>(*index) : -1;
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

kindred_status kindred_memory_from_bytes(kindred_context* context, const std::uint8_t* bytes,
                                         std::size_t size, const kindred_memory_options* options,
                                         kindred_memory** memory) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(memory, "memory");
    const MemorySettings given = memory_settings(options);
    *memory = make_handle_of<kindred_memory>(
        object, PatternMemory::load(*object, std::as_bytes(span_of(bytes, size, "bytes")),
                                    given.settings, given.level));
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

kindred_status kindred_memory_settings(const kindred_memory* memory,
                                       kindred_memory_options* options) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    check_output(options, "options");
    write_output(options, options_of_settings(object.engine.settings(), object.engine.level()));
  });
}

kindred_status kindred_memory_save(kindred_memory* memory, const char* path) noexcept {
  return guarded([&] { object_of(memory, "memory").engine.save(path_of(path)); });
}
kindred_status kindred_memory_to_bytes(const kindred_memory* memory,
                                       kindred_string** bytes) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(bytes, "bytes");
    *bytes = make_string(object.engine.to_bytes());
  });
}
kindred_status kindred_memory_append(kindred_memory* memory, const char* path) noexcept {
  return guarded([&] { object_of(memory, "memory").engine.append(path_of(path)); });
}

kindred_status kindred_memory_find_name(const kindred_memory* memory, const char* name,
                                        std::size_t size, std::int64_t* index) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(index, "index");
    *index = index_or_none(object.engine.find(text_of(name, size, "name")));
  });
}
kindred_status kindred_memory_find_names(const kindred_memory* memory, const kindred_text* names,
                                         std::size_t count, std::int64_t* indices) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    const std::vector<std::string_view> given = texts_of(names, count, "names");
    const std::span<std::int64_t> out = span_of(indices, count, "indices");
    const auto found = object.engine.find_all(given);
    std::transform(found.begin(), found.end(), out.begin(), index_or_none);
  });
}
kindred_status kindred_memory_names(const kindred_memory* memory, const std::uint64_t* indices,
                                    std::size_t count, kindred_strings** names) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(names, "names");
    *names =
        make_handle_of<kindred_strings>(object.engine.names(span_of(indices, count, "indices")));
  });
}
kindred_status kindred_memory_find_events(const kindred_memory* memory, const kindred_text* texts,
                                          const std::uint64_t* offsets, std::size_t events,
                                          std::int64_t* index) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(index, "index");
    const EventsArgument given(texts, offsets, events);
    *index = index_or_none(object.engine.find(given.events));
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

kindred_status kindred_memory_decode(const kindred_memory* memory, const std::uint32_t* symbols,
                                     std::size_t count, kindred_text* texts) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    const std::span<kindred_text> out = span_of(texts, count, "texts");
    write_texts(object.engine.vocabulary().decode(span_of(symbols, count, "symbols")), out);
  });
}

kindred_status kindred_memory_vocabulary(const kindred_memory* memory,
                                         kindred_vocabulary** vocabulary) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(vocabulary, "vocabulary");
    *vocabulary =
        make_handle_of<kindred_vocabulary>(Vocabulary(object.engine.vocabulary().texts()));
  });
}

kindred_status kindred_memory_encode(const kindred_memory* memory, const kindred_text* texts,
                                     const std::uint64_t* offsets, std::size_t events,
                                     std::int32_t level, std::uint32_t* symbols,
                                     std::size_t capacity, std::size_t* count) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(count, "count");
    span_of(symbols, capacity, "symbols");
    const EventsArgument given(texts, offsets, events);
    Ragged<Symbol> query;
    object.engine.encode(given.events, query, level_option(level).value_or(object.engine.level()));
    *count = query.values.size();
    write_array(std::span<const Symbol>(query.values), symbols, capacity, "symbols");
  });
}

kindred_status kindred_memory_match(const kindred_memory* memory, const std::uint32_t* symbols,
                                    const std::uint64_t* offsets, std::size_t rows,
                                    std::int32_t level, const kindred_match_options* options,
                                    kindred_results** results) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(results, "results");
    const MatchOptions given = match_options(options);
    const Level at = level_option(level).value_or(object.engine.level());
    *results = make_handle_of<kindred_results>(
        results_of(object.engine.match(ragged_of(symbols, offsets, rows, "symbols"), given, at),
                   given.blocks));
  });
}

kindred_status kindred_memory_predict(const kindred_memory* memory, const kindred_text* texts,
                                      const std::uint64_t* offsets, std::size_t events,
                                      std::int32_t level, const kindred_match_options* matching,
                                      const kindred_prediction_options* options,
                                      kindred_predictions** predictions) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    require(predictions, "predictions");
    const EventsArgument query(texts, offsets, events);
    const PredictionOptions prediction = prediction_options(options);
    const Level at = level_option(level).value_or(object.engine.level());
    PredictionResults found =
        object.engine.predict(query.events, match_options(matching), prediction, at);
    *predictions = make_handle_of<kindred_predictions>(std::move(found.predictions), &found.record);
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

kindred_status kindred_memory_last_sync(const kindred_memory* memory,
                                        kindred_sync_record* record) noexcept {
  return guarded([&] {
    const auto& object = object_of(memory, "memory");
    check_output(record, "record");
    write_output(record, sync_record_of(object.engine.sync_statistics().last));
  });
}

kindred_status kindred_memory_get_statistics(const kindred_memory* memory,
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
