// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_GRAPH_HPP
#define KINDRED_GRAPH_HPP

// All public headers of Kindred::graph.
#include <kindred/matcher/CsrGraph.hpp>
#include <kindred/matcher/EdgeEnds.hpp>
#include <kindred/matcher/EdgeWeights.hpp>
#include <kindred/matcher/GraphFileInfo.hpp>
#include <kindred/matcher/GraphOperationInfo.hpp>
#include <kindred/matcher/GraphOptions.hpp>
#include <kindred/matcher/GraphSpan.hpp>
#include <kindred/matcher/GraphStatistics.hpp>
#include <kindred/matcher/SpreadArrays.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#endif  // KINDRED_GRAPH_HPP
