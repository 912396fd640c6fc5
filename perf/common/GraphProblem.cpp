// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include "common/Checking.hpp"
#include "common/ProblemFactories.hpp"
#include "common/Timing.hpp"
#include "machine/DeviceCalls.hpp"
#include "machine/SmallSpreads.hpp"

#include <algorithm>
#include <utility>

namespace Kindred::Perf {

namespace {

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
    multiply_adds = items * options.hops;
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

 private:
  Activation source(std::size_t i) const {
    return {static_cast<std::uint32_t>(random_word(m_seed + 3, i) % m_graph->nodes), 0.9F};
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
    bytes = 8 * edges + 8 * static_cast<double>(m_graph->nodes * (1 + columns));
  }
  bool reaches(Space space) const override { return m_graph->engine.bytes(space) > 0; }
  DispatchRecord run(std::optional<Space> space) override {
    m_options.space = space;
    return m_graph->engine.hop(ConstArray(m_x.data(), DataType::float32, m_shape),
                               Array(m_y.data(), DataType::float32, m_shape), m_options);
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const float value : m_y) digest.add(value);
    return digest.value();
  }
  std::string check() const override {
    const std::vector<std::uint64_t> nodes = sample(m_graph->nodes);
    std::vector<std::vector<std::pair<std::uint32_t, double>>> terms(m_graph->nodes);
    std::vector<bool> expected(m_graph->nodes);
    for (const std::uint64_t node : nodes) expected[node] = true;
    const bool is_along = m_options.direction == HopDirection::along;
    const std::size_t column = m_columns / 2;
    for (const Edge& edge : m_graph->edges) {
      const std::uint32_t row = is_along ? edge.to : edge.from;
      const std::size_t source = is_along ? edge.from : edge.to;
      if (expected[row])
        terms[row].emplace_back(
            source, static_cast<double>(edge.weight) * m_x[source * m_columns + column]);
    }
    for (const std::uint64_t node : nodes) {
      auto& row = terms[node];
      if (is_along)
        std::stable_sort(row.begin(), row.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
      std::vector<double> products;
      for (const auto& [from, product] : row) products.push_back(product);
      const auto sum = static_cast<float>(Reference::reproducible_sum(products));
      const float found = m_y[node * m_columns + column];
      if (sum != found) return difference("sum", node, found, sum);
    }
    return {};
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

}  // namespace Kindred::Perf
