// SPDX-License-Identifier: Apache-2.0
#include "Strings.hpp"

#include <kindred/matcher/SectionFileKind.hpp>

#include "Arguments.hpp"

#include <utility>

namespace Kindred::C {

kindred_string* make_string(std::span<const std::byte> bytes) {
  return make_handle_of<kindred_string>(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void write_texts(std::span<const std::string_view> texts, std::span<kindred_text> out) {
  for (std::size_t i = 0; i < texts.size(); ++i) out[i] = {texts[i].data(), texts[i].size()};
}

Strings::Strings(std::vector<std::optional<std::string>> texts) : m_texts(std::move(texts)) {
  m_views.reserve(m_texts.size());
  for (const std::optional<std::string>& text : m_texts)
    m_views.push_back(text ? kindred_text{text->data(), text->size()} : kindred_text{nullptr, 0});
}

kindred_status kindred_file_kind(const char* path, kindred_string** kind) noexcept {
  return guarded([&] {
    require(kind, "kind");
    *kind = make_handle_of<kindred_string>(section_file_kind(path_of(path)).value_or(""));
  });
}

kindred_status kindred_string_get(const kindred_string* string, kindred_text* text) noexcept {
  return guarded([&] {
    const std::string& found = object_of(string, "string");
    require(text, "text");
    *text = view_of(found);
  });
}
kindred_status kindred_string_destroy(kindred_string* string) noexcept {
  return destroy_handle(string, "string");
}

kindred_status kindred_strings_get(const kindred_strings* strings, const kindred_text** texts,
                                   std::size_t* count) noexcept {
  return guarded([&] {
    const std::span<const kindred_text> views = object_of(strings, "strings").views();
    require_all({{texts, "texts"}, {count, "count"}});
    *texts = views.data();
    *count = views.size();
  });
}
kindred_status kindred_strings_destroy(kindred_strings* strings) noexcept {
  return destroy_handle(strings, "strings");
}

}  // namespace Kindred::C
