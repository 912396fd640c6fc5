// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_SPECIAL_BUFFER_TOP_K_HPP
#define KINDRED_CORE_SELECT_SPECIAL_BUFFER_TOP_K_HPP

/// \file
/// A special form for hosts: 7.3 × on `peers/prefix-20`, 2026-11-30, Zen 4. \see SpecialForms.hpp

#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/select/impl/LeastKeys.hpp>
#include <kindred/core/select/impl/TopKRows.hpp>

#include <algorithm>

namespace Kindred::Impl {

/// Top-k on a host: threads select from chunks of a row, and one of them from what they found.
template <class Key>
class BufferTopK {
 public:
  static std::size_t chunk(std::size_t k) { return std::max<std::size_t>(16384, 8 * k); }
  static std::size_t chunks(std::size_t longest, std::size_t k) {
    return std::max<std::size_t>(1, quotient_up(longest, chunk(k)));
  }

  template <class Source = TopKRows<Key>>
  static std::size_t workspace(const TopKShape& shape) {
    if (Source::is_computed) return shape.rows * shape.longest + workspace(shape);
    const std::size_t n = chunks(shape.longest, shape.k);
    if (n == 1) return shape.rows * least_keys_buffer(shape.longest, shape.k);
    return shape.rows * n * (least_keys_buffer(chunk(shape.k), shape.k) + shape.k);
  }

  /// Keys that have to be computed are written first.
  template <class Source>
  static void run(const HostSpace& exec_space, const Source& source, const TopKShape& shape,
                  Key* out, Key* workspace) {
    Launch::for_each_index(exec_space, "Kindred::TopK::select::keys", shape.longest,
                           [=](std::size_t i) {
                             for (std::size_t row = 0; row < shape.rows; ++row)
                               workspace[row * shape.longest + i] = source.row(row)[i];
                           });
    run(exec_space, TopKRows<Key>{workspace, nullptr, shape.longest}, shape, out,
        workspace + shape.rows * shape.longest);
  }
  static void run(const HostSpace& exec_space, const TopKRows<Key>& rows, const TopKShape& shape,
                  Key* out, Key* workspace) {
    const std::size_t n = chunks(shape.longest, shape.k);
    if (n == 1) {
      launch(exec_space, rows, shape, 1, shape.longest, true, out, workspace);
      return;
    }
    // The second launch needs no more buffers than the first.
    Key* partial = workspace + shape.rows * n * least_keys_buffer(chunk(shape.k), shape.k);
    launch(exec_space, rows, shape, n, chunk(shape.k), false, partial, workspace);
    launch(exec_space, TopKRows<Key>{partial, nullptr, n * shape.k}, shape, 1, n * shape.k, true,
           out, workspace);
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
          write_least(rows.keys + rows.begin(row) + begin, count, k, sort,
                      buffers + work_item * least_keys_buffer(chunk_length, k),
                      out + work_item * k);
        });
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_SPECIAL_BUFFER_TOP_K_HPP
