// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_PATTERNS_HPP
#define KINDRED_C_PATTERNS_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::C {

KINDRED_C_HANDLE(memory, WithContext<PatternMemory>);

inline PatternMemory& memory_of(const kindred_memory* memory) {
  return object_of(memory, "memory").engine;
}

/// The settings of a memory, and its level.
struct MemoryOptions : PatternSettings {
  MemoryOptions() = default;
  MemoryOptions(const PatternSettings& settings) : PatternSettings(settings) {}
  Level level = Level::token;
};
Level level_of(std::int32_t level, const PatternMemory& memory);
/// No value for null.
std::optional<std::string_view> optional_name(const char* name, std::size_t size);
kindred_learned learned_of(const LearnedPattern& pattern);
kindred_sync_record sync_record_of(const SyncRecord& record);

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

/// The two levels of offsets of many patterns.
struct PatternOffsets {
  PatternOffsets(const std::uint64_t* given_offsets, const std::uint64_t* given_patterns,
                 std::size_t count) {
    if (count == 0) return;
    const std::uint64_t events = check_row_offsets(given_patterns, count, "patterns");
    patterns = {given_patterns, count + 1};
    if (events == 0) return;
    symbols = check_row_offsets(given_offsets, events);
    offsets = {given_offsets, events + 1};
  }
  template <class T>
  EventLists<T> lists(std::span<const T> values) const {
    return {patterns, {offsets, values}};
  }

  std::span<const std::uint64_t> patterns;
  std::span<const std::uint64_t> offsets;
  std::uint64_t symbols = 0;  ///< of all patterns
};

}  // namespace Kindred::C

#endif  // KINDRED_C_PATTERNS_HPP
