// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_MEMORY_SUPPORT_HPP
#define KINDRED_TESTS_C_MEMORY_SUPPORT_HPP

#include "CSupport.hpp"

#include "CppArguments.hpp"

#include <Generator.hpp>

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

/// Pattern memories of C, with random patterns.
namespace Kindred::Testing {

/// Patterns as two levels of offsets, with numbers of a dictionary, names and times.
struct Patterns {
  Patterns(const char* name, std::size_t count) {
    auto generator = Testing::generator(name);
    std::uniform_int_distribution<std::size_t> few(0, 3);
    std::uniform_int_distribution<std::uint32_t> number(0, 11);
    for (std::size_t i = 0; i < 12; ++i)
      dictionary.push_back(std::string(i % 4, 'x') + "s" + std::to_string(i));
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t event = few(generator) + 1; event > 0; --event) {
        for (std::size_t i = few(generator); i > 0; --i) numbers.push_back(number(generator));
        offsets.push_back(numbers.size());
      }
      patterns.push_back(offsets.size() - 1);
      // Some without a name, one with an empty one.
      names.push_back(p % 3 == 1 ? std::nullopt
                                 : std::optional(p == 0 ? "" : "p" + std::to_string(p)));
      times.push_back(p % 5 + 1);
    }
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const std::uint32_t number : numbers) out.push_back(dictionary[number]);
    return out;
  }
  std::vector<std::string> dictionary;
  std::vector<std::uint64_t> patterns{0};
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> numbers;
  std::vector<std::optional<std::string>> names;
  std::vector<std::uint64_t> times;
};

enum class Form { texts, numbers, symbols };

/// Learns \p given in one call; \p learned has an element for each pattern.
inline kindred_status learn_all(kindred_memory* memory, const Patterns& given, Form form,
                                std::vector<kindred_learned>& learned) {
  std::vector<kindred_text> names;
  for (const auto& name : given.names)
    names.push_back(name ? kindred_text{name->data(), name->size()} : kindred_text{nullptr, 0});
  std::vector<std::string> texts;
  if (form == Form::texts) texts = given.texts();
  const std::vector<kindred_text> text_views = c_texts(texts);
  const std::vector<kindred_text> dictionary = c_texts(given.dictionary);
  kindred_patterns patterns = KINDRED_PATTERNS_INIT;
  patterns.count = given.names.size();
  patterns.patterns = given.patterns.data();
  patterns.offsets = given.offsets.data();
  patterns.names = names.data();
  patterns.times = given.times.data();
  if (form == Form::texts)
    patterns.texts = text_views.data();
  else
    patterns.symbols = given.numbers.data();
  if (form == Form::numbers) {
    patterns.dictionary = dictionary.data();
    patterns.dictionary_size = dictionary.size();
  }
  learned.resize(given.names.size());
  return kindred_memory_learn_all(memory, &patterns, learned.data());
}

inline Owned<kindred_memory> quiet_memory() {
  kindred_memory_options options = KINDRED_MEMORY_OPTIONS_INIT;
  options.background_sync = 0;
  return result_of(kindred_memory_create, c_context(), &options);
}

/// A memory with 60 random patterns, and a query of two events.
struct Memory {
  explicit Memory(const char* name) : given(name, 60) {
    ok(learn_all(memory, given, Form::numbers, learned));
  }
  PatternMemory& inside() const { return C::memory_of(memory); }

  Patterns given;
  std::vector<kindred_learned> learned;
  const Owned<kindred_memory> memory = quiet_memory();
  const std::vector<std::string> query{"s0", "xs1", "xxs66", "xxs2"};
  const std::vector<std::string_view> views{query.begin(), query.end()};
  const std::vector<kindred_text> texts = c_texts(query);
  const std::vector<std::uint64_t> events{0, 2, 4};
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_MEMORY_SUPPORT_HPP
