// SPDX-License-Identifier: Apache-2.0
#include "Batches.hpp"
#include "Commands.hpp"
#include "GraphText.hpp"
#include "ReportHits.hpp"
#include "SpreadFlags.hpp"
#include "SpreadPicture.hpp"
#include "io/SpreadSources.hpp"

#include <kindred/core/graph/CombinedConfidence.hpp>
#include <kindred/matcher/SectionFileKind.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

namespace Kindred::Tools {

namespace {

WeightRange range_of(SpreadMode mode) {
  return mode == SpreadMode::engine     ? WeightRange::unit
         : mode == SpreadMode::pagerank ? WeightRange::nonnegative
                                        : WeightRange::finite;
}

/// Reports a query that reached the iteration limit before its tolerance.
void report_residual(const Convergence& query, std::optional<std::string_view> name,
                     std::size_t index, double tolerance) {
  if (query.residual <= tolerance) return;
  Log::warning(
      fmt::format("query {}: after {} iterations the residual is {:.3g}, above the tolerance {:g}",
                  name ? in_quotes(*name) : std::to_string(index), query.iterations, query.residual,
                  tolerance));
}

/// The node names of a loaded graph: its own, or 1 … n.
NodeNames names_of(const SpreadingEngine& engine) {
  if (!engine.statistics().names) {
    return NodeNames::numbers(engine.nodes(),
                              [&engine](std::uint32_t node) { return engine.has_node(node); });
  }
  return {engine.nodes(), [&engine](std::string_view name) { return engine.find(name); },
          [&engine](std::uint32_t node) { return engine.name(node); }};
}

/// \throws InputError if \p mode does not allow the weights of the file
void check_weights(const SpreadingEngine& engine, SpreadMode mode, const std::string& path) {
  if (mode == SpreadMode::linear || engine.nodes() == 0) return;
  SpreadOptions options;
  options.mode = mode;
  with_errors_as<InputError>(path + ": ",
                             [&] { engine.spread(RaggedSpan<Activation>(), options); });
}

/// Appends `, "paths": [[{"strength": s, "steps": [["from", "to", carried], …]}, …], …]`, with one
/// list of paths for each of \p count results from \p first on.
template <class Names>
void append_paths(std::string& out, const Names& names, const SpreadPaths& paths, std::size_t first,
                  std::size_t count) {
  const auto put_step = [&](const SpreadStep& step) {
    out += '[';
    names.append(out, step.from);
    out += ", ";
    names.append(out, step.to);
    out += ", ";
    append_json(out, step.carried);
    out += ']';
  };
  const auto put_path = [&](std::uint64_t path) {
    out += '{';
    append_field(out, "strength", paths.strengths.values[path]);
    append_key(out, "steps");
    append_list(out, paths.steps[path], put_step);
    out += '}';
  };
  append_key(out, "paths");
  append_list(out, first, first + count, [&](std::size_t i) {
    append_list(out, paths.strengths.offsets[i], paths.strengths.offsets[i + 1], put_path);
  });
}

/// Appends `, "confidence": [c, …]`, with the confidence of each result's paths.
void append_confidence(std::string& out, const SpreadPaths& paths, std::size_t first,
                       std::size_t count) {
  append_key(out, "confidence");
  append_list(out, first, first + count, [&](std::size_t i) {
    std::vector<double> strengths;
    for (const float strength : paths.strengths[i])
      strengths.push_back(std::min(1.0, static_cast<double>(strength)));
    append_json(out, path_confidence(strengths, strengths.size()));
  });
}

/// The graph of a query; for text files, before the engine is created.
struct SpreadGraph {
  Graph graph;
  std::optional<SpreadingEngine> engine;  ///< empty if there are no nodes
};

SpreadGraph load_graph(const SpreadFlags& flags, const SpreadOptions& options, Session& session) {
  SpreadGraph loaded;
  const WeightRange range = range_of(options.mode);
  if (!section_file_kind(flags.graph)) {
    GraphText text = flags.text;
    text.edges = flags.graph;
    loaded.graph =
        session.timed(Phase::load, [&] { return read_graph_text("spread", text, range, session); });
    return loaded;
  }
  const CLI::Option* const given = flags.text.list_flag();
  if (given != nullptr || flags.text.weights) {
    throw UsageError(
        fmt::format("spread: {} is for an edge list; {} was built with its nodes, edges and "
                    "weights: give the flag to `kindred graph build`",
                    given != nullptr ? given->get_name() : "--weights", flags.graph));
  }
  check_kind(flags.graph, InputKind::graph);
  loaded.engine = session.timed(Phase::load, [&] {
    return reading_file([&] {
      return SpreadingEngine::load(session.context(), flags.graph, {}, session.options().threads);
    });
  });
  check_weights(*loaded.engine, options.mode, flags.graph);
  return loaded;
}

HitsForm activation_form() {
  HitsForm form;
  form.result = "node";
  form.score = "activation";
  form.of_one = false;
  return form;
}

/// Writes the answers of a call, one line per query.
class SpreadAnswers {
 public:
  SpreadAnswers(const SpreadFlags& flags, const SpreadOptions& options,
                const SpreadSources& sources, const NodeNames& nodes, Session& session)
      : m_flags(flags),
        m_options(options),
        m_sources(sources),
        m_nodes(nodes),
        m_session(session),
        m_report(session, activation_form()) {}

  /// \param first index of the first query
  /// \param count number of queries
  void put(const SpreadResults& results, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto name = m_sources.names[first + i];
      if (!results.convergence.empty()) {
        report_residual(results.convergence[i], name, first + i, m_options.tolerance);
        m_iterations = std::max(m_iterations, results.convergence[i].iterations);
      }
      std::string& out = m_output.text();
      append_query(out, name, first + i);
      append_key(out, "activations");
      const std::size_t begin = results.activations.offsets[i];
      const auto found = results.activations[i];
      append_list(out, found, [&](const Activation& one) {
        out += '[';
        m_nodes.append(out, one.node);
        out += ", ";
        append_json(out, one.value);
        out += ']';
      });
      if (m_options.trace_paths > 0) append_paths(out, m_nodes, results.paths, begin, found.size());
      if (m_flags.confidence) append_confidence(out, results.paths, begin, found.size());
      if (m_options.activations != ActivationPrecision::float32)
        out += ", \"not_guaranteed\": true";
      out += "}\n";
      if (m_session.reports()) report(name, first + i, found);
      m_activations += found.size();
      m_output.flush_if_large();
    }
  }
  void flush() { m_output.flush(); }
  /// Adds the answers to the report, with a picture of the first query that has one.
  void finish_report(const std::optional<SpreadingEngine>& engine) {
    if (!m_session.reports()) return;
    m_session.end_recording();
    m_report.finish();
    if (engine && m_pictured) {
      const auto name = m_sources.names[*m_pictured];
      SpreadOptions options = m_options;
      if (!m_sources.queries.empty()) options.kinds = m_sources.queries[*m_pictured].kinds;
      m_session.add_result(
          neighbourhood_of(*engine, options, m_nodes, m_sources.activations[*m_pictured], m_found,
                           name ? std::string(*name) : fmt::format("query {}", *m_pictured)));
    }
  }

  std::uint64_t activations() const noexcept { return m_activations; }
  std::uint32_t iterations() const noexcept { return m_iterations; }

 private:
  void report(std::optional<std::string_view> name, std::size_t query,
              std::span<const Activation> found) {
    m_report.begin(name, query);
    for (const Activation& one : found) {
      const std::string node = m_nodes.text(one.node);
      m_report.hit({node, one.node, one.value, {}});
    }
    m_report.end();
    if (m_pictured || found.empty()) return;
    m_pictured = query;
    m_found.assign(found.begin(), found.end());
  }

  const SpreadFlags& m_flags;
  const SpreadOptions& m_options;
  const SpreadSources& m_sources;
  const NodeNames& m_nodes;
  Session& m_session;
  Output m_output;
  ReportHits m_report;
  std::optional<std::size_t> m_pictured;  ///< the query that a picture is made of
  std::vector<Activation> m_found;        ///< its answer
  std::uint64_t m_activations = 0;
  std::uint32_t m_iterations = 0;
};

/// Adds the run to the report.
void report_run(Session& session, const SpreadFlags& flags, const SpreadOptions& options,
                const std::optional<SpreadingEngine>& engine, std::size_t queries,
                const SpreadAnswers& answers) {
  session.add_input("graph", flags.graph,
                    fmt::format("{} nodes, {} edges", engine ? engine->nodes() : 0,
                                engine ? engine->edges() : 0));
  session.add_input("sources", flags.sources, Html::counted(queries, "query", "queries"));
  session.add_to_report("mode", name_of(options.mode));
  if (options.mode == SpreadMode::pagerank) {
    session.add_to_report("damping, tolerance",
                          fmt::format("{:g}, {:g}", options.damping, options.tolerance));
    session.add_to_report("maximum iterations of a query", answers.iterations());
  } else {
    session.add_to_report("hops, decay", fmt::format("{}, {}", options.hops, flags.decay));
    session.add_to_report("threshold",
                          options.threshold ? fmt::format("{:g}", *options.threshold) : "by tier");
  }
  session.add_to_report("nodes activated and printed", answers.activations());
}

void spread(const GlobalOptions& global, const SpreadFlags& flags) {
  SpreadOptions options = options_of(flags);
  GraphOptions graph_options;
  graph_options.weights = flags.text.weights.value_or(EdgeWeights::float32);
  Session session(global, "spread");
  SpreadGraph loaded = load_graph(flags, options, session);
  Graph& graph = loaded.graph;
  std::optional<SpreadingEngine>& engine = loaded.engine;
  if (engine) graph.nodes = names_of(*engine);
  const SpreadSources sources = session.timed(Phase::load, [&] {
    std::optional<SpreadQuery> defaults;
    if (options.mode != SpreadMode::pagerank)
      defaults = {options.hops, options.decay, options.threshold, options.kinds};
    return read_spread_sources(flags.sources, graph.nodes, range_of(options.mode), defaults,
                               session.read_progress(flags.sources));
  });
  if (!engine && graph.nodes.size() > 0) {
    session.timed(Phase::upload, [&] {
      engine.emplace(session.context(),
                     GraphSpan{graph.nodes.size(), graph.edges, graph.edge_kinds, graph.node_kinds},
                     graph_options);
    });
  }
  warn_without_edges(flags.graph, engine ? engine->edges() : 0);
  graph.edges = {};
  graph.edge_kinds = {};

  options.top = std::clamp<std::size_t>(graph.nodes.size(), 1, options.top);
  SpreadAnswers answers(flags, options, sources, graph.nodes, session);
  const std::size_t queries = sources.names.size();
  answer_queries(session, queries, options.top, [&](std::size_t first, std::size_t count) {
    const RowSlice<Activation> rows(sources.activations, first, count);
    SpreadResults results;
    if (!sources.queries.empty())
      options.per_query = std::span(sources.queries).subspan(first, count);
    if (engine) {
      results = session.timed(Phase::compute, [&] { return engine->spread(rows.span(), options); });
    } else {
      results.activations.offsets.assign(count + 1, 0);
    }
    answers.put(results, first, count);
  });
  answers.flush();
  answers.finish_report(engine);
  report_run(session, flags, options, engine, queries, answers);
  session.finish();
}

}  // namespace

void add_spread_command(CLI::App& app, const GlobalOptions& global) {
  const auto [command, flags] = add_command<SpreadFlags>(
      app, "spread", "Spread activation over a graph from the sources of each query", global,
      spread);
  add_spread_flags(*command, *flags);
}

}  // namespace Kindred::Tools
