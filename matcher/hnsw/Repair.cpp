// SPDX-License-Identifier: Apache-2.0
#include "GraphChanges.hpp"

#include "LinkSelection.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

namespace {

/// Maximum number of deleted nodes whose links a node inherits; the nearest ones come first.
constexpr std::size_t bridge_max = 32;

template <class Rows>
class Repairer {
 public:
  Repairer(HnswStore& store, const Rows& rows, const HostWorkers& workers)
      : m_store(store), m_rows(rows), m_workers(workers), m_buffers(workers.count()) {
    const std::size_t m = store.settings.m;
    for (Buffers& each : m_buffers) {
      each.selection.prepare(rows, 2 * m);
      each.query.resize(rows.query_elements());
      each.bridges.reserve(bridge_max);
      each.nodes.reserve((bridge_max + 1) * 2 * m);
      each.distances.resize((bridge_max + 1) * 2 * m + 4);
      each.keys.reserve((bridge_max + 1) * 2 * m);
    }
  }

  void repair() {
    const Links links = m_store.links();
    constexpr double node_nanoseconds = 1'000;
    m_workers.for_each_item(m_store.size(), 256, node_nanoseconds,
                            [&](std::size_t worker, std::size_t i) {
                              const auto node = static_cast<std::uint32_t>(i);
                              if (m_store.deleted[node] != 0) return;  // its links stay unchanged
                              for (int level = 0; level <= links.levels[node]; ++level)
                                relink(links, level, node, m_buffers[worker]);
                            });
    if (m_store.entry != no_node && m_store.deleted[m_store.entry] == 0) return;
    m_store.entry = no_node;
    m_store.top_level = -1;
    for (std::uint32_t node = 0; node < m_store.size(); ++node) {
      if (m_store.deleted[node] != 0 || m_store.levels[node] <= m_store.top_level) continue;
      m_store.entry = node;
      m_store.top_level = m_store.levels[node];
    }
  }

 private:
  struct Buffers {
    LinkSelection<Rows> selection;
    std::vector<typename Rows::Element> query;
    std::vector<std::uint32_t> bridges;
    std::vector<std::uint32_t> nodes;
    std::vector<float> distances;
    std::vector<Key> keys;
  };

  void relink(const Links& links, int level, std::uint32_t node, Buffers& buffers) {
    const std::size_t capacity = links.capacity(level);
    std::uint32_t* const list = links.list(level, node);
    buffers.bridges.clear();
    buffers.nodes.clear();
    collect(list, capacity, node, buffers);
    if (buffers.bridges.empty()) return;
    for (std::size_t i = 0; i < buffers.bridges.size(); ++i)
      collect(links.list(level, buffers.bridges[i]), capacity, node, buffers);
    std::vector<std::uint32_t>& nodes = buffers.nodes;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const std::uint32_t each : nodes) m_rows.prefetch(each);
    if (!nodes.empty()) {
      const auto query = m_rows.query_of(node, buffers.query.data());
      m_rows.distances(query, nodes.data(), nodes.size(), buffers.distances.data());
    }
    buffers.keys.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      buffers.keys.push_back(key_of(buffers.distances[i], nodes[i]));
    buffers.selection.relink(m_rows, buffers.keys, list, capacity);
  }

  /// Collects the live nodes of a list, and the deleted ones as bridges.
  void collect(const std::uint32_t* list, std::size_t capacity, std::uint32_t self,
               Buffers& buffers) const {
    for (std::size_t i = 0; i < capacity && list[i] != no_node; ++i) {
      if (list[i] == self) continue;
      if (m_store.deleted[list[i]] == 0) {
        buffers.nodes.push_back(list[i]);
      } else if (buffers.bridges.size() < bridge_max &&
                 std::find(buffers.bridges.begin(), buffers.bridges.end(), list[i]) ==
                     buffers.bridges.end()) {
        buffers.bridges.push_back(list[i]);
      }
    }
  }

  HnswStore& m_store;
  const Rows& m_rows;
  const HostWorkers& m_workers;
  std::vector<Buffers> m_buffers;
};

}  // namespace

void link_around_deleted(HnswStore& store, const HostWorkers& workers) {
  store.with_rows([&](const auto& rows) { Repairer(store, rows, workers).repair(); });
}

}  // namespace Kindred::Impl
