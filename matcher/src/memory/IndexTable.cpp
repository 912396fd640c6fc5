// SPDX-License-Identifier: Apache-2.0
#include "IndexTable.hpp"

#include <algorithm>

namespace Kindred::Impl {

IndexTable::IndexTable(std::span<std::uint64_t> slots, std::span<const std::uint64_t> ends) {
  for (std::size_t p = 0; p < part_count; ++p) {
    const std::uint64_t begin = p == 0 ? 0 : ends[p - 1];
    Part& part = m_parts[p];
    part.slots = slots.subspan(begin, ends[p] - begin);
    part.used = part.slots.size() - static_cast<std::size_t>(std::count(
                                        part.slots.begin(), part.slots.end(), std::uint64_t{0}));
  }
}

void IndexTable::put(std::span<std::uint64_t> slots, std::uint64_t slot) noexcept {
  std::size_t at = (slot >> 40U) & (slots.size() - 1);
  while (slots[at] != 0) at = (at + 1) & (slots.size() - 1);
  slots[at] = slot;
}

void IndexTable::insert(std::uint64_t hash, std::uint64_t index) {
  Part& part = m_parts[part_of(hash)];
  if (2 * (part.used + 1) > part.slots.size()) {
    std::vector<std::uint64_t> grown(std::max<std::size_t>(8, 2 * part.slots.size()), 0);
    for (const std::uint64_t slot : part.slots) {
      if (slot != 0) put(grown, slot);
    }
    part.owned = std::move(grown);
    part.slots = part.owned;
  }
  put(part.slots, tag_of(hash) << 40U | (index + 1));
  ++part.used;
}

std::vector<std::uint64_t> IndexTable::part(std::size_t number, std::uint64_t end) const {
  const auto& slots = m_parts[number].slots;
  const auto is_later = [end](std::uint64_t slot) { return slot != 0 && index_of(slot) >= end; };
  if (std::none_of(slots.begin(), slots.end(), is_later)) return {slots.begin(), slots.end()};
  std::vector<std::uint64_t> kept(slots.size(), 0);
  for (const std::uint64_t slot : slots) {
    if (slot != 0 && !is_later(slot)) put(kept, slot);
  }
  return kept;
}

}  // namespace Kindred::Impl
