// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_BACKWARD_HPP
#define KINDRED_CORE_SEED_SEED_BACKWARD_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/seed/SeedRows.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// Bytes of workspace that `seed_backward` takes.
template <class ExecutionSpace>
std::size_t seed_backward_workspace(const ExecutionSpace& exec_space, const SeedChunks& chunks,
                                    std::uint64_t rows);

/// \brief The gradients of `seed_forward` for x and w, from that of y. Does not fence.
///
/// dx, g being y's gradient: linear `t·g + u·g`, multiplicative w·g, additive g, mixed 0.5·g, each
/// rounded as in the forward; a copied feature copies g. dw of a feature belongs to the blueprint
/// of the feature's seed, which nobody else contributes to: linear a·Σ x·g, multiplicative Σ x·g,
/// additive Σ g, mixed 0.5·Σ g with canonical sums over the rows, scaled in double and rounded
/// once; 0 where no blueprint is applied. A computed NaN is canonical. \param gradient of y, \param
/// dx, of the same element as \p x; they may be the same rows \param dw one a feature \param
/// workspace of `seed_backward_workspace` bytes, aligned to 16 Complexity O(rows × hidden).
template <class ExecutionSpace>
void seed_backward(const ExecutionSpace& exec_space, const SeedLayerView<ExecutionSpace>& layer,
                   std::uint64_t rows, const SeedRows<const std::byte, ExecutionSpace>& x,
                   const SeedRows<const std::byte, ExecutionSpace>& gradient,
                   const SeedRows<std::byte, ExecutionSpace>& dx,
                   const ArrayView<float, ExecutionSpace>& dw,
                   const ArrayView<std::byte, ExecutionSpace>& workspace);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_BACKWARD_HPP
