// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_LEAST_KEYS_HPP
#define KINDRED_CORE_SELECT_IMPL_LEAST_KEYS_HPP

#include <kindred/core/select/WideRank.hpp>

#include <algorithm>
#include <cstddef>

namespace Kindred::Impl {

/// Keys that `least_keys` tests together, so that the test vectorises.
inline constexpr std::size_t least_keys_step = 32;
/// Keys of a buffer in which `least_keys` finds the \p k least of \p count keys.
constexpr std::size_t least_keys_buffer(std::size_t count, std::size_t k) {
  return std::min(count, 2 * k + least_keys_step);
}

/// \brief The least keys of a stream, by one thread of a host: keys that beat the k-th best so far
/// are collected in a buffer, and cut to k when it is full.
template <class Key>
struct LeastOfStream {
  Key* kept;
  std::size_t k;  ///< not 0
  std::size_t size = 0;
  Key bound = key_none<Key>();

  /// Offers a key. \param capacity the size of the buffer, more than k unless every key fits
  void add(const Key& key, std::size_t capacity) {
    if (!(key < bound)) return;
    if (size == capacity) {
      cut();
      if (!(key < bound)) return;
    }
    kept[size++] = key;
  }
  /// Leaves the least k keys, with the greatest of them at the end.
  void cut() {
    if (size <= k) return;
    std::nth_element(kept, kept + (k - 1), kept + size);
    bound = kept[k - 1];
    size = k;
  }
};

/// \brief Writes the min(k, items) smallest of \p keys to \p kept, in any order; returns their
/// number. One thread of a host. One pass over the keys, and O(k) for k new keys.
/// \param kept `least_keys_buffer` keys, or the keys themselves
template <class Key>
std::size_t least_keys(const Key* keys, std::size_t count, std::size_t k, Key* kept) {
  if (k == 0) return 0;
  constexpr std::size_t step = least_keys_step;
  LeastOfStream<Key> least{kept, k};
  // If every key fits, the buffer need not be cut before the end.
  const std::size_t limit = count <= 2 * k + step ? count : 2 * k;
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    bool any = false;
    for (std::size_t j = 0; j < step; ++j) any |= keys[i + j] < least.bound;
    if (!any) continue;
    for (std::size_t j = 0; j < step; ++j) {
      kept[least.size] = keys[i + j];
      least.size += keys[i + j] < least.bound ? 1 : 0;
    }
    if (least.size > limit) least.cut();
  }
  for (; i < count; ++i) {
    if (keys[i] < least.bound) kept[least.size++] = keys[i];
  }
  least.cut();
  return least.size;
}

/// Writes the \p k least of \p keys to \p out, padded with `key_none`.
/// \param is_sorted whether they are written in order \param kept see `least_keys`
template <class Key>
void write_least(const Key* keys, std::size_t count, std::size_t k, bool is_sorted, Key* kept,
                 Key* out) {
  const std::size_t found = least_keys(keys, count, k, kept);
  if (is_sorted) std::sort(kept, kept + found);
  std::fill(std::copy_n(kept, found, out), out + k, key_none<Key>());
}

/// Sorts \p keys and writes the \p k least that differ to \p out, in order, padded with `key_none`.
template <class Key>
void write_least_different(Key* keys, std::size_t count, std::size_t k, Key* out) {
  std::sort(keys, keys + count);
  const auto found = static_cast<std::size_t>(std::unique(keys, keys + count) - keys);
  std::fill(std::copy_n(keys, std::min(found, k), out), out + k, key_none<Key>());
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_LEAST_KEYS_HPP
