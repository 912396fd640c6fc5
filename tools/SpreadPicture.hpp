// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_SPREAD_PICTURE_HPP
#define KINDRED_TOOLS_SPREAD_PICTURE_HPP

#include "io/Graph.hpp"
#include "report/Picture.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

#include <span>

namespace Kindred::Tools {

/// \brief The neighbourhood of a query: its sources and its best nodes, with the edges between
/// them.
///
/// The edges are those that the query may follow, found by one hop from each of the nodes.
/// \param engine the graph
/// \param options of the query
/// \param names of the nodes
/// \param sources of the query
/// \param found its result, best first
/// \param query its name
ReportPicture neighbourhood_of(const SpreadingEngine& engine, const SpreadOptions& options,
                               const NodeNames& names, std::span<const Activation> sources,
                               std::span<const Activation> found, const std::string& query);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_SPREAD_PICTURE_HPP
