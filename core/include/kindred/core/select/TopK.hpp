// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_TOP_K_HPP
#define KINDRED_CORE_SELECT_TOP_K_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/select/WideRank.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief The sizes of a top-k call; they determine the workspace and the launches.
struct TopKShape {
  std::size_t rows = 0;
  std::size_t longest = 0;  ///< keys of the longest row, < 2^32
  std::size_t k = 0;        ///< may exceed a row, which is then padded with `key_none`
};

/// Keys of workspace that `top_k` needs for \p shape.
template <class ExecutionSpace, class Key>
std::size_t top_k_workspace(const TopKShape& shape);

/// \brief The k smallest keys of every row of a `rows × longest` matrix, ascending. Does not fence.
///
/// `Key` is `Rank` or `WideRank`. The keys of a row must be distinct, except `key_none`, which
/// never counts as an item; the result is then unique, whatever the space and its threads.
/// Complexity: one pass over the keys, and O(k log k) per row if k is a small part of it. A device
/// makes 1 + O(log(longest) / log(2048 / k)) launches, and O(log(longest)) for k > 512.
/// \param keys `rows × longest`, row-major \param out `rows × k`, padded with `key_none`
/// \param workspace at least `top_k_workspace` keys, not shared with a call that may still run
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Key>
void top_k(const ExecutionSpace& exec_space, const ArrayView<const Key, ExecutionSpace>& keys,
           const TopKShape& shape, const ArrayView<Key, ExecutionSpace>& out,
           const ArrayView<Key, ExecutionSpace>& workspace);

/// \brief The same over rows of different lengths: row r is `keys[offsets[r] … offsets[r + 1])`.
/// Does not fence.
///
/// Time grows with `rows × longest`, not with the number of keys, once rows are longer than 2048
/// (device) or 16384 keys (host).
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Key>
void top_k(const ExecutionSpace& exec_space, const ArrayView<const Key, ExecutionSpace>& keys,
           const ArrayView<const std::uint64_t, ExecutionSpace>& offsets, const TopKShape& shape,
           const ArrayView<Key, ExecutionSpace>& out,
           const ArrayView<Key, ExecutionSpace>& workspace);

/// \brief Merges two results of `top_k`: for each row, the k smallest keys of both. Does not fence.
/// Complexity O(log k) per key.
/// \param a,b `rows × k`, ascending, padded with `key_none` \param out `rows × k`, neither of them
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class Key>
void merge_top_k(const ExecutionSpace& exec_space, const ArrayView<const Key, ExecutionSpace>& a,
                 const ArrayView<const Key, ExecutionSpace>& b, std::size_t k,
                 const ArrayView<Key, ExecutionSpace>& out);

}  // namespace Kindred

#endif  // KINDRED_CORE_SELECT_TOP_K_HPP
