// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_EDGE_FORM_HPP
#define KINDRED_MATCHER_GRAPH_EDGE_FORM_HPP

#include <kindred/matcher/EdgeWeights.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Nodes are numbered in 32 bits, and the last number is reserved.
inline constexpr std::uint64_t nodes_max = 0xFFFFFFFEU;

/// The attributes that are stored for an edge in addition to its end.
struct EdgeForm {
  EdgeWeights weights = EdgeWeights::float32;
  bool kinds = false;
};

/// Whether engine mode accepts the weight.
inline bool is_in_unit_interval(float value) noexcept { return value >= 0.0F && value <= 1.0F; }

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_EDGE_FORM_HPP
