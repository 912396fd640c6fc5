// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_TABLE_GRADIENTS_HPP
#define KINDRED_CORE_SEED_SEED_TABLE_GRADIENTS_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/SeedLayerView.hpp>

#include <cstdint>

namespace Kindred {

/// \brief The gradients with respect to the table of weights and to the alphas, from the sums over
/// rows that `seed_backward` computes. Does not fence; at most two launches.
///
/// A weight of the table is applied by at most one seed, so nothing is added: row b, feature f of
/// the table gets `dw` of f if the seed of f applies blueprint b, and 0 otherwise. The gradient of
/// the alpha of a seed is Σ (w − 1) · Σ x·g over its features if its mode is linear, and 0
/// otherwise and for a fossilized seed, whose alpha is not used: a reproducible sum in double of
/// rounded products, rounded once. A NaN is canonical.
/// Complexity O(blueprints × hidden + seeds).
/// \param feature_sums one per feature
/// \param table `blueprints × hidden`, rows `table_stride` apart; size 0: not written
/// \param dalpha one per seed; size 0: not written
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void seed_table_gradients(const ExecutionSpace& exec_space,
                          const SeedLayerView<ExecutionSpace>& layer,
                          const ArrayView<const double, ExecutionSpace>& feature_sums,
                          const ArrayView<float, ExecutionSpace>& table, std::uint64_t table_stride,
                          const ArrayView<float, ExecutionSpace>& dalpha);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_TABLE_GRADIENTS_HPP
