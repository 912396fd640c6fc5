// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SpreadingEngine.hpp>

#include "SpreadChecks.hpp"
#include "SpreadingState.hpp"
#include "StoredGraph.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Kindred {

SpreadingEngine::SpreadingEngine(Context& context, const GraphSpan& graph,
                                 const GraphOptions& options)
    : m_state(Impl::translating_out_of_memory("Kindred::SpreadingEngine", [&] {
        return std::make_unique<State>(context, graph, options);
      })) {}
SpreadingEngine::SpreadingEngine(Context& context, const CsrGraph& graph,
                                 const GraphOptions& options)
    : m_state(Impl::translating_out_of_memory("Kindred::SpreadingEngine", [&] {
        return std::make_unique<State>(context, graph, options);
      })) {}
SpreadingEngine::SpreadingEngine(std::unique_ptr<State> state) : m_state(std::move(state)) {}
SpreadingEngine SpreadingEngine::load(Context& context, const FileSource& source,
                                      const GraphOptions& options, int threads) try {
  return SpreadingEngine(
      std::make_unique<State>(context, Impl::load_graph(source, threads), options));
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::load");
}
std::vector<std::byte> SpreadingEngine::to_bytes() const try {
  std::vector<std::byte> bytes;
  m_state->store.save(bytes);
  return bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::to_bytes");
}
void SpreadingEngine::save(const std::string& path) const try {
  m_state->store.save(path);
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::save");
}

std::size_t SpreadingEngine::nodes() const { return m_state->store.snapshot()->nodes(); }
bool SpreadingEngine::has_node(std::uint32_t node) const {
  return m_state->store.snapshot()->is_node(node);
}
std::size_t SpreadingEngine::edges() const { return m_state->store.snapshot()->edges(); }
std::uint64_t SpreadingEngine::bytes(Space space) const { return m_state->bytes(space); }
GraphStatistics SpreadingEngine::statistics() const try {
  GraphStatistics statistics = m_state->store.statistics();
  for (const Space space : all_spaces)
    statistics.bytes[space_index(space)] += m_state->kept[space_index(space)];
  return statistics;
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::statistics");
}

std::optional<std::uint32_t> SpreadingEngine::find(std::string_view name) const try {
  const auto& names = m_state->store.names();
  const Symbol node = names ? names->find(name) : unknown_symbol;
  if (node == unknown_symbol || !has_node(node)) return {};
  return node;
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::find");
}
std::string_view SpreadingEngine::name(std::uint32_t node) const try {
  const auto& names = m_state->store.names();
  if (!names || node >= m_state->store.snapshot()->nodes())
    throw NotFound("node " + std::to_string(node) + " has no name");
  return names->text(node);
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::name");
}

std::uint32_t SpreadingEngine::add_nodes(std::uint64_t count, std::span<const std::uint8_t> kinds) {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::add_nodes",
                                         [&] { return m_state->store.add_nodes(count, kinds); });
}
std::vector<std::uint32_t> SpreadingEngine::add_nodes(std::span<const std::string_view> names,
                                                      std::span<const std::uint8_t> kinds) {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::add_nodes",
                                         [&] { return m_state->store.add_nodes(names, kinds); });
}
void SpreadingEngine::add_edges(std::span<const Edge> edges, std::span<const std::uint8_t> kinds) {
  Impl::translating_out_of_memory("Kindred::SpreadingEngine::add_edges",
                                  [&] { m_state->store.add_edges(edges, kinds); });
}
std::uint64_t SpreadingEngine::remove_edges(std::span<const EdgeEnds> edges) {
  return Impl::translating_out_of_memory("Kindred::SpreadingEngine::remove_edges",
                                         [&] { return m_state->store.remove_edges(edges); });
}
void SpreadingEngine::remove_nodes(std::span<const std::uint32_t> nodes) {
  Impl::translating_out_of_memory("Kindred::SpreadingEngine::remove_nodes",
                                  [&] { m_state->store.remove_nodes(nodes); });
}
void SpreadingEngine::merge() {
  Impl::translating_out_of_memory("Kindred::SpreadingEngine::merge",
                                  [&] { m_state->store.merge(); });
}

DispatchRecord SpreadingEngine::hop(const ConstArray& x, const Array& y,
                                    const HopOptions& options) const try {
  State& state = *m_state;
  const State::Snapshot graph = state.store.snapshot();
  Impl::HopRequest request = Impl::checked_hop(x, y, graph->nodes());
  Impl::check_modifiers(options.modifiers, false);
  const std::optional<Space> where = Impl::space_of(state.context, {{"x", x}, {"y", y}});
  if (where) State::require_on_device(*graph, options.space);
  if (!where && request.count > 0) Impl::require_no_stream(options.stream, "x and y");
  request.is_placed = where.has_value();
  request.direction = options.direction;
  request.rules = {options.kinds, options.modifiers};
  Workload workload = State::work_of(*graph, request.columns, 1);
  workload.transfer_bytes = where ? 0 : 2 * request.count * sizeof(float);
  if (where && options.stream) {
    return state.run_on_stream(workload, *options.stream, graph,
                               [&](const auto& own, const auto& exec_space, auto& workspace) {
                                 auto view = graph->view(own);
                                 if (request.is_plain())
                                   view.in.bins = workspace.bins.existing(graph->base());
                                 if (!workspace.whole.is_ready_to_hop(view, request))
                                   workspace.on_streams.wait();
                                 workspace.whole.hop(exec_space, view, request);
                               });
  }
  return state.run(workload, where ? where : options.space,
                   [&](const auto& exec_space, auto& workspace) {
                     auto view = graph->view(exec_space);
                     if (request.is_plain())
                       view.in.bins = workspace.bins_of(exec_space, *graph, 1);
                     workspace.whole.hop(exec_space, view, request);
                     if (request.is_placed)
                       Arch::fence(exec_space, "Kindred::SpreadingEngine::hop");
                   });
} catch (...) {
  Impl::rethrow_translated("Kindred::SpreadingEngine::hop");
}

}  // namespace Kindred
