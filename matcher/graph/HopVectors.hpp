// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_HOP_VECTORS_HPP
#define KINDRED_MATCHER_GRAPH_HOP_VECTORS_HPP

#include <kindred/core/common/Array.hpp>

#include <cstddef>

namespace Kindred::Impl {

/// The vectors of a hop, validated.
struct HopVectors {
  const float* x = nullptr;
  float* y = nullptr;
  std::size_t columns = 1;
  std::size_t count = 0;  ///< values of x, and of y
};

/// \throws InvalidArgument for 0 or more than 4096 columns
void check_columns(std::size_t columns);

/// \brief Validates the type and shape of the vectors of a hop over \p nodes nodes.
/// \throws InvalidArgument unless x and y are float32 [nodes] or [nodes, columns] without gaps and
/// do not overlap
HopVectors checked_vectors(const ConstArray& x, const Array& y, std::size_t nodes);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_HOP_VECTORS_HPP
