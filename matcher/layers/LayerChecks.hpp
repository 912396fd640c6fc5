// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LAYER_CHECKS_HPP
#define KINDRED_MATCHER_LAYERS_LAYER_CHECKS_HPP

#include <kindred/core/layers/FusedLinear.hpp>
#include <kindred/core/layers/FusedNorm.hpp>
#include <kindred/matcher/FusedLayers.hpp>

#include <span>
#include <vector>

namespace Kindred::Impl {

/// \brief Validates \p layers and converts them to the form that kernels take. \param space that
/// owns their memory \throws InvalidArgument
std::vector<NormLayerData> checked(std::span<const NormLayer> layers, Space space);
std::vector<LinearLayerData> checked(std::span<const LinearLayer> layers, Space space);

/// Bytes from the first element of \p matrix to its last.
template <class Byte>
std::size_t extent_bytes(const MatrixSpan<Byte>& matrix) {
  if (matrix.rows == 0 || matrix.columns == 0) return 0;
  return ((matrix.rows - 1) * matrix.row_stride() + matrix.columns) * size_of(matrix.element);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LAYER_CHECKS_HPP
