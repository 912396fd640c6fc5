// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_FUSED_LINEAR_HPP
#define KINDRED_CORE_SEED_FUSED_LINEAR_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/LayerActivation.hpp>
#include <kindred/core/vector/VectorElement.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace Kindred {

/// \brief y = act(x·Wᵀ + b), as kernels see it: arrays in the memory of their space, of float32,
/// float16 or bfloat16.
struct LinearLayerData {
  const std::byte* x = nullptr;  ///< rows × inputs
  const std::byte* w = nullptr;  ///< outputs × inputs
  const float* bias = nullptr;   ///< outputs, or null: none
  std::byte* y = nullptr;        ///< rows × outputs
  std::uint64_t rows = 0;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::uint64_t x_stride = 0;  ///< elements from row to row
  std::uint64_t w_stride = 0;
  std::uint64_t y_stride = 0;
  VectorElement input = VectorElement::float32;  ///< of x and w
  VectorElement output = VectorElement::float32;
  LayerActivation activation = LayerActivation::none;
  std::uint32_t work_item_tiles =
      1;                         ///< set by `plan_linears`: neighbouring tiles of a unit of work
  std::uint64_t first_team = 0;  ///< likewise
};

/// Shares out \p layers; returns how many units of work they are. Launches nothing.
template <class ExecutionSpace>
std::uint64_t plan_linears(std::span<LinearLayerData> layers);

/// \brief All \p layers in one launch, the same bits on every space: canonical sums of exact
/// products, z = float32(Σ + b), act(z) in float32, rounded once to y's element; NaN is 0x7FC00000,
/// 0x7E00 or 0x7FC0. Does not fence, allocates nothing.
/// \param work_items of `plan_linears` \param layers in the memory of the space Complexity O(rows ·
/// inputs · outputs), in double.
template <class ExecutionSpace>
void fused_linears(const ExecutionSpace& exec_space, std::uint64_t work_items,
                   const ArrayView<const LinearLayerData, ExecutionSpace>& layers);

/// \brief What is left to do after a product by a library.
struct LinearEnd {
  const float* products = nullptr;  ///< rows × outputs; may be y of float32
  std::uint64_t stride = 0;         ///< of the products
  const float* bias = nullptr;      ///< outputs, or null: none or added before
  std::byte* y = nullptr;
  std::uint64_t y_stride = 0;
  std::uint64_t rows = 0;
  std::uint64_t outputs = 0;
  VectorElement output = VectorElement::float32;
  LayerActivation activation = LayerActivation::none;
};

/// y = act(float32(products + bias)), rounded once to its element. Does not fence.
template <class ExecutionSpace>
void end_linear(const ExecutionSpace& exec_space, const LinearEnd& end);
/// `end_linear` on the calling thread of the host.
void end_linear_here(const LinearEnd& end);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_FUSED_LINEAR_HPP
