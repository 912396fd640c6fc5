// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_MEMORY_HPP
#define KINDRED_C_MEMORY_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::C {

KINDRED_C_HANDLE(memory, WithContext<PatternMemory>);

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

#endif  // KINDRED_C_MEMORY_HPP
