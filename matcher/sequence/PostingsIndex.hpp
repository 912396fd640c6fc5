// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_POSTINGS_INDEX_HPP
#define KINDRED_MATCHER_SEQUENCE_POSTINGS_INDEX_HPP

#include "HostPatterns.hpp"

#include <kindred/core/sequence/Postings.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief An inverted index of tiles: for every dense symbol and every multiplicity, the slots of
/// the patterns that contain the symbol at least that often.
///
/// It has as many postings as the tiles have symbols. For the k-th occurrence of a symbol, a query
/// reads the k-th list of that symbol; the number of lists that contain a pattern is the size of
/// the multiset intersection of query and pattern.
class PostingsIndex {
 public:
  /// Complexity: O(symbols). \throws OutOfMemory
  PostingsIndex(MemoryResource& memory, const TileBuffers<HostSpace>& tiles);

  const Buffer<std::uint32_t, Kokkos::HostSpace>& slots() const noexcept { return m_slots; }
  /// Number of lists of a symbol: its maximum number of occurrences in a pattern.
  std::uint32_t lists(Symbol symbol) const noexcept {
    return m_first_list[symbol + 1] - m_first_list[symbol];
  }
  /// The slots that contain \p symbol more than \p times times.
  PostingList list(Symbol symbol, std::uint32_t times) const noexcept {
    const std::uint64_t at = std::uint64_t{m_first_list[symbol]} + times;
    return {at == 0 ? 0 : m_ends[at - 1], m_ends[at]};
  }

 private:
  std::vector<std::uint32_t> m_first_list;  ///< per symbol, and the end
  std::vector<std::uint64_t> m_ends;        ///< per list
  Buffer<std::uint32_t, Kokkos::HostSpace> m_slots;
};

/// \brief The plan of a query that uses postings, and its cost.
struct PostingsPlan {
  /// \param query dense symbols, not empty \param threshold above 0
  PostingsPlan(const PostingsIndex& index, const HostPatterns& store, std::span<const Symbol> query,
               double threshold);

  std::vector<PostingList> lists;
  PostingsBound bound;
  /// In steps: a scan takes at most one step per symbol and query word.
  double cost = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_POSTINGS_INDEX_HPP
