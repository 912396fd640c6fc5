// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_TOP_LISTS_HPP
#define KINDRED_MATCHER_VECTOR_TOP_LISTS_HPP

#include "GrowBuffer.hpp"

#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/memory/Buffer.hpp>

#include <cstddef>

namespace Kindred::Impl {

/// \brief Maintains the best ranks of every query over keys that arrive in parts.
template <class ExecutionSpace>
class TopLists {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  void bind(MemoryResource& memory) {
    m_top = {memory, "Kindred::VectorIndex::top", 0};
    m_merged = {memory, "Kindred::VectorIndex::merged", 0};
    m_select = {memory, "Kindred::VectorIndex::select", 0};
  }

  /// \brief Clears the lists. \param best `queries × top`: the best of what is added, ascending,
  /// padded with `rank_none`
  void begin(const ExecutionSpace& exec_space, std::size_t queries, std::size_t top,
             const ArrayView<Rank, ExecutionSpace>& best) {
    m_queries = queries;
    m_k = top;
    m_best = best;
    m_empty = true;
    Arch::start_fill(exec_space, best, rank_none);
  }

  /// Adds \p keys, `queries × length`. May fence \p exec_space.
  void add(const ExecutionSpace& exec_space, const ArrayView<const Rank, ExecutionSpace>& keys,
           std::size_t length) {
    const TopKShape shape{m_queries, length, m_k};
    grow(exec_space, m_select, top_k_workspace<ExecutionSpace, Rank>(shape));
    if (m_empty) {
      top_k(exec_space, keys, shape, m_best, m_select.view());
      m_empty = false;
      return;
    }
    grow(exec_space, m_top, m_queries * m_k);
    top_k(exec_space, keys, shape, m_top.view(), m_select.view());
    add_top(exec_space, m_top.const_view());
  }

  /// Adds \p keys, `queries × top`, ascending, padded with `rank_none`. May fence \p exec_space.
  void add_top(const ExecutionSpace& exec_space,
               const ArrayView<const Rank, ExecutionSpace>& keys) {
    if (m_empty) {
      Arch::start_copy(exec_space, label, m_best, keys);
      m_empty = false;
      return;
    }
    grow(exec_space, m_merged, m_queries * m_k);
    merge_top_k<ExecutionSpace, Rank>(exec_space, m_best, keys, m_k, m_merged.view());
    Arch::start_copy(exec_space, label, m_best, m_merged.const_view());
  }

 private:
  static constexpr const char* label = "Kindred::VectorIndex::search::top";
  ArrayView<Rank, ExecutionSpace> m_best;
  Buffer<Rank, memory_space> m_top;
  Buffer<Rank, memory_space> m_merged;
  Buffer<Rank, memory_space> m_select;
  std::size_t m_queries = 0;
  std::size_t m_k = 0;
  bool m_empty = true;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_TOP_LISTS_HPP
