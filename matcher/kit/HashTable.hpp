// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_HASH_TABLE_HPP
#define KINDRED_MATCHER_KIT_HASH_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Hash → index, with open addressing. A slot keeps 24 bits of the hash, so that rows are
/// compared only where these bits are equal.
///
/// It consists of 256 parts that grow and shrink separately: no change moves more than one part.
/// The slots may lie in a mapped file until their part is resized. A copy shares the parts with its
/// original until one of the two changes them; the copy must be destroyed where nobody changes the
/// original concurrently.
class HashTable {
 public:
  static constexpr std::size_t part_count = 256;
  static constexpr std::uint64_t index_max = (std::uint64_t{1} << 40U) - 2;

  HashTable() = default;
  /// \param slots of all parts, modified in place; must outlive this object \param ends of the
  /// parts; a part has no slots or a power of two of them, of which at most half are used
  HashTable(std::span<std::uint64_t> slots, std::span<const std::uint64_t> ends);

  /// The index that was inserted with \p hash and for which `equal(index)` is true.
  template <class Equal>
  std::optional<std::uint64_t> find(std::uint64_t hash, const Equal& equal) const {
    const std::span<const std::uint64_t> slots = part(part_of(hash));
    if (slots.empty()) return {};
    const std::size_t mask = slots.size() - 1;
    for (std::size_t at = tag_of(hash) & mask, seen = 0; seen < slots.size();
         at = (at + 1) & mask, ++seen) {
      const std::uint64_t slot = slots[at];
      if (slot == 0) break;
      if (slot >> 40U == tag_of(hash) && equal(index_of(slot))) return index_of(slot);
    }
    return {};
  }

  /// The part that contains the entries of \p hash.
  static std::size_t part_of(std::uint64_t hash) noexcept { return hash >> 56U; }
  /// Makes sure that \p more insertions into part \p number cannot fail. \throws std::bad_alloc
  void reserve(std::size_t number, std::size_t more);
  /// Adds \p index, which must not exist. \throws std::bad_alloc; the table is then unchanged
  void insert(std::uint64_t hash, std::uint64_t index);
  /// Performs the steps of `erase` for that hash that can fail. \throws std::bad_alloc
  void prepare_to_erase(std::uint64_t hash);
  /// Removes the entry with this hash and index, if it exists.
  void erase(std::uint64_t hash, std::uint64_t index) noexcept;

  /// Of the slots of all parts.
  std::uint64_t bytes() const noexcept { return m_slots * sizeof(std::uint64_t); }
  /// The slots of a part.
  std::span<const std::uint64_t> part(std::size_t number) const noexcept {
    return m_parts[number] ? std::span<const std::uint64_t>(m_parts[number]->slots)
                           : std::span<const std::uint64_t>();
  }

 private:
  struct Part {
    std::span<std::uint64_t> slots;
    std::vector<std::uint64_t> owned;  ///< the slots, unless they are in a mapped file
    std::size_t used = 0;
  };

  static std::uint64_t tag_of(std::uint64_t hash) noexcept { return hash & 0xFFFFFFU; }
  static std::uint64_t index_of(std::uint64_t slot) noexcept {
    return (slot & (index_max + 1)) - 1;
  }
  static std::uint64_t slot_of(std::uint64_t hash, std::uint64_t index) noexcept {
    return tag_of(hash) << 40U | (index + 1);
  }
  static std::size_t home_of(std::uint64_t slot, std::size_t mask) noexcept {
    return slot >> 40U & mask;
  }
  static void put(std::span<std::uint64_t> slots, std::uint64_t slot) noexcept;
  /// The position of \p slot; the number of slots if it does not exist.
  static std::size_t position_of(std::span<const std::uint64_t> slots, std::uint64_t slot) noexcept;
  /// Resizes the part to \p slots slots.
  void resize(Part& part, std::size_t slots);
  /// The part; copied first if it is shared.
  Part& own(std::size_t number);

  std::array<std::shared_ptr<Part>, part_count> m_parts;
  std::size_t m_slots = 0;  ///< of all parts
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_HASH_TABLE_HPP
