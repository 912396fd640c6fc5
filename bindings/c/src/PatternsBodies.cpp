// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of memories.
#include "Arguments.hpp"
#include "Patterns.hpp"

#include <algorithm>
#include <string>

namespace Kindred::C {

Level level_of(std::int32_t level, const PatternMemory& memory) {
  if (level == KINDRED_LEVEL_OF_MEMORY) return memory.level();
  KINDRED_C_REFUSE_IF(level < 0 || level > KINDRED_LEVEL_CHARACTER,
                      "level is " + std::to_string(level) +
                          "; it must be KINDRED_LEVEL_TOKEN (0), KINDRED_LEVEL_CHARACTER (1) or "
                          "KINDRED_LEVEL_OF_MEMORY (-1)");
  return static_cast<Level>(level);
}

std::optional<std::string_view> optional_name(const char* name, std::size_t size) {
  if (name == nullptr) return {};
  return text_of(name, size, "name");
}

kindred_learned learned_of(const LearnedPattern& pattern) {
  return {pattern.index, pattern.frequency, pattern.is_new ? 1 : 0, 0};
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

kindred_status kindred_memory_learn_all(kindred_memory* memory, const kindred_patterns* patterns,
                                        kindred_learned* learned) noexcept {
  return guarded([&] {
    PatternMemory& object = memory_of(memory);
    require(patterns, "patterns");
    const kindred_patterns given =
        options_of(patterns, kindred_patterns KINDRED_PATTERNS_INIT, "patterns");
    LearnOptions options;
    if (given.times != nullptr) options.times = span_of(given.times, given.count, "times");
    std::vector<std::optional<std::string_view>> names;
    if (given.names != nullptr)
      for (const kindred_text& name : span_of(given.names, given.count, "names")) {
        KINDRED_C_REFUSE_IF(name.data == nullptr && name.size > 0,
                            "a name has " + std::to_string(name.size) + " bytes, but data is NULL");
        names.push_back(optional_name(name.data, name.size));
      }
    options.names = names;
    const PatternOffsets rows(given.offsets, given.patterns, given.count);
    std::vector<LearnedPattern> found;
    if (given.symbols == nullptr) {
      const std::vector<std::string_view> texts = texts_of(given.texts, rows.symbols, "texts");
      found = object.learn_all(rows.lists<std::string_view>(texts), options);
    } else {
      KINDRED_C_REFUSE_IF(given.texts != nullptr,
                          "patterns has texts and symbols; one of them must be NULL");
      const std::vector<std::string_view> dictionary =
          texts_of(given.dictionary, given.dictionary_size, "dictionary");
      if (given.dictionary != nullptr) options.dictionary = dictionary;
      found = object.learn_all(rows.lists<Symbol>(span_of(given.symbols, rows.symbols, "symbols")),
                               options);
    }
    if (learned != nullptr) std::transform(found.begin(), found.end(), learned, learned_of);
  });
}

kindred_status kindred_memory_forget(kindred_memory* memory, std::uint64_t index, const char* name,
                                     std::size_t name_size, std::int32_t* existed) noexcept {
  return guarded([&] {
    PatternMemory& object = memory_of(memory);
    const auto given = optional_name(name, name_size);
    write_optional(existed, (given ? object.forget(*given) : object.forget(index)) ? 1 : 0);
  });
}

}  // namespace Kindred::C
