// SPDX-License-Identifier: Apache-2.0
#include "KeyStore.hpp"

#include "kit/Hash.hpp"
#include "kit/SortedForRemoval.hpp"
#include "storage/SectionChecks.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>

#include <algorithm>
#include <new>
#include <numeric>
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
    if (find(keys, i))
      checks.refuse<std::uint64_t>(m_kind == KeyKind::integer ? integers_name : ends_name, i,
                                   key_message(keys, i) + " occurs twice");
    add(keys, i, rows.ids.empty() ? rows.first_id + i : rows.ids[i]);
  }
}

void KeyStore::write(SectionWriter& writer) const {
  std::vector<std::size_t> slots(size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::sort(slots.begin(), slots.end(),
            [&](std::size_t a, std::size_t b) { return m_ids[a] < m_ids[b]; });
  KeyList keys;
  for (const std::size_t slot : slots) append_key(slot, keys);
  if (m_kind == KeyKind::integer)
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

std::uint64_t KeyStore::hash_of_slot(std::size_t slot) const noexcept {
  return m_kind == KeyKind::integer ? hash_of(m_integers[slot]) : hash_of(text(slot));
}

void KeyStore::remove(std::size_t slot) noexcept {
  const std::size_t last = size() - 1;
  m_by_key.erase(hash_of_slot(slot), slot);
  m_by_id.erase(hash_of(m_ids[slot]), slot);
  if (m_kind == KeyKind::bytes) m_unused_bytes += m_places[slot].length;
  if (slot != last) {
    m_by_key.renumber(hash_of_slot(last), last, slot);
    m_by_id.renumber(hash_of(m_ids[last]), last, slot);
    m_ids[slot] = m_ids[last];
    if (m_kind == KeyKind::integer) {
      m_integers[slot] = m_integers[last];
    } else {
      m_places[slot] = m_places[last];
    }
  }
  m_ids.pop_back();
  if (m_kind == KeyKind::integer) {
    m_integers.pop_back();
  } else {
    m_places.pop_back();
    compact_quietly();
  }
}

void KeyStore::compact_quietly() noexcept {
  constexpr std::uint64_t few = 4096;
  if (m_unused_bytes < few || 2 * m_unused_bytes < m_bytes.size()) return;
  try {
    std::vector<char> kept;
    kept.reserve(m_bytes.size() - m_unused_bytes);
    for (Place& place : m_places) {
      const auto begin = m_bytes.begin() + static_cast<std::ptrdiff_t>(place.begin);
      place.begin = kept.size();
      kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(place.length));
    }
    m_bytes = std::move(kept);
    m_unused_bytes = 0;
  } catch (const std::bad_alloc&) {
    // Nothing was moved: only the reservation can fail.
  }
}

std::string key_message(const KeySpan& keys, std::size_t i) {
  return "key " + (keys.kind() == KeyKind::integer ? std::to_string(keys.integer(i))
                                                   : in_quotes(keys.bytes(i)));
}

std::vector<std::int64_t> ids_of(const KeyStore& store, const KeySpan& keys) {
  require_kind(keys, store.kind());
  std::vector<std::int64_t> ids(keys.size(), -1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (const auto slot = store.find(keys, i)) ids[i] = static_cast<std::int64_t>(store.id(*slot));
  }
  return ids;
}

std::vector<std::uint64_t> ids_to_remove(const KeyStore& store, const KeySpan& keys) {
  require_kind(keys, store.kind());
  std::vector<std::uint64_t> ids;
  ids.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto slot = store.find(keys, i);
    if (!slot) {
      throw NotFound(key_message(keys, i) + ", at " + std::to_string(i) +
                     " of the list, is not there");
    }
    ids.push_back(store.id(*slot));
  }
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
