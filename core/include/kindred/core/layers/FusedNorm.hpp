// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_FUSED_NORM_HPP
#define KINDRED_CORE_LAYERS_FUSED_NORM_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/layers/LayerActivation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace Kindred {

/// \brief A normalisation of a list, as the kernel reads it: arrays of float32, float16 or bfloat16
/// in the memory of its space.
struct NormLayerData {
  const std::byte* x = nullptr;  ///< rows × columns
  std::byte* y = nullptr;        ///< the same; may be x if elements and strides are equal
  const float* gamma = nullptr;  ///< columns, or null: 1
  const float* beta = nullptr;   ///< columns, or null: 0
  float* mean = nullptr;         ///< rows, or null: not written
  float* variance = nullptr;     ///< rows, or null: not written
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t x_stride = 0;  ///< elements from one row to the next
  std::uint64_t y_stride = 0;
  float epsilon = 1e-5F;
  DataType input = DataType::float32;
  DataType output = DataType::float32;
  LayerActivation activation = LayerActivation::gelu;
  bool is_staged = false;       ///< set by `plan_norms`, as are the following members
  std::uint32_t team_rows = 1;  ///< rows per team
  std::uint64_t first_team = 0;
};

/// Maximum number of columns of a row.
inline constexpr std::uint64_t norm_columns_max = std::uint64_t{1} << 24;

/// \brief How a list is divided into device teams or host threads.
struct NormPlan {
  std::uint64_t teams = 0;
  int team_warps = 1;             ///< on a device: 1 or 8
  std::size_t scratch_bytes = 0;  ///< per team
};

/// Distributes \p layers over teams or threads. Launches nothing.
template <class ExecutionSpace>
NormPlan plan_norms(const ExecutionSpace& exec_space, std::span<NormLayerData> layers);

/// \brief y = act((x − mean) / √(variance + ε) · γ + β), row by row, all layers in one launch. Does
/// not fence, allocates nothing.
///
/// With d = x − x₀ in double, x₀ the first element of the row, and reproducible sums over the row:
/// o = Σd / columns, mean = x₀ + o, variance = max(0, Σd² / columns − o·o). The outputs are these
/// rounded to float32. Per element in float32, each operation rounded:
///
///     n = (x·s − h)·r − l      both fused
///     g = n·γ + β              fused
///     y = act(g)               `portable_gelu`, rounded once to y's element
///
/// where σ = √(variance + ε) in double, s = 2⁻ᵉ with e the larger of σ's exponent and the mean's
/// exponent minus 100, h = float32(mean · s), r = float32(2ᵉ / σ), l = float32((mean · s − h) · 2ᵉ
/// / σ). Thus no magnitude overflows and a large mean loses no digits. A row with a NaN or an
/// infinity is NaN throughout: mean, variance and every y. NaN is 0x7FC00000, 0x7E00 or 0x7FC0.
///
/// Complexity O(rows × columns): x is read once.
/// \param layers prepared by `plan_norms`, in the memory of the space
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void fused_norms(const ExecutionSpace& exec_space, const NormPlan& plan,
                 const ArrayView<const NormLayerData, ExecutionSpace>& layers);
/// \brief The same for one layer, which is passed in the parameters of the kernel. Does not fence,
/// allocates nothing. \param plan of this layer alone
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void fused_norm(const ExecutionSpace& exec_space, const NormPlan& plan, const NormLayerData& layer);

}  // namespace Kindred

#endif  // KINDRED_CORE_LAYERS_FUSED_NORM_HPP
