// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_POSTINGS_INDEX_HPP
#define KINDRED_MATCHER_SEQUENCE_POSTINGS_INDEX_HPP

#include "PatternStore.hpp"

#include <kindred/core/sequence/Postings.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief An inverted index of tiles: for every dense symbol and every number of times a pattern
/// holds it, the slots of those patterns.
///
/// As many postings as symbols. So the lists of a query's symbols, the second for a symbol that it
/// holds twice, tell how many symbols it shares with a pattern as multisets.
class PostingsIndex {
 public:
  /// Complexity: O(symbols). \throws OutOfMemory
  PostingsIndex(MemoryResource& memory, const TileBuffers<HostSpace>& tiles);

  const Buffer<std::uint32_t, Kokkos::HostSpace>& slots() const noexcept { return m_slots; }
  /// Lists of a symbol: the most times that a pattern holds it.
  std::uint32_t lists(Symbol symbol) const noexcept {
    return m_first_list[symbol + 1] - m_first_list[symbol];
  }
  /// The slots that hold \p symbol more than \p times times.
  PostingList list(Symbol symbol, std::uint32_t times) const noexcept {
    const std::uint64_t at = std::uint64_t{m_first_list[symbol]} + times;
    return {at == 0 ? 0 : m_ends[at - 1], m_ends[at]};
  }

 private:
  std::vector<std::uint32_t> m_first_list;  ///< a symbol, and the end
  std::vector<std::uint64_t> m_ends;        ///< a list
  Buffer<std::uint32_t, Kokkos::HostSpace> m_slots;
};

/// \brief The plan of a query that uses postings, and its cost.
struct PostingsPlan {
  /// \param query dense symbols, not empty \param threshold above 0
  PostingsPlan(const PostingsIndex& index, const PatternStore& store, std::span<const Symbol> query,
               double threshold);

  std::vector<PostingList> lists;
  PostingsBound bound;
  /// Steps, of which a scan takes one a symbol and query word, at most.
  double cost = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_POSTINGS_INDEX_HPP
