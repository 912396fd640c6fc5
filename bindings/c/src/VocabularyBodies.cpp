// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of vocabularies.
#include "Arguments.hpp"
#include "Vocabulary.hpp"

namespace Kindred::C {

Vocabulary vocabulary_of(std::span<const std::string_view> texts) {
  Ragged<char> all;
  for (const std::string_view text : texts) all.push_row({text.data(), text.size()});
  return Vocabulary(all);
}

kindred_status kindred_vocabulary_add(kindred_vocabulary* vocabulary, const kindred_text* texts,
                                      std::size_t count, std::int32_t sorted,
                                      std::uint32_t* symbols) noexcept {
  return guarded([&] {
    Vocabulary& object = vocabulary_of(vocabulary);
    const std::vector<std::string_view> given = texts_of(texts, count, "texts");
    sorted != 0 ? object.add_sorted(given) : object.add_all(given);
    for (std::size_t i = 0; symbols != nullptr && i < count; ++i)
      symbols[i] = object.find(given[i]);
  });
}

kindred_status kindred_vocabulary_find(const kindred_vocabulary* vocabulary,
                                       const kindred_text* texts, std::size_t count,
                                       std::uint32_t* symbols) noexcept {
  return guarded([&] {
    const Vocabulary& object = vocabulary_of(vocabulary);
    const std::vector<std::string_view> given = texts_of(texts, count, "texts");
    const std::span<std::uint32_t> out = span_of(symbols, count, "symbols");
    for (std::size_t i = 0; i < count; ++i) out[i] = object.find(given[i]);
  });
}

}  // namespace Kindred::C
