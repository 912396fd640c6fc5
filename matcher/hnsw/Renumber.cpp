// SPDX-License-Identifier: Apache-2.0
#include "GraphChanges.hpp"

#include <kindred/core/common/Cancellation.hpp>

#include <algorithm>
#include <vector>

namespace Kindred::Impl {

namespace {

/// Copies the rows of \p from in the order \p order.
template <class T>
void gather(GrowingArray<T>& to, const GrowingArray<T>& from,
            std::span<const std::uint32_t> order) {
  const std::size_t width = to.size() / std::max<std::size_t>(order.size(), 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % 4096 == 0) CancelPoint().check();
    std::copy_n(from.data() + order[i] * width, width, to.data() + i * width);
  }
}

/// Copies a list with the new numbers.
void copy_list(const std::uint32_t* from, std::uint32_t* to, std::size_t capacity,
               std::span<const std::uint32_t> new_number) {
  std::size_t count = 0;
  for (; count < capacity && from[count] != no_node; ++count) to[count] = new_number[from[count]];
  std::fill(to + count, to + capacity, no_node);
}

}  // namespace

HnswStore renumbered(const HnswStore& store, MemoryResource& resource,
                     std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> new_number(store.size(), no_node);
  for (std::uint32_t i = 0; i < order.size(); ++i) new_number[order[i]] = i;
  const std::size_t m = store.settings.m;
  std::size_t lists = 0;
  for (const std::uint32_t node : order) lists += store.levels[node];
  HnswStore out(resource, store.dimension, store.settings);
  out.traversal = store.traversal;
  out.resize(order.size(), lists);
  gather(out.rows, store.rows, order);
  gather(out.codes, store.codes, order);
  gather(out.ids, store.ids, order);
  gather(out.deleted, store.deleted, order);
  gather(out.levels, store.levels, order);
  lists = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % 4096 == 0) CancelPoint().check();
    copy_list(store.base.data() + order[i] * 2 * m, out.base.data() + i * 2 * m, 2 * m, new_number);
    const std::size_t count = store.levels[order[i]];
    if (count > 0) out.upper_first[i] = static_cast<std::uint32_t>(lists);
    for (std::size_t level = 0; level < count; ++level, ++lists) {
      copy_list(store.upper.data() + (store.upper_first[order[i]] + level) * m,
                out.upper.data() + lists * m, m, new_number);
    }
  }
  out.dead = store.dead;
  out.unit = store.unit;
  out.mean = store.mean;
  out.next_id = store.next_id;
  out.top_level = store.top_level;
  out.entry = store.entry == no_node ? no_node : new_number[store.entry];
  return out;
}

void drop_behind(HnswStore& store, std::size_t size) noexcept {
  std::size_t lists = 0;
  for (std::size_t node = 0; node < size; ++node) lists += store.levels[node];
  store.for_each_column(size, lists,
                        [](auto& column, std::size_t kept, auto) { column.truncate(kept); });
  store.dead = static_cast<std::size_t>(
      std::count(store.deleted.span().begin(), store.deleted.span().end(), std::uint8_t{1}));
}

}  // namespace Kindred::Impl
