// SPDX-License-Identifier: Apache-2.0
#include "Strings.hpp"

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

}  // namespace Kindred::C
