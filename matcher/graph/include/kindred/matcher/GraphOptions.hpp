// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_OPTIONS_HPP
#define KINDRED_MATCHER_GRAPH_OPTIONS_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/EdgeWeights.hpp>
#include <kindred/matcher/Residency.hpp>

namespace KINDRED_PUBLIC Kindred {

struct GraphOptions {
  EdgeWeights weights = EdgeWeights::float32;
  Residency residency = Residency::automatic;
  /// Rebuilt rows are merged into the graph when they hold this share of its edges.
  double merge_share = 0.1;
  bool background_merge =
      true;  ///< merge on a background thread; false: in the update that reaches the share
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_GRAPH_OPTIONS_HPP
