// SPDX-License-Identifier: Apache-2.0
#include "HashTable.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace Kindred::Impl {

namespace {

constexpr std::size_t slots_min = 8;

}  // namespace

HashTable::HashTable(std::span<std::uint64_t> slots, std::span<const std::uint64_t> ends) {
  for (std::size_t p = 0; p < part_count; ++p) {
    const std::uint64_t begin = p == 0 ? 0 : ends[p - 1];
    if (ends[p] == begin) continue;
    auto part = std::make_shared<Part>();
    part->slots = slots.subspan(begin, ends[p] - begin);
    part->used = part->slots.size() -
                 static_cast<std::size_t>(std::count(part->slots.begin(), part->slots.end(), 0U));
    m_slots += part->slots.size();
    m_parts[p] = std::move(part);
  }
}

void HashTable::put(std::span<std::uint64_t> slots, std::uint64_t slot) noexcept {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = home_of(slot, mask);
  while (slots[at] != 0) at = (at + 1) & mask;
  slots[at] = slot;
}

void HashTable::resize(Part& part, std::size_t slots) {
  std::vector<std::uint64_t> other(slots, 0);
  for (const std::uint64_t slot : part.slots) {
    if (slot != 0) put(other, slot);
  }
  m_slots += slots - part.slots.size();
  part.owned = std::move(other);
  part.slots = part.owned;
}

HashTable::Part& HashTable::own(std::size_t number) {
  std::shared_ptr<Part>& part = m_parts[number];
  if (!part) part = std::make_shared<Part>();
  if (part.use_count() > 1) {
    auto copy = std::make_shared<Part>();
    copy->owned.assign(part->slots.begin(), part->slots.end());
    copy->slots = copy->owned;
    copy->used = part->used;
    part = std::move(copy);
  }
  return *part;
}

void HashTable::reserve(std::size_t number, std::size_t more) {
  if (more == 0) return;
  Part& part = own(number);
  std::size_t slots = std::max(slots_min, part.slots.size());
  while (slots < 2 * (part.used + more)) slots *= 2;
  if (slots != part.slots.size()) resize(part, slots);
}

void HashTable::insert(std::uint64_t hash, std::uint64_t index) {
  Part& part = own(part_of(hash));
  if (2 * (part.used + 1) > part.slots.size())
    resize(part, std::max(slots_min, 2 * part.slots.size()));
  put(part.slots, slot_of(hash, index));
  ++part.used;
}

void HashTable::prepare_to_erase(std::uint64_t hash) { own(part_of(hash)); }

std::size_t HashTable::position_of(std::span<const std::uint64_t> slots,
                                   std::uint64_t slot) noexcept {
  if (slots.empty()) return 0;
  const std::size_t mask = slots.size() - 1;
  std::size_t at = home_of(slot, mask);
  for (std::size_t seen = 0; slots[at] != slot; at = (at + 1) & mask, ++seen) {
    if (slots[at] == 0 || seen == slots.size()) return slots.size();
  }
  return at;
}

void HashTable::erase(std::uint64_t hash, std::uint64_t index) noexcept {
  Part& part = *m_parts[part_of(hash)];
  const std::span<std::uint64_t> slots = part.slots;
  std::size_t at = position_of(slots, slot_of(hash, index));
  if (at == slots.size()) return;
  const std::size_t mask = slots.size() - 1;
  // Entries that were displaced by this slot move up, so that no search stops too early.
  for (std::size_t next = (at + 1) & mask, seen = 1; slots[next] != 0 && seen < slots.size();
       next = (next + 1) & mask, ++seen) {
    const std::size_t home = home_of(slots[next], mask);
    if (((next - home) & mask) < ((next - at) & mask)) continue;
    slots[at] = slots[next];
    at = next;
  }
  slots[at] = 0;
  --part.used;
  if (part.used == 0) {
    m_slots -= slots.size();
    part.slots = {};
    part.owned = {};
  }
  if (slots.size() <= slots_min || 8 * part.used > slots.size() || part.used == 0) return;
  try {
    resize(part, slots.size() / 2);
  } catch (const std::bad_alloc&) {
    // The part stays larger than necessary.
  }
}

}  // namespace Kindred::Impl
