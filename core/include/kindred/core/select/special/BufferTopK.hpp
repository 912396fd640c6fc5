// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_SPECIAL_BUFFER_TOP_K_HPP
#define KINDRED_CORE_SELECT_SPECIAL_BUFFER_TOP_K_HPP

/// \file
/// A special form for hosts: 3.4 × on `prefix-20`, 2026-11-29, Zen 3. \see SpecialForms.hpp

#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/select/impl/TopKRows.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// \brief Top-k on one thread: collects the keys that beat the k-th best so far in a buffer, and
/// truncates the full buffer to k. One pass over the keys; each truncation takes O(k), amortised
/// over k new keys.
template <class Key>
class BufferTopK {
 public:
  static constexpr std::size_t step = 32;  // keys tested together, so that the test vectorises

  static std::size_t chunk(std::size_t k) { return std::max<std::size_t>(16384, 8 * k); }
  static std::size_t chunks(std::size_t longest, std::size_t k) {
    return std::max<std::size_t>(1, (longest + chunk(k) - 1) / chunk(k));
  }
  static std::size_t buffer(std::size_t length, std::size_t k) {
    return std::min(length, 2 * k + step);
  }

  static std::size_t workspace(const TopKShape& shape) {
    const std::size_t n = chunks(shape.longest, shape.k);
    if (n == 1) return shape.rows * buffer(shape.longest, shape.k);
    return shape.rows * n * (buffer(chunk(shape.k), shape.k) + shape.k);
  }

  static void run(const HostSpace& exec_space, const TopKRows<Key>& rows, const TopKShape& shape,
                  Key* out, Key* workspace) {
    const std::size_t n = chunks(shape.longest, shape.k);
    if (n == 1) {
      launch(exec_space, rows, shape, 1, shape.longest, true, out, workspace);
      return;
    }
    // The second launch needs no more buffers than the first.
    Key* partial = workspace + shape.rows * n * buffer(chunk(shape.k), shape.k);
    launch(exec_space, rows, shape, n, chunk(shape.k), false, partial, workspace);
    launch(exec_space, TopKRows<Key>{partial, nullptr, n * shape.k}, shape, 1, n * shape.k, true,
           out, workspace);
  }

  static std::size_t merge_workspace(const TopKShape& shape, std::size_t) {
    return workspace(shape);
  }
  static void merge(const HostSpace& exec_space, const Key* in, std::size_t, const TopKShape& shape,
                    Key* out, Key* workspace) {
    run(exec_space, TopKRows<Key>{in, nullptr, shape.longest}, shape, out, workspace);
  }

 private:
  /// Selects from \p chunk_count chunks of \p chunk_length keys of every row.
  static void launch(const HostSpace& exec_space, const TopKRows<Key>& rows, const TopKShape& shape,
                     std::size_t chunk_count, std::size_t chunk_length, bool sort, Key* out,
                     Key* buffers) {
    const std::size_t k = shape.k;
    Launch::for_each_index<Launch::Dynamic>(
        exec_space, "Kindred::TopK::select::chunk", shape.rows * chunk_count,
        [=](std::size_t work_item) {
          const std::size_t row = work_item / chunk_count;
          const std::size_t length = rows.length(row);
          const std::size_t begin = std::min(length, work_item % chunk_count * chunk_length);
          const std::size_t count = std::min(chunk_length, length - begin);
          Key* kept = buffers + work_item * buffer(chunk_length, k);
          const std::size_t found = select(rows.keys + rows.begin(row) + begin, count, k, kept);
          if (sort) std::sort(kept, kept + found);
          Key* target = out + work_item * k;
          std::copy(kept, kept + found, target);
          std::fill(target + found, target + k, key_none<Key>());
        });
  }

  /// Writes the min(k, items) smallest of \p keys to \p kept, in any order; returns their number.
  static std::size_t select(const Key* keys, std::size_t count, std::size_t k, Key* kept) {
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
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_SPECIAL_BUFFER_TOP_K_HPP
