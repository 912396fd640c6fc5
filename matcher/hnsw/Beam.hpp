// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_BEAM_HPP
#define KINDRED_MATCHER_HNSW_BEAM_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// A distance and a node as one integer, in the order of (distance, node). The lowest bit marks an
/// expanded node; it does not affect the order, because a node is in a list only once.
using Key = std::uint64_t;
inline constexpr Key key_expanded = 1;
inline constexpr Key key_worst = ~Key{0};

inline Key key_of(float distance, std::uint32_t node) {
  const auto bits = std::bit_cast<std::uint32_t>(distance + 0.0F);  // −0 is +0
  const std::uint32_t order = (bits >> 31U) != 0 ? ~bits : bits | 0x80000000U;
  return (Key{order} << 32U) | (Key{node} << 1U);
}
inline std::uint32_t node_of(Key key) { return static_cast<std::uint32_t>(key) >> 1U; }
inline float distance_of(Key key) {
  const auto order = static_cast<std::uint32_t>(key >> 32U);
  return std::bit_cast<float>((order >> 31U) != 0 ? order & 0x7FFFFFFFU : ~order);
}

/// \brief A bounded ascending list of the best keys seen, which tracks the best unexpanded one.
class Beam {
 public:
  /// \throws std::bad_alloc
  void start(std::size_t capacity) {
    if (m_keys.size() < capacity) m_keys.resize(capacity);
    m_capacity = capacity;
    m_size = 0;
    m_next = 0;
  }
  std::span<const Key> keys() const noexcept { return {m_keys.data(), m_size}; }
  bool is_full() const noexcept { return m_size == m_capacity; }
  /// Keys at or above this bound are rejected.
  Key bound() const noexcept { return is_full() ? m_keys[m_size - 1] : key_worst; }

  /// Inserts \p key and returns its position, or the capacity if it is too large.
  std::size_t insert(Key key) {
    if (key >= bound()) return m_capacity;
    const std::size_t place = static_cast<std::size_t>(
        std::lower_bound(m_keys.data(), m_keys.data() + m_size, key) - m_keys.data());
    if (!is_full()) ++m_size;
    Key* const keys = m_keys.data();
    if (place + 1 < m_size)
      std::memmove(keys + place + 1, keys + place, (m_size - place - 1) * sizeof(Key));
    keys[place] = key;
    m_next = std::min(m_next, place);
    return place;
  }
  bool has_next() const noexcept { return m_next < m_size; }
  /// Position of the best unexpanded key.
  std::size_t next() const noexcept { return m_next; }
  Key next_key() const noexcept { return m_keys[m_next]; }
  /// Returns that key and marks it as expanded.
  std::uint32_t expand() {
    const std::uint32_t node = node_of(m_keys[m_next]);
    m_keys[m_next] |= key_expanded;
    do ++m_next;
    while (m_next < m_size && (m_keys[m_next] & key_expanded) != 0);
    return node;
  }

 private:
  std::vector<Key> m_keys;
  std::size_t m_capacity = 0;
  std::size_t m_size = 0;
  std::size_t m_next = 0;
};

/// \brief The set of visited nodes: one bit per node, cleared by iterating over the set bits.
class Visited {
 public:
  /// \throws std::bad_alloc
  void start(std::size_t nodes) {
    for (const std::uint32_t node : m_seen) m_words[node / 64] = 0;
    m_seen.clear();
    if (m_words.size() * 64 < nodes) {
      m_words.resize((nodes + 63) / 64, 0);
      m_seen.reserve(
          nodes);  // so that a traversal allocates nothing; unused pages are never touched
    }
  }
  /// Marks \p node as visited. Returns whether it was not visited before.
  bool insert(std::uint32_t node) {
    std::uint64_t& word = m_words[node / 64];
    const std::uint64_t bit = std::uint64_t{1} << (node % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    m_seen.push_back(node);
    return true;
  }
  std::size_t count() const noexcept { return m_seen.size(); }

 private:
  std::vector<std::uint64_t> m_words;
  std::vector<std::uint32_t> m_seen;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_BEAM_HPP
