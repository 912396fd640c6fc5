// SPDX-License-Identifier: Apache-2.0
#include "GraphChanges.hpp"

#include <kindred/core/common/Cancellation.hpp>

#include "Walk.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace Kindred::Impl {

namespace {

/// A traversal of all links of level 0 that records the link through which each node was reached.
class Reach {
 public:
  explicit Reach(const HnswStore& store) : m_links(store.links()), m_from(store.size(), no_node) {
    m_order.reserve(store.size());
  }

  bool has(std::uint32_t node) const { return m_from[node] != no_node; }
  /// Whether \p to was reached from \p from.
  bool uses(std::uint32_t from, std::uint32_t to) const { return m_from[to] == from; }
  std::vector<std::uint32_t>& order() { return m_order; }

  void take(std::uint32_t node, std::uint32_t from) {
    if (has(node)) return;
    m_from[node] = from;
    m_order.push_back(node);
  }
  /// Adds all nodes to which \p node links.
  void take_all(std::uint32_t node, std::uint32_t from) {
    const std::uint32_t capacity = m_links.capacity(0);
    std::size_t next = m_order.size();
    take(node, from);
    for (; next < m_order.size(); ++next) {
      if (next % 1024 == 0) CancelPoint().check();
      const std::uint32_t* const list = m_links.list(0, m_order[next]);
      for (std::uint32_t k = 0; k < capacity && list[k] != no_node; ++k)
        take(list[k], m_order[next]);
    }
  }

 private:
  Links m_links;
  std::vector<std::uint32_t> m_from;
  std::vector<std::uint32_t> m_order;
};

/// Returns a slot for one more link among \p nearest: a free slot, or that of a link that the
/// traversal does not use. Null if every link is used.
std::uint32_t* place_for_link(const Links& links, const Reach& reach, std::span<const Key> nearest,
                              std::uint32_t& from) {
  const std::uint32_t capacity = links.capacity(0);
  for (const Key key : nearest) {
    from = node_of(key);
    std::uint32_t* const list = links.list(0, from);
    std::uint32_t* const end = std::find(list, list + capacity, no_node);
    if (end != list + capacity) return end;
  }
  for (const Key key : nearest) {
    from = node_of(key);
    std::uint32_t* const list = links.list(0, from);
    for (std::uint32_t k = capacity; k-- > 0;) {
      if (!reach.uses(from, list[k])) return list + k;
    }
  }
  return nullptr;
}

template <class Rows>
void connect(HnswStore& store, const Rows& rows) {
  Reach reach(store);
  WalkBuffers buffers;
  buffers.prepare(static_cast<std::uint32_t>(store.settings.m));
  buffers.visited.start(store.size());
  buffers.beam.start(store.settings.ef_construction);
  std::vector<typename Rows::Element> element(rows.query_elements());
  const Links links = store.links();
  Walk<Rows> walk(links, rows, buffers);
  reach.take_all(store.entry, store.entry);
  for (std::uint32_t node = 0; node < store.size(); ++node) {
    if (reach.has(node)) continue;
    CancelPoint().check();
    const auto query = rows.query_of(node, element.data());
    // Starts at the entry itself: the node at which a descent ends may be unreachable on level 0.
    walk.search(query, 0, walk.descend(query, links.top_level), store.size(),
                store.settings.ef_construction);
    std::uint32_t from = no_node;
    std::uint32_t* const place = place_for_link(links, reach, buffers.beam.keys(), from);
    if (place == nullptr) continue;
    *place = node;
    reach.take_all(node, from);
  }
}

}  // namespace

std::vector<std::uint32_t> walk_order(const HnswStore& store, std::size_t& reached) {
  Reach reach(store);
  if (store.entry != no_node) reach.take_all(store.entry, store.entry);
  reached = reach.order().size();
  for (std::uint32_t node = 0; node < store.size(); ++node) reach.take(node, node);
  return std::move(reach.order());
}

void connect_unreached(HnswStore& store) {
  if (store.size() == 0) return;
  store.with_rows([&](const auto& rows) { connect(store, rows); });
}

}  // namespace Kindred::Impl
