// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_POSTINGS_SCAN_HPP
#define KINDRED_MATCHER_SEQUENCE_POSTINGS_SCAN_HPP

#include "PostingsIndex.hpp"
#include "QueryBuffers.hpp"

#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief The buffers and the steps of a call that uses postings.
template <class ExecutionSpace>
class PostingsScan {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using numbers_view = ArrayView<std::uint32_t, ExecutionSpace>;

  /// Lists the patterns that pass the bound of \p plan and returns their number. Fences. \param
  /// slots of the index
  std::uint32_t list(const ExecutionSpace& exec_space, MemoryResource& memory,
                     const PatternTiles<ExecutionSpace>& tiles,
                     const ArrayView<const std::uint32_t, ExecutionSpace>& slots,
                     const PostingsPlan& plan, const numbers_view& list,
                     const numbers_view& counters) {
    const auto lists =
        placed(exec_space, memory, plan.lists, m_lists, "Kindred::SequenceMatcher::posting_lists");
    count_postings(exec_space, tiles, slots, lists, plan.bound, list, counters);
    std::uint32_t count = 0;
    download(exec_space, &count, counters, 1);
    return count;
  }

  /// Computes the LCS of \p query, which has at most `listed_words_max` words, with the first \p
  /// count patterns of \p list.
  void count_lcs(const ExecutionSpace& exec_space, MemoryResource& memory,
                 const PatternTiles<ExecutionSpace>& tiles, std::span<const Symbol> query,
                 const ArrayView<const std::uint32_t, ExecutionSpace>& list, std::uint32_t count,
                 const numbers_view& matched) {
    m_symbols.assign(query.begin(), query.end());
    std::sort(m_symbols.begin(), m_symbols.end());
    m_symbols.erase(std::unique(m_symbols.begin(), m_symbols.end()), m_symbols.end());
    // Symbols that no pattern contains are at the end.
    m_symbols.erase(std::lower_bound(m_symbols.begin(), m_symbols.end(), tiles.vocabulary),
                    m_symbols.end());
    const std::size_t words = quotient_up(query.size(), word_symbols);
    m_masks.assign(m_symbols.size() * words, 0);
    for (std::size_t j = 0; j < query.size(); ++j) {
      if (query[j] >= tiles.vocabulary) continue;
      const auto at = std::lower_bound(m_symbols.begin(), m_symbols.end(), query[j]);
      m_masks[static_cast<std::size_t>(at - m_symbols.begin()) * words + j / word_symbols] |=
          std::uint64_t{1} << (j % word_symbols);
    }
    ListedQuery<ExecutionSpace> listed;
    listed.symbols = placed(exec_space, memory, m_symbols, m_placed_symbols,
                            "Kindred::SequenceMatcher::listed_symbols");
    listed.masks = placed(exec_space, memory, m_masks, m_placed_masks,
                          "Kindred::SequenceMatcher::listed_masks");
    listed.words = static_cast<std::uint32_t>(words);
    lcs_of_list(exec_space, tiles, listed, list, count, matched);
  }

 private:
  std::vector<Symbol> m_symbols;
  std::vector<std::uint64_t> m_masks;
  Buffer<PostingList, memory_space> m_lists;
  Buffer<Symbol, memory_space> m_placed_symbols;
  Buffer<std::uint64_t, memory_space> m_placed_masks;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_POSTINGS_SCAN_HPP
