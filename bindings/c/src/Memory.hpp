// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_MEMORY_HPP
#define KINDRED_C_MEMORY_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

#include <cstddef>
#include <cstdint>
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

}  // namespace Kindred::C

#endif  // KINDRED_C_MEMORY_HPP
