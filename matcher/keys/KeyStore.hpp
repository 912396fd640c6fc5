// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KEYS_KEY_STORE_HPP
#define KINDRED_MATCHER_KEYS_KEY_STORE_HPP

#include "kit/HashTable.hpp"

#include <kindred/matcher/KeySpan.hpp>
#include <kindred/matcher/StoredVectors.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

class SectionChecks;
class SectionWriter;

/// \brief Keys of one kind and their ids, in slots in the order in which they were added.
/// Concurrent reads are safe.
class KeyStore {
 public:
  explicit KeyStore(KeyKind kind) : m_kind(kind) {}
  /// \brief The keys of a file, one for each of \p rows of that file, with their ids. \param checks
  /// of a file with keys \throws CorruptFile also for a key that occurs twice
  KeyStore(const SectionChecks& checks, const StoredVectors& rows);

  /// Whether a file has keys.
  static bool is_in(const SectionChecks& checks);

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

 private:
  struct Place {
    std::uint64_t begin;
    std::uint64_t length;
  };

  std::string_view text(std::size_t slot) const noexcept {
    return {m_bytes.data() + m_places[slot].begin, m_places[slot].length};
  }

  KeyKind m_kind;
  std::vector<std::uint64_t> m_integers;  ///< by slot
  std::vector<Place> m_places;            ///< by slot, in `m_bytes`
  std::vector<char> m_bytes;
  std::vector<std::uint64_t> m_ids;  ///< by slot
  HashTable m_by_key;
  HashTable m_by_id;
};

/// Writes keys, one for each row of a file, in the order of the rows. \see
/// docs/internals/file-format.md
void write_keys(SectionWriter& writer, const KeyList& keys);
/// `key 7` or `key "name"`, for messages.
std::string key_message(const KeySpan& keys, std::size_t i);
/// \throws InvalidArgument for keys of another kind than \p kind
void require_kind(const KeySpan& keys, KeyKind kind);
/// The ids of keys that are to be removed, from `ids_of`. \throws NotFound for a key that is not
/// there or is listed twice
std::vector<std::uint64_t> ids_to_remove(const KeySpan& keys, std::span<const std::int64_t> found);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KEYS_KEY_STORE_HPP
