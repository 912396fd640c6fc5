// SPDX-License-Identifier: Apache-2.0
// Lists of keys, and results that have them.
#include "Keys.hpp"

#include <kindred/core/common/CheckedSize.hpp>

#include "Arguments.hpp"

#include <string>
#include <utility>

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
  const auto refuse_if = [&](bool wrong, const char* why) {
    KINDRED_C_REFUSE_IF(wrong, prefix + why);
  };
  check_reserved(given.reserved, name);
  m_kind = enum_of<KeyKind>(given.kind, 2, "kind");
  if (m_kind == KeyKind::integer) {
    refuse_if(given.texts != nullptr || given.bytes != nullptr || given.offsets != nullptr ||
                  given.width != 0,
              "kind is KINDRED_KEYS_INTEGERS, but byte strings are given");
    m_integers = span_of(given.integers, given.count, (prefix + "integers").c_str());
    return;
  }
  refuse_if(given.integers != nullptr, "kind is KINDRED_KEYS_BYTES, but integers are given");
  const int forms = (given.texts != nullptr ? 1 : 0) + (given.offsets != nullptr ? 1 : 0) +
                    (given.width != 0 ? 1 : 0);
  refuse_if(forms > 1,
            "texts, offsets and width are forms of byte strings, of which one must be given");
  refuse_if(given.texts != nullptr && given.bytes != nullptr,
            "texts and bytes are given; byte strings have one form");
  if (given.count == 0) return;
  refuse_if(forms == 0,
            "kind is KINDRED_KEYS_BYTES, but neither texts nor offsets nor a width are given");
  if (given.texts != nullptr) {
    m_texts = texts_of(given.texts, given.count, (prefix + "texts").c_str());
    return;
  }
  const std::string bytes = prefix + "bytes";
  const std::size_t size =
      given.offsets != nullptr ? 0 : size_product("keys × width", {given.count, given.width});
  const KeySpan all =
      given.offsets != nullptr
          ? KeySpan(ragged_of(given.bytes, given.offsets, given.count, bytes.c_str()))
          : KeySpan::of_width(std::as_bytes(span_of(given.bytes, size, bytes.c_str())),
                              given.width);
  for (std::size_t i = 0; i < all.size(); ++i) m_texts.push_back(all.bytes(i));
}

KeySpan KeyArgument::part(std::size_t begin, std::size_t end) const noexcept {
  if (m_kind == KeyKind::integer) return m_integers.subspan(begin, end - begin);
  return std::span(m_texts).subspan(begin, end - begin);
}

std::vector<KeySpan> lists_of(const KeyArgument& keys, const std::uint64_t* offsets,
                              std::size_t rows) {
  const std::uint64_t end = check_row_offsets(offsets, rows);
  KINDRED_C_REFUSE_IF(end != keys.size(), "the offsets end at " + std::to_string(end) +
                                              ", but there are " + std::to_string(keys.size()) +
                                              " candidates");
  std::vector<KeySpan> lists;
  for (std::size_t row = 0; row < rows; ++row)
    lists.push_back(keys.part(offsets[row], offsets[row + 1]));
  return lists;
}

Results results_of(KeyedScoreResults found, std::size_t /*rows*/) {
  Results out = results_of(static_cast<ScoreResults&&>(found));
  out.keys = std::move(found.keys);
  return out;
}

Results results_of(const KeyedSearchResults& found, std::size_t rows) {
  KeyedScoreResults out{{{}, found.report, found.record}, {found.keys.kind, {}, {}}};
  const KeySpan keys = found.keys.span();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = row * found.top; i < (row + 1) * found.top; ++i) {
      if (found.ids[i] < 0) continue;
      out.results.values.push_back({found.ids[i], found.scores[i]});
      if (out.keys.kind == KeyKind::integer) {
        out.keys.integers.push_back(keys.integer(i));
      } else {
        out.keys.bytes.push_row({keys.bytes(i).data(), keys.bytes(i).size()});
      }
    }
    out.results.close_row();
  }
  return results_of(std::move(out), rows);
}

}  // namespace Kindred::C
