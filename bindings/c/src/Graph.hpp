// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_GRAPH_HPP
#define KINDRED_C_GRAPH_HPP

#include <kindred/matcher/SpreadingEngine.hpp>

#include "Handle.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(graph, WithContext<SpreadingEngine>);

inline SpreadingEngine& graph_of(const kindred_graph* graph) {
  return object_of(graph, "graph").engine;
}
GraphOptions graph_options(const kindred_graph_options* options);
EdgeKinds edge_kinds(const std::uint64_t (&words)[4]);
std::span<const Edge> edges_of(const kindred_edge* edges, std::size_t count);
std::optional<SpreadModifiers> modifiers_option(const kindred_modifiers* modifiers);

}  // namespace Kindred::C

#endif  // KINDRED_C_GRAPH_HPP
