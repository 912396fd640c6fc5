// SPDX-License-Identifier: Apache-2.0
#include "GraphChanges.hpp"

#include <kindred/core/common/Cancellation.hpp>

#include "LinkSelection.hpp"
#include "Walk.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

namespace {

constexpr std::size_t round_max = 4096;

/// A link from \p place (level and node) to the node of \p key, at the distance in the key.
struct Edge {
  std::uint64_t place;
  Key key;

  friend bool operator<(const Edge& a, const Edge& b) {
    return a.place != b.place ? a.place < b.place : a.key < b.key;
  }
};

std::uint64_t place_of(int level, std::uint32_t node) {
  return (static_cast<std::uint64_t>(level) << 32U) | node;
}

template <class Rows>
struct InsertBuffers {
  WalkBuffers walk;
  LinkSelection<Rows> selection;
  std::vector<typename Rows::Element> query;
  std::vector<Key> candidates;
  std::vector<float> distances;
};

template <class Rows>
class Inserter {
 public:
  Inserter(HnswStore& store, const Rows& rows, std::size_t begin, std::size_t end,
           const HostWorkers& workers)
      : m_store(store), m_rows(rows), m_workers(workers), m_buffers(workers.count()) {
    const std::size_t m = store.settings.m;
    for (InsertBuffers<Rows>& each : m_buffers) {
      each.walk.prepare(static_cast<std::uint32_t>(m));
      each.walk.visited.start(end);
      each.walk.beam.start(store.settings.ef_construction);
      each.selection.prepare(rows, 2 * m);
      each.query.resize(rows.query_elements());
      each.candidates.resize(2 * m + std::min(round_max, end - begin));
      each.distances.resize(2 * m + 4);
    }
    const std::size_t edges = lists_of_a_round(begin, end) * m;
    m_edges.resize(edges);
    m_groups.reserve(edges + 1);
  }

  void insert(std::size_t begin, std::size_t end,
              const std::function<void(std::uint64_t)>& progress) {
    const std::size_t first = begin;
    const bool is_first = begin == 0;
    std::optional<CancelPoint::Suspended> linked;
    if (m_store.entry == no_node) {
      raise(static_cast<std::uint32_t>(begin));
      ++begin;
      if (begin == end && progress) progress(begin - first);
    }
    while (begin < end) {
      const std::size_t count = std::min(round_size(begin), end - begin);
      const Links links = m_store.links();
      constexpr double node_nanoseconds = 100'000;
      m_workers.for_each_item(count, 1, node_nanoseconds, [&](std::size_t worker, std::size_t i) {
        find_links(links, static_cast<std::uint32_t>(begin + i), begin, m_buffers[worker]);
      });
      // Links of earlier rows cannot be restored.
      if (!is_first && !linked) linked.emplace();
      apply(links);
      for (std::size_t node = begin; node < begin + count; ++node) {
        if (m_store.levels[node] > m_store.top_level) raise(static_cast<std::uint32_t>(node));
      }
      begin += count;
      if (progress) progress(begin - first);
    }
  }

 private:
  /// The maximum number of lists that the nodes of one round have.
  std::size_t lists_of_a_round(std::size_t begin, std::size_t end) const {
    std::size_t most = 0;
    while (begin < end) {
      const std::size_t round_end = begin + std::min(round_size(begin), end - begin);
      std::size_t lists = round_end - begin;
      for (; begin < round_end; ++begin) lists += m_store.levels[begin];
      most = std::max(most, lists);
    }
    return most;
  }

  void raise(std::uint32_t node) {
    m_store.entry = node;
    m_store.top_level = m_store.levels[node];
  }

  /// Searches the graph of the previous rounds for the links of \p node, which no other thread
  /// reads yet.
  void find_links(const Links& links, std::uint32_t node, std::size_t graph_nodes,
                  InsertBuffers<Rows>& buffers) {
    Walk<Rows> walk(links, m_rows, buffers.walk);
    const auto query = m_rows.query_of(node, buffers.query.data());
    int level = std::min<int>(links.levels[node], links.top_level);
    Key nearest = walk.descend(query, level);
    for (; level >= 0; --level) {
      walk.search(query, level, nearest, graph_nodes, m_store.settings.ef_construction);
      const std::span<const Key> found = buffers.walk.beam.keys();
      nearest = found.front();
      const auto chosen = buffers.selection.choose(m_rows, found, links.m);
      std::copy(chosen.begin(), chosen.end(), links.list(level, node));
      // Recovers their keys: both lists are in the order of the beam.
      std::size_t at = 0;
      for (const std::uint32_t neighbour : chosen) {
        while (node_of(found[at]) != neighbour) ++at;
        m_edges[m_edge_count.fetch_add(1, std::memory_order_relaxed)] = {
            place_of(level, neighbour), key_of(distance_of(found[at]), node)};
      }
    }
  }

  /// Adds the reverse links to the chosen nodes, node by node.
  void apply(const Links& links) {
    const std::span<Edge> edges(m_edges.data(), m_edge_count.exchange(0));
    std::sort(edges.begin(), edges.end());
    m_groups.clear();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (i == 0 || edges[i].place != edges[i - 1].place) m_groups.push_back(i);
    }
    const std::size_t groups = m_groups.size();
    m_groups.push_back(edges.size());
    constexpr double link_nanoseconds = 3'000;
    m_workers.for_each_item(groups, 16, link_nanoseconds, [&](std::size_t worker, std::size_t g) {
      link(links, edges.subspan(m_groups[g], m_groups[g + 1] - m_groups[g]), m_buffers[worker]);
    });
  }

  void link(const Links& links, std::span<const Edge> edges, InsertBuffers<Rows>& buffers) {
    const auto level = static_cast<int>(edges.front().place >> 32U);
    const auto node = static_cast<std::uint32_t>(edges.front().place);
    const std::size_t capacity = links.capacity(level);
    std::uint32_t* const list = links.list(level, node);
    const auto count = static_cast<std::size_t>(std::find(list, list + capacity, no_node) - list);
    if (count + edges.size() <= capacity) {
      for (std::size_t i = 0; i < edges.size(); ++i) list[count + i] = node_of(edges[i].key);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) m_rows.prefetch(list[i]);
    const auto query = m_rows.query_of(node, buffers.query.data());
    m_rows.distances(query, list, count, buffers.distances.data());
    for (std::size_t i = 0; i < count; ++i)
      buffers.candidates[i] = key_of(buffers.distances[i], list[i]);
    for (std::size_t i = 0; i < edges.size(); ++i) buffers.candidates[count + i] = edges[i].key;
    buffers.selection.relink(m_rows, std::span(buffers.candidates).first(count + edges.size()),
                             list, capacity);
  }

  HnswStore& m_store;
  const Rows& m_rows;
  const HostWorkers& m_workers;
  std::vector<InsertBuffers<Rows>> m_buffers;
  std::vector<Edge> m_edges;  ///< of a round, unordered until they are applied
  std::atomic<std::size_t> m_edge_count{0};
  std::vector<std::size_t> m_groups;
};

}  // namespace

std::size_t round_size(std::size_t nodes) {
  // A node does not see the others of its round. The round is small enough for this to matter
  // little, and large enough for the threads.
  return std::clamp<std::size_t>(nodes / 16, 1, round_max);
}

void insert_nodes(HnswStore& store, std::size_t begin, std::size_t end, const HostWorkers& workers,
                  const std::function<void(std::uint64_t)>& progress) {
  if (begin == end) return;
  store.with_rows([&](const auto& rows) {
    Inserter inserter(store, rows, begin, end, workers);
    inserter.insert(begin, end, progress);
  });
}

}  // namespace Kindred::Impl
