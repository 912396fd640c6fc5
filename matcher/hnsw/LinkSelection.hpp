// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_LINK_SELECTION_HPP
#define KINDRED_MATCHER_HNSW_LINK_SELECTION_HPP

#include "Beam.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Chooses the links of a node: Malkov and Yashunin's algorithm 4, without keeping pruned
/// connections.
///
/// In the order of (distance, node), a candidate is selected unless an already selected one is
/// nearer to it than the node is.
template <class Rows>
class LinkSelection {
 public:
  /// \throws std::bad_alloc
  void prepare(const Rows& rows, std::size_t limit) {
    if (m_query.size() < rows.query_elements()) m_query.resize(rows.query_elements());
    if (m_nodes.size() < limit + 4) m_nodes.resize(limit + 4);
  }

  /// \param candidates ascending \return the selected nodes, at most \p limit, valid until the next
  /// call
  std::span<const std::uint32_t> choose(const Rows& rows, std::span<const Key> candidates,
                                        std::size_t limit) {
    std::size_t count = 0;
    if (candidates.size() < limit) {
      for (const Key key : candidates) m_nodes[count++] = node_of(key);
      return {m_nodes.data(), count};
    }
    constexpr std::size_t ahead = 4;
    for (std::size_t i = 0; i < candidates.size() && count < limit; ++i) {
      if (i + ahead < candidates.size()) rows.prefetch(node_of(candidates[i + ahead]));
      if (is_diverse(rows, candidates[i], count)) m_nodes[count++] = node_of(candidates[i]);
    }
    return {m_nodes.data(), count};
  }

  /// Replaces the links in \p list by those chosen among \p candidates, which are sorted.
  void relink(const Rows& rows, std::span<Key> candidates, std::uint32_t* list,
              std::size_t capacity) {
    std::sort(candidates.begin(), candidates.end());
    const auto chosen = choose(rows, candidates, capacity);
    std::fill(std::copy(chosen.begin(), chosen.end(), list), list + capacity, no_node);
  }

 private:
  bool is_diverse(const Rows& rows, Key candidate, std::size_t taken) {
    if (taken == 0) return true;
    const auto query = rows.query_of(node_of(candidate), m_query.data());
    const float limit = distance_of(candidate);
    for (std::size_t i = 0; i < taken; i += 4) {
      float distances[4];
      rows.distances(query, m_nodes.data() + i, std::min<std::size_t>(4, taken - i), distances);
      for (const float distance : distances) {
        if (distance < limit) return false;
      }
    }
    return true;
  }

  std::vector<typename Rows::Element> m_query;
  std::vector<std::uint32_t> m_nodes;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_LINK_SELECTION_HPP
