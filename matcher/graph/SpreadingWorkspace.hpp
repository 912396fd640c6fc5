// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_SPREADING_WORKSPACE_HPP
#define KINDRED_MATCHER_GRAPH_SPREADING_WORKSPACE_HPP

#include "HeldMemory.hpp"
#include "NodeRanking.hpp"
#include "QueryGroups.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/graph/Hop.hpp>
#include <kindred/core/graph/SourceArrays.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// Queries of a call whose sources and results are arrays in the memory of a space.
template <class ExecutionSpace>
struct ArrayQueries {
  SourceArrays<ExecutionSpace> sources;
  std::size_t queries = 0;
  std::size_t top = 0;  ///< columns of the results
  ArrayView<std::uint32_t, ExecutionSpace> nodes;
  ArrayView<float, ExecutionSpace> values;
};
/// A hop: its vectors, and how it reads the edges.
struct HopRequest {
  const float* x = nullptr;
  float* y = nullptr;
  std::size_t columns = 1;
  std::size_t count = 0;   ///< values of x, and of y
  bool is_placed = false;  ///< x and y are in memory of the space; if not, in that of the host
  HopDirection direction = HopDirection::along;
  EdgeRules rules;

  /// Whether it can use the bins of a graph.
  bool is_plain() const {
    return columns == 1 && rules.is_plain() && direction == HopDirection::along;
  }
};

/// The workspace of spreading on one space, kept between calls.
template <class ExecutionSpace>
class SpreadingWorkspace {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  explicit SpreadingWorkspace(MemoryResource& memory)
      : m_memory(memory), m_buffers(std::in_place, memory), m_choice(memory) {}

  /// Bytes of data derived from a graph, excluding the workspace.
  std::uint64_t kept_bytes() const { return m_choice.bytes(); }

  /// Number of queries spread together.
  static constexpr std::size_t batch = static_cast<std::size_t>(HopWidth::thirty_two);

  /// The direction along the edges of \p graph with \p rules applied; valid until the next such
  /// call.
  GraphSide<memory_space> along(const ExecutionSpace& exec_space,
                                const GraphView<memory_space>& graph, const EdgeRules& rules) {
    return m_choice.side(exec_space, graph, HopDirection::along, rules);
  }

  /// Spreads \p sources (at most `batch`) over \p graph, which must come from `along`, and writes
  /// the best ranks of each query to \p ranks, padded with `rank_none`. Fences \p exec_space.
  /// \throws OutOfMemory; the workspace is then released, so that a smaller batch can use its
  /// memory
  void spread(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
              std::span<const QuerySources> sources, const SpreadRequest& request, Rank* ranks) {
    or_release(exec_space, [&] {
      HopParameters parameters = request.parameters;
      SpreadState<ExecutionSpace> state =
          prepare(exec_space, graph, sources.size(), request, request.query_kinds);
      start(exec_space, state, sources);
      for (std::uint32_t hop = 1; hop <= parameters.hops; ++hop) {
        if (!Arch::is_device<ExecutionSpace> || hop % 16 == 0) {
          std::uint32_t last = 0;
          download(exec_space, &last, m_buffers->last.view(), 1);
          if (last + 1 < hop) break;
        }
        launch_next(exec_space, graph, state, request, parameters, hop);
      }
      if (graph.nodes > 0)
        m_buffers->ranking.rank(exec_space, state, graph.nodes, 0, sources.size(), ranked_together,
                                request.top, ranks);
    });
  }

  /// \brief Spreads the queries of arrays over \p graph, which must come from `along`, and writes
  /// their results. Does not fence: every hop reads all edges until nothing is passed on.
  /// \throws OutOfMemory; the workspace is then released
  void launch_spread(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
                     const ArrayQueries<ExecutionSpace>& queries, const SpreadRequest& request) {
    or_release(exec_space, [&] {
      m_buffers->array_shape = {};
      const auto faults = sized(m_buffers->faults, queries.queries);
      Arch::start_fill(exec_space, faults, 0U);
      for (std::size_t first = 0; first < queries.queries; first += batch) {
        const std::size_t count = std::min(batch, queries.queries - first);
        SpreadState<ExecutionSpace> state = prepare(exec_space, graph, count, request, {});
        start_from_arrays(exec_space, state, queries.sources, graph.nodes, first, count,
                          request.parameters.mode, faults);
        HopParameters parameters = request.parameters;
        for (std::uint32_t hop = 1; hop <= parameters.hops; ++hop)
          launch_next(exec_space, graph, state, request, parameters, hop);
        put_best(exec_space, graph.nodes, state, first, count, queries);
      }
      m_buffers->array_shape = shape_of(graph, queries, request);
    });
  }
  /// Whether `launch_spread` neither allocates memory nor changes what calls that are still running
  /// may read: it was the last such call that had these sizes.
  bool is_ready_to_spread(const GraphView<memory_space>& graph,
                          const ArrayQueries<ExecutionSpace>& queries,
                          const SpreadRequest& request) const {
    return m_choice.has(graph, HopDirection::along, request.rules) &&
           m_buffers->array_shape == shape_of(graph.in, queries, request);
  }

  /// `y = Wᵀx` or `y = W x` for columns. Fences \p exec_space, unless the vectors are placed.
  void hop(const ExecutionSpace& exec_space, const GraphView<memory_space>& graph,
           const HopRequest& request) {
    ArrayView<const float, ExecutionSpace> x(request.x, request.count);
    ArrayView<float, ExecutionSpace> y(request.y, request.count);
    const bool copies = Arch::is_device<ExecutionSpace> && !request.is_placed;
    if (copies) {
      y = sized(m_buffers->next, request.count);
      upload(exec_space, sized(m_buffers->passed, request.count), request.x, request.count);
      x = m_buffers->passed.const_view();
    }
    const auto side = m_choice.side(exec_space, graph, request.direction, request.rules);
    const auto words = m_choice.kind_queries(exec_space, request.rules);
    launch_hop(exec_space, side, x, y, request.columns, words);
    if (copies)
      download(exec_space, request.y, y, request.count);
    else if (!request.is_placed)
      Arch::fence(exec_space, "Kindred::SpreadingEngine::hop");
  }
  /// Whether `hop` of placed vectors neither allocates memory nor changes what hops that are still
  /// running may read.
  bool is_ready_to_hop(const GraphView<memory_space>& graph, const HopRequest& request) const {
    const auto& side = request.direction == HopDirection::along ? graph.in : graph.out;
    const auto wide = static_cast<std::size_t>(width_of(request.columns));
    const std::size_t panel = hops_in_place(request.x, request.columns) ? 0 : side.nodes * wide;
    return m_choice.has(graph, request.direction, request.rules) &&
           m_buffers->hop_partial.bytes() >= side.blocks() * wide * sizeof(double) &&
           std::min(m_buffers->panel_x.bytes(), m_buffers->panel_y.bytes()) >=
               panel * sizeof(float);
  }

 private:
  /// What determines the sizes of buffers in `launch_spread`.
  using array_shape_type = std::array<std::size_t, 6>;
  /// All memory but that of derived data.
  struct Buffers {
    explicit Buffers(MemoryResource& given) : memory(given) {}

    MemoryResource& memory;
    Buffer<float, memory_space> value{memory, "Kindred::SpreadingEngine::value", 0};
    Buffer<float, memory_space> passed{memory, "Kindred::SpreadingEngine::passed", 0};
    Buffer<float, memory_space> next{memory, "Kindred::SpreadingEngine::next", 0};
    Buffer<std::uint8_t, memory_space> tier{memory, "Kindred::SpreadingEngine::tier", 0};
    Buffer<double, memory_space> partial{memory, "Kindred::SpreadingEngine::partial", 0};
    Buffer<std::uint32_t, memory_space> last{memory, "Kindred::SpreadingEngine::last", 0};
    Buffer<std::uint64_t, memory_space> source_places{memory,
                                                      "Kindred::SpreadingEngine::source_places", 0};
    Buffer<float, memory_space> source_values{memory, "Kindred::SpreadingEngine::source_values", 0};
    Buffer<Arch::BFloat16, memory_space> short_passed{memory,
                                                      "Kindred::SpreadingEngine::short_passed", 0};
    Buffer<Arch::BFloat16, memory_space> short_next{memory, "Kindred::SpreadingEngine::short_next",
                                                    0};
    Buffer<std::uint32_t, memory_space> faults{memory, "Kindred::SpreadingEngine::faults",
                                               0};  // one word per query
    NodeRanking<ExecutionSpace> ranking{memory};
    Buffer<double, memory_space> hop_partial{memory, "Kindred::SpreadingEngine::hop_partial", 0};
    Buffer<float, memory_space> panel_x{memory, "Kindred::SpreadingEngine::panel_x", 0};
    Buffer<float, memory_space> panel_y{memory, "Kindred::SpreadingEngine::panel_y", 0};
    array_shape_type array_shape{};  // of the last `launch_spread`; zeros: none
  };

  template <class Body>
  void or_release(const ExecutionSpace& exec_space, const Body& body) {
    try {
      body();
    } catch (const OutOfMemory&) {
      Arch::fence(exec_space, "Kindred::SpreadingEngine::spread::out_of_memory");
      m_buffers.emplace(m_memory);
      throw;
    }
  }

  /// Whether the kernels read x and write y where they are; if not, panels of columns are copied.
  static bool hops_in_place(const float* x, std::size_t columns) {
    return columns == static_cast<std::size_t>(width_of(columns)) &&
           begin_at(hop_alignment<ExecutionSpace>, x);
  }
  /// `y = W x` for the rows of \p graph. Does not fence. \param words \see
  /// SpreadState::kind_queries
  void launch_hop(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
                  const ArrayView<const float, ExecutionSpace>& x,
                  const ArrayView<float, ExecutionSpace>& y, std::size_t columns,
                  const ArrayView<const std::uint32_t, ExecutionSpace>& words) {
    for (std::size_t first = 0; first < columns;) {
      const HopWidth width = width_of(columns - first);
      const auto wide = static_cast<std::size_t>(width);
      const std::size_t count = std::min(wide, columns - first);
      const auto partial = sized(m_buffers->hop_partial, graph.blocks() * wide);
      if (hops_in_place(x.data(), columns)) {
        Kindred::hop(exec_space, graph, width, x, y, partial, words);
      } else {
        const auto panel_x = sized(m_buffers->panel_x, graph.nodes * wide);
        const auto panel_y = sized(m_buffers->panel_y, graph.nodes * wide);
        copy_columns<ExecutionSpace>(exec_space, {x, columns, first}, {panel_x, wide}, count,
                                     wide - count);
        Kindred::hop(exec_space, graph, width, m_buffers->panel_x.const_view(), panel_y, partial,
                     words);
        copy_columns<ExecutionSpace>(exec_space, {m_buffers->panel_y.const_view(), wide},
                                     {y, columns, first}, count);
      }
      first += count;
    }
  }

  /// The state of \p queries queries, at most `batch`, in buffers of this workspace.
  SpreadState<ExecutionSpace> prepare(const ExecutionSpace& exec_space,
                                      const GraphSide<memory_space>& graph, std::size_t queries,
                                      const SpreadRequest& request,
                                      std::span<const EdgeKinds> query_kinds) {
    SpreadState<ExecutionSpace> state;
    state.width = request.short_activations ? HopWidth::thirty_two : width_of(queries);
    const auto width = static_cast<std::size_t>(state.width);
    const std::size_t places = width * graph.nodes;
    const std::size_t long_places = request.short_activations ? 0 : places;
    state.value = sized(m_buffers->value, places);
    state.passed = sized(m_buffers->passed, long_places);
    state.next = sized(m_buffers->next, long_places);
    state.short_passed = sized(m_buffers->short_passed, places - long_places);
    state.short_next = sized(m_buffers->short_next, places - long_places);
    state.tier = sized(m_buffers->tier, request.parameters.mode == SpreadMode::engine ? places : 0);
    state.partial = sized(m_buffers->partial, graph.blocks() * width);
    state.last = sized(m_buffers->last, hop_marks);
    state.kind_queries = m_choice.kind_queries(exec_space, request.rules, query_kinds);
    return state;
  }

  static void launch_next(const ExecutionSpace& exec_space, const GraphSide<memory_space>& graph,
                          SpreadState<ExecutionSpace>& state, const SpreadRequest& request,
                          HopParameters& parameters, std::uint32_t hop) {
    parameters.hop = hop;
    parameters.decay = decay_at(request.decay, hop);
    spread_hop(exec_space, graph, state, parameters);
    std::swap(state.passed, state.next);
    std::swap(state.short_passed, state.short_next);
  }

  /// Writes the results of the queries `first … first + count` of \p queries.
  void put_best(const ExecutionSpace& exec_space, std::size_t nodes,
                const SpreadState<ExecutionSpace>& state, std::size_t first, std::size_t count,
                const ArrayQueries<ExecutionSpace>& queries) {
    const std::size_t found = std::min(nodes, queries.top);
    auto& ranking = m_buffers->ranking;
    const auto put = [&](std::size_t from, std::size_t some) {
      put_ranks(exec_space, ranking.best(), found, first + from, some, queries.top,
                m_buffers->faults.const_view(), queries.nodes, queries.values);
    };
    if (found == 0) return put(0, count);
    ranking.select_best(exec_space, state, nodes, 0, count, ranked_together, found, put);
  }

  static array_shape_type shape_of(const GraphSide<memory_space>& graph,
                                   const ArrayQueries<ExecutionSpace>& queries,
                                   const SpreadRequest& request) {
    return {graph.nodes + 1,
            graph.blocks(),
            queries.queries,
            queries.top,
            static_cast<std::size_t>(request.parameters.mode),
            request.short_activations ? std::size_t{1} : std::size_t{0}};
  }

  void start(const ExecutionSpace& exec_space, const SpreadState<ExecutionSpace>& state,
             std::span<const QuerySources> sources) {
    std::vector<std::uint64_t> places;
    std::vector<float> values;
    std::size_t count = 0;
    for (const QuerySources& query : sources) count += query.size();
    places.reserve(count);
    values.reserve(count);
    for (std::size_t query = 0; query < sources.size(); ++query) {
      for (const Activation& source : sources[query]) {
        places.push_back(source.node * static_cast<std::uint64_t>(state.width) + query);
        values.push_back(source.value);
      }
    }
    start_spreading(exec_space, state, placed_in(exec_space, m_buffers->source_places, places),
                    placed_in(exec_space, m_buffers->source_values, values));
  }

  /// The values of eight queries for a node are the smallest unit that a device reads.
  static constexpr std::size_t ranked_together = Arch::is_device<ExecutionSpace> ? 8 : 1;

  MemoryResource& m_memory;
  std::optional<Buffers> m_buffers;
  EdgeChoice<ExecutionSpace> m_choice;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_SPREADING_WORKSPACE_HPP
