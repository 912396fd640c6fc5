// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/reference/Reference.hpp>

#include "common/Timing.hpp"
#include "kokkos_kernels/KokkosKernelsPeers.hpp"
#include "machine/DeviceCalls.hpp"
#include "machine/SmallSpreads.hpp"
#include "problems/Checking.hpp"
#include "problems/ProblemFactories.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace Kindred::Perf {

namespace {

/// SciPy sums in float32, which causes this error for rows of tens of thousands of edges.
constexpr double float_sum_tolerance = 1e-3;

void write_graph(const GraphSet& graph, JobFolder& folder) {
  std::vector<std::int32_t> from;
  std::vector<std::int32_t> to;
  std::vector<float> weight;
  for (const Edge& edge : graph.edges) {
    from.push_back(static_cast<std::int32_t>(edge.from));
    to.push_back(static_cast<std::int32_t>(edge.to));
    weight.push_back(edge.weight);
  }
  folder.add<std::int32_t>("from", "int32", from, {from.size()});
  folder.add<std::int32_t>("to", "int32", to, {to.size()});
  folder.add<float>("weight", "float32", weight, {weight.size()});
  folder.parameters["nodes"] = graph.nodes;
}

class SpreadProblem final : public Problem {
 public:
  SpreadProblem(std::shared_ptr<const GraphSet> graph, std::size_t queries, std::size_t sources,
                const SpreadOptions& options, std::uint64_t seed)
      : m_graph(std::move(graph)), m_options(options), m_seed(seed) {
    name = options.mode == SpreadMode::engine     ? "BM_Spread_engine"
           : options.mode == SpreadMode::pagerank ? "BM_Spread_pagerank"
                                                  : "BM_Spread_linear";
    arguments = {{"edges", static_cast<std::int64_t>(m_graph->edges.size())},
                 {"nodes", static_cast<std::int64_t>(m_graph->nodes)},
                 {"hops", static_cast<std::int64_t>(options.hops)},
                 {"queries", static_cast<std::int64_t>(queries)}};
    if (options.mode == SpreadMode::pagerank) arguments.emplace_back("iterations", 0);
    items = static_cast<double>(m_graph->edges.size()) * static_cast<double>(queries);
    unit = "edges";
    multiply_adds = items * options.hops;
    if (options.mode == SpreadMode::linear) job = queries == 1 ? "small_spread" : "linear";
    if (options.mode == SpreadMode::pagerank) job = "pagerank";
    for (std::size_t q = 0; q < queries; ++q) {
      for (std::size_t s = 0; s < sources; ++s) m_sources.values.push_back(source(q * sources + s));
      m_sources.close_row();
    }
  }
  bool reaches(Space space) const override { return m_graph->engine.bytes(space) > 0; }
  DispatchRecord run(std::optional<Space> space) override {
    m_options.space = space;
    m_answer = m_graph->engine.spread(m_sources, m_options);
    if (m_options.mode == SpreadMode::pagerank) count_iterations();
    return m_answer.record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const std::uint64_t offset : m_answer.activations.offsets) digest.add(offset);
    for (const Activation& entry : m_answer.activations.values) {
      digest.add(std::uint64_t{entry.node});
      digest.add(entry.value);
    }
    return digest.value();
  }
  std::string check() const override {
    // The reference traverses all edges in every hop. Answers for larger graphs are checked by
    // their form, and by comparing bits.
    if (m_graph->edges.size() > 2'000'000) return check_form();
    std::vector<Reference::Link> links;
    links.reserve(m_graph->edges.size());
    for (const Edge& edge : m_graph->edges) links.push_back({edge.from, edge.to, edge.weight});
    std::vector<Reference::Node> sources;
    const RaggedSpan<Activation> lists = m_sources;
    for (const Activation& source : lists[0]) sources.push_back({source.node, source.value});
    Reference::SpreadSettings settings;
    settings.hops = m_options.hops;
    settings.decay = m_options.decay;
    settings.threshold = m_options.threshold;
    settings.short_activations = m_options.activations != ActivationPrecision::float32;
    const std::vector<float> values =
        m_options.mode == SpreadMode::pagerank
            ? Reference::page_rank(
                  m_graph->nodes, links, sources,
                  {m_options.damping, m_options.tolerance, m_options.max_iterations})
                  .values
        : m_options.mode == SpreadMode::engine
            ? Reference::spread_engine(m_graph->nodes, links, sources, settings)
            : Reference::spread_linear(m_graph->nodes, links, sources, settings);
    const auto expected = Reference::ranked_nodes(values, m_options.top);
    const std::span<const Activation> answer = m_answer.activations[0];
    if (answer.size() != expected.size())
      return "there are " + std::to_string(answer.size()) + " nodes, the reference has " +
             std::to_string(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (answer[i].node != expected[i].node || answer[i].value != expected[i].value)
        return difference("activation", answer[i].node, answer[i].value, expected[i].value);
    }
    return {};
  }
  Queued queued(Space space, int repeats) override {
    if (space != Space::cuda || m_sources.values.size() != 1) return {};
    constexpr std::size_t queries = 64;
    constexpr std::size_t calls = 8 * queries;  // enough that start and fence are negligible
    std::vector<Activation> sources;
    for (std::size_t i = 0; i < calls; ++i) sources.push_back(source(i % queries));
    const auto spreads =
        small_spreads(*m_graph->context, space, m_graph->nodes, m_graph->edges, sources, m_options);
    spreads->run();
    Queued queued;
    queued.seconds = median_of(repeats, 5.0, [&] { spreads->run(); }) / calls;
    const std::span<const Activation> own = m_answer.activations[0];
    if (!std::ranges::equal(spreads->answer(0), own))
      queued.wrong = "a queued call has another answer than the engine's";
    for (std::size_t i = 0; i < queries && queued.wrong.empty(); ++i) {
      if (spreads->answer(i).empty())
        queued.wrong = "queued call " + std::to_string(i) + " has outgrown its kernel";
    }
    return queued;
  }
  void write(JobFolder& folder) const override {
    write_graph(*m_graph, folder);
    std::vector<std::int64_t> sources;
    std::vector<float> values;
    const RaggedSpan<Activation> lists = m_sources;
    for (std::size_t query = 0; query < lists.rows(); ++query) {
      for (const Activation& source : lists[query]) {
        sources.insert(sources.end(), {static_cast<std::int64_t>(query), source.node});
        values.push_back(source.value);
      }
    }
    folder.add<std::int64_t>("sources", "int64", sources, {values.size(), 2});
    folder.add<float>("values", "float32", values, {values.size()});
    folder.parameters["queries"] = lists.rows();
    folder.parameters["top"] = m_options.top;
    folder.parameters["source"] = sources[1];
    folder.parameters["damping"] = m_options.damping;
    for (std::uint32_t hop = 1; hop <= m_options.hops; ++hop)
      folder.parameters["decay"].push_back(std::exp(-m_options.decay.parameter * hop));
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run({});
    std::vector<double> values;
    for (const Activation& entry : m_answer.activations.values) values.push_back(entry.value);
    // The peer of PageRank iterates to convergence; our error is at most the residual · α / (1 − α)
    // in the 1-norm.
    const bool is_ranking = m_options.mode == SpreadMode::pagerank;
    return compare_values(values, answer.scores,
                          is_ranking
                              ? m_options.tolerance * m_options.damping / (1 - m_options.damping)
                              : float_sum_tolerance);
  }

 private:
  Activation source(std::size_t i) const {
    return {static_cast<std::uint32_t>(random_word(m_seed + 3, i) % m_graph->nodes),
            m_options.mode == SpreadMode::pagerank ? 1.0F : 0.9F};
  }
  /// Derives the maximum number of iterations and the bytes read. An iteration reads one value per
  /// edge, and the old and new value of each node; 32 queries share the read of an edge.
  void count_iterations() {
    std::uint32_t most = 0;
    double all = 0;
    for (const Convergence& query : m_answer.convergence) {
      most = std::max(most, query.iterations);
      all += query.iterations;
    }
    arguments.back().second = most;
    const auto edges = static_cast<double>(m_graph->edges.size());
    const auto batches = static_cast<double>((m_answer.convergence.size() + 31) / 32);
    multiply_adds = all * edges;
    bytes =
        all * 4 * (edges + 2 * static_cast<double>(m_graph->nodes)) + most * batches * 8 * edges;
  }
  /// Every query must have found the requested number of nodes, or at least its sources, in total
  /// order.
  std::string check_form() const {
    const auto sources = static_cast<RaggedSpan<Activation>>(m_sources);
    if (m_answer.activations.rows() != sources.rows())
      return "there are " + std::to_string(m_answer.activations.rows()) + " answers to " +
             std::to_string(sources.rows()) + " queries";
    for (std::size_t query = 0; query < sources.rows(); ++query) {
      const std::span<const Activation> answer = m_answer.activations[query];
      if (answer.size() < std::min(m_options.top, sources[query].size()))
        return "query " + std::to_string(query) + " found " + std::to_string(answer.size()) +
               " nodes";
      for (std::size_t i = 0; i < answer.size(); ++i) {
        if (!(answer[i].value > 0.0F) || answer[i].node >= m_graph->nodes)
          return difference("activation", answer[i].node, answer[i].value, 0);
        if (i > 0 && std::pair(-answer[i].value, answer[i].node) <=
                         std::pair(-answer[i - 1].value, answer[i - 1].node))
          return "query " + std::to_string(query) + " is not in order at place " +
                 std::to_string(i);
      }
    }
    return {};
  }

  std::shared_ptr<const GraphSet> m_graph;
  Ragged<Activation> m_sources;
  SpreadOptions m_options;
  std::uint64_t m_seed;
  SpreadResults m_answer;
};

/// Compares the sums of a sample of nodes with the reference's.
std::string check_hop(const GraphSet& graph, const Values<float>& x, const Values<float>& y,
                      std::size_t columns, HopDirection direction) {
  const std::vector<std::uint64_t> nodes = sample(graph.nodes);
  std::vector<std::vector<std::pair<std::uint32_t, double>>> terms(graph.nodes);
  std::vector<bool> expected(graph.nodes);
  for (const std::uint64_t node : nodes) expected[node] = true;
  const bool is_along = direction == HopDirection::along;
  const std::size_t column = columns / 2;
  for (const Edge& edge : graph.edges) {
    const std::uint32_t row = is_along ? edge.to : edge.from;
    const std::size_t source = is_along ? edge.from : edge.to;
    if (expected[row])
      terms[row].emplace_back(source,
                              static_cast<double>(edge.weight) * x[source * columns + column]);
  }
  for (const std::uint64_t node : nodes) {
    auto& row = terms[node];
    if (is_along) std::ranges::stable_sort(row, {}, [](const auto& term) { return term.first; });
    std::vector<double> products;
    for (const auto& [from, product] : row) products.push_back(product);
    const auto sum = static_cast<float>(Reference::reproducible_sum(products));
    const float found = y[node * columns + column];
    if (sum != found) return difference("sum", node, found, sum);
  }
  return {};
}

class HopProblem final : public Problem {
 public:
  HopProblem(std::shared_ptr<const GraphSet> graph, std::uint64_t seed, std::size_t columns,
             HopDirection direction)
      : m_graph(std::move(graph)),
        m_x(uniform_values(m_graph->nodes * columns, seed + 4, 16)),
        m_y(m_graph->nodes * columns),
        m_columns(columns),
        m_shape{static_cast<std::int64_t>(m_graph->nodes), static_cast<std::int64_t>(columns)} {
    m_options.direction = direction;
    name = "BM_Spread_hop";
    arguments = {{"edges", static_cast<std::int64_t>(m_graph->edges.size())},
                 {"nodes", static_cast<std::int64_t>(m_graph->nodes)},
                 {"columns", static_cast<std::int64_t>(columns)}};
    const auto edges = static_cast<double>(m_graph->edges.size());
    items = multiply_adds = edges * static_cast<double>(columns);
    unit = "edges";
    if (direction == HopDirection::along) job = "hop";
    bytes = 8 * edges + 8 * static_cast<double>(m_graph->nodes * (1 + columns));
  }
  bool reaches(Space space) const override { return m_graph->engine.bytes(space) > 0; }
  DispatchRecord run(std::optional<Space> space) override {
    m_options.space = space;
    return m_graph->engine.hop(ConstArray(m_x.data(), DataType::float32, m_shape),
                               Array(m_y.data(), DataType::float32, m_shape), m_options);
  }
  std::uint64_t digest() const override { return digest_of_all(m_y); }
  std::string check() const override {
    return check_hop(*m_graph, m_x, m_y, m_columns, m_options.direction);
  }
  void write(JobFolder& folder) const override {
    write_graph(*m_graph, folder);
    std::vector<std::size_t> shape{m_graph->nodes};
    if (m_columns > 1) shape.push_back(m_columns);
    folder.add<float>("x", "float32", m_x, shape);
  }
  std::vector<std::unique_ptr<NativePeer>> native_peers(Space space) const override {
    return kokkos_kernels_hop(*m_graph->context, space, m_graph->edges, m_graph->nodes, m_x,
                              m_columns);
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run({});
    return compare_values(m_y, answer.scores, float_sum_tolerance);
  }
  Queued queued(Space space, int repeats) override {
    if (space != Space::cuda) return {};
    constexpr std::size_t calls = 32;
    Context& context = *m_graph->context;
    const DeviceQueue queue;
    const auto x = DeviceArray::of(context, m_shape, std::span<const float>(m_x));
    const auto y = DeviceArray::of<float>(context, m_shape);
    HopOptions options = m_options;
    options.space = Space::cuda;
    options.stream = queue.stream();
    Queued queued;
    queued.seconds = median_of(repeats, 5.0,
                               [&] {
                                 for (std::size_t call = 0; call < calls; ++call)
                                   m_graph->engine.hop(x.array(), y.array(), options);
                                 queue.fence();
                               }) /
                     calls;
    if (!std::ranges::equal(y.values<float>(), m_y))
      queued.wrong = "a hop on arrays of the device has another answer";
    return queued;
  }

 private:
  std::shared_ptr<const GraphSet> m_graph;
  Values<float> m_x;
  Values<float> m_y;
  std::size_t m_columns;
  std::vector<std::int64_t> m_shape;
  HopOptions m_options;
};

/// One hop over rows of the caller, which are borrowed for the call: what a product of SciPy does.
class CsrHopProblem final : public Problem {
 public:
  CsrHopProblem(std::shared_ptr<const GraphSet> graph, std::uint64_t seed)
      : m_graph(std::move(graph)),
        m_offsets(m_graph->nodes + 1),
        m_ends(m_graph->edges.size()),
        m_weights(m_graph->edges.size()),
        m_x(uniform_values(m_graph->nodes, seed + 4, 1)),
        m_y(m_graph->nodes) {
    name = "BM_Spread_hop_csr";
    arguments = {{"edges", static_cast<std::int64_t>(m_ends.size())},
                 {"nodes", static_cast<std::int64_t>(m_graph->nodes)}};
    job = "hop";
    unit = "edges";
    // The rows of the transpose, which the peer multiplies.
    for (const Edge& edge : m_graph->edges) ++m_offsets[edge.to + 1];
    for (std::size_t v = 0; v < m_graph->nodes; ++v) m_offsets[v + 1] += m_offsets[v];
    std::vector<std::int32_t> next(m_offsets.begin(), m_offsets.end() - 1);
    std::vector<Edge> sorted(m_graph->edges.begin(), m_graph->edges.end());
    std::ranges::stable_sort(sorted, {}, &Edge::from);
    for (const Edge& edge : sorted) {
      const auto place = static_cast<std::size_t>(next[edge.to]++);
      m_ends[place] = static_cast<std::int32_t>(edge.from);
      m_weights[place] = edge.weight;
    }
    items = multiply_adds = static_cast<double>(m_ends.size());
    bytes = 8 * items + 12 * static_cast<double>(m_graph->nodes);
  }
  bool reaches(Space space) const override { return space != Space::cuda; }
  DispatchRecord run(std::optional<Space> space) override {
    const CsrGraph rows{std::span(m_offsets), std::span(m_ends), ConstArray(std::span(m_weights))};
    return hop(*m_graph->context, rows, std::span<const float>(m_x.data(), m_x.size()),
               std::span<float>(m_y.data(), m_y.size()), {.space = space});
  }
  std::uint64_t digest() const override { return digest_of_all(m_y); }
  std::string check() const override {
    return check_hop(*m_graph, m_x, m_y, 1, HopDirection::along);
  }
  void write(JobFolder& folder) const override {
    write_graph(*m_graph, folder);
    folder.add<float>("x", "float32", m_x, {m_x.size()});
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run({});
    return compare_values(m_y, answer.scores, float_sum_tolerance);
  }

 private:
  std::shared_ptr<const GraphSet> m_graph;
  std::vector<std::int32_t> m_offsets;
  std::vector<std::int32_t> m_ends;
  std::vector<float> m_weights;
  Values<float> m_x;
  Values<float> m_y;
};

}  // namespace

GraphSet::GraphSet(Context& made_in, std::size_t node_count, std::size_t edge_count,
                   std::uint64_t seed, GraphShape edge_shape)
    : context(&made_in),
      nodes(node_count),
      edges(random_edges(edge_shape, node_count, edge_count, seed, made_in.threads())),
      shape(edge_shape),
      engine(made_in, {node_count, edges}) {}

std::unique_ptr<Problem> spread_problem(std::shared_ptr<const GraphSet> graph, std::size_t queries,
                                        std::size_t sources, const SpreadOptions& options,
                                        std::uint64_t seed) {
  return std::make_unique<SpreadProblem>(std::move(graph), queries, sources, options, seed);
}
std::unique_ptr<Problem> hop_problem(std::shared_ptr<const GraphSet> graph, std::uint64_t seed,
                                     std::size_t columns, HopDirection direction) {
  return std::make_unique<HopProblem>(std::move(graph), seed, columns, direction);
}
std::unique_ptr<Problem> csr_hop_problem(std::shared_ptr<const GraphSet> graph,
                                         std::uint64_t seed) {
  return std::make_unique<CsrHopProblem>(std::move(graph), seed);
}

}  // namespace Kindred::Perf
