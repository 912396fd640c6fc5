// SPDX-License-Identifier: Apache-2.0
#include "GraphStore.hpp"

#include "CsrRows.hpp"
#include "GraphChecks.hpp"
#include "StoredGraph.hpp"
#include "kit/SortedForRemoval.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <bit>
#include <exception>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace Kindred::Impl {

namespace {

void add_sorted(std::vector<std::uint32_t>& to, std::span<const std::uint32_t> nodes) {
  std::vector<std::uint32_t> all;
  std::set_union(to.begin(), to.end(), nodes.begin(), nodes.end(), std::back_inserter(all));
  to = std::move(all);
}

/// A sorted key by which an edge finds its entry in `remove_edges`. Kind −1 means any kind.
struct EdgeKey {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  int kind = -1;

  auto operator<=>(const EdgeKey&) const = default;
};

std::string describe(const EdgeKey& key) {
  return std::to_string(key.from) + " → " + std::to_string(key.to) +
         (key.kind < 0 ? "" : " of kind " + std::to_string(key.kind));
}

/// \throws InvalidArgument if the texts are not a vocabulary
std::optional<Vocabulary> names_of(const GraphSpan& graph) {
  if (graph.names.offsets.empty()) return {};
  return std::optional<Vocabulary>(std::in_place, graph.names);
}

/// A copy of the table for \p nodes nodes, with their kinds if it has any or gets \p new_kinds.
std::shared_ptr<NodeTable> table_for(MemoryResource& memory, const NodeTable& from,
                                     std::size_t nodes, bool new_kinds) {
  auto table = std::make_shared<NodeTable>();
  table->removed = from.removed;
  table->removed_count = from.removed_count;
  if (from.kinds.size() == 0 && !new_kinds) return table;
  table->kinds = {memory, "Kindred::SpreadingEngine::node_kinds", nodes};
  const std::size_t known = std::min(from.kinds.size(), nodes);
  std::copy_n(from.kinds.data(), known, table->kinds.data());
  std::fill_n(table->kinds.data() + known, nodes - known, std::uint8_t{0});
  return table;
}

template <class T>
Buffer<T, Kokkos::HostSpace> borrowed(std::span<const T> values) {
  // The mapping is writable, but rows are never written.
  return {const_cast<T*>(values.data()), values.size()};  // NOLINT(*-const-cast)
}
template <class T>
Buffer<T, Kokkos::HostSpace> borrowed(const StoredColumn<T>& column) {
  return column.empty() ? Buffer<T, Kokkos::HostSpace>() : borrowed(column.front());
}

HostRows borrowed_rows(const StoredRows& stored) {
  HostRows rows;
  rows.offsets = borrowed(stored.offsets);
  rows.sources = borrowed(stored.ends);
  rows.weights = borrowed(stored.weights);
  rows.short_weights = borrowed(stored.short_weights);
  rows.kinds = borrowed(stored.kinds);
  return rows;
}

void set_removed(NodeTable& table, std::uint32_t node, bool removed) {
  if (table.is_removed(node) == removed) return;
  if (table.removed.size() <= node / 64) table.removed.resize(node / 64 + 1);
  table.removed[node / 64] ^= std::uint64_t{1} << node % 64;
  table.removed_count += removed ? 1U : ~std::uint64_t{0};
}

}  // namespace

GraphStore::GraphStore(Context& context, const GraphSpan& graph, const GraphOptions& options)
    : m_context(&context), m_options(options) {
  const std::uint64_t outside = check_graph(graph, options, host_workers(context, Space::openmp));
  m_names = names_of(graph);
  const EdgeForm form{options.weights, !graph.edge_kinds.empty()};
  BothRows<Kokkos::HostSpace> rows = built_rows(context, graph, form);
  auto table = std::make_shared<NodeTable>();
  table->kinds = host_copy(context.memory(Space::serial), "Kindred::SpreadingEngine::node_kinds",
                           graph.node_kinds);
  start(std::move(rows), form, {}, std::move(table), outside);
}

GraphStore::GraphStore(Context& context, const CsrGraph& graph, const GraphOptions& options)
    : m_context(&context), m_options(options) {
  check_merge_share(options);
  CsrRows given = checked_rows(context, graph);
  BothRows<Kokkos::HostSpace> rows;
  rows.in = transposed_rows(context, given.out, given.form);
  rows.out = std::move(given.out);
  start(std::move(rows), given.form, graph.owner, std::make_shared<NodeTable>(),
        given.outside_unit);
}

GraphStore::GraphStore(Context& context, const StoredGraph& stored, const GraphOptions& options)
    : m_context(&context), m_options(options) {
  check_merge_share(options);
  m_names = names_of(stored);
  BothRows<Kokkos::HostSpace> rows;
  rows.in = borrowed_rows(stored.in);
  rows.out = borrowed_rows(stored.out);
  auto table = std::make_shared<NodeTable>();
  table->kinds = borrowed(stored.node_kinds);
  table->removed.assign(stored.removed.begin(), stored.removed.end());
  for (const std::uint64_t word : table->removed)
    table->removed_count += static_cast<std::uint64_t>(std::popcount(word));
  table->owner = stored.owner;
  start(std::move(rows), stored.form, stored.owner, std::move(table), stored.outside_unit);
}

void GraphStore::start(BothRows<Kokkos::HostSpace> rows, EdgeForm form,
                       std::shared_ptr<const void> owner, std::shared_ptr<const NodeTable> table,
                       std::uint64_t outside) {
  const auto base = std::make_shared<BuiltGraph>(*m_context, std::move(rows), form,
                                                 m_options.residency, std::move(owner));
  m_snapshot.set(std::make_shared<GraphSnapshot>(*m_context, base, std::make_shared<HostDelta>(),
                                                 std::move(table), base->nodes(), base->edges(),
                                                 outside));
}

GraphStore::~GraphStore() {
  {
    const std::lock_guard lock(m_updates);
    m_stop = true;
  }
  if (m_thread.joinable()) m_thread.join();
}

void GraphStore::Touched::sort() {
  for (std::vector<std::uint32_t>* nodes : {&in, &out}) {
    std::ranges::sort(*nodes);
    nodes->erase(std::unique(nodes->begin(), nodes->end()), nodes->end());
  }
}

void GraphStore::publish(std::shared_ptr<const GraphSnapshot> next, const Touched& touched) {
  if (m_merging && !touched.out.empty()) {
    add_sorted(m_recorded.in, touched.in);
    add_sorted(m_recorded.out, touched.out);
  }
  m_snapshot.set(std::move(next));
}

GraphStatistics GraphStore::statistics() const {
  const auto graph = snapshot();
  GraphStatistics statistics;
  statistics.nodes = graph->nodes();
  statistics.removed_nodes = graph->table()->removed_count;
  statistics.edges = graph->edges();
  statistics.weights = graph->form().weights;
  statistics.edge_kinds = graph->form().kinds;
  statistics.node_kinds = graph->table()->kinds.size() > 0;
  statistics.names = m_names.has_value();
  const HostDelta& delta = *graph->delta();
  for (const auto* side : {&delta.in, &delta.out}) {
    statistics.rebuilt_rows += side->rows.row_nodes.size();
    statistics.rebuilt_edges += side->rows.sources.size();
  }
  statistics.merges = m_merges;
  const BothRows<Kokkos::HostSpace>& rows = graph->base()->host();
  statistics.edge_bytes = rows.in.edge_bytes() + rows.out.edge_bytes();
  statistics.offset_bytes = rows.in.offset_bytes() + rows.out.offset_bytes();
  statistics.rebuilt_bytes = delta.bytes();
  if (m_names) statistics.name_bytes = m_names->statistics().held_bytes;
  for (const Space space : all_spaces) {
    if (m_context->is_usable(space)) statistics.bytes[space_index(space)] = graph->bytes(space);
  }
  return statistics;
}

std::shared_ptr<const GraphSnapshot> GraphStore::changed(
    const GraphSnapshot& graph, std::span<const Edge> added, std::span<const std::uint8_t> kinds,
    const Touched& touched,
    const std::function<bool(std::uint32_t, std::uint32_t, std::uint8_t)>& drops,
    std::shared_ptr<const NodeTable> table) const {
  EdgeForm form = graph.form();
  form.kinds = form.kinds || !kinds.empty();
  std::vector<HalfEdge> out(added.size());
  std::vector<HalfEdge> in(added.size());
  for (std::size_t i = 0; i < added.size(); ++i) {
    const std::uint8_t kind = kinds.empty() ? std::uint8_t{0} : kinds[i];
    out[i] = {added[i].from, added[i].to, added[i].weight, kind};
    in[i] = {added[i].to, added[i].from, added[i].weight, kind};
  }
  std::ranges::stable_sort(out, {}, &HalfEdge::node);
  std::ranges::stable_sort(
      in, {}, [](const HalfEdge& edge) { return std::uint64_t{edge.node} << 32U | edge.end; });

  const GraphView<Kokkos::HostSpace>& view = graph.host();
  RowChange of_out{touched.out, out, drops, false};
  RowChange of_in{touched.in, in, {}, true};
  if (drops) {
    of_in.drops = [&](std::uint32_t node, std::uint32_t end, std::uint8_t kind) {
      return drops(end, node, kind);
    };
  }
  std::int64_t outside = 0;
  std::int64_t edges = 0;
  MemoryResource& memory = m_context->memory(Space::serial);
  const std::size_t built = graph.base()->nodes();
  const auto delta = std::make_shared<HostDelta>();
  delta->out = delta_rows(memory, changed_rows(view.out, of_out, form, outside, edges), built);
  std::int64_t ignored = 0;
  delta->in = delta_rows(memory, changed_rows(view.in, of_in, form, ignored, ignored), built);
  return std::make_shared<GraphSnapshot>(
      *m_context, graph.base(), delta, std::move(table), graph.nodes(),
      graph.edges() + static_cast<std::uint64_t>(edges),
      graph.outside_unit() + static_cast<std::uint64_t>(outside));
}

std::shared_ptr<const GraphSnapshot> GraphStore::with_nodes(const GraphSnapshot& graph,
                                                            std::shared_ptr<const NodeTable> table,
                                                            std::size_t nodes) const {
  return std::make_shared<GraphSnapshot>(*m_context, graph.base(), graph.delta(), std::move(table),
                                         nodes, graph.edges(), graph.outside_unit());
}

std::uint32_t GraphStore::add_nodes(std::uint64_t count, std::span<const std::uint8_t> kinds) {
  KINDRED_THROW_IF(m_names.has_value(),
                   "the nodes of this graph have names; pass a name for each new node");
  const auto lock = Impl::engine_lock(m_updates);
  const auto graph = snapshot();
  const std::size_t first = graph->nodes();
  check_nodes(first, count, kinds.size());
  const std::shared_ptr<NodeTable> table =
      table_for(m_context->memory(Space::serial), *graph->table(), first + count, !kinds.empty());
  std::copy(kinds.begin(), kinds.end(), table->kinds.data() + (kinds.empty() ? 0 : first));
  m_snapshot.set(with_nodes(*graph, table, first + count));
  return static_cast<std::uint32_t>(first);
}

std::vector<std::uint32_t> GraphStore::add_nodes(std::span<const std::string_view> names,
                                                 std::span<const std::uint8_t> kinds) {
  KINDRED_THROW_IF(!m_names, "the nodes of this graph have no names; pass the number of new nodes");
  const auto lock = Impl::engine_lock(m_updates);
  const auto graph = snapshot();
  check_nodes(graph->nodes(), names.size(), kinds.size());
  std::vector<std::uint32_t> nodes;
  auto next = static_cast<std::uint32_t>(graph->nodes());
  std::vector<std::string_view> fresh;
  std::unordered_map<std::string_view, std::uint32_t> ids;  // of those
  for (const std::string_view name : names) {
    const Symbol known = m_names->find(name);
    if (known != unknown_symbol) {
      nodes.push_back(known);
      continue;
    }
    const auto [id, is_new] = ids.try_emplace(name, next);
    nodes.push_back(id->second);
    if (!is_new) continue;
    fresh.push_back(name);
    ++next;
  }
  const std::shared_ptr<NodeTable> table =
      table_for(m_context->memory(Space::serial), *graph->table(), next, !kinds.empty());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    set_removed(*table, nodes[i], false);
    if (!kinds.empty()) table->kinds.data()[nodes[i]] = kinds[i];
  }
  auto changed = with_nodes(*graph, table, next);
  m_names->add_all(fresh);  // the last step that can fail
  m_snapshot.set(std::move(changed));
  return nodes;
}

void GraphStore::add_edges(std::span<const Edge> edges, std::span<const std::uint8_t> kinds) {
  auto lock = Impl::engine_lock(m_updates);
  const auto graph = snapshot();
  check_edges(*graph, edges, kinds);
  if (edges.empty()) return;
  Touched touched;
  for (const Edge& edge : edges) {
    touched.out.push_back(edge.from);
    touched.in.push_back(edge.to);
  }
  touched.sort();
  publish(changed(*graph, edges, kinds, touched, {}, graph->table()), touched);
  merge_if_due(lock);
}

std::uint64_t GraphStore::remove_edges(std::span<const EdgeEnds> edges) {
  auto lock = Impl::engine_lock(m_updates);
  const auto graph = snapshot();
  std::vector<EdgeKey> keys;
  for (const EdgeEnds& edge : edges)
    keys.push_back({edge.from, edge.to, edge.kind ? int{*edge.kind} : -1});
  keys = Impl::sorted_for_removal(std::span<const EdgeKey>(keys),
                                  [](const EdgeKey& key) { return "edge " + describe(key); });
  if (keys.empty()) return 0;
  Touched touched;
  for (const EdgeKey& key : keys) {
    if (std::max(key.from, key.to) >= graph->nodes()) continue;  // is not found
    touched.out.push_back(key.from);
    touched.in.push_back(key.to);
  }
  touched.sort();
  std::vector<std::uint8_t> found(keys.size());
  const auto drops = [&](std::uint32_t from, std::uint32_t to, std::uint8_t kind) {
    bool any = false;
    for (const int of : {-1, int{kind}}) {
      const auto [begin, end] = std::equal_range(keys.begin(), keys.end(), EdgeKey{from, to, of});
      if (begin == end) continue;
      found[static_cast<std::size_t>(begin - keys.begin())] = 1;
      any = true;
    }
    return any;
  };
  auto next = changed(*graph, {}, {}, touched, drops, graph->table());
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (found[i] == 0) throw NotFound("there is no edge " + describe(keys[i]));
  const std::uint64_t removed = graph->edges() - next->edges();
  publish(std::move(next), touched);
  merge_if_due(lock);
  return removed;
}

void GraphStore::remove_nodes(std::span<const std::uint32_t> nodes) {
  auto lock = Impl::engine_lock(m_updates);
  const auto graph = snapshot();
  const std::vector<std::uint32_t> sorted = Impl::sorted_for_removal(
      nodes, [](std::uint32_t node) { return "node " + std::to_string(node); });
  for (const std::uint32_t node : sorted) {
    if (!graph->is_node(node)) {
      throw NotFound("there is no node " + std::to_string(node) + "; " +
                     std::to_string(graph->table()->removed_count) + " of " +
                     std::to_string(graph->nodes()) + " were removed");
    }
  }
  if (sorted.empty()) return;
  const GraphView<Kokkos::HostSpace>& view = graph->host();
  const auto ends_of = [&](const HostGraphSide& side, std::vector<std::uint32_t>& to) {
    for (const std::uint32_t node : sorted) {
      const HostRowPlace row = row_of(side, node);
      for (std::uint64_t i = 0; i < row.count; ++i) to.push_back(row.part->sources(row.begin + i));
    }
  };
  Touched touched{sorted, sorted};
  ends_of(view.out, touched.in);
  ends_of(view.in, touched.out);
  touched.sort();
  const std::shared_ptr<NodeTable> table =
      table_for(m_context->memory(Space::serial), *graph->table(), graph->nodes(), false);
  for (const std::uint32_t node : sorted) set_removed(*table, node, true);
  const auto goes = [&](std::uint32_t node) {
    return std::binary_search(sorted.begin(), sorted.end(), node);
  };
  const auto drops = [&](std::uint32_t from, std::uint32_t to, std::uint8_t) {
    return goes(from) || goes(to);
  };
  publish(changed(*graph, {}, {}, touched, drops, table), touched);
  merge_if_due(lock);
}

}  // namespace Kindred::Impl
