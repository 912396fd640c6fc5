// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_BACKWARD_HPP
#define KINDRED_CORE_SEED_SEED_BACKWARD_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/seed/SeedLayerView.hpp>
#include <kindred/core/seed/SeedRows.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// Bytes of workspace that `seed_backward` needs.
template <class ExecutionSpace>
std::size_t seed_backward_workspace(const ExecutionSpace& exec_space, const SeedChunks& chunks,
                                    std::uint64_t rows);

/// \brief The gradients of `seed_forward` with respect to x and w, from the gradient of y. Does not
/// fence.
///
/// With g the gradient of y, dx is: linear `t·g + u·g`, multiplicative w·g, additive g, mixed
/// 0.5·g, each rounded as in the forward pass; a copied feature copies g. dw of a feature belongs
/// to the blueprint of the feature's seed, to which no other seed contributes: linear a·Σ x·g,
/// multiplicative Σ x·g, additive Σ g, mixed 0.5·Σ g, with reproducible sums over the rows, scaled
/// in double and rounded once; 0 where no blueprint is applied. A computed NaN is canonical.
/// Complexity O(rows × hidden).
/// \param gradient of y; has the element type of \p x, as \p dx does
/// \param dx may be the same rows as \p gradient
/// \param dw one per feature, or size 0: not written
/// \param workspace `seed_backward_workspace` bytes, aligned to 16
/// \param feature_sums one per feature, the sums of dw before they are scaled and rounded (Σ x·g or
/// Σ g; Σ g where no blueprint is applied), or size 0: not written
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void seed_backward(const ExecutionSpace& exec_space, const SeedLayerView<ExecutionSpace>& layer,
                   std::uint64_t rows, const SeedRows<const std::byte, ExecutionSpace>& x,
                   const SeedRows<const std::byte, ExecutionSpace>& gradient,
                   const SeedRows<std::byte, ExecutionSpace>& dx,
                   const ArrayView<float, ExecutionSpace>& dw,
                   const ArrayView<std::byte, ExecutionSpace>& workspace,
                   const ArrayView<double, ExecutionSpace>& feature_sums = {});

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_BACKWARD_HPP
