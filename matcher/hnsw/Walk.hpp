// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_WALK_HPP
#define KINDRED_MATCHER_HNSW_WALK_HPP

#include "Beam.hpp"
#include "Links.hpp"

#include <kindred/core/arch/simd/Prefetch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// The traversal workspace of a thread, kept between traversals.
struct WalkBuffers {
  Beam beam;
  Visited visited;
  std::vector<Key> open;                ///< of a filtered search: a heap
  std::vector<std::uint32_t> frontier;  ///< 2m nodes, padded to a multiple of four
  std::vector<float> distances;

  /// \throws std::bad_alloc
  void prepare(std::uint32_t m) {
    const std::size_t places = std::size_t{2} * m + 4;
    if (frontier.size() < places) frontier.resize(places);
    if (distances.size() < places) distances.resize(places);
  }
};

/// \brief Searches a graph, which must not change during the search.
///
/// The unvisited neighbours of a node are scored together, after prefetching their rows. Results
/// are the best by (distance, node), so they do not depend on the order of visits.
template <class Rows>
class Walk {
 public:
  using Query = typename Rows::Query;

  Walk(const Links& links, const Rows& rows, WalkBuffers& buffers)
      : m_links(links), m_rows(rows), m_buffers(buffers) {
    m_buffers.prepare(links.m);
  }

  /// Greedy descent from the entry to the level \p to. Returns the nearest node found.
  Key descend(const Query& query, int to) {
    Key best = score(query, m_links.entry);
    for (int level = m_links.top_level; level > to; --level) best = greedy(query, level, best);
    return best;
  }

  /// Collects the \p ef nearest nodes of \p level in the beam.
  void search(const Query& query, int level, Key start, std::size_t nodes, std::size_t ef) {
    Beam& beam = m_buffers.beam;
    begin(start, nodes);
    beam.start(ef);
    beam.insert(start & ~key_expanded);
    while (beam.has_next()) {
      const std::uint32_t node = beam.expand();
      const std::size_t count = gather(level, node);
      if (beam.has_next()) prefetch_list(level, node_of(beam.next_key()));
      m_rows.distances(query, m_buffers.frontier.data(), count, m_buffers.distances.data());
      Key bound = beam.bound();
      for (std::size_t i = 0; i < count; ++i) {
        const Key key = key_of(m_buffers.distances[i], m_buffers.frontier[i]);
        if (key >= bound) continue;
        // Prefetches the lists of the best nodes, which will be read soon.
        if (beam.insert(key) <= beam.next()) prefetch_list(level, m_buffers.frontier[i]);
        bound = beam.bound();
      }
    }
  }

  /// As `search` on level 0, but only nodes with `allowed(node)` enter the beam; the others are
  /// only passed through.
  template <class Allowed>
  void search_allowed(const Query& query, Key start, std::size_t nodes, std::size_t ef,
                      const Allowed& allowed) {
    Beam& beam = m_buffers.beam;
    std::vector<Key>& open = m_buffers.open;
    begin(start, nodes);
    beam.start(ef);
    open.assign(1, start);
    if (allowed(node_of(start))) beam.insert(start);
    while (!open.empty()) {
      std::pop_heap(open.begin(), open.end(), std::greater<>());
      const Key best = open.back();
      open.pop_back();
      if (best > beam.bound()) break;
      const std::size_t count = gather(0, node_of(best));
      m_rows.distances(query, m_buffers.frontier.data(), count, m_buffers.distances.data());
      for (std::size_t i = 0; i < count; ++i) {
        const Key key = key_of(m_buffers.distances[i], m_buffers.frontier[i]);
        if (key >= beam.bound()) continue;
        open.push_back(key);
        std::push_heap(open.begin(), open.end(), std::greater<>());
        prefetch_list(0, node_of(open.front()));
        if (allowed(node_of(key))) beam.insert(key);
      }
    }
  }

 private:
  void begin(Key start, std::size_t nodes) {
    m_buffers.visited.start(nodes);
    m_buffers.visited.insert(node_of(start));
  }

  Key score(const Query& query, std::uint32_t node) {
    float distance[4];
    m_rows.distances(query, &node, 1, distance);
    return key_of(distance[0], node);
  }

  Key greedy(const Query& query, int level, Key best) {
    while (true) {
      const std::uint32_t* const list = m_links.list(level, node_of(best));
      std::size_t count = 0;
      while (count < m_links.m && list[count] != no_node) m_rows.prefetch(list[count++]);
      if (count == 0) return best;
      m_rows.distances(query, list, count, m_buffers.distances.data());
      Key nearest = best;
      for (std::size_t i = 0; i < count; ++i)
        nearest = std::min(nearest, key_of(m_buffers.distances[i], list[i]));
      if (nearest == best) return best;
      best = nearest;
    }
  }

  /// Collects the unvisited neighbours of \p node and prefetches their rows.
  std::size_t gather(int level, std::uint32_t node) {
    const std::uint32_t* const list = m_links.list(level, node);
    const std::uint32_t capacity = m_links.capacity(level);
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < capacity && list[i] != no_node; ++i) {
      if (!m_buffers.visited.insert(list[i])) continue;
      m_buffers.frontier[count++] = list[i];
      m_rows.prefetch(list[i]);
    }
    return count;
  }

  void prefetch_list(int level, std::uint32_t node) const {
    Arch::prefetch_bytes(m_links.list(level, node),
                         sizeof(std::uint32_t) * m_links.capacity(level));
  }

  const Links& m_links;
  const Rows& m_rows;
  WalkBuffers& m_buffers;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_WALK_HPP
