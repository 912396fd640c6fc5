// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_FUSED_LINEAR_HPP
#define KINDRED_CORE_LAYERS_FUSED_LINEAR_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/layers/LayerActivation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace Kindred {

/// \brief y = act(x·Wᵀ + b), as kernels read it: arrays of float32, float16 or bfloat16 in the
/// memory of their space.
struct LinearLayerData {
  const std::byte* x = nullptr;  ///< rows × inputs
  const std::byte* w = nullptr;  ///< outputs × inputs
  const float* bias = nullptr;   ///< outputs, or null: no bias
  std::byte* y = nullptr;        ///< rows × outputs
  std::uint64_t rows = 0;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::uint64_t x_stride = 0;  ///< elements from one row to the next
  std::uint64_t w_stride = 0;
  std::uint64_t y_stride = 0;
  DataType input = DataType::float32;  ///< of x and w
  DataType output = DataType::float32;
  LayerActivation activation = LayerActivation::none;
  std::uint32_t work_item_tiles = 1;  ///< set by `plan_linears`: adjacent tiles per work item
  std::uint64_t first_team = 0;       ///< set by `plan_linears`
};

/// Distributes \p layers over work items; returns their number. Launches nothing.
template <class ExecutionSpace>
std::uint64_t plan_linears(std::span<LinearLayerData> layers);

/// \brief Computes all \p layers in one launch, bit-identical on every space: reproducible sums of
/// exact products, z = float32(Σ + b), act(z) in float32, rounded once to y's element type; NaN is
/// 0x7FC00000, 0x7E00 or 0x7FC0. Does not fence, allocates nothing. Complexity O(rows · inputs ·
/// outputs), in double.
/// \param work_items from `plan_linears` \param layers in the memory of the space
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void fused_linears(const ExecutionSpace& exec_space, std::uint64_t work_items,
                   const ArrayView<const LinearLayerData, ExecutionSpace>& layers);
/// \brief The same for one layer, which is passed in the parameters of the kernel. Does not fence,
/// allocates nothing. \param work_items of this layer alone
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void fused_linear(const ExecutionSpace& exec_space, std::uint64_t work_items,
                  const LinearLayerData& layer);

/// \brief The epilogue of a product that a library computed.
struct LinearEnd {
  const float* products = nullptr;  ///< rows × outputs; may be y if that is float32
  std::uint64_t stride = 0;         ///< of the products
  const float* bias = nullptr;      ///< outputs, or null: none, or already added
  std::byte* y = nullptr;
  std::uint64_t y_stride = 0;
  std::uint64_t rows = 0;
  std::uint64_t outputs = 0;
  DataType output = DataType::float32;
  LayerActivation activation = LayerActivation::none;
};

/// y = act(float32(products + bias)), rounded once to y's element type. Does not fence.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void end_linear(const ExecutionSpace& exec_space, const LinearEnd& end);
/// `end_linear` on the calling thread of the host.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void end_linear_here(const LinearEnd& end);

}  // namespace Kindred

#endif  // KINDRED_CORE_LAYERS_FUSED_LINEAR_HPP
