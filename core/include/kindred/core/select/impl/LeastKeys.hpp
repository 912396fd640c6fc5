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

/// \brief Writes the min(k, items) smallest of \p keys to \p kept, in any order; returns their
/// number. One thread of a host.
///
/// Keys that beat the k-th best so far are collected, and truncated to k when the buffer is full.
/// One pass over the keys; each truncation takes O(k), amortised over k new keys.
/// \param kept `least_keys_buffer` keys, or the keys themselves
template <class Key>
std::size_t least_keys(const Key* keys, std::size_t count, std::size_t k, Key* kept) {
  if (k == 0) return 0;
  constexpr std::size_t step = least_keys_step;
  std::size_t found = 0;
  Key bound = key_none<Key>();
  const auto cut = [&] {
    if (found <= k) return;
    std::nth_element(kept, kept + (k - 1), kept + found);
    bound = kept[k - 1];
    found = k;
  };
  // If every key fits, the buffer need not be truncated before the end.
  const std::size_t limit = count <= 2 * k + step ? count : 2 * k;
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    bool any = false;
    for (std::size_t j = 0; j < step; ++j) any |= keys[i + j] < bound;
    if (!any) continue;
    for (std::size_t j = 0; j < step; ++j) {
      kept[found] = keys[i + j];
      found += keys[i + j] < bound ? 1 : 0;
    }
    if (found > limit) cut();
  }
  for (; i < count; ++i) {
    if (keys[i] < bound) kept[found++] = keys[i];
  }
  cut();
  return found;
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
