// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_GRAPH_HPP
#define KINDRED_C_GRAPH_HPP

#include <kindred/matcher/SpreadingEngine.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(graph, WithContext<SpreadingEngine>);

inline SpreadingEngine& graph_of(const kindred_graph* graph) {
  return object_of(graph, "graph").engine;
}
GraphOptions graph_options(const kindred_graph_options* options);
SpreadModifiers modifiers(const kindred_modifiers* modifiers);

EdgeKinds edge_kinds(const std::uint64_t (&words)[4]);
inline std::optional<double> threshold_option(double threshold) {
  return threshold < 0 ? std::optional<double>() : threshold;
}
/// Options of a spread with the parameters of its queries, to which they refer.
struct Spreading : SpreadOptions {
  std::vector<SpreadQuery> queries;
};
std::vector<SpreadQuery> queries_of(const kindred_spread_query* queries, std::uint64_t count);
/// The sources of queries, which are used in place.
SpreadSources sources_of(const std::uint32_t* nodes, const float* values,
                         const std::uint64_t* offsets, std::size_t queries);

std::span<const Edge> edges_of(const kindred_edge* edges, std::size_t count);
std::vector<EdgeEnds> edge_ends_of(const kindred_edge_ends* edges, std::size_t count);
/// One byte per node or edge; none for null.
inline std::span<const std::uint8_t> codes_of(const std::uint8_t* codes, std::size_t count,
                                              const char* name) {
  return span_of(codes, codes == nullptr ? 0 : count, name);
}
/// A graph of the caller, with a copy of its names.
struct GivenGraph : GraphSpan {
  GivenGraph(std::size_t node_count, const kindred_edge* given_edges, std::size_t edge_count,
             const std::uint8_t* given_edge_kinds, const std::uint8_t* given_node_kinds,
             const kindred_text* given_names);
  Ragged<char> texts;
};
CsrGraph csr_of(const DLTensor* offsets, const DLTensor* ends, const DLTensor* weights);
CsrGraph csr_of(const std::int32_t* offsets, const std::int32_t* ends, const float* weights,
                std::size_t nodes);

}  // namespace Kindred::C

#endif  // KINDRED_C_GRAPH_HPP
