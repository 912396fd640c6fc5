// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_KEYS_KEY_SUPPORT_HPP
#define KINDRED_TESTS_KEYS_KEY_SUPPORT_HPP

#include <kindred/matcher/KeySpan.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace KeysTest {

using namespace Kindred;
using Numbers = std::vector<std::uint64_t>;
using Ids = std::vector<std::int64_t>;

/// The number k as a key of a kind: byte strings have many lengths, and the key 0 is empty.
class SomeKeys {
 public:
  SomeKeys(KeyKind kind, const Numbers& numbers) : m_kind(kind) {
    for (const std::uint64_t number : numbers) {
      // High bits, so that no key is its own hash or id.
      m_integers.push_back(number << 40U | number);
      m_texts.push_back(number == 0 ? "" : std::string(number % 23, '\0') + std::to_string(number));
    }
    for (const std::string& text : m_texts) m_views.push_back(text);
  }
  SomeKeys(const SomeKeys&) = delete;
  SomeKeys& operator=(const SomeKeys&) = delete;

  operator KeySpan() const {  // NOLINT(google-explicit-constructor): a view of itself
    return m_kind == KeyKind::integer ? KeySpan(std::span(m_integers))
                                      : KeySpan(std::span<const std::string_view>(m_views));
  }

 private:
  KeyKind m_kind;
  std::vector<std::uint64_t> m_integers;
  std::vector<std::string> m_texts;
  std::vector<std::string_view> m_views;
};

inline bool same_keys(const KeySpan& a, const KeySpan& b) {
  if (a.kind() != b.kind() || a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.kind() == KeyKind::integer ? a.integer(i) != b.integer(i) : a.bytes(i) != b.bytes(i))
      return false;
  }
  return true;
}

inline const KeyKind kinds[] = {KeyKind::integer, KeyKind::bytes};

}  // namespace KeysTest

#endif  // KINDRED_TESTS_KEYS_KEY_SUPPORT_HPP
