// SPDX-License-Identifier: Apache-2.0
#include "machine/SmallSpreads.hpp"

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/graph/FillAdjacency.hpp>
#include <kindred/core/graph/Frontier.hpp>

#include "machine/RepeatedCalls.hpp"

#include <any>
#include <type_traits>
#include <utility>

namespace Kindred::Perf {

namespace {

template <class ExecutionSpace>
class SmallSpreadCalls final : public Repeated<ExecutionSpace, SmallSpreads> {
 public:
  SmallSpreadCalls(const ExecutionSpace& exec_space, std::size_t nodes, std::span<const Edge> edges,
                   std::span<const Activation> sources, const SpreadOptions& options)
      : Repeated<ExecutionSpace, SmallSpreads>(exec_space, sources.size()),
        m_top(options.top),
        m_queries(sources.size()),
        m_ranks("Kindred::Perf::SmallSpreads", sources.size() * options.top),
        m_done("Kindred::Perf::SmallSpreads", sources.size()) {
    HostRows out(nodes, edges.size());
    HostRows in(nodes, edges.size());
    fill_adjacency(HostSpace(), edges, out.span(), in.span());
    place(m_out, out);
    place(m_in, in);
    m_state.shape = {1, nodes, FrontierShape::budget_of<ExecutionSpace>(nodes, edges.size())};
    for (std::size_t call = 0; call < sources.size(); ++call) {
      FrontierQueries<ExecutionSpace>& queries = m_queries[call];
      queries.count = 1;
      queries.only.sources = 1;
      queries.only_sources[0] = sources[call];
      HopParameters& parameters = queries.only.parameters;
      parameters.mode = options.mode;
      parameters.hops = options.hops;
      for (std::size_t tier = 0; tier < default_tier_thresholds.size(); ++tier)
        parameters.thresholds[tier] = options.threshold ? static_cast<float>(*options.threshold)
                                                        : default_tier_thresholds[tier];
      for (std::uint32_t hop = 1; hop <= options.hops && hop <= queries.few_hops; ++hop)
        queries.only_decays[hop - 1] = decay_at(options.decay, hop);
    }
  }

  std::vector<Activation> answer(std::size_t call) const override {
    if (fetched(m_done)[call] == 0) return {};
    const std::vector<Rank> ranks = fetched(m_ranks);
    std::vector<Activation> answer;
    for (std::size_t i = call * m_top; i < (call + 1) * m_top && ranks[i] != rank_none; ++i)
      answer.push_back({rank_index(ranks[i]), score_descending(ranks[i])});
    return answer;
  }

 private:
  using memory_space = typename ExecutionSpace::memory_space;
  template <class T>
  using Array = Kokkos::View<T*, memory_space>;

  struct HostRows {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> ends;
    std::vector<float> weights;

    HostRows(std::size_t nodes, std::size_t edges)
        : offsets(nodes + 1), ends(edges), weights(edges) {}
    AdjacencySpan span() { return {offsets, ends, weights}; }
  };
  struct Rows {
    Array<std::uint64_t> offsets;
    Array<std::uint32_t> ends;
    Array<float> weights;

    GraphSide<memory_space> side() const {
      GraphSide<memory_space> side;
      side.built.offsets = offsets;
      side.built.sources = ends;
      side.built.weights = weights;
      side.nodes = offsets.extent(0) - 1;
      return side;
    }
  };
  template <class T>
  using HostArray = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  void place(Rows& to, const HostRows& from) {
    const auto copy = [&]<class T>(Array<T>& array, const std::vector<T>& values) {
      array = Array<T>("Kindred::Perf::SmallSpreads", values.size());
      Kokkos::deep_copy(this->exec_space(), array,
                        HostArray<const T>(values.data(), values.size()));
      this->exec_space().fence("Kindred::Perf::SmallSpreads::place");
    };
    copy(to.offsets, from.offsets);
    copy(to.ends, from.ends);
    copy(to.weights, from.weights);
  }
  template <class T>
  std::vector<T> fetched(const Array<T>& array) const {
    std::vector<T> values(array.extent(0));
    Kokkos::deep_copy(this->exec_space(), HostArray<T>(values.data(), values.size()), array);
    this->exec_space().fence("Kindred::Perf::SmallSpreads::fetched");
    return values;
  }

  void launch(std::size_t call) override {
    const std::pair ranks(call * m_top, (call + 1) * m_top);
    const std::pair done(call, call + 1);
    FrontierQueries<ExecutionSpace>& queries = m_queries[call];
    queries.top = static_cast<std::uint32_t>(m_top);
    queries.ranks = Kokkos::subview(m_ranks, ranks);
    queries.done = Kokkos::subview(m_done, done);
    if (Special::is_used<Special::Form::small_frontier, ExecutionSpace>() &&
        spread_small_frontier<ExecutionSpace>(this->exec_space(), m_in.side(), m_out.side(),
                                              queries))
      return;
    if (m_held.empty()) prepare_state();
    if (call == 0) Arch::start_fill(this->exec_space(), m_taken, 0U);
    queries.taken = Kokkos::subview(m_taken, done);
    spread_frontier<ExecutionSpace>(this->exec_space(), m_in.side(), m_out.side(), m_state,
                                    queries);
  }

  /// Allocates what the kernel for any frontier needs.
  void prepare_state() {
    const FrontierSizes<ExecutionSpace> sizes(m_state.shape);
    const std::size_t nodes = m_state.shape.nodes;
    const auto make = [&]<class T>(ArrayView<T, ExecutionSpace>& view, std::size_t size) {
      const Array<T> array("Kindred::Perf::SmallSpreads", size);
      view = array;
      m_held.emplace_back(array);
    };
    make(m_state.value, nodes);
    make(m_state.passed, 3 * nodes);
    make(m_state.tier, nodes);
    make(m_state.mark, nodes);
    make(m_state.control, 1);
    make(m_state.rows, sizes.rows);
    make(m_state.long_rows, sizes.long_rows);
    make(m_state.blocks, sizes.blocks);
    make(m_state.partial, sizes.blocks);
    make(m_state.hubs, sizes.hubs);
    make(m_state.keys, sizes.keys);
    make(m_taken, m_queries.size());
    clear_frontier<ExecutionSpace>(this->exec_space(), m_state);
  }

  std::vector<std::any> m_held;  ///< the memory of the next two
  FrontierState<ExecutionSpace> m_state;
  ArrayView<std::uint32_t, ExecutionSpace> m_taken;  ///< by call
  std::size_t m_top;
  std::vector<FrontierQueries<ExecutionSpace>> m_queries;
  Rows m_out;
  Rows m_in;
  Array<Rank> m_ranks;
  Array<std::uint8_t> m_done;
};

}  // namespace

std::unique_ptr<SmallSpreads> small_spreads(const Context& context, Space space, std::size_t nodes,
                                            std::span<const Edge> edges,
                                            std::span<const Activation> sources,
                                            const SpreadOptions& options) {
  return with_own_instance(
      context, space,
      [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) -> std::unique_ptr<SmallSpreads> {
        return std::make_unique<SmallSpreadCalls<ExecutionSpace>>(exec_space, nodes, edges, sources,
                                                                  options);
      });
}

}  // namespace Kindred::Perf
