// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_FORWARD_LAUNCH_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_FORWARD_LAUNCH_HPP

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/arch/launch/Launch.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/impl/SeedElements.hpp>
#include <kindred/core/seed/impl/SeedForwardPieces.hpp>
#include <kindred/core/seed/special/SeedForwardTeam.hpp>

#include <type_traits>

namespace Kindred::Impl {

/// Teams with 8, 16 or 32 \p columns of threads.
SeedForwardPlan plan_teams(const SeedForwardShape& shape, std::uint32_t columns);

/// Where the parts of a device's workspace begin; counters, one per stripe and one per seed, come
/// first.
struct SeedWorkspace {
  std::size_t cells;
  std::size_t features;
  std::size_t size;

  SeedWorkspace(const SeedForwardPlan& plan, const ChunkMap& chunks) {
    cells = (std::size_t{plan.stripes} + chunks.seeds + 3) / 4 * 4 * sizeof(std::uint32_t);
    const bool has_cells = plan.groups > 1 || plan.extra_columns == 0;
    features =
        cells + (has_cells ? std::size_t{plan.stripes} * plan.groups *
                                 (plan.width + 4 * plan.extra_columns) * sizeof(ColumnMoments)
                           : 0);
    const bool has_features = chunks.width_max() > moment_fan;
    size = features + (has_features ? chunks.hidden * sizeof(ColumnMoments) : 0);
  }
};

template <class Function>
void with_elements(DataType in, DataType out, const Function& function) {
  with_seed_element(in, [&](auto in_type) {
    with_seed_element(out, [&](auto out_type) { function(in_type, out_type); });
  });
}

/// The functor of a call. \param moments and \p workspace are not used if it keeps no moments
template <class In, class Out, bool keeps>
SeedForwardTeam<In, Out, keeps> seed_forward_team(
    const SeedForwardPlan& plan, const SeedLayerPointers& layer, std::uint64_t rows, const In* x,
    std::uint64_t x_stride, Out* y, std::uint64_t y_stride, SeedMoments* moments,
    std::byte* workspace, SeedOverlap overlap = SeedOverlap::none) {
  SeedForwardTeam<In, Out, keeps> team{
      .layer = layer,
      .stripes = {plan.stripes, plan.groups, plan.group_rows, plan.width / 4, plan.extra_columns},
      .rows = rows,
      .x = x,
      .x_stride = x_stride,
      .y = y,
      .y_stride = y_stride,
      .aligned = in_vec4(x, x_stride) && in_vec4(y, y_stride),
      .in_place = static_cast<const void*>(x) == static_cast<const void*>(y),
      .reads_early = overlap == SeedOverlap::rows,
      .moments = {}};
  if constexpr (keeps) {
    const SeedWorkspace parts(plan, layer.chunks);
    team.moments = {moments, reinterpret_cast<std::uint32_t*>(workspace),
                    reinterpret_cast<ColumnMoments*>(workspace + parts.cells),
                    reinterpret_cast<ColumnMoments*>(workspace + parts.features),
                    MomentShares::of(rows, team.stripes, layer.chunks)};
  }
  return team;
}

template <class In, class Out, class ExecutionSpace>
void launch_seed_forward(const ExecutionSpace& exec_space, const SeedForwardPlan& plan,
                         const SeedLayerView<ExecutionSpace>& layer, std::uint64_t rows,
                         const SeedRows<const std::byte, ExecutionSpace>& x,
                         const SeedRows<std::byte, ExecutionSpace>& y,
                         const ArrayView<SeedMoments, ExecutionSpace>& moments,
                         const ArrayView<std::byte, ExecutionSpace>& workspace,
                         [[maybe_unused]] SeedOverlap overlap) {
  const auto* from = reinterpret_cast<const In*>(x.bytes.data());
  auto* to = reinterpret_cast<Out*>(y.bytes.data());
  const SeedLayerPointers pointers = SeedLayerPointers::of(layer);
  const bool keeps = moments.size() != 0;
  if constexpr (Special::is_compiled<Special::Form::seed_forward_team, ExecutionSpace>) {
    const auto launch = [&](auto keeping) {
      const auto team = seed_forward_team<In, Out, decltype(keeping)::value>(
          plan, pointers, rows, from, x.stride, to, y.stride, moments.data(), workspace.data(),
          overlap);
      Arch::launch(exec_space,
                   {.label = "Kindred::Seed::forward",
                    .groups = std::size_t{plan.stripes} * plan.groups,
                    .threads = (plan.width / 4 + plan.extra_columns) * moment_lanes,
                    .scratch_bytes = team.scratch_bytes(),
                    .begins_early = overlap != SeedOverlap::none},
                   team);
    };
    if (keeps) return launch(std::true_type());
    launch(std::false_type());
  } else {
    const std::size_t scratch_bytes = SeedScratch<In>::bytes(padded_width(plan.width));
    std::byte* columns = workspace.data() + plan.threads * scratch_bytes;
    const auto launch = [&](auto keeping, auto is_special) {
      using lines = std::conditional_t<decltype(is_special)::value, Arch::Bfloat16CacheLines,
                                       Arch::HostCacheLines>;
      const bool streams =
          y.stride * sizeof(Out) % 64 == 0 &&
          Arch::streams_past_caches(from, to, rows * layer.chunks.hidden, sizeof(Out));
      Launch::for_each_index<Launch::Finishing>(
          exec_space, "Kindred::Seed::forward", plan.threads,
          SeedForwardPieces<lines, In, Out, decltype(keeping)::value>{
              pointers, rows, from, x.stride, to, y.stride, plan, streams, workspace.data(),
              scratch_bytes, columns});
    };
    const auto launch_form = [&](auto is_special) {
      if (rows == 0 || layer.chunks.hidden == 0) return;
      if (keeps) return launch(std::true_type(), is_special);
      launch(std::false_type(), is_special);
    };
    if constexpr (std::is_same_v<Out, Arch::BFloat16>) {
      Special::choose<Special::Form::bfloat16_lines, ExecutionSpace>(launch_form);
    } else {
      launch_form(std::false_type());
    }
    if (!keeps) return;
    const auto threads = static_cast<std::uint32_t>(Arch::concurrency(exec_space));
    Launch::for_each_index<Launch::Finishing>(
        exec_space, "Kindred::Seed::forward::moments", threads,
        SeedMomentPieces{pointers.chunks, rows, plan.groups, plan.group_rows, threads, columns,
                         padded_to_lines(layer.chunks.hidden), moments.data()});
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_FORWARD_LAUNCH_HPP
