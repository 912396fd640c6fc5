// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KEY_TABLE_HPP
#define KINDRED_MATCHER_KEY_TABLE_HPP

#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/KeySpan.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief Bidirectional mapping between the keys of a caller and the ids of an engine.
///
/// Keys and ids are distinct; an id may be any integer below 2⁶³. Memory is proportional to the
/// keys that are stored: removed ones are released. Thread-safe: readers run concurrently; a call
/// that changes the table waits for them. A moved-from table may only be assigned to or destroyed.
class KeyTable {
 public:
  explicit KeyTable(KeyKind kind);

  KeyKind kind() const noexcept;
  /// Number of keys.
  std::size_t size() const noexcept;
  /// Bytes of memory, with the hash tables.
  std::uint64_t bytes() const noexcept;

  /// \brief Maps each of \p keys to the id at its position. Expected O(1) per key. \throws
  /// InvalidArgument for keys of another kind, another number of ids, a key or id that is already
  /// there or listed twice, and ids of 2⁶³ or more; OutOfMemory. Nothing is added then.
  void add(const KeySpan& keys, std::span<const std::uint64_t> ids);
  /// \brief Removes keys with their ids. Expected O(1) per key. \throws InvalidArgument for keys of
  /// another kind; NotFound for a key that is not there or is listed twice. Nothing is removed
  /// then.
  void remove(const KeySpan& keys);

  /// The ids of \p keys; −1 for a key that is not there. \throws InvalidArgument for keys of
  /// another kind
  std::vector<std::int64_t> find(const KeySpan& keys) const;
  /// The keys of \p ids. \throws NotFound, with the position, for an id without a key
  KeyList keys(std::span<const std::int64_t> ids) const;

  /// Writes the table to \p path atomically, replacing an existing file. \throws InvalidArgument
  /// for a path that cannot be written; Busy while another process writes it; Error for failed
  /// writes
  void save(const std::string& path) const;
  /// Reads a saved table. \throws NotFound; InvalidArgument if the path is not a regular file;
  /// CorruptFile
  static KeyTable load(const std::string& path);
  /// The bytes of the file that `save` writes. \throws OutOfMemory
  std::vector<std::byte> to_bytes() const;
  /// As `load`, from the bytes of such a file, which are copied; the path in errors is "the
  /// buffer". \throws CorruptFile; OutOfMemory
  static KeyTable from_bytes(std::span<const std::byte> bytes);

 private:
  struct State;
  explicit KeyTable(std::unique_ptr<State> state);
  Impl::HostState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_KEY_TABLE_HPP
