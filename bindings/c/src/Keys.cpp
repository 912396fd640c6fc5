// SPDX-License-Identifier: Apache-2.0
// Lists of keys.
#include "Keys.hpp"

#include "Arguments.hpp"
#include "Handle.hpp"
#include "Strings.hpp"

#include <limits>
#include <string>

namespace Kindred::C {

kindred_key_span key_span_of(const KeyList& keys) {
  kindred_key_span out = KINDRED_KEY_SPAN_INIT;
  out.count = keys.size();
  out.kind = static_cast<std::int32_t>(keys.kind);
  if (keys.kind == KeyKind::integer) {
    out.integers = keys.integers.data();
  } else {
    out.bytes = keys.bytes.values.data();
    out.offsets = keys.bytes.offsets.data();
  }
  return out;
}

KeyArgument::KeyArgument(const kindred_key_span* keys, const char* name) : m_kind() {
  require(keys, name);
  const kindred_key_span given = options_of(keys, kindred_key_span KINDRED_KEY_SPAN_INIT, name);
  const std::string prefix = std::string(name) + ".";
  check_reserved(given.reserved, name);
  m_kind = enum_of<KeyKind>(given.kind, 2, "kind");
  if (m_kind == KeyKind::integer) {
    KINDRED_C_REFUSE_IF(given.texts != nullptr || given.bytes != nullptr ||
                            given.offsets != nullptr || given.width != 0,
                        prefix + "kind is KINDRED_KEYS_INTEGERS, but byte strings are given");
    m_integers = span_of(given.integers, given.count, (prefix + "integers").c_str());
    return;
  }
  KINDRED_C_REFUSE_IF(given.integers != nullptr,
                      prefix + "kind is KINDRED_KEYS_BYTES, but integers are given");
  KINDRED_C_REFUSE_IF((given.texts != nullptr ? 1 : 0) + (given.offsets != nullptr ? 1 : 0) +
                              (given.width != 0 ? 1 : 0) >
                          1,
                      prefix +
                          "texts, offsets and width are forms of byte strings, of which one "
                          "must be given");
  KINDRED_C_REFUSE_IF(given.texts != nullptr && given.bytes != nullptr,
                      prefix + "texts and bytes are given; byte strings have one form");
  if (given.count == 0) return;
  if (given.texts != nullptr) {
    m_texts = texts_of(given.texts, given.count, (prefix + "texts").c_str());
  } else if (given.offsets != nullptr) {
    const auto rows =
        ragged_of(given.bytes, given.offsets, given.count, (prefix + "bytes").c_str());
    m_texts.reserve(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i)
      m_texts.emplace_back(rows[i].data(), rows[i].size());
  } else {
    KINDRED_C_REFUSE_IF(given.width == 0,
                        prefix +
                            "kind is KINDRED_KEYS_BYTES, but neither texts nor offsets nor a "
                            "width are given");
    KINDRED_C_REFUSE_IF(given.count > std::numeric_limits<std::uint64_t>::max() / given.width,
                        std::to_string(given.count) + " keys of " + std::to_string(given.width) +
                            " bytes exceed the memory");
    const std::span<const char> bytes =
        span_of(given.bytes, given.count * given.width, (prefix + "bytes").c_str());
    m_texts.reserve(given.count);
    for (std::size_t i = 0; i < given.count; ++i)
      m_texts.emplace_back(bytes.data() + i * given.width, given.width);
  }
}

KeySpan KeyArgument::part(std::size_t begin, std::size_t end) const noexcept {
  if (m_kind == KeyKind::integer) return m_integers.subspan(begin, end - begin);
  return std::span(m_texts).subspan(begin, end - begin);
}

}  // namespace Kindred::C
