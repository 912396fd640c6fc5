// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KEYS_STORED_KEYS_HPP
#define KINDRED_MATCHER_KEYS_STORED_KEYS_HPP

#include "KeyStore.hpp"
#include "storage/SectionChecks.hpp"
#include "storage/SectionWriter.hpp"

#include <cstdint>
#include <vector>

namespace Kindred::Impl {

// The sections of keys, as specified in docs/internals/file-format.md.

/// The slots of \p store in ascending order of their ids.
std::vector<std::size_t> slots_by_id(const KeyStore& store);
void write_keys(SectionWriter& writer, const KeyList& keys);
/// Whether a commit has keys.
bool has_keys(const SectionChecks& checks);
/// Reads the keys, of which key i gets the id `id_of(i)`; the ids must be distinct. \param count
/// number of keys that there must be \throws CorruptFile also for a key that occurs twice
template <class IdOf>
KeyStore read_keys(const SectionChecks& checks, std::uint64_t count, const IdOf& id_of);

/// The keys of a commit. Views of the file. \throws CorruptFile
struct StoredKeys {
  StoredKeys(const SectionChecks& checks, std::uint64_t count);
  KeySpan span() const;
  const char* name() const noexcept { return is_integer ? "key.integer" : "key.end"; }

  bool is_integer;
  std::span<const std::uint64_t> integers;
  RaggedSpan<char> bytes;
  std::vector<std::uint64_t> offsets;
};

template <class IdOf>
KeyStore read_keys(const SectionChecks& checks, std::uint64_t count, const IdOf& id_of) {
  const StoredKeys stored(checks, count);
  const KeySpan keys = stored.span();
  KeyStore store(keys.kind());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (store.find(keys, i))
      checks.refuse<std::uint64_t>(stored.name(), i, key_message(keys, i) + " occurs twice");
    store.add(keys, i, id_of(i));
  }
  return store;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KEYS_STORED_KEYS_HPP
