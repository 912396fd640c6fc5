// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KEYS_KEY_STORE_HPP
#define KINDRED_MATCHER_KEYS_KEY_STORE_HPP

#include "kit/HashTable.hpp"

#include <kindred/matcher/KeySpan.hpp>
#include <kindred/matcher/StoredVectors.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

class SectionChecks;
class SectionWriter;

/// \brief Keys of one kind and their ids, in slots without gaps: a removed key is replaced by the
/// last one. Not thread-safe.
class KeyStore {
 public:
  explicit KeyStore(KeyKind kind) : m_kind(kind) {}
  /// \brief The keys of a file, one for each of \p rows of that file, with their ids. \param checks
  /// of a file with keys \throws CorruptFile also for a key that occurs twice
  KeyStore(const SectionChecks& checks, const StoredVectors& rows);

  /// Whether a file has keys.
  static bool is_in(const SectionChecks& checks);
  /// Writes the keys in the order of their ids. \see docs/internals/file-format.md
  void write(SectionWriter& writer) const;

  KeyKind kind() const noexcept { return m_kind; }
  std::size_t size() const noexcept { return m_ids.size(); }
  std::uint64_t bytes() const noexcept;

  /// The slot of a key or of an id.
  std::optional<std::size_t> find(const KeySpan& keys, std::size_t i) const;
  std::optional<std::size_t> find_id(std::uint64_t id) const;
  std::uint64_t id(std::size_t slot) const noexcept { return m_ids[slot]; }
  /// Appends the key of \p slot.
  void append_key(std::size_t slot, KeyList& to) const;

  /// Adds a key and an id that must be new, in slot `size()`. \throws std::bad_alloc; the store is
  /// then unchanged
  void add(const KeySpan& keys, std::size_t i, std::uint64_t id);
  /// Removes the key of \p slot; the last key takes its slot.
  void remove(std::size_t slot) noexcept;
  /// Removes the last keys, down to \p size.
  void shrink(std::size_t size) noexcept {
    while (this->size() > size) remove(this->size() - 1);
  }

 private:
  struct Place {
    std::uint64_t begin;
    std::uint64_t length;
  };

  std::string_view text(std::size_t slot) const noexcept {
    return {m_bytes.data() + m_places[slot].begin, m_places[slot].length};
  }
  std::uint64_t hash_of_slot(std::size_t slot) const noexcept;
  /// Releases the memory of removed keys if it is more than that of the others and if that is
  /// possible.
  void compact_quietly() noexcept;

  KeyKind m_kind;
  std::vector<std::uint64_t> m_integers;  ///< by slot
  std::vector<Place> m_places;            ///< by slot, in `m_bytes`
  std::vector<char> m_bytes;
  std::uint64_t m_unused_bytes = 0;  ///< of removed keys
  std::vector<std::uint64_t> m_ids;  ///< by slot
  HashTable m_by_key;
  HashTable m_by_id;
};

/// `key 7` or `key "name"`, for messages.
std::string key_message(const KeySpan& keys, std::size_t i);
/// The ids of keys; −1 for a key that is not there. \throws InvalidArgument for keys of another
/// kind
std::vector<std::int64_t> ids_of(const KeyStore& store, const KeySpan& keys);
/// The ids of keys that are to be removed. \throws InvalidArgument for keys of another kind;
/// NotFound for a key that is not there or is listed twice
std::vector<std::uint64_t> ids_to_remove(const KeyStore& store, const KeySpan& keys);
/// \throws InvalidArgument for keys of another kind than \p kind
void require_kind(const KeySpan& keys, KeyKind kind);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KEYS_KEY_STORE_HPP
