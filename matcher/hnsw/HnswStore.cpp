// SPDX-License-Identifier: Apache-2.0
#include "HnswStore.hpp"

#include "kit/Hash.hpp"

#include <array>

namespace Kindred::Impl {

HnswStore::HnswStore(MemoryResource& resource, std::size_t row_dimension,
                     const HnswSettings& chosen)
    : dimension(row_dimension),
      settings(chosen),
      rows(resource, "Kindred::HnswIndex::rows"),
      codes(resource, "Kindred::HnswIndex::codes"),
      ids(resource, "Kindred::HnswIndex::ids"),
      deleted(resource, "Kindred::HnswIndex::deleted"),
      levels(resource, "Kindred::HnswIndex::levels"),
      base(resource, "Kindred::HnswIndex::base"),
      upper_first(resource, "Kindred::HnswIndex::upper_first"),
      upper(resource, "Kindred::HnswIndex::upper") {}

Links HnswStore::links() const noexcept {
  return {const_cast<std::uint32_t*>(base.data()),
          const_cast<std::uint32_t*>(upper.data()),
          upper_first.data(),
          levels.data(),
          static_cast<std::uint32_t>(settings.m),
          entry,
          top_level};
}

std::uint64_t HnswStore::bytes() const noexcept {
  return rows.bytes() + codes.bytes() + ids.bytes() + deleted.bytes() + levels.bytes() +
         base.bytes() + upper_first.bytes() + upper.bytes();
}

std::optional<std::uint64_t> HnswStore::repeated_id() const {
  std::vector<std::uint64_t> sorted(ids.span().begin(), ids.span().end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  return twice == sorted.end() ? std::nullopt : std::optional(*twice);
}

void HnswStore::resize(std::size_t nodes, std::size_t lists) {
  for_each_column(nodes, lists, [](auto& column, std::size_t size, auto) { column.reserve(size); });
  for_each_column(nodes, lists,
                  [](auto& column, std::size_t size, auto empty) { column.resize(size, empty); });
}

ByteRows HnswStore::byte_rows() const noexcept {
  return {codes.data(), dimension, settings.metric == Metric::l2 ? -2.0F : -1.0F};
}

FloatRows HnswStore::float_rows() const noexcept {
  return {rows.data(), dimension, settings.metric, unit};
}

int level_of(std::uint64_t seed, std::uint64_t id, std::size_t m) {
  const std::array<std::uint64_t, 2> words{seed, id};
  // Compared as integers and divided exactly, because the last bit of a logarithm depends on the
  // library.
  std::uint64_t draw = hash64(words.data(), sizeof(words));
  int level = 0;
  for (std::uint64_t below = ~std::uint64_t{0} / m; draw < below && level < level_limit - 1;
       below /= m)
    ++level;
  return level;
}

}  // namespace Kindred::Impl
