// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/SeedTableGradients.hpp>

#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/seed/impl/SeedBackwardKernels.hpp>
#include <kindred/core/seed/impl/SeedChecks.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

namespace Kindred {

namespace {

/// The column of the table that belongs to a feature.
struct TableColumns {
  Impl::SeedLayerPointers layer;
  const double* sums;
  float* table;
  std::uint64_t stride;

  KOKKOS_FUNCTION void operator()(std::uint32_t feature) const {
    const Impl::SeedBehaviour by = layer.behaviour(layer.chunks.seed_of(feature));
    const float gradient = Impl::SeedWeightGradients::of_sum(
        Impl::SeedLayerPointers::weight_gradient(by), sums[feature]);
    for (std::uint32_t row = 0; row < layer.blueprints; ++row) {
      table[row * stride + feature] =
          by.slot >= 0 && static_cast<std::uint32_t>(by.slot) == row ? gradient : 0.0F;
    }
  }
};

/// A work item: the gradient of the alpha of one seed.
template <class ExecutionSpace>
struct AlphaGradients {
  Impl::SeedLayerPointers layer;
  const double* sums;
  float* dalpha;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t item) const {
    const auto seed = static_cast<std::uint32_t>(item);
    const Arch::Lanes<ExecutionSpace> lanes(member);
    using F64 = typename Arch::Lanes<ExecutionSpace>::F64;
    const Impl::SeedBehaviour by = layer.behaviour(seed);
    double sum = 0;
    if (by.slot >= 0 && by.mode == ApplyMode::linear && !by.is_fossilized) {
      const std::uint32_t begin = layer.chunks.begin(seed);
      const float* w = layer.weights_of(by) + begin;
      const double* of_features = sums + begin;
      const auto one = lanes.broadcast(1.0F);
      sum = reproducible_sum(
          lanes, layer.chunks.width(seed), [&](std::uint64_t i, int length, const F64& partial) {
            const F64 factor = lanes.add_difference(lanes.load(w + i, length), one, lanes.zero());
            return lanes.add(partial, lanes.multiply(factor, lanes.load(of_features + i, length)));
          });
    }
    if (lanes.is_leader()) dalpha[seed] = Arch::round_canonical<float>(static_cast<float>(sum));
  }
};

}  // namespace

template <class ExecutionSpace>
void seed_table_gradients(const ExecutionSpace& exec_space,
                          const SeedLayerView<ExecutionSpace>& layer,
                          const ArrayView<const double, ExecutionSpace>& feature_sums,
                          const ArrayView<float, ExecutionSpace>& table, std::uint64_t table_stride,
                          const ArrayView<float, ExecutionSpace>& dalpha) {
  const Impl::ArgumentCheck check("seed_table_gradients");
  Impl::check_layer(check, layer);
  const std::uint64_t hidden = layer.chunks.hidden;
  check.has("feature_sums", feature_sums, table.size() == 0 && dalpha.size() == 0 ? 0 : hidden);
  check.has_if_given("table", table,
                     Impl::extent_of_rows(layer.weights.blueprints, hidden, table_stride));
  if (table.size() != 0 && layer.weights.blueprints > 1)
    check.is_at_least("table_stride", table_stride, hidden);
  check.has_if_given("dalpha", dalpha, layer.chunks.seeds);
  const auto pointers = Impl::SeedLayerPointers::of(layer);
  if (table.size() != 0) {
    Launch::for_each_index<Launch::Finishing, std::uint32_t>(
        exec_space, "Kindred::Seed::backward::table", layer.chunks.hidden,
        TableColumns{pointers, feature_sums.data(), table.data(), table_stride});
  }
  if (dalpha.size() != 0) {
    Launch::for_each_warp(
        exec_space, "Kindred::Seed::backward::alpha", layer.chunks.seeds,
        AlphaGradients<ExecutionSpace>{pointers, feature_sums.data(), dalpha.data()});
  }
}

KINDRED_INSTANTIATE_FOR_SPACES(seed_table_gradients);

}  // namespace Kindred
