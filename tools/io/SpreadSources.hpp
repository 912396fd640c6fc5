// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SPREAD_SOURCES_HPP
#define KINDRED_TOOLS_IO_SPREAD_SOURCES_HPP

#include "io/Graph.hpp"
#include "io/LineReader.hpp"
#include "io/NameTable.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

namespace Kindred::Tools {

/// \brief Lists of sources with their names, one row per line.
struct SpreadSources {
  Ragged<Activation> activations;
  NameTable names;
  std::vector<SpreadQuery> queries;  ///< options of each query; empty if no line sets any
};

/// \brief Reads lines `{"name": "…", "sources": [["node", 0.8]]}`, which may set the options
/// `"hops"`, `"decay"`, `"threshold"` and `"kinds"` of their query.
/// \param path file to read
/// \param nodes names of the nodes
/// \param range allowed activations
/// \param defaults options of queries that set none; empty: lines must not set any
/// \throws InputError with file and line, also for a node that is not in \p nodes
SpreadSources read_spread_sources(const std::string& path, const NodeNames& nodes,
                                  WeightRange range,
                                  const std::optional<SpreadQuery>& defaults = SpreadQuery{},
                                  const ReadProgress& progress = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SPREAD_SOURCES_HPP
