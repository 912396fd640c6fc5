// SPDX-License-Identifier: Apache-2.0
// What changes the patterns of a memory.
#include "Memory.hpp"

#include <algorithm>
#include <optional>

namespace Kindred::C {

namespace {

kindred_learned learned_of(const LearnedPattern& pattern) {
  return {pattern.index, pattern.frequency, pattern.is_new ? 1 : 0, 0};
}

/// What learning many patterns takes and returns besides them.
class LearnArguments {
 public:
  LearnArguments(const kindred_learn_options* options, std::size_t count, kindred_learned* learned)
      : m_learned(learned) {
    const kindred_learn_options given =
        options_of(options, kindred_learn_options KINDRED_LEARN_OPTIONS_INIT, "options");
    if (given.times != nullptr) m_times = span_of(given.times, count, "times");
    if (given.names == nullptr) return;
    const std::span<const kindred_text> names = span_of(given.names, count, "names");
    m_names.reserve(count);
    for (const kindred_text& name : names) {
      KINDRED_C_REFUSE_IF(name.data == nullptr && name.size > 0,
                          "a name has " + std::to_string(name.size) + " bytes, but data is NULL");
      m_names.push_back(name.data == nullptr
                            ? std::nullopt
                            : std::optional(text_of(name.data, name.size, "names")));
    }
  }
  LearnOptions options() const { return {m_names, m_times}; }
  void write(const std::vector<LearnedPattern>& learned) const {
    if (m_learned != nullptr) std::transform(learned.begin(), learned.end(), m_learned, learned_of);
  }

 private:
  kindred_learned* m_learned;
  std::vector<std::optional<std::string_view>> m_names;
  std::span<const std::uint64_t> m_times;
};

}  // namespace

kindred_status kindred_memory_learn(kindred_memory* memory, const kindred_text* texts,
                                    const std::uint64_t* offsets, std::size_t events,
                                    const char* name, std::size_t name_size, std::uint64_t times,
                                    kindred_learned* learned) noexcept {
  return guarded([&] {
    auto& object = object_of(memory, "memory");
    const EventsArgument given(texts, offsets, events);
    std::optional<std::string_view> given_name;
    if (name != nullptr) given_name = text_of(name, name_size, "name");
    write_optional(learned, learned_of(object.engine.learn(given.events, given_name, times)));
  });
}

kindred_status kindred_memory_learn_all(kindred_memory* memory, const kindred_text* texts,
                                        const std::uint64_t* offsets, const std::uint64_t* patterns,
                                        std::size_t count, const kindred_learn_options* options,
                                        kindred_learned* learned) noexcept {
  return guarded([&] {
    auto& object = object_of(memory, "memory");
    const LearnArguments given(options, count, learned);
    const PatternOffsets rows(offsets, patterns, count);
    const std::vector<std::string_view> views = texts_of(texts, rows.symbols, "texts");
    given.write(object.engine.learn_all(rows.lists<std::string_view>(views), given.options()));
  });
}

kindred_status kindred_memory_learn_all_numbers(
    kindred_memory* memory, const std::uint32_t* numbers, const std::uint64_t* offsets,
    const std::uint64_t* patterns, std::size_t count, const kindred_text* dictionary,
    std::size_t dictionary_size, const kindred_learn_options* options,
    kindred_learned* learned) noexcept {
  return guarded([&] {
    auto& object = object_of(memory, "memory");
    const LearnArguments given(options, count, learned);
    const PatternOffsets rows(offsets, patterns, count);
    const std::span<const Symbol> values = span_of(numbers, rows.symbols, "numbers");
    const std::vector<std::string_view> views = texts_of(dictionary, dictionary_size, "dictionary");
    LearnOptions with_dictionary = given.options();
    with_dictionary.dictionary = views;
    given.write(object.engine.learn_all(rows.lists<Symbol>(values), with_dictionary));
  });
}

kindred_status kindred_memory_learn_all_symbols(kindred_memory* memory,
                                                const std::uint32_t* symbols,
                                                const std::uint64_t* offsets,
                                                const std::uint64_t* patterns, std::size_t count,
                                                const kindred_learn_options* options,
                                                kindred_learned* learned) noexcept {
  return guarded([&] {
    auto& object = object_of(memory, "memory");
    const LearnArguments given(options, count, learned);
    const PatternOffsets rows(offsets, patterns, count);
    const std::span<const Symbol> values = span_of(symbols, rows.symbols, "symbols");
    given.write(object.engine.learn_all(rows.lists<Symbol>(values), given.options()));
  });
}

kindred_status kindred_memory_set_frequency(kindred_memory* memory, std::uint64_t index,
                                            std::uint64_t frequency) noexcept {
  return guarded([&] { object_of(memory, "memory").engine.set_frequency(index, frequency); });
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

kindred_status kindred_memory_clear(kindred_memory* memory) noexcept {
  return guarded([&] { object_of(memory, "memory").engine.clear(); });
}

}  // namespace Kindred::C
