// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SOURCES_HPP
#define KINDRED_TOOLS_IO_SOURCES_HPP

#include "io/Graph.hpp"
#include "io/LineReader.hpp"
#include "io/NameTable.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <optional>
#include <string>
#include <vector>

namespace Kindred::Tools {

/// \brief Lists of sources with their names, a row a line.
struct Sources {
  Ragged<Activation> activations;
  NameTable names;
  std::vector<SpreadQuery> queries;  ///< what each spreads by; empty: no line tells
};

/// \brief Reads lines `{"name": "…", "sources": [["node", 0.8]]}`, in which `"hops"`, `"decay"`,
/// `"threshold"` and `"kinds"` may tell what a query spreads by.
/// \param range what an activation may be \param defaults what a query spreads by otherwise;
/// nothing: no line may tell
/// \throws InputError with file and line, for a node that is not in \p nodes too
Sources read_sources(const std::string& path, const NodeNames& nodes, WeightRange range,
                     const std::optional<SpreadQuery>& defaults = SpreadQuery{},
                     const ReadProgress& progress = {});

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SOURCES_HPP
