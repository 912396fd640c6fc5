// SPDX-License-Identifier: Apache-2.0
// What is special of the functions of graphs.
#include "Graph.hpp"

#include <memory>
#include <numeric>

namespace Kindred::C {

static_assert(sizeof(kindred_edge) == sizeof(Edge) &&
              offsetof(kindred_edge, to) == offsetof(Edge, to) &&
              offsetof(kindred_edge, weight) == offsetof(Edge, weight));

std::span<const Edge> edges_of(const kindred_edge* edges, std::size_t count) {
  const std::span<const kindred_edge> given = span_of(edges, count, "edges");
  return {reinterpret_cast<const Edge*>(given.data()), given.size()};
}

std::vector<EdgeEnds> edge_ends_of(const kindred_edge_ends* edges, std::size_t count) {
  std::vector<EdgeEnds> ends;
  for (const kindred_edge_ends& edge : span_of(edges, count, "edges")) {
    KINDRED_C_REFUSE_IF(edge.kind < -1 || edge.kind > 255,
                        "kind is " + std::to_string(edge.kind) +
                            "; it must be from 0 to 255, or -1 for every kind");
    ends.push_back({edge.from, edge.to, {}});
    if (edge.kind >= 0) ends.back().kind = static_cast<std::uint8_t>(edge.kind);
  }
  return ends;
}

EdgeKinds edge_kinds(const std::uint64_t (&words)[4]) {
  EdgeKinds out;
  for (std::size_t kind = 0; kind < out.size(); ++kind)
    out[kind] = (words[kind / 64] >> kind % 64 & 1U) != 0;
  return out;
}

std::vector<SpreadQuery> queries_of(const kindred_spread_query* queries, std::uint64_t count) {
  std::vector<SpreadQuery> out;
  for (const kindred_spread_query& query : span_of(queries, count, "per_query"))
    out.push_back({query.hops,
                   {enum_of<Decay::Kind>(query.decay_kind, 4, "decay_kind"), query.decay},
                   threshold_option(query.threshold),
                   edge_kinds(query.kinds)});
  return out;
}

SpreadSources sources_of(const std::uint32_t* nodes, const float* values,
                         const std::uint64_t* offsets, std::size_t queries) {
  static constexpr std::uint64_t none = 0;
  const RaggedSpan<std::uint32_t> rows = ragged_of(nodes, offsets, queries, "nodes");
  // None is negative: they are the same numbers without a sign.
  const auto* const ends =
      reinterpret_cast<const std::int64_t*>(queries == 0 ? &none : rows.offsets.data());
  return {std::span(ends, queries + 1), rows.values, span_of(values, rows.values.size(), "values")};
}

GivenGraph::GivenGraph(std::size_t node_count, const kindred_edge* given_edges,
                       std::size_t edge_count, const std::uint8_t* given_edge_kinds,
                       const std::uint8_t* given_node_kinds, const kindred_text* given_names)
    : GraphSpan{node_count,
                edges_of(given_edges, edge_count),
                codes_of(given_edge_kinds, edge_count, "edge_kinds"),
                codes_of(given_node_kinds, node_count, "node_kinds"),
                {}} {
  if (given_names == nullptr) return;
  for (const std::string_view name : texts_of(given_names, node_count, "names"))
    texts.push_row(name);
  names = texts;
}

CsrGraph csr_of(const DLTensor* offsets, const DLTensor* ends, const DLTensor* weights) {
  return {array_of(offsets, "offsets"),
          array_of(ends, "ends"),
          optional_array_of(weights, "weights"),
          {}};
}

CsrGraph csr_of(const std::int32_t* offsets, const std::int32_t* ends, const float* weights,
                std::size_t nodes) {
  const std::int32_t edges = offsets[nodes];
  KINDRED_C_REFUSE_IF(edges < 0, "offsets[" + std::to_string(nodes) + "] is " +
                                     std::to_string(edges) + "; it must be the number of edges");
  const auto count = static_cast<std::uint64_t>(edges);
  CsrGraph rows;
  rows.offsets = std::span<const std::int32_t>(offsets, nodes + 1);
  rows.ends = span_of(ends, count, "ends");
  if (weights != nullptr) rows.weights = ConstArray(span_of(weights, count, "weights"));
  return rows;
}

kindred_status kindred_graph_create_csr(kindred_context* context, const DLTensor* offsets,
                                        const DLTensor* ends, const DLTensor* weights,
                                        const kindred_graph_options* options,
                                        kindred_release_callback release, void* user,
                                        kindred_graph** graph) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require_all({{offsets, "offsets"}, {ends, "ends"}, {graph, "graph"}});
    const GraphOptions settings = graph_options(options);
    CsrGraph rows = csr_of(offsets, ends, weights);
    // What it points to is set at the end: a call that fails does not release the arrays.
    const std::shared_ptr<bool> owner(new bool(false), [=](const bool* is_made) {
      if (*is_made && release != nullptr) release(user);
      delete is_made;
    });
    if (!rows.offsets.on_device()) rows.owner = owner;  // arrays on a device are copied
    *graph = made_handle<kindred_graph>(object, SpreadingEngine(*object, rows, settings));
    *owner = true;
  });
}

kindred_status kindred_graph_add_nodes(kindred_graph* graph, const kindred_text* names,
                                       std::size_t count, const std::uint8_t* kinds,
                                       std::uint32_t* nodes) noexcept {
  return guarded([&] {
    SpreadingEngine& object = graph_of(graph);
    const std::span<const std::uint8_t> codes = codes_of(kinds, count, "kinds");
    if (names != nullptr) {
      const std::vector<std::uint32_t> ids =
          object.add_nodes(texts_of(names, count, "names"), codes);
      if (nodes != nullptr) std::copy(ids.begin(), ids.end(), nodes);
    } else {
      const std::uint32_t first = object.add_nodes(count, codes);
      if (nodes != nullptr) std::iota(nodes, nodes + count, first);
    }
  });
}

kindred_status kindred_modifiers_engram(kindred_modifiers* modifiers, std::size_t struct_size,
                                        std::int32_t fan) noexcept {
  kindred_modifiers out = KINDRED_MODIFIERS_INIT;
  const kindred_status status = guarded([&] {
    using Fan = SpreadModifiers::Fan;
    require(modifiers, "modifiers");
    KINDRED_C_REFUSE_IF(
        fan == KINDRED_FAN_CONSTANT,
        "fan is 0; it must be -1, KINDRED_FAN_INVERSE (1) or KINDRED_FAN_INVERSE_ROOT (2)");
    const SpreadModifiers values =
        fan == -1 ? SpreadModifiers::engram()
                  : SpreadModifiers::engram_fan(enum_of<Fan::Kind>(fan, 3, "fan"));
    static_assert(sizeof(out.strengths) == sizeof(values.strengths));
    std::memcpy(out.strengths, &values.strengths, sizeof(out.strengths));
    for (std::size_t kind = 0; kind < values.kinds; ++kind) {
      out.fan_factors[kind] = values.fans[kind].factor;
      out.fan_kinds[kind] = static_cast<std::int32_t>(values.fans[kind].kind);
    }
  });
  return status == KINDRED_OK ? set_defaults(modifiers, struct_size, out, "modifiers") : status;
}

}  // namespace Kindred::C
