// SPDX-License-Identifier: Apache-2.0
#include "Vocabulary.hpp"

#include <kindred/matcher/CodePoints.hpp>

#include "Arguments.hpp"
#include "Strings.hpp"

namespace Kindred::C {

Vocabulary vocabulary_of(std::span<const std::string_view> texts) {
  Ragged<char> all;
  for (const std::string_view text : texts) all.push_row({text.data(), text.size()});
  return Vocabulary(all);
}

kindred_status kindred_vocabulary_create(kindred_vocabulary** vocabulary) noexcept {
  return guarded([&] {
    require(vocabulary, "vocabulary");
    *vocabulary = make_handle_of<kindred_vocabulary>();
  });
}

kindred_status kindred_vocabulary_load(const char* path, kindred_vocabulary** vocabulary) noexcept {
  return guarded([&] {
    require(vocabulary, "vocabulary");
    *vocabulary = make_handle_of<kindred_vocabulary>(Vocabulary::load(path_of(path)));
  });
}

kindred_status kindred_vocabulary_create_texts(const kindred_text* texts, std::size_t count,
                                               kindred_vocabulary** vocabulary) noexcept {
  return guarded([&] {
    require(vocabulary, "vocabulary");
    *vocabulary =
        make_handle_of<kindred_vocabulary>(vocabulary_of(texts_of(texts, count, "texts")));
  });
}

kindred_status kindred_vocabulary_from_bytes(const std::uint8_t* bytes, std::size_t size,
                                             kindred_vocabulary** vocabulary) noexcept {
  return guarded([&] {
    require(vocabulary, "vocabulary");
    *vocabulary = make_handle_of<kindred_vocabulary>(
        Vocabulary::load(std::as_bytes(span_of(bytes, size, "bytes"))));
  });
}

kindred_status kindred_vocabulary_destroy(kindred_vocabulary* vocabulary) noexcept {
  return destroy_handle(vocabulary, "vocabulary");
}

kindred_status kindred_vocabulary_add(kindred_vocabulary* vocabulary, const char* text,
                                      std::size_t size, std::uint32_t* symbol) noexcept {
  return guarded([&] {
    Vocabulary& object = object_of(vocabulary, "vocabulary");
    require(symbol, "symbol");
    *symbol = object.add(text_of(text, size, "text"));
  });
}

kindred_status kindred_vocabulary_add_all(kindred_vocabulary* vocabulary, const kindred_text* texts,
                                          std::size_t count, std::int32_t sorted) noexcept {
  return guarded([&] {
    Vocabulary& object = object_of(vocabulary, "vocabulary");
    const std::vector<std::string_view> given = texts_of(texts, count, "texts");
    sorted != 0 ? object.add_sorted(given) : object.add_all(given);
  });
}

kindred_status kindred_vocabulary_find(const kindred_vocabulary* vocabulary,
                                       const kindred_text* texts, std::size_t count,
                                       std::uint32_t* symbols) noexcept {
  return guarded([&] {
    const Vocabulary& object = object_of(vocabulary, "vocabulary");
    const std::vector<std::string_view> given = texts_of(texts, count, "texts");
    const std::span<std::uint32_t> out = span_of(symbols, count, "symbols");
    for (std::size_t i = 0; i < count; ++i) out[i] = object.find(given[i]);
  });
}

kindred_status kindred_vocabulary_text(const kindred_vocabulary* vocabulary, std::uint32_t symbol,
                                       kindred_text* text) noexcept {
  return guarded([&] {
    const Vocabulary& object = object_of(vocabulary, "vocabulary");
    require(text, "text");
    const std::string_view found = object.text(symbol);
    *text = {found.data(), found.size()};
  });
}

kindred_status kindred_vocabulary_decode(const kindred_vocabulary* vocabulary,
                                         const std::uint32_t* symbols, std::size_t count,
                                         kindred_text* texts) noexcept {
  return guarded([&] {
    const Vocabulary& object = object_of(vocabulary, "vocabulary");
    const std::span<kindred_text> out = span_of(texts, count, "texts");
    write_texts(object.decode(span_of(symbols, count, "symbols")), out);
  });
}

kindred_status kindred_vocabulary_get_statistics(
    const kindred_vocabulary* vocabulary, kindred_vocabulary_statistics* statistics) noexcept {
  return guarded([&] {
    const Vocabulary& object = object_of(vocabulary, "vocabulary");
    check_output(statistics, "statistics");
    const VocabularyStatistics found = object.statistics();
    write_output(statistics,
                 kindred_vocabulary_statistics{sizeof(kindred_vocabulary_statistics), found.symbols,
                                               found.text_bytes, found.held_bytes});
  });
}

kindred_status kindred_vocabulary_save(const kindred_vocabulary* vocabulary,
                                       const char* path) noexcept {
  return guarded([&] { object_of(vocabulary, "vocabulary").save(path_of(path)); });
}

kindred_status kindred_vocabulary_to_bytes(const kindred_vocabulary* vocabulary,
                                           kindred_string** bytes) noexcept {
  return guarded([&] {
    const Vocabulary& object = object_of(vocabulary, "vocabulary");
    require(bytes, "bytes");
    *bytes = make_string(object.to_bytes());
  });
}

kindred_status kindred_code_points(const char* text, std::size_t size, std::int32_t keep,
                                   std::uint32_t* symbols, std::size_t capacity,
                                   std::size_t* count) noexcept {
  return guarded([&] {
    require(count, "count");
    span_of(symbols, capacity, "symbols");
    std::vector<Symbol> found;
    append_code_points(text_of(text, size, "text"), found,
                       keep != 0 ? BadBytes::keep : BadBytes::refuse);
    *count = found.size();
    write_array(std::span<const Symbol>(found), symbols, capacity, "symbols");
  });
}

}  // namespace Kindred::C
