// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LINEAR_GRADIENT_STEPS_HPP
#define KINDRED_MATCHER_LAYERS_LINEAR_GRADIENT_STEPS_HPP

#include "LayerChecks.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/layers/FusedLinear.hpp>
#include <kindred/core/layers/LinearGradient.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace Kindred::Impl {

/// \brief The launches of the backward pass of a linear layer. The argument of the activation is
/// computed like a layer without one; dx and dw are computed like layers whose operands are
/// transposed copies, padded with zeros.
class LinearGradientSteps {
 public:
  /// \param take `take(bytes)` returns memory of the space, aligned to 256 bytes; null for 0 bytes
  template <class Take>
  LinearGradientSteps(const LinearGradientData& given, const Take& take) : m_given(given) {
    const LinearLayerData& layer = given.layer;
    const std::uint64_t rows = padded_to_linear_gradient(layer.rows);
    const std::uint64_t outputs = padded_to_linear_gradient(layer.outputs);
    const auto allocate = [&](std::uint64_t across, std::uint64_t along, std::size_t size) {
      return take(size_product("rows × columns × bytes of an operand", {across, along, size}));
    };
    const std::size_t size = size_of(layer.input);
    if (layer.activation != LayerActivation::none) {
      std::byte* const z = allocate(layer.rows, outputs, sizeof(float));
      LinearLayerData& layer_of_z = m_argument.emplace(layer);
      layer_of_z.y = z;
      layer_of_z.y_stride = outputs;
      layer_of_z.activation = LayerActivation::none;
      m_derivative.z = reinterpret_cast<const float*>(z);
      m_derivative.z_stride = outputs;
    }
    m_derivative.dz = allocate(layer.rows, outputs, size);
    m_derivative.gradient = given.gradient;
    m_derivative.rows = layer.rows;
    m_derivative.outputs = layer.outputs;
    m_derivative.gradient_stride = given.gradient_stride;
    m_derivative.output = given.output;
    m_derivative.input = layer.input;
    m_derivative.activation = layer.activation;
    LinearLayerData product;
    product.outputs = layer.inputs;
    product.input = layer.input;
    if (given.dx != nullptr) {  // dz · W
      m_wt = allocate(layer.inputs, outputs, size);
      product.x = m_derivative.dz;
      product.w = m_wt;
      product.y = given.dx;
      product.rows = layer.rows;
      product.inputs = product.x_stride = product.w_stride = outputs;
      product.y_stride = given.dx_stride;
      product.output = given.dx_element;
      m_dx = product;
    }
    if (given.dw != nullptr) {  // dzᵀ · x
      m_derivative.transposed = allocate(layer.outputs, rows, size);
      m_xt = allocate(layer.inputs, rows, size);
      product.x = m_derivative.transposed;
      product.w = m_xt;
      product.y = given.dw;
      product.rows = layer.outputs;
      product.inputs = product.x_stride = product.w_stride = rows;
      product.y_stride = given.dw_stride;
      product.output = given.dw_element;
      m_dw = product;
    }
    if (given.dbias != nullptr) m_sums = take(column_sums_workspace(layer.rows, layer.outputs));
  }

  /// The layer that computes the argument of the activation, before `derive`; none without one.
  const std::optional<LinearLayerData>& argument() const { return m_argument; }
  // The layers that compute dx and dw after `derive`, if these are requested.
  const std::optional<LinearLayerData>& dx() const { return m_dx; }
  const std::optional<LinearLayerData>& dw() const { return m_dw; }

  /// Computes the operands of dx and dw, and dbias. Does not fence.
  template <class ExecutionSpace>
  void derive(const ExecutionSpace& exec_space) const {
    const LinearLayerData& layer = m_given.layer;
    linear_derivatives(exec_space, m_derivative);
    if (m_wt != nullptr)
      transpose_padded(exec_space, layer.input, layer.w, layer.outputs, layer.inputs,
                       layer.w_stride, m_wt);
    if (m_xt != nullptr)
      transpose_padded(exec_space, layer.input, layer.x, layer.rows, layer.inputs, layer.x_stride,
                       m_xt);
    if (m_given.dbias != nullptr)
      column_sums(exec_space, layer.input, m_derivative.dz, layer.rows, layer.outputs,
                  padded_to_linear_gradient(layer.outputs), m_given.dbias, m_sums);
  }

 private:
  LinearGradientData m_given;
  LinearDerivative m_derivative;
  std::optional<LinearLayerData> m_argument;
  std::optional<LinearLayerData> m_dx;
  std::optional<LinearLayerData> m_dw;
  std::byte* m_wt = nullptr;
  std::byte* m_xt = nullptr;
  std::byte* m_sums = nullptr;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LINEAR_GRADIENT_STEPS_HPP
