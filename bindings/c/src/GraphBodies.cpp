// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of graphs.
#include "Graph.hpp"

#include <kindred/core/common/Error.hpp>

#include "Arguments.hpp"
#include "Results.hpp"

namespace Kindred::C {

static_assert(sizeof(kindred_edge) == sizeof(Edge) &&
              offsetof(kindred_edge, to) == offsetof(Edge, to) &&
              offsetof(kindred_edge, weight) == offsetof(Edge, weight));

std::span<const Edge> edges_of(const kindred_edge* edges, std::size_t count) {
  const std::span<const kindred_edge> given = span_of(edges, count, "edges");
  return {reinterpret_cast<const Edge*>(given.data()), given.size()};
}

EdgeKinds edge_kinds(const std::uint64_t (&words)[4]) {
  EdgeKinds out;
  for (std::size_t kind = 0; kind < out.size(); ++kind)
    out[kind] = (words[kind / 64] >> kind % 64 & 1U) != 0;
  return out;
}

namespace {

/// An array with one element per item, which may be missing.
std::span<const std::uint8_t> kinds_of(const std::uint8_t* kinds, std::uint64_t count,
                                       const char* name) {
  if (kinds == nullptr) return {};
  return span_of(kinds, count, name);
}

kindred_modifiers modifiers_of(const SpreadModifiers& modifiers) {
  kindred_modifiers out{};
  out.struct_size = sizeof(out);
  for (std::size_t from = 0; from < SpreadModifiers::kinds; ++from) {
    for (std::size_t to = 0; to < SpreadModifiers::kinds; ++to)
      out.strengths[from][to] = modifiers.strengths[from][to];
    out.fan_factors[from] = modifiers.fans[from].factor;
    out.fan_kinds[from] = static_cast<std::int32_t>(modifiers.fans[from].kind);
  }
  return out;
}

}  // namespace

std::optional<SpreadModifiers> modifiers_option(const kindred_modifiers* modifiers) {
  if (modifiers == nullptr) return {};
  const kindred_modifiers given =
      options_of(modifiers, modifiers_of(SpreadModifiers()), "modifiers");
  SpreadModifiers out;
  for (std::size_t from = 0; from < SpreadModifiers::kinds; ++from) {
    for (std::size_t to = 0; to < SpreadModifiers::kinds; ++to)
      out.strengths[from][to] = given.strengths[from][to];
    out.fans[from].kind =
        enum_of<SpreadModifiers::Fan::Kind>(given.fan_kinds[from], 3, "modifiers.fan_kinds");
    out.fans[from].factor = given.fan_factors[from];
  }
  return out;
}

namespace {

kindred_status set_modifiers(kindred_modifiers* modifiers, std::size_t size,
                             const SpreadModifiers& values) noexcept {
  return guarded([&] {
    require(modifiers, "modifiers");
    check_struct_size(size, "the argument");
    std::memcpy(static_cast<void*>(modifiers), &size, sizeof(size));
    write_output(modifiers, modifiers_of(values));
  });
}

Decay decay_of(std::int32_t kind, double parameter) {
  Decay out;
  out.kind = enum_of<Decay::Kind>(kind, 4, "decay_kind");
  out.parameter = parameter;
  return out;
}
std::optional<double> threshold_option(double threshold) {
  if (threshold < 0) return {};
  return threshold;
}

/// The options of a spread, and the parameters of its queries.
struct SpreadArguments {
  explicit SpreadArguments(const kindred_spread_options* given_options) {
    const kindred_spread_options given =
        options_of(given_options, kindred_spread_options KINDRED_SPREAD_OPTIONS_INIT, "options");
    options.mode = enum_of<SpreadMode>(given.mode, 3, "mode");
    options.hops = given.hops;
    options.decay = decay_of(given.decay_kind, given.decay);
    options.threshold = threshold_option(given.threshold);
    options.top = given.top;
    options.damping = given.damping;
    options.tolerance = given.tolerance;
    options.max_iterations = given.max_iterations;
    options.kinds = edge_kinds(given.kinds);
    options.modifiers = modifiers_option(given.modifiers);
    options.activations =
        given.bfloat16 != 0 ? ActivationPrecision::bfloat16 : ActivationPrecision::float32;
    options.trace_paths = given.trace_paths;
    options.space = space_option(given.space);
    check_reserved(given.reserved, "options");
    options.stream = stream_option(given.has_stream, given.stream);
    for (const kindred_spread_query& query :
         span_of(given.per_query, given.per_query_size, "per_query"))
      per_query.push_back({query.hops, decay_of(query.decay_kind, query.decay),
                           threshold_option(query.threshold), edge_kinds(query.kinds)});
    options.per_query = per_query;
  }
  std::vector<SpreadQuery> per_query;
  SpreadOptions options;
};

}  // namespace

kindred_status kindred_modifiers_init(kindred_modifiers* modifiers,
                                      std::size_t struct_size) noexcept {
  return set_modifiers(modifiers, struct_size, SpreadModifiers());
}

kindred_status kindred_modifiers_engram(kindred_modifiers* modifiers, std::size_t struct_size,
                                        std::int32_t fan) noexcept {
  SpreadModifiers values = SpreadModifiers::engram();
  const kindred_status status = guarded([&] {
    require(modifiers, "modifiers");
    if (fan == -1) return;
    const auto kind = enum_of<SpreadModifiers::Fan::Kind>(fan, 3, "fan");
    KINDRED_C_REFUSE_IF(
        kind == SpreadModifiers::Fan::Kind::constant,
        "fan is 0; it must be -1, KINDRED_FAN_INVERSE (1) or KINDRED_FAN_INVERSE_ROOT (2)");
    values = SpreadModifiers::engram_fan(kind);
  });
  return status == KINDRED_OK ? set_modifiers(modifiers, struct_size, values) : status;
}

kindred_status kindred_graph_create(kindred_context* context, std::size_t nodes,
                                    const kindred_edge* edges, std::size_t edge_count,
                                    const std::uint8_t* edge_kinds, const std::uint8_t* node_kinds,
                                    const kindred_text* names, const kindred_graph_options* options,
                                    kindred_graph** graph) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(graph, "graph");
    const GraphOptions settings = graph_options(options);
    GraphSpan given;
    given.nodes = nodes;
    given.edges = edges_of(edges, edge_count);
    given.edge_kinds = kinds_of(edge_kinds, edge_count, "edge_kinds");
    given.node_kinds = kinds_of(node_kinds, nodes, "node_kinds");
    Ragged<char> texts;
    if (names != nullptr) {
      for (const std::string_view name : texts_of(names, nodes, "names")) texts.push_row(name);
      given.names = texts;
    }
    *graph = make_handle_of<kindred_graph>(object, SpreadingEngine(*object, given, settings));
  });
}

kindred_status kindred_graph_add_named_nodes(kindred_graph* graph, const kindred_text* names,
                                             std::size_t count, const std::uint8_t* kinds,
                                             std::uint32_t* nodes) noexcept {
  return guarded([&] {
    SpreadingEngine& object = graph_of(graph);
    const std::vector<std::string_view> texts = texts_of(names, count, "names");
    const std::vector<std::uint32_t> ids = object.add_nodes(texts, kinds_of(kinds, count, "kinds"));
    if (nodes != nullptr) std::copy(ids.begin(), ids.end(), nodes);
  });
}

kindred_status kindred_graph_remove_edges(kindred_graph* graph, const kindred_edge_ends* edges,
                                          std::size_t count, std::uint64_t* removed) noexcept {
  return guarded([&] {
    SpreadingEngine& object = graph_of(graph);
    std::vector<EdgeEnds> ends;
    for (const kindred_edge_ends& edge : span_of(edges, count, "edges")) {
      KINDRED_C_REFUSE_IF(edge.kind < -1 || edge.kind > 255,
                          "kind is " + std::to_string(edge.kind) +
                              "; it must be from 0 to 255, or -1 for every kind");
      ends.push_back(
          {edge.from, edge.to,
           edge.kind < 0 ? std::optional<std::uint8_t>() : static_cast<std::uint8_t>(edge.kind)});
    }
    write_optional(removed, object.remove_edges(ends));
  });
}

kindred_status kindred_graph_spread(const kindred_graph* graph, const std::uint32_t* nodes,
                                    const float* values, const std::uint64_t* offsets,
                                    std::size_t queries, const kindred_spread_options* options,
                                    kindred_results** results) noexcept {
  return guarded([&] {
    const SpreadingEngine& object = graph_of(graph);
    require(results, "results");
    const SpreadArguments given(options);
    const RaggedSpan<std::uint32_t> rows = ragged_of(nodes, offsets, queries, "nodes");
    const std::span<const float> activations = span_of(values, rows.values.size(), "values");
    std::vector<Activation> sources(rows.values.size());
    for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = {rows.values[i], activations[i]};
    *results = make_handle_of<kindred_results>(
        results_of(object.spread(RaggedSpan<Activation>{rows.offsets, sources}, given.options),
                   given.options.trace_paths > 0));
  });
}

kindred_status kindred_graph_spread_arrays(const kindred_graph* graph, const DLTensor* offsets,
                                           const DLTensor* nodes, const DLTensor* values,
                                           const kindred_spread_options* options,
                                           DLTensor* out_nodes, DLTensor* out_values,
                                           kindred_record* record) noexcept {
  return guarded([&] {
    const SpreadingEngine& object = graph_of(graph);
    check_record(record);
    require_all({{offsets, "offsets"},
                 {nodes, "nodes"},
                 {values, "values"},
                 {out_nodes, "out_nodes"},
                 {out_values, "out_values"}});
    const SpreadArguments given(options);
    const SpreadSources sources{array_of(offsets, "offsets"), array_of(nodes, "nodes"),
                                array_of(values, "values")};
    const SpreadOutput output{output_array_of(out_nodes, "out_nodes"),
                              output_array_of(out_values, "out_values")};
    const Array& places = output.nodes;
    KINDRED_C_REFUSE_IF(
        static_cast<std::uint64_t>(places.extent(places.rank() - 1)) != given.options.top,
        "out_nodes is " + to_string(ConstArray(places)) + "; a row must have `top` elements, " +
            std::to_string(given.options.top));
    write_record(record, object.spread(sources, given.options, output).record);
  });
}

}  // namespace Kindred::C
