// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LAYER_CHECKS_HPP
#define KINDRED_MATCHER_LAYERS_LAYER_CHECKS_HPP

#include "kit/Overlap.hpp"

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/layers/FusedLinear.hpp>
#include <kindred/core/layers/FusedNorm.hpp>
#include <kindred/core/layers/NormGradient.hpp>
#include <kindred/matcher/FusedLayers.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

/// The backward pass of a linear layer, as `LinearGradientSteps` takes it.
struct LinearGradientData {
  LinearLayerData layer;                ///< without y
  const std::byte* gradient = nullptr;  ///< rows × outputs
  std::byte* dx = nullptr;              ///< rows × inputs, or null: not computed
  std::byte* dw = nullptr;              ///< outputs × inputs, or null: not computed
  float* dbias = nullptr;               ///< outputs, or null: not computed
  std::uint64_t gradient_stride = 0;    ///< elements from one row to the next
  std::uint64_t dx_stride = 0;
  std::uint64_t dw_stride = 0;
  DataType output = DataType::float32;  ///< of the gradient
  DataType dx_element = DataType::float32;
  DataType dw_element = DataType::float32;
};

/// \brief Validates layer \p i of a list and converts it to the form that kernels take. \param
/// space that owns its memory \throws InvalidArgument
NormLayerData checked(const NormLayer& layer, Space space, std::size_t i);
LinearLayerData checked(const LinearLayer& layer, Space space, std::size_t i);
NormGradientData checked(const NormGradient& layer, Space space, std::size_t i);
LinearGradientData checked(const LinearGradient& layer, Space space, std::size_t i);
template <class Layer>
auto checked(std::span<const Layer> layers, Space space) {
  std::vector<decltype(checked(layers[0], space, 0))> out;
  out.reserve(layers.size());
  for (const Layer& layer : layers) out.push_back(checked(layer, space, out.size()));
  return out;
}

/// \brief The bytes of a workspace of the caller; none if it has no elements. The device of
/// \p context must be the current one. \throws InvalidArgument, SpaceUnavailable
std::span<std::byte> checked_workspace(const Context& context, const Array& workspace);

/// Requires that arrays are apart from a workspace: `take` returns them unchanged.
class ApartFromWorkspace {
 public:
  explicit ApartFromWorkspace(std::span<const std::byte> workspace) : m_workspace(workspace) {}

  template <class Given>
  Given take(const Given& array) const {
    check(ByteRange(ConstArray(array)));
    return array;
  }

 private:
  void check(const ByteRange& array) const {
    KINDRED_THROW_IF(overlap(array, {m_workspace.data(), m_workspace.size()}),
                     "the workspace overlaps an array of a layer; it must be in separate memory");
  }

  std::span<const std::byte> m_workspace;
};

/// \p layer with the arrays that `arrays.take` returns for its own.
template <class Arrays, class Layer>
Layer with_arrays(Arrays& arrays, Layer layer) {
  const auto take = [&](auto&... array) { ((array = arrays.take(array)), ...); };
  if constexpr (std::is_same_v<Layer, NormLayer>) {
    take(layer.x, layer.y, layer.gamma, layer.beta, layer.mean, layer.variance);
  } else if constexpr (std::is_same_v<Layer, LinearLayer>) {
    take(layer.x, layer.w, layer.bias, layer.y);
  } else if constexpr (std::is_same_v<Layer, NormGradient>) {
    take(layer.x, layer.gradient, layer.dx, layer.gamma, layer.beta, layer.dgamma, layer.dbeta);
  } else {
    take(layer.x, layer.w, layer.bias, layer.gradient, layer.dbias);
    if (layer.dx.size() > 0) take(layer.dx);
    if (layer.dw.size() > 0) take(layer.dw);
  }
  return layer;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LAYER_CHECKS_HPP
