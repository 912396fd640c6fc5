// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/layers/FusedNorm.hpp>

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/layers/impl/NormRows.hpp>
#include <kindred/core/layers/special/StagedNormRows.hpp>

#include <algorithm>
#include <type_traits>

namespace Kindred {

namespace {

template <class ExecutionSpace>
inline constexpr bool uses_teams =
    Special::is_compiled<Special::Form::staged_norm_rows, ExecutionSpace>;

/// Whether rows can be copied, and results and factors read and written, 16 bytes at a time.
[[maybe_unused]] bool is_aligned(const NormLayerData& layer) {
  const std::size_t input = size_of(layer.input);
  const std::size_t output = size_of(layer.output);
  return layer.columns * input % 16 == 0 && layer.x_stride * input % 16 == 0 &&
         layer.y_stride * output % 16 == 0 && layer.columns % 8 == 0 &&
         begin_at(16, layer.x, layer.y, layer.gamma, layer.beta);
}

/// Warps per team: one suffices for short rows.
[[maybe_unused]] int team_warps(std::span<const NormLayerData> layers) {
  std::uint64_t row_bytes = 0;
  for (const NormLayerData& layer : layers)
    row_bytes = std::max(row_bytes, layer.columns * size_of(layer.input));
  return row_bytes <= 2048 ? 1 : 8;
}

/// Rows per team, at most \p most, that minimise the time of all rounds of \p places teams; the
/// synchronisation of a team is assumed to cost as much as a row.
[[maybe_unused]] std::uint64_t even_rows(std::uint64_t rows, std::uint64_t most,
                                         std::uint64_t places) {
  const auto cost = [&](std::uint64_t team_rows) {
    const std::uint64_t teams = quotient_up(rows, team_rows);
    return quotient_up(teams, places) * (team_rows + 1);
  };
  std::uint64_t best = most;
  for (std::uint64_t team_rows = most; team_rows > 0; --team_rows) {
    if (cost(team_rows) < cost(best)) best = team_rows;
  }
  return best;
}

}  // namespace

template <class ExecutionSpace>
NormPlan plan_norms(const ExecutionSpace& exec_space, std::span<NormLayerData> layers) {
  NormPlan plan;
  [[maybe_unused]] std::uint64_t share = 1;  // rows per team, so that no multiprocessor is idle
  if constexpr (uses_teams<ExecutionSpace>) {
    plan.team_warps = team_warps(layers);
    std::uint64_t rows = 0;
    for (const NormLayerData& layer : layers) rows += layer.rows;
    share = rows / (Arch::multiprocessors(exec_space) * (plan.team_warps == 1 ? 16 : 2));
  }
  for (NormLayerData& layer : layers) {
    layer.is_staged = false;
    layer.first_team = plan.teams;
    if constexpr (uses_teams<ExecutionSpace>) {
      constexpr std::uint64_t rows_most = 32;
      const std::size_t row_bytes_of_scratch = Impl::norm_row_scratch(layer.columns);
      const std::size_t staged = row_bytes_of_scratch + layer.columns * size_of(layer.input);
      const std::size_t scratch_most = Arch::scratch_bytes_limit(exec_space);
      layer.is_staged = is_aligned(layer) && staged <= scratch_most;
      const std::size_t row_bytes = layer.is_staged ? staged : row_bytes_of_scratch;
      const std::uint64_t target = static_cast<std::uint64_t>(plan.team_warps) * 8192 /
                                   std::max<std::uint64_t>(1, layer.columns * size_of(layer.input));
      std::uint64_t team_rows = std::max<std::uint64_t>(1, std::min({target, rows_most, share}));
      if (layers.size() == 1) {
        const std::uint64_t places = Arch::multiprocessors(exec_space) * Impl::norm_warps_at_once /
                                     static_cast<std::uint64_t>(plan.team_warps);
        team_rows = even_rows(layer.rows, team_rows, places);
      }
      // Devices differ in scratch: the rows of a team must fit.
      team_rows = std::clamp<std::uint64_t>(scratch_most / row_bytes, 1, team_rows);
      layer.team_rows = static_cast<std::uint32_t>(team_rows);
      plan.scratch_bytes = std::max(plan.scratch_bytes, layer.team_rows * row_bytes);
    } else {
      constexpr std::uint64_t elements_each = 1U << 14U;
      layer.team_rows = static_cast<std::uint32_t>(
          std::max<std::uint64_t>(1, elements_each / std::max<std::uint64_t>(layer.columns, 1)));
    }
    plan.teams += quotient_up(layer.rows, layer.team_rows);
  }
  return plan;
}

namespace {

/// \param layers LayerList or OneLayer; the former on the host
template <class ExecutionSpace, class Layers>
void launch_norms(const ExecutionSpace& exec_space, const NormPlan& plan, const Layers& layers) {
  if (plan.teams == 0) return;
  constexpr const char* label = "Kindred::Layers::fused_norms::rows";
  if constexpr (uses_teams<ExecutionSpace>) {
    const auto launch = [&](auto warps) {
      Arch::launch(exec_space,
                   {.label = label, .groups = plan.teams, .scratch_bytes = plan.scratch_bytes},
                   Impl::StagedNormRows<decltype(warps)::value, Layers>{layers});
    };
    if (plan.team_warps == 1) return launch(std::integral_constant<int, 1>());
    launch(std::integral_constant<int, 8>());
  } else {
    Special::choose<Special::Form::bfloat16_lines, ExecutionSpace>([&](auto is_special) {
      using lines = std::conditional_t<decltype(is_special)::value, Arch::Bfloat16CacheLines,
                                       Arch::HostCacheLines>;
      Launch::for_each_index<Launch::Coarse>(exec_space, label, plan.teams,
                                             Impl::NormRows<lines>{layers});
    });
  }
}

}  // namespace

template <class ExecutionSpace>
void fused_norms(const ExecutionSpace& exec_space, const NormPlan& plan,
                 const ArrayView<const NormLayerData, ExecutionSpace>& layers) {
  const Impl::ArgumentCheck check("fused_norms");
  check.is_aligned("layers", layers);
  check.is_at_least("the size of layers", layers.size(), plan.teams == 0 ? 0 : 1);
  check.is_at_most("the size of layers", layers.size(), 0xFFFFFFFFU);
  launch_norms(
      exec_space, plan,
      Impl::LayerList<NormLayerData>{layers.data(), static_cast<std::uint32_t>(layers.size())});
}

template <class ExecutionSpace>
void fused_norm(const ExecutionSpace& exec_space, const NormPlan& plan,
                const NormLayerData& layer) {
  const Impl::ArgumentCheck check("fused_norm");
  const std::uint64_t elements = Impl::extent_of(layer.rows, layer.columns);
  check.is_at_most("layer.columns", layer.columns, norm_columns_max);
  check.is_float("layer.input", layer.input);
  check.is_float("layer.output", layer.output);
  check.is_array("layer.x", layer.x, elements, size_of(layer.input));
  check.is_array("layer.y", layer.y, elements, size_of(layer.output));
  check.is_aligned("layer.gamma", layer.gamma, alignof(float));
  check.is_aligned("layer.beta", layer.beta, alignof(float));
  check.is_aligned("layer.mean", layer.mean, alignof(float));
  check.is_aligned("layer.variance", layer.variance, alignof(float));
  if (layer.rows > 1) check.is_at_least("layer.y_stride", layer.y_stride, layer.columns);
  if constexpr (uses_teams<ExecutionSpace>) {
    launch_norms(exec_space, plan, Impl::OneLayer<NormLayerData>{layer});
  } else {
    launch_norms(exec_space, plan, Impl::LayerList<NormLayerData>{&layer, 1});
  }
}

KINDRED_INSTANTIATE_FOR_SPACES(plan_norms);
KINDRED_INSTANTIATE_FOR_SPACES(fused_norms);
KINDRED_INSTANTIATE_FOR_SPACES(fused_norm);

}  // namespace Kindred
