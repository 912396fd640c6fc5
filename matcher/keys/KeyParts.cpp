// SPDX-License-Identifier: Apache-2.0
#include "KeyParts.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace Kindred::Impl {

namespace {

/// Calls `visit(part, slot)` for the keys of \p parts, in ascending order of their ids.
template <class Visit>
void for_each_key(std::span<const LivePart<KeyStore>> parts, const Visit& visit) {
  for (const LivePart<KeyStore>& part : parts)
    part.for_each_live(0, part.size(), [&](std::size_t slot) { visit(*part, slot); });
}

}  // namespace

KeyParts::KeyParts(KeyStore keys) : m_kind(keys.kind()), m_size(keys.size()) {
  if (m_size > 0) m_parts.emplace_back(std::make_shared<const KeyStore>(std::move(keys)));
}

std::uint64_t KeyParts::bytes() const noexcept {
  std::uint64_t all = 0;
  for (const LivePart<KeyStore>& part : m_parts) all += part->bytes();
  return all;
}

std::optional<std::uint64_t> KeyParts::id_of(const KeySpan& keys, std::size_t i) const {
  for (const LivePart<KeyStore>& part : m_parts) {
    const std::optional<std::size_t> slot = part->find(keys, i);
    if (slot && part.is_live(*slot)) return part.id(*slot);
  }
  return {};
}

void KeyParts::append_key(std::uint64_t id, KeyList& to) const {
  const auto part = std::find_if(m_parts.begin(), m_parts.end(),
                                 [&](const auto& one) { return one.id(one.size() - 1) >= id; });
  (*part)->append_key(*part->find(id), to);
}

KeyList KeyParts::all() const {
  KeyList keys;
  keys.kind = m_kind;
  for_each_key(m_parts,
               [&](const KeyStore& part, std::size_t slot) { part.append_key(slot, keys); });
  return keys;
}

void KeyParts::compact() {
  m_parts = merged(m_parts, [&](std::span<const LivePart<KeyStore>> parts) {
    KeyList keys;
    keys.kind = m_kind;
    std::vector<std::uint64_t> ids;
    for_each_key(parts, [&](const KeyStore& part, std::size_t slot) {
      part.append_key(slot, keys);
      ids.push_back(part.id(slot));
    });
    auto all = std::make_shared<KeyStore>(m_kind);
    const KeySpan span = keys.span();
    for (std::size_t i = 0; i < ids.size(); ++i) all->add(span, i, ids[i]);
    return all;
  });
}

KeyParts KeyParts::with(KeyStore added) const {
  KeyParts next = *this;
  next.m_size += added.size();
  if (added.size() > 0)
    next.m_parts.emplace_back(std::make_shared<const KeyStore>(std::move(added)));
  next.compact();
  return next;
}

KeyParts KeyParts::without(std::vector<std::uint64_t> ids) const {
  KeyParts next = *this;
  std::sort(ids.begin(), ids.end());
  auto id = ids.begin();
  for (LivePart<KeyStore>& part : next.m_parts) {
    std::vector<std::size_t> slots;
    for (; id != ids.end() && *id <= part.id(part.size() - 1); ++id)
      slots.push_back(*part.find(*id));
    if (!slots.empty()) part.remove(slots);
  }
  next.m_size -= ids.size();
  next.compact();
  return next;
}

std::vector<std::int64_t> ids_of(const KeyParts& of, const KeySpan& keys) {
  require_kind(keys, of.kind());
  std::vector<std::int64_t> ids(keys.size(), -1);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (const auto id = of.id_of(keys, i)) ids[i] = static_cast<std::int64_t>(*id);
  return ids;
}

}  // namespace Kindred::Impl
