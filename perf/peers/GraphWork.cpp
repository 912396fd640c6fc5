// SPDX-License-Identifier: Apache-2.0
#include "common/ProblemFactories.hpp"
#include "kokkos_kernels/KokkosKernelsPeers.hpp"
#include "peers/CompareValues.hpp"
#include "peers/WorkFactories.hpp"

#include <kindred/matcher/CsrGraph.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

namespace Kindred::Perf {

namespace {

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

/// SciPy sums in float32, which causes this error for rows of tens of thousands of edges.
constexpr double float_sum_tolerance = 1e-3;

class HopWork final : public Work {
 public:
  HopWork(Context& context, std::size_t nodes, std::size_t degree, std::size_t columns,
          GraphShape shape, std::uint64_t seed)
      : m_context(context),
        m_graph(context, nodes, nodes * degree, seed, shape),
        m_x(uniform_values(nodes * columns, seed + 4, 1)),
        m_y(nodes * columns),
        m_columns(columns) {
    kind = "hop";
    unit = "edges";
    const auto edges = static_cast<double>(m_graph.edges.size());
    items = edges * static_cast<double>(columns);
    bytes = 8 * edges + 8 * static_cast<double>(nodes * (1 + columns));
  }
  void write(JobFolder& folder) const override {
    write_graph(m_graph, folder);
    if (m_columns == 1)
      folder.add<float>("x", "float32", m_x, {m_x.size()});
    else
      folder.add<float>("x", "float32", m_x, {m_x.size() / m_columns, m_columns});
  }
  void run(Space space) const override {
    HopOptions options = m_options;
    options.space = space;
    hop(options);
  }
  std::vector<std::unique_ptr<NativePeer>> native_peers(Space space) const override {
    return kokkos_kernels_hop(m_context, space, m_graph.edges, m_graph.nodes, m_x, m_columns);
  }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    hop(m_options);
    return compare_values(std::vector<float>(m_y.begin(), m_y.end()), answer.scores,
                          float_sum_tolerance);
  }

 private:
  void hop(const HopOptions& options) const {
    const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(m_graph.nodes),
                                            static_cast<std::int64_t>(m_columns)};
    m_graph.engine.hop(ConstArray(m_x.data(), DataType::float32, shape),
                       Array(m_y.data(), DataType::float32, shape), options);
  }

  Context& m_context;
  GraphSet m_graph;
  Values<float> m_x;
  mutable Values<float> m_y;
  std::size_t m_columns;
  HopOptions m_options;
};

/// One hop over rows of the caller, which are borrowed for the call: what a product of SciPy does.
class CsrHopWork final : public Work {
 public:
  CsrHopWork(Context& context, std::size_t nodes, std::size_t degree, std::uint64_t seed)
      : m_context(context),
        m_graph(context, nodes, nodes * degree, seed, GraphShape::power_law),
        m_offsets(nodes + 1),
        m_ends(m_graph.edges.size()),
        m_weights(m_graph.edges.size()),
        m_x(uniform_values(nodes, seed + 4, 1)),
        m_y(nodes) {
    kind = "hop";
    unit = "edges";
    // The rows of the transpose, which the peer multiplies.
    for (const Edge& edge : m_graph.edges) ++m_offsets[edge.to + 1];
    for (std::size_t v = 0; v < nodes; ++v) m_offsets[v + 1] += m_offsets[v];
    std::vector<std::int32_t> next(m_offsets.begin(), m_offsets.end() - 1);
    std::vector<Edge> sorted(m_graph.edges.begin(), m_graph.edges.end());
    std::ranges::stable_sort(sorted, {}, &Edge::from);
    for (const Edge& edge : sorted) {
      const auto place = static_cast<std::size_t>(next[edge.to]++);
      m_ends[place] = static_cast<std::int32_t>(edge.from);
      m_weights[place] = edge.weight;
    }
    items = static_cast<double>(m_ends.size());
    bytes = 8 * items + 12 * static_cast<double>(nodes);
  }
  void write(JobFolder& folder) const override {
    write_graph(m_graph, folder);
    folder.add<float>("x", "float32", m_x, {m_x.size()});
  }
  void run(Space space) const override { multiply(space); }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    multiply({});
    return compare_values(std::vector<float>(m_y.begin(), m_y.end()), answer.scores,
                          float_sum_tolerance);
  }

 private:
  void multiply(std::optional<Space> space) const {
    const CsrGraph rows{std::span(m_offsets), std::span(m_ends), ConstArray(std::span(m_weights))};
    hop(m_context, rows, std::span<const float>(m_x.data(), m_x.size()),
        std::span<float>(m_y.data(), m_y.size()), {.space = space});
  }

  Context& m_context;
  GraphSet m_graph;
  std::vector<std::int32_t> m_offsets;
  std::vector<std::int32_t> m_ends;
  std::vector<float> m_weights;
  Values<float> m_x;
  mutable Values<float> m_y;
};

/// Linear spreading of many queries, for which the peer multiplies dense matrices, or of one query
/// that reaches few nodes, for which it slices rows.
class LinearWork final : public Work {
 public:
  LinearWork(Context& context, std::size_t nodes, std::size_t degree, std::size_t queries,
             std::uint64_t seed)
      : m_graph(context, nodes, nodes * degree, seed), m_queries(queries) {
    kind = queries == 1 ? "small_spread" : "linear";
    m_options.mode = SpreadMode::linear;
    m_options.hops = 3;
    const std::size_t sources = queries == 1 ? 1 : 8;
    for (std::size_t q = 0; q < queries; ++q) {
      for (std::size_t s = 0; s < sources; ++s) {
        const std::uint64_t node = random_word(seed + 5, q * sources + s) % nodes;
        m_sources.values.push_back({static_cast<std::uint32_t>(node), 0.5F});
      }
      m_sources.close_row();
    }
    unit = queries == 1 ? "queries" : "edges";
    items = queries == 1 ? 1 : static_cast<double>(m_graph.edges.size() * queries) * m_options.hops;
  }
  void write(JobFolder& folder) const override {
    write_graph(m_graph, folder);
    std::vector<std::int64_t> sources;
    std::vector<float> values;
    for (std::size_t i = 0; i < m_sources.values.size(); ++i) {
      sources.push_back(static_cast<std::int64_t>(m_queries == 1 ? 0 : i / 8));
      sources.push_back(m_sources.values[i].node);
      values.push_back(m_sources.values[i].value);
    }
    folder.add<std::int64_t>("sources", "int64", sources, {values.size(), 2});
    folder.add<float>("values", "float32", values, {values.size()});
    folder.parameters["queries"] = m_queries;
    folder.parameters["top"] = m_options.top;
    for (std::uint32_t hop = 1; hop <= m_options.hops; ++hop)
      folder.parameters["decay"].push_back(std::exp(-m_options.decay.parameter * hop));
  }
  void run(Space space) const override {
    SpreadOptions options = m_options;
    options.space = space;
    m_graph.engine.spread(m_sources, options);
  }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    const SpreadResults ours = m_graph.engine.spread(m_sources, m_options);
    std::vector<double> values;
    for (const Activation& entry : ours.activations.values) values.push_back(entry.value);
    return compare_values(values, answer.scores, float_sum_tolerance);
  }

 private:
  GraphSet m_graph;
  std::size_t m_queries;
  Ragged<Activation> m_sources;
  SpreadOptions m_options;
};

/// Personalised PageRank of one node, and its highest-ranked nodes.
class PageRankWork final : public Work {
 public:
  PageRankWork(Context& context, std::size_t nodes, std::size_t degree, std::uint64_t seed)
      : m_graph(context, nodes, nodes * degree, seed) {
    kind = "pagerank";
    unit = "edges";
    beside = "kindred, 32 queries a call";
    m_options.mode = SpreadMode::pagerank;
    m_options.top = 100;
    for (std::uint64_t query = 0; query < 32; ++query) {
      const auto node = static_cast<std::uint32_t>(random_word(seed + 6, query) % nodes);
      if (query == 0) m_source.push_row(std::vector<Activation>{{node, 1.0F}});
      m_sources.push_row(std::vector<Activation>{{node, 1.0F}});
    }
    items = static_cast<double>(m_graph.edges.size());
  }
  void write(JobFolder& folder) const override {
    write_graph(m_graph, folder);
    folder.parameters["source"] = m_source.values.front().node;
    folder.parameters["top"] = m_options.top;
    folder.parameters["damping"] = m_options.damping;
  }
  void run(Space space) const override { m_answer = answer(m_source, space); }
  void run_beside(Space space) const override { answer(m_sources, space); }
  Json reported() const override {
    return {{"iterations", m_answer.convergence[0].iterations},
            {"residual", m_answer.convergence[0].residual}};
  }
  std::string compare(const std::string&, const PeerAnswer& theirs) const override {
    const SpreadResults ours = answer(m_source, Space::serial);
    std::vector<double> values;
    for (const Activation& entry : ours.activations.values) values.push_back(entry.value);
    // The peer iterates to convergence; our error is at most the residual · α / (1 − α) in the
    // 1-norm.
    return compare_values(values, theirs.scores,
                          m_options.tolerance * m_options.damping / (1 - m_options.damping));
  }

 private:
  SpreadResults answer(const Ragged<Activation>& sources, Space space) const {
    SpreadOptions options = m_options;
    options.space = space;
    return m_graph.engine.spread(sources, options);
  }

  GraphSet m_graph;
  Ragged<Activation> m_source;
  Ragged<Activation> m_sources;
  SpreadOptions m_options;
  mutable SpreadResults m_answer;
};

}  // namespace

std::unique_ptr<Work> hop_work(Context& context, std::size_t nodes, std::size_t degree,
                               std::size_t columns, GraphShape shape, std::uint64_t seed) {
  return std::make_unique<HopWork>(context, nodes, degree, columns, shape, seed);
}
std::unique_ptr<Work> csr_hop_work(Context& context, std::size_t nodes, std::size_t degree,
                                   std::uint64_t seed) {
  return std::make_unique<CsrHopWork>(context, nodes, degree, seed);
}
std::unique_ptr<Work> linear_work(Context& context, std::size_t nodes, std::size_t degree,
                                  std::size_t queries, std::uint64_t seed) {
  return std::make_unique<LinearWork>(context, nodes, degree, queries, seed);
}
std::unique_ptr<Work> pagerank_work(Context& context, std::size_t nodes, std::size_t degree,
                                    std::uint64_t seed) {
  return std::make_unique<PageRankWork>(context, nodes, degree, seed);
}

}  // namespace Kindred::Perf
