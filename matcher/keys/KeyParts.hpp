// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KEYS_KEY_PARTS_HPP
#define KINDRED_MATCHER_KEYS_KEY_PARTS_HPP

#include "KeyStore.hpp"
#include "kit/LiveParts.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief The keys of an index as of one change, and their ids, which ascend in the order in which
/// the keys were added: in parts, of which each is more than twice as long as the next one.
///
/// Never changes: a change makes another object, which shares the parts that stay.
class KeyParts {
 public:
  /// \param keys with ascending ids
  explicit KeyParts(KeyStore keys);

  KeyKind kind() const noexcept { return m_kind; }
  std::size_t size() const noexcept { return m_size; }
  std::uint64_t bytes() const noexcept;

  /// The id of key \p i of \p keys.
  std::optional<std::uint64_t> id_of(const KeySpan& keys, std::size_t i) const;
  /// Appends the key of \p id, which has one.
  void append_key(std::uint64_t id, KeyList& to) const;
  /// All keys in ascending order of their ids.
  KeyList all() const;

  /// With new keys behind the others. Amortised expected O(log keys) per key. \throws
  /// std::bad_alloc
  KeyParts with(KeyStore added) const;
  /// Without the keys of \p ids, which are distinct and have keys. \throws std::bad_alloc
  KeyParts without(std::vector<std::uint64_t> ids) const;

 private:
  void compact();

  KeyKind m_kind;
  std::vector<LivePart<KeyStore>> m_parts;
  std::size_t m_size = 0;
};

/// The ids of keys; −1 for a key that is not there. \throws InvalidArgument for keys of another
/// kind
std::vector<std::int64_t> ids_of(const KeyParts& of, const KeySpan& keys);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KEYS_KEY_PARTS_HPP
