// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/KeySpan.hpp>

#include <kindred/core/common/CheckOffsets.hpp>
#include <kindred/core/common/Error.hpp>

#include <string>

namespace Kindred {

KeySpan::KeySpan(RaggedSpan<char> keys)
    : m_kind(KeyKind::bytes), m_ragged(keys), m_size(keys.rows()) {
  check_offsets(keys, "key", "bytes");
}

KeySpan KeySpan::of_width(std::span<const std::byte> keys, std::size_t width) {
  KINDRED_THROW_IF(width == 0, "the width of the keys is 0; it must be at least 1 byte");
  KINDRED_THROW_IF(keys.size() % width != 0, "the keys have " + std::to_string(keys.size()) +
                                                 " bytes; they must be a multiple of the width, " +
                                                 std::to_string(width));
  KeySpan span(KeyKind::bytes);
  span.m_fixed = {reinterpret_cast<const char*>(keys.data()), keys.size()};
  span.m_width = width;
  span.m_size = keys.size() / width;
  return span;
}

std::string_view KeySpan::bytes(std::size_t i) const noexcept {
  if (m_width > 0) return {m_fixed.data() + i * m_width, m_width};
  if (!m_texts.empty()) return m_texts[i];
  const std::span<const char> row = m_ragged[i];
  return {row.data(), row.size()};
}

}  // namespace Kindred
