// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_GRAPH_HPP
#define KINDRED_C_GRAPH_HPP

#include <kindred/matcher/SpreadingEngine.hpp>

#include "Handle.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(graph, WithContext<SpreadingEngine>);

GraphOptions graph_options(const kindred_graph_options* options);

}  // namespace Kindred::C

#endif  // KINDRED_C_GRAPH_HPP
