// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_NORM_GRADIENT_HPP
#define KINDRED_CORE_LAYERS_NORM_GRADIENT_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/layers/LayerActivation.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief The backward pass of a normalisation, as kernels read it: arrays of float32, float16 or
/// bfloat16 in the memory of their space.
struct NormGradientData {
  const std::byte* x = nullptr;         ///< rows × columns, as passed to the forward pass
  const std::byte* gradient = nullptr;  ///< of y: rows × columns
  std::byte* dx = nullptr;              ///< rows × columns, of x's element; may be `gradient` if
                                        ///< elements and strides are equal
  const float* gamma = nullptr;         ///< columns, or null: 1
  const float* beta = nullptr;          ///< columns, or null: 0
  float* dgamma = nullptr;              ///< columns, or null: not computed
  float* dbeta = nullptr;               ///< columns, or null: not computed
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t x_stride = 0;  ///< elements from one row to the next
  std::uint64_t gradient_stride = 0;
  std::uint64_t dx_stride = 0;
  float epsilon = 1e-5F;
  DataType input = DataType::float32;   ///< of x and dx
  DataType output = DataType::float32;  ///< of the gradient
  LayerActivation activation = LayerActivation::gelu;
};

/// Bytes of workspace that `norm_gradients` needs.
std::size_t norm_gradient_workspace(const NormGradientData& layer);

/// \brief The gradients of `fused_norms` with respect to x, γ and β, bit-identical on every space.
/// Does not fence, allocates nothing; at most four launches.
///
/// With σ and the mean in double as in the forward pass, n = (x − mean) / σ in double, and h the
/// argument of the activation as the forward pass computes it, per element in double: a = gradient
/// · act′(h), b = a · γ. Per row, with reproducible sums: s = Σ b / columns, t = Σ b·n / columns;
/// dx = (b − s − n·t) / σ, rounded to float32 and then to x's element. dβ = Σ a and dγ = Σ a·n over
/// the rows, \see ColumnSums. A row with a NaN or an infinity is NaN throughout. NaN is canonical.
/// Complexity O(rows × columns).
/// \param workspace `norm_gradient_workspace` bytes, aligned to 16
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void norm_gradients(const ExecutionSpace& exec_space, const NormGradientData& layer,
                    const ArrayView<std::byte, ExecutionSpace>& workspace);

}  // namespace Kindred

#endif  // KINDRED_CORE_LAYERS_NORM_GRADIENT_HPP
