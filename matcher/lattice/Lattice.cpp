// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Lattice.hpp>
#include <kindred/matcher/LatticeOperationInfo.hpp>

#include "SearchRun.hpp"
#include "graph/StoredGraph.hpp"
#include "kit/MadeOnce.hpp"
#include "kit/WorkspaceCalls.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/lattice/LatticeAdjacency.hpp>
#include <kindred/core/lattice/LatticeRoutes.hpp>
#include <kindred/memory/PlacedArray.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace Kindred {

namespace {

/// \throws OutOfMemory if the result does not fit into the free memory of the host
void check_budget(const Context& context, double bytes, const char* label) {
  constexpr double little = 1 << 26;  // checking takes as long as allocating this much
  if (bytes <= little) return;
  const auto free = static_cast<double>(context.free_memory(Space::serial));
  if (bytes <= free) return;
  const double most = 0x1p63;
  throw OutOfMemory(
      "host", static_cast<std::uint64_t>(std::min(bytes, most)), label,
      "the result needs more than the " + std::to_string(free / 0x1p30) + " GiB of free memory");
}

std::pair<std::uint64_t, std::uint64_t> ends_of(const LatticePair& edge) {
  return {edge.from, edge.to};
}

}  // namespace

struct KINDRED_HIDDEN Lattice::State {
  State(Context& given, std::uint32_t dimensions, std::uint32_t size)
      : context(&given), shape(dimensions, size) {
    context->dispatcher().register_operations(
        {Operations::lattice_build, Operations::lattice_search});
  }

  Context* context;
  LatticeShape shape;
  std::vector<std::uint64_t> blocked_nodes;  // ascending and distinct
  std::vector<LatticePair> blocked_edges;    // from < to, ascending

  bool has_blocks() const { return !blocked_nodes.empty() || !blocked_edges.empty(); }
  bool is_blocked(std::uint64_t node) const {
    return std::ranges::binary_search(blocked_nodes, node);
  }
  void check_open(std::uint64_t node, const char* what) const {
    shape.check_node(node, what);
    KINDRED_THROW_IF(is_blocked(node),
                     std::string(what) + " is node " + std::to_string(node) + ", which is blocked");
  }

  /// \throws InvalidArgument for a lattice that is too large for a search; OutOfMemory
  const Impl::SearchTables& tables() const {
    return m_tables.get([this] { return made_tables(); });
  }
  Impl::SearchTables made_tables() const {
    Impl::SearchTables made;
    made.bits = LatticeBits(shape);
    check_budget(*context, 6.0 * static_cast<double>(shape.nodes()), "Kindred::Lattice::search");
    const LatticeBits& bits = made.bits;
    made.step_masks = bits.step_masks();
    if (!blocked_nodes.empty()) {
      made.open.resize(bits.words());
      for (std::uint64_t word = 0; word < bits.words(); ++word)
        made.open[word] = bits.valid(static_cast<std::uint32_t>(word % bits.line_words));
      for (const std::uint64_t node : blocked_nodes) {
        const std::uint64_t bit = bits.bit_of(node);
        made.open[bit / 64] &= ~(std::uint64_t{1} << bit % 64);
      }
    }
    if (!blocked_edges.empty()) {
      made.blocked_edges.resize(bits.guarded_words() * shape.dimensions());
      for (const LatticePair& edge : blocked_edges) {
        std::uint32_t i = 0;
        while (shape.stride(i) != edge.to - edge.from) ++i;
        const std::uint64_t bit = bits.bit_of(edge.from);
        made.blocked_edges[i * bits.guarded_words() + bits.guard() + bit / 64] |= std::uint64_t{1}
                                                                                  << bit % 64;
      }
    }
    return made;
  }

  /// The work of \p searches searches, in entries of rows that they read.
  Workload search_work(std::uint64_t searches) const {
    Workload workload;
    workload.operation = Operations::lattice_search;
    workload.items = shape.nodes() * searches;
    workload.work = 2 * static_cast<double>(shape.edges()) * static_cast<double>(searches);
    // The levels from one corner to the opposite one, plus the launches before the first level and
    // after the last one.
    const double levels = static_cast<double>(shape.dimensions()) * (shape.size() - 1);
    workload.starts = (levels + 4) * static_cast<double>(searches);
    workload.device_bytes =
        static_cast<std::uint64_t>(std::min(statistics_of(shape).search_bytes, 0x1p63));
    return workload;
  }

  std::uint64_t graph_nodes() const {
    KINDRED_THROW_IF(shape.nodes() > Impl::nodes_max,
                     "the lattice has " + std::to_string(shape.nodes()) +
                         " nodes; a graph has at most " + std::to_string(Impl::nodes_max));
    return shape.nodes();
  }

  /// The workspace of the calls on one space.
  template <class ExecutionSpace>
  struct Work {
    Work(MemoryResource& given, int count) : memory(&given), threads(count) {}

    MemoryResource* memory;
    int threads;  ///< of the host
    Impl::PlacedArray<ExecutionSpace, std::uint64_t> pairs{*memory, "Kindred::Lattice::pairs"};
    Impl::PlacedArray<ExecutionSpace, std::uint64_t> offsets{*memory, "Kindred::Lattice::offsets"};
    Impl::PlacedArray<ExecutionSpace, std::uint64_t> nodes{*memory, "Kindred::Lattice::path_nodes"};
    Impl::PlacedArray<ExecutionSpace, std::uint32_t> ends{*memory, "Kindred::Lattice::ends"};
    std::optional<Impl::SearchRun<ExecutionSpace>> search;
  };

  /// Calls `body(exec_space, work)` on the space that the dispatcher chooses. \see
  /// Impl::WorkspaceCalls
  template <class Body>
  DispatchRecord run(const Workload& workload, std::optional<Space> space, const Body& body) const {
    return m_calls.run(*context, workload, space,
                       [&](const auto& exec_space, auto& work, Space) { body(exec_space, work); });
  }

  /// The search workspace of a space. \throws OutOfMemory
  template <class ExecutionSpace>
  static Impl::SearchRun<ExecutionSpace>& search_in(const ExecutionSpace& exec_space,
                                                    Work<ExecutionSpace>& work,
                                                    const Impl::SearchTables& tables) {
    if (!work.search) work.search.emplace(exec_space, *work.memory, work.threads, tables);
    if constexpr (!Arch::is_device<ExecutionSpace>) work.search->run_on(exec_space);
    return *work.search;
  }

  LatticePaths routes(std::span<const LatticePair> pairs, std::optional<Space> space) const;
  LatticePaths searched(std::span<const LatticePair> pairs, std::optional<Space> space) const;

 private:
  mutable Impl::MadeOnce<Impl::SearchTables> m_tables;
  mutable Impl::WorkspaceCalls<Work> m_calls{"Kindred::Lattice::failed"};
};

LatticePaths Lattice::State::routes(std::span<const LatticePair> pairs,
                                    std::optional<Space> space) const {
  LatticePaths result;
  Ragged<std::uint64_t>& out = result.paths;
  std::uint64_t total = 0;
  for (const LatticePair& pair : pairs) {
    total += shape.distance(pair.from, pair.to) + 1;
    out.offsets.push_back(total);
  }
  check_budget(*context, 8.0 * static_cast<double>(total), "Kindred::Lattice::paths");
  out.values.resize(total);
  Workload workload;
  workload.operation = Operations::lattice_build;
  workload.items = pairs.size();
  workload.work = static_cast<double>(total);
  workload.transfer_bytes = total * sizeof(std::uint64_t) + pairs.size_bytes();
  workload.device_bytes = workload.transfer_bytes;
  const LatticeGrid grid(shape);
  static_assert(sizeof(LatticePair) == 2 * sizeof(std::uint64_t));
  const std::span ends(reinterpret_cast<const std::uint64_t*>(pairs.data()), 2 * pairs.size());
  const std::span<const std::uint64_t> begins(out.offsets.data(), pairs.size());
  result.record =
      run(workload, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space, auto& work) {
        lattice_routes<ExecutionSpace>(exec_space, grid, work.pairs.placed(exec_space, ends),
                                       work.offsets.placed(exec_space, begins),
                                       work.nodes.writable(out.values));
        work.nodes.take(exec_space, out.values);
      });
  return result;
}

LatticePaths Lattice::State::searched(std::span<const LatticePair> pairs,
                                      std::optional<Space> space) const {
  std::vector<std::size_t> order(pairs.size());  // by source, then in input order
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return pairs[i].from; });
  std::vector<std::size_t> ends;  // of the pairs with the same source
  for (std::size_t i = 1; i <= order.size(); ++i)
    if (i == order.size() || pairs[order[i]].from != pairs[order[i - 1]].from) ends.push_back(i);
  const Impl::SearchTables& search_tables = tables();
  std::vector<std::vector<std::uint64_t>> paths(pairs.size());
  LatticePaths out;
  out.record = run(search_work(ends.size()), space, [&](const auto& exec_space, auto& work) {
    auto& search = search_in(exec_space, work, search_tables);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      std::vector<std::uint64_t> targets;
      for (std::size_t i = begin; i < end; ++i) targets.push_back(pairs[order[i]].to);
      search.run({&pairs[order[begin]].from, 1}, targets);
      const Ragged<std::uint64_t> found = search.paths(targets);
      for (std::size_t i = begin; i < end; ++i)
        paths[order[i]].assign(found[i - begin].begin(), found[i - begin].end());
      begin = end;
    }
  });
  for (const std::vector<std::uint64_t>& path : paths) out.paths.push_row(path);
  return out;
}

Lattice::Lattice(Context& context, std::uint32_t dimensions, std::uint32_t size,
                 const LatticeBlocks& blocks) try
    : m_state(std::make_unique<State>(context, dimensions, size)) {
  const LatticeShape& lattice = m_state->shape;
  for (const std::uint64_t node : blocks.nodes) lattice.check_node(node, "a blocked node");
  for (const LatticePair& edge : blocks.edges) {
    lattice.check_node(edge.from, "an end of a blocked edge");
    lattice.check_node(edge.to, "an end of a blocked edge");
    KINDRED_THROW_IF(!lattice.are_neighbours(edge.from, edge.to),
                     "the blocked edge " + std::to_string(edge.from) + " – " +
                         std::to_string(edge.to) + " is not an edge of the lattice");
    m_state->blocked_edges.push_back({std::min(edge.from, edge.to), std::max(edge.from, edge.to)});
  }
  std::ranges::sort(m_state->blocked_edges, {}, ends_of);
  std::vector<std::uint64_t>& nodes = m_state->blocked_nodes;
  nodes.assign(blocks.nodes.begin(), blocks.nodes.end());
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice");
}

const LatticeShape& Lattice::shape() const noexcept { return m_state->shape; }
bool Lattice::is_blocked(std::uint64_t node) const noexcept { return m_state->is_blocked(node); }
LatticeStatistics Lattice::statistics() const try {
  return statistics_of(m_state->shape);
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice::statistics");
}

GraphStructure Lattice::measure(const LatticeOptions& options) const try {
  const LatticeRows graph = rows(options);
  check_budget(*m_state->context, 24.0 * static_cast<double>(shape().nodes()),
               "Kindred::Lattice::measure");
  return measure_structure(graph.offsets, graph.ends);
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice::measure");
}

LatticeRows Lattice::rows(const LatticeOptions& options) const try {
  const std::uint64_t nodes = m_state->graph_nodes();
  const auto entries = static_cast<std::uint64_t>(2 * shape().edges());
  check_budget(*m_state->context, statistics().rows_bytes, "Kindred::Lattice::rows");
  LatticeRows out;
  out.offsets.resize(nodes + 1);
  out.ends.resize(entries);
  Workload workload;
  workload.operation = Operations::lattice_build;
  workload.items = nodes;
  workload.work = static_cast<double>(entries);
  workload.transfer_bytes =
      out.offsets.size() * sizeof(std::uint64_t) + out.ends.size() * sizeof(std::uint32_t);
  workload.device_bytes = workload.transfer_bytes;
  const LatticeGrid grid(shape());
  out.record = m_state->run(
      workload, options.space,
      [&]<class ExecutionSpace>(const ExecutionSpace& exec_space, auto& work) {
        fill_lattice_adjacency<ExecutionSpace>(exec_space, grid, work.offsets.writable(out.offsets),
                                               work.ends.writable(out.ends));
        work.offsets.take(exec_space, out.offsets);
        work.ends.take(exec_space, out.ends);
      });
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice::rows");
}

std::vector<std::uint8_t> Lattice::dense() const try {
  check_budget(*m_state->context, statistics().dense_bytes, "Kindred::Lattice::dense");
  const std::uint64_t nodes = shape().nodes();
  std::vector<std::uint8_t> out(nodes * nodes);
  for (std::uint64_t node = 0; node < nodes; ++node) {
    if (node % 1024 == 0) Impl::CancelPoint().check();
    for (const std::uint64_t end : shape().neighbours(node)) out[node * nodes + end] = 1;
  }
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice::dense");
}

void Lattice::save(const std::string& path, const LatticeOptions& options) const try {
  const LatticeRows graph = rows(options);
  Impl::StoredGraph stored;
  stored.form = {EdgeWeights::none, false};
  stored.nodes = shape().nodes();
  stored.edges = graph.ends.size();
  stored.out.offsets = graph.offsets;
  stored.out.ends.emplace_back(graph.ends);
  stored.in = stored.out;  // the graph is symmetric and its rows ascend
  Impl::save_graph(path, stored);
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice::save");
}

std::vector<std::uint64_t> Lattice::path(std::uint64_t from, std::uint64_t to,
                                         const LatticeOptions& options) const try {
  m_state->check_open(from, "the start of the path");
  m_state->check_open(to, "the end of the path");
  if (!m_state->has_blocks()) {
    std::vector<std::uint64_t> out(shape().distance(from, to) + 1);
    lattice_route(LatticeGrid(shape()), from, to, out.data());
    return out;
  }
  const LatticePair pair{from, to};
  return m_state->searched({&pair, 1}, options.space).paths.values;
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice::path");
}

LatticePaths Lattice::paths(std::span<const LatticePair> pairs, const LatticeOptions& options) const
    try {
  for (const LatticePair& pair : pairs) {
    m_state->check_open(pair.from, "the start of a path");
    m_state->check_open(pair.to, "the end of a path");
  }
  if (pairs.empty()) return {};
  return m_state->has_blocks() ? m_state->searched(pairs, options.space)
                               : m_state->routes(pairs, options.space);
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice::paths");
}

Ragged<std::uint64_t> Lattice::all_paths(std::uint64_t from, std::uint64_t to,
                                         std::uint64_t edges_max, std::uint64_t limit) const try {
  m_state->check_open(from, "the start of the paths");
  m_state->check_open(to, "the end of the paths");
  const LatticeShape& lattice = shape();
  std::vector<std::uint32_t> to_end;  // distances to the end; only needed if something is blocked
  if (m_state->has_blocks()) to_end = distances({&to, 1}).distances;
  const auto can_arrive = [&](std::uint64_t node, std::uint64_t left) {
    if (to_end.empty()) return lattice.distance(node, to) <= left;
    return to_end[node] != LatticeDistances::unreached && to_end[node] <= left;
  };
  const auto is_open = [&](std::uint64_t a, std::uint64_t b) {
    return !std::ranges::binary_search(m_state->blocked_edges,
                                       ends_of({std::min(a, b), std::max(a, b)}), {}, ends_of);
  };
  Ragged<std::uint64_t> out;
  if (!can_arrive(from, edges_max)) return out;
  /// A node of the walk and its unvisited neighbours; the next one is the last.
  struct Step {
    std::uint64_t node;
    std::vector<std::uint64_t> left;
  };
  std::vector<Step> walk;
  std::vector<std::uint64_t> nodes;
  const auto enter = [&](std::uint64_t node) {
    walk.push_back({node, {}});
    nodes.push_back(node);
    if (node == to) {
      KINDRED_THROW_IF(out.rows() == limit, "there are more than " + std::to_string(limit) +
                                                " paths from " + std::to_string(from) + " to " +
                                                std::to_string(to) + " of at most " +
                                                std::to_string(edges_max) +
                                                " edges; increase the limit or allow fewer edges");
      out.push_row(nodes);
      return;
    }
    if (nodes.size() > edges_max) return;
    walk.back().left = lattice.neighbours(node);
    std::ranges::reverse(walk.back().left);
  };
  enter(from);
  for (std::uint64_t steps = 0; !walk.empty(); ++steps) {
    if (steps % 1024 == 0) Impl::CancelPoint().check();
    Step& step = walk.back();
    if (step.left.empty()) {
      walk.pop_back();
      nodes.pop_back();
      continue;
    }
    const std::uint64_t next = step.left.back();
    step.left.pop_back();
    if (!can_arrive(next, edges_max - nodes.size()) || m_state->is_blocked(next) ||
        !is_open(step.node, next) || std::ranges::find(nodes, next) != nodes.end())
      continue;
    enter(next);
  }
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice::all_paths");
}

LatticeDistances Lattice::distances(std::span<const std::uint64_t> sources,
                                    const std::optional<std::span<const std::uint64_t>>& targets,
                                    const LatticeOptions& options) const try {
  for (const std::uint64_t source : sources) m_state->check_open(source, "a source");
  if (targets)
    for (const std::uint64_t target : *targets) shape().check_node(target, "a target");
  const Impl::SearchTables& tables = m_state->tables();
  LatticeDistances out;
  if (!targets) out.distances.resize(shape().nodes());
  Workload workload = m_state->search_work(1);
  workload.transfer_bytes = out.distances.size() * sizeof(std::uint32_t);
  out.record = m_state->run(workload, options.space, [&](const auto& exec_space, auto& work) {
    auto& search = State::search_in(exec_space, work, tables);
    search.run(sources);
    out.farthest = search.farthest();
    out.reached = search.reached();
    if (targets)
      out.distances = search.distances_of(*targets);
    else
      search.distances(out.distances);
  });
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::Lattice::distances");
}

static_assert(LatticeDistances::unreached == lattice_unreached);

}  // namespace Kindred
