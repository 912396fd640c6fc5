// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_ADJACENCY_HPP
#define KINDRED_CORE_GRAPH_ADJACENCY_HPP

#include <cstdint>
#include <span>

namespace Kindred {

/// \brief Compressed sparse rows (CSR) of a graph on the host, in memory of the caller.
///
/// Row v is `ends[offsets[v] … offsets[v + 1])`: in the transpose the sources of v's in-edges,
/// otherwise the targets of its out-edges.
struct AdjacencySpan {
  std::span<std::uint64_t> offsets;             ///< nodes + 1
  std::span<std::uint32_t> ends;                ///< one per edge
  std::span<float> weights;                     ///< one per edge; empty: not filled
  std::span<std::uint16_t> short_weights = {};  ///< the same as bfloat16; empty: not filled
  std::span<std::uint8_t> kinds = {};           ///< one per edge; empty: not filled
};

/// The same for reading.
struct ConstAdjacencySpan {
  std::span<const std::uint64_t> offsets;
  std::span<const std::uint32_t> ends;
  std::span<const float> weights;
  std::span<const std::uint16_t> short_weights = {};
  std::span<const std::uint8_t> kinds = {};

  ConstAdjacencySpan() = default;
  ConstAdjacencySpan(const AdjacencySpan& rows)  // NOLINT(google-explicit-constructor): a view
      : offsets(rows.offsets),
        ends(rows.ends),
        weights(rows.weights),
        short_weights(rows.short_weights),
        kinds(rows.kinds) {}
};

/// The bfloat16 nearest to \p weight, ties to even. \p weight is not NaN.
std::uint16_t short_weight(float weight) noexcept;
/// The float32 value of the bfloat16 \p weight.
float widen_weight(std::uint16_t weight) noexcept;

}  // namespace Kindred

#endif  // KINDRED_CORE_GRAPH_ADJACENCY_HPP
