// SPDX-License-Identifier: Apache-2.0
#include "KeyStore.hpp"

#include "kit/Hash.hpp"
#include "kit/SortedForRemoval.hpp"
#include "storage/SectionChecks.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace Kindred::Impl {

namespace {

std::uint64_t hash_of(std::uint64_t number) noexcept { return hash64(&number, sizeof(number)); }
std::uint64_t hash_of(std::string_view text) noexcept { return hash64(text.data(), text.size()); }
std::uint64_t hash_of(const KeySpan& keys, std::size_t i) noexcept {
  return keys.kind() == KeyKind::integer ? hash_of(keys.integer(i)) : hash_of(keys.bytes(i));
}

/// Makes place for one more element, growing by half. \throws std::bad_alloc
template <class T>
void reserve(std::vector<T>& values, std::size_t more) {
  const std::size_t size = values.size() + more;
  if (size > values.capacity()) values.reserve(std::max(size, values.size() + values.size() / 2));
}

constexpr const char* integers_name = "key.integer";
constexpr const char* bytes_name = "key.byte";
constexpr const char* ends_name = "key.end";

}  // namespace

bool KeyStore::is_in(const SectionChecks& checks) {
  return checks.has(integers_name) || checks.has(ends_name);
}

KeyStore::KeyStore(const SectionChecks& checks, const StoredVectors& rows)
    : m_kind(checks.has(integers_name) ? KeyKind::integer : KeyKind::bytes) {
  const std::size_t count = rows.rows.count();
  KeyList list;
  list.kind = m_kind;
  if (m_kind == KeyKind::integer) {
    const auto integers = checks.section<std::uint64_t>(integers_name, count);
    list.integers.assign(integers.begin(), integers.end());
  } else {
    list.bytes = checks.rows<char>(bytes_name, ends_name, count);
  }
  const KeySpan keys = list.span();
  for (std::size_t i = 0; i < count; ++i) {
    look_at(i);
    if (find(keys, i))
      checks.refuse<std::uint64_t>(m_kind == KeyKind::integer ? integers_name : ends_name, i,
                                   key_message(keys, i) + " occurs twice");
    add(keys, i, rows.ids.empty() ? rows.first_id + i : rows.ids[i]);
  }
}

void write_keys(SectionWriter& writer, const KeyList& keys) {
  if (keys.kind == KeyKind::integer)
    writer.write<std::uint64_t>(integers_name, keys.integers);
  else
    writer.write_rows<char>(bytes_name, ends_name, keys.bytes);
}

std::uint64_t KeyStore::bytes() const noexcept {
  return m_integers.capacity() * sizeof(std::uint64_t) + m_places.capacity() * sizeof(Place) +
         m_bytes.capacity() + m_ids.capacity() * sizeof(std::uint64_t) + m_by_key.bytes() +
         m_by_id.bytes();
}

std::optional<std::size_t> KeyStore::find(const KeySpan& keys, std::size_t i) const {
  const std::uint64_t hash = hash_of(keys, i);
  if (m_kind == KeyKind::integer) {
    const std::uint64_t key = keys.integer(i);
    return m_by_key.find(hash, [&](std::uint64_t slot) { return m_integers[slot] == key; });
  }
  const std::string_view key = keys.bytes(i);
  return m_by_key.find(hash, [&](std::uint64_t slot) { return text(slot) == key; });
}

std::optional<std::size_t> KeyStore::find_id(std::uint64_t id) const {
  return m_by_id.find(hash_of(id), [&](std::uint64_t slot) { return m_ids[slot] == id; });
}

void KeyStore::append_key(std::size_t slot, KeyList& to) const {
  if (m_kind == KeyKind::integer) {
    to.integers.push_back(m_integers[slot]);
  } else {
    const std::string_view key = text(slot);
    to.bytes.push_row({key.data(), key.size()});
  }
}

void KeyStore::add(const KeySpan& keys, std::size_t i, std::uint64_t id) {
  const std::size_t slot = size();
  const std::uint64_t hash = hash_of(keys, i);
  reserve(m_ids, 1);
  if (m_kind == KeyKind::integer) {
    reserve(m_integers, 1);
  } else {
    reserve(m_places, 1);
    reserve(m_bytes, keys.bytes(i).size());
  }
  m_by_key.insert(hash, slot);
  try {
    m_by_id.insert(hash_of(id), slot);
  } catch (...) {
    m_by_key.erase(hash, slot);
    throw;
  }
  m_ids.push_back(id);
  if (m_kind == KeyKind::integer) {
    m_integers.push_back(keys.integer(i));
  } else {
    const std::string_view key = keys.bytes(i);
    m_places.push_back({m_bytes.size(), key.size()});
    m_bytes.insert(m_bytes.end(), key.begin(), key.end());
  }
}

std::string key_message(const KeySpan& keys, std::size_t i) {
  return "key " + (keys.kind() == KeyKind::integer ? std::to_string(keys.integer(i))
                                                   : in_quotes(keys.bytes(i)));
}

std::vector<std::uint64_t> ids_to_remove(const KeySpan& keys, std::span<const std::int64_t> found) {
  const auto missing = std::ranges::find(found, -1);
  if (missing != found.end()) {
    const auto i = static_cast<std::size_t>(missing - found.begin());
    throw NotFound(key_message(keys, i) + ", at " + std::to_string(i) +
                   " of the list, is not there");
  }
  std::vector<std::uint64_t> ids(found.begin(), found.end());
  (void)sorted_for_removal(std::span<const std::uint64_t>(ids), [&](std::uint64_t id) {
    return key_message(keys, static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin()));
  });
  return ids;
}

void require_kind(const KeySpan& keys, KeyKind kind) {
  KINDRED_THROW_IF(keys.kind() != kind,
                   "the keys are of the kind " + std::string(to_string(keys.kind())) +
                       "; they must be of the kind " + std::string(to_string(kind)));
}

}  // namespace Kindred::Impl
