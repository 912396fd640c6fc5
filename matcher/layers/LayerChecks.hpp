// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LAYER_CHECKS_HPP
#define KINDRED_MATCHER_LAYERS_LAYER_CHECKS_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/layers/FusedLinear.hpp>
#include <kindred/core/layers/FusedNorm.hpp>
#include <kindred/core/layers/NormGradient.hpp>
#include <kindred/matcher/LayerGradients.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// The backward pass of a linear layer, as `LinearGradientLaunches` takes it.
struct LinearGradientData {
  const std::byte* x = nullptr;         ///< rows × inputs
  const std::byte* w = nullptr;         ///< outputs × inputs
  const float* bias = nullptr;          ///< outputs, or null: none
  const std::byte* gradient = nullptr;  ///< rows × outputs
  std::byte* dx = nullptr;              ///< rows × inputs, or null: not computed
  std::byte* dw = nullptr;              ///< outputs × inputs, or null: not computed
  float* dbias = nullptr;               ///< outputs, or null: not computed
  std::uint64_t rows = 0;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::uint64_t x_stride = 0;  ///< elements from one row to the next
  std::uint64_t w_stride = 0;
  std::uint64_t gradient_stride = 0;
  std::uint64_t dx_stride = 0;
  std::uint64_t dw_stride = 0;
  DataType input = DataType::float32;   ///< of x and w
  DataType output = DataType::float32;  ///< of the gradient
  DataType dx_element = DataType::float32;
  DataType dw_element = DataType::float32;
  LayerActivation activation = LayerActivation::none;
};

/// \brief Validates \p layers and converts them to the form that kernels take. \param space that
/// owns their memory \throws InvalidArgument
std::vector<NormLayerData> checked(std::span<const NormLayer> layers, Space space);
std::vector<LinearLayerData> checked(std::span<const LinearLayer> layers, Space space);
std::vector<NormGradientData> checked(std::span<const NormGradient> layers, Space space);
std::vector<LinearGradientData> checked(std::span<const LinearGradient> layers, Space space);

/// Bytes from the first element of \p matrix to its last.
template <class Byte>
std::size_t extent_bytes(const MatrixSpan<Byte>& matrix) {
  if (matrix.rows == 0 || matrix.columns == 0) return 0;
  return ((matrix.rows - 1) * matrix.row_stride() + matrix.columns) * size_of(matrix.element);
}

/// \brief The bytes of a workspace of the caller; none if it has no elements. The device of
/// \p context must be the current one. \throws InvalidArgument, SpaceUnavailable
std::span<std::byte> checked_workspace(const Context& context, const Array& workspace);

/// Requires that arrays are apart from a workspace: `take` returns them unchanged.
class ApartFromWorkspace {
 public:
  explicit ApartFromWorkspace(std::span<const std::byte> workspace) : m_workspace(workspace) {}

  template <class Byte>
  MatrixSpan<Byte> take(const MatrixSpan<Byte>& matrix) const {
    check(matrix.values.data(), extent_bytes(matrix));
    return matrix;
  }
  template <class Float>
  std::span<Float> take(std::span<Float> values) const {
    check(values.data(), values.size_bytes());
    return values;
  }

 private:
  void check(const void* data, std::size_t bytes) const {
    const auto address = [](const void* of) { return reinterpret_cast<std::uintptr_t>(of); };
    const std::uintptr_t begin = address(data);
    const std::uintptr_t own = address(m_workspace.data());
    KINDRED_THROW_IF(begin < own + m_workspace.size() && own < begin + bytes,
                     "the workspace overlaps an array of a layer; it must be in separate memory");
  }

  std::span<const std::byte> m_workspace;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LAYER_CHECKS_HPP
