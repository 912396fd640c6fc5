// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_FILE_INFO_HPP
#define KINDRED_MATCHER_GRAPH_FILE_INFO_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/EdgeWeights.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// The contents of a file written by `SpreadingEngine::save`. \see SpreadingEngine::inspect
struct GraphFileInfo {
  std::uint64_t nodes = 0;  ///< assigned ids
  std::uint64_t removed_nodes = 0;
  std::uint64_t edges = 0;
  EdgeWeights weights = EdgeWeights::float32;
  bool edge_kinds = false;
  bool node_kinds = false;
  bool names = false;
  std::uint64_t outside_unit =
      0;                         ///< edges with a weight outside [0, 1], which engine mode rejects
  std::uint64_t edge_bytes = 0;  ///< ends, weights and kinds of both directions
  std::uint64_t offset_bytes = 0;  ///< of both directions
  std::uint64_t name_bytes = 0;
  std::uint64_t bytes = 0;  ///< of the file
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_GRAPH_FILE_INFO_HPP
