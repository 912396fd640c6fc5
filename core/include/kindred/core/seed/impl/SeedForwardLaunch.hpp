// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_FORWARD_LAUNCH_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_FORWARD_LAUNCH_HPP

#include <kindred/core/arch/TeamThreads.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/impl/SeedElements.hpp>
#include <kindred/core/seed/impl/SeedForward_Device.hpp>
#include <kindred/core/seed/impl/SeedForward_Host.hpp>

#include <bit>
#include <string>
#include <type_traits>

namespace Kindred::Impl {

/// Teams of \p threads threads at most, \p columns of them beside each other: 8, 16 or 32.
SeedForwardPlan plan_teams(const SeedForwardShape& shape, std::uint32_t columns,
                           std::uint32_t threads, bool divides, std::uint32_t run = 1);

template <class Function>
void with_elements(VectorElement in, VectorElement out, const Function& function) {
  with_seed_element(in, [&](auto in_type) {
    with_seed_element(out, [&](auto out_type) { function(in_type, out_type); });
  });
}

inline SeedStripes stripes_of(const SeedForwardPlan& plan) {
  return {plan.stripes,     plan.groups,       plan.group_rows / moment_block,
          plan.stripe_step, plan.stripe_parts, plan.part_width,
          plan.width / 4,   plan.thread_blocks};
}

/// A call of teams, without the moments.
template <class In, class Out, SeedPass pass>
SeedForwardTeam<In, Out, pass> seed_forward_team(const SeedForwardPlan& plan,
                                                 const SeedLayerPointers& layer, std::uint64_t rows,
                                                 const In* x, std::uint64_t x_stride, Out* y,
                                                 std::uint64_t y_stride, SeedMoments* moments,
                                                 std::byte* workspace) {
  SeedForwardTeam<In, Out, pass> team{};
  team.layer = layer;
  team.stripes = stripes_of(plan);
  team.rows = rows;
  team.x = x;
  team.x_stride = x_stride;
  team.y = y;
  team.y_stride = y_stride;
  team.aligned = in_fours(x, x_stride) && in_fours(y, y_stride);
  team.in_place = static_cast<const void*>(x) == static_cast<const void*>(y);
  if constexpr (pass != SeedPass::plain) {
    team.moments.out = moments;
    team.moments.counters = reinterpret_cast<std::uint32_t*>(workspace);
    std::byte* next = workspace + (std::size_t{plan.stripes} + layer.chunks.seeds + 3) / 4 * 4 *
                                      sizeof(std::uint32_t);
    team.moments.columns = reinterpret_cast<ColumnMoments*>(next);
    if (plan.groups > 1)
      next += std::size_t{plan.stripes} * plan.groups * plan.width * sizeof(ColumnMoments);
    team.moments.parts = reinterpret_cast<SeedMoments*>(next);
  }
  return team;
}

template <class In, class Out, class ExecutionSpace>
void launch_seed_forward(const ExecutionSpace& exec_space, const SeedForwardPlan& plan,
                         const SeedLayerView<ExecutionSpace>& layer, std::uint64_t rows,
                         const SeedRows<const std::byte, ExecutionSpace>& x,
                         const SeedRows<std::byte, ExecutionSpace>& y,
                         const ArrayView<SeedMoments, ExecutionSpace>& moments,
                         const ArrayView<std::byte, ExecutionSpace>& workspace) {
  const auto* from = reinterpret_cast<const In*>(x.bytes.data());
  auto* to = reinterpret_cast<Out*>(y.bytes.data());
  const SeedLayerPointers pointers = SeedLayerPointers::of(layer);
  const bool keeps = moments.size() != 0;
  if constexpr (Arch::is_device<ExecutionSpace>) {
    const auto launch = [&](auto pass) {
      constexpr SeedPass of_pass = decltype(pass)::value;
      const auto team = seed_forward_team<In, Out, of_pass>(
          plan, pointers, rows, from, x.stride, to, y.stride, moments.data(), workspace.data());
      const unsigned threads = plan.width / 4 * plan.row_threads;
      Arch::launch_teams(exec_space, "Kindred::Seed::forward",
                         std::size_t{plan.stripes} * plan.groups, threads,
                         team.moments.scratch_bytes(threads, plan.width), team);
    };
    if (!keeps && !plan.splits_blocks && std::is_same_v<In, Out>) {
      launch(std::integral_constant<SeedPass, SeedPass::plain>());
    } else if (plan.splits_blocks) {
      launch(std::integral_constant<SeedPass, SeedPass::divided>());
    } else {
      launch(std::integral_constant<SeedPass, SeedPass::whole>());
    }
  } else {
    using lines = Arch::HostLines;
    const auto launch = [&](auto pieces) {
      using functor = decltype(pieces);
      pieces.layer = pointers;
      pieces.rows = rows;
      pieces.x = from;
      pieces.x_stride = x.stride;
      pieces.y = to;
      pieces.y_stride = y.stride;
      pieces.stripes = plan.stripes;
      pieces.groups = plan.groups;
      pieces.group_blocks = plan.group_rows / moment_block;
      pieces.width = plan.width;
      pieces.pieces = plan.row_threads;
      pieces.streams =
          Arch::streams_past_caches(from, to, rows * layer.chunks.hidden, y.stride, sizeof(Out));
      pieces.scratch = workspace.data();
      pieces.scratch_bytes = SeedScratch<In>::bytes(
          plan.width, static_cast<std::uint32_t>(std::bit_width(plan.group_rows / moment_block)));
      pieces.columns = pieces.scratch + pieces.pieces * pieces.scratch_bytes;
      using policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Static>,
                                         Kokkos::IndexType<std::uint64_t>>;
      if (rows > 0 && layer.chunks.hidden > 0) {
        static const std::string label = "Kindred::Seed::forward";
        Kokkos::parallel_for(label, policy(exec_space, 0, pieces.pieces, Kokkos::ChunkSize(1)),
                             pieces);
      }
      if (!keeps) return;
      const auto threads = static_cast<std::uint32_t>(exec_space.concurrency());
      static const std::string label = "Kindred::Seed::forward::moments";
      Kokkos::parallel_for(
          label, policy(exec_space, 0, threads, Kokkos::ChunkSize(1)),
          SeedMomentPieces{pointers.chunks, rows, plan.groups, plan.group_rows, threads,
                           pieces.columns, functor::padded(layer.chunks.hidden), moments.data()});
    };
    if (keeps) {
      launch(SeedForwardPieces<lines, In, Out, true>{});
    } else {
      launch(SeedForwardPieces<lines, In, Out, false>{});
    }
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_FORWARD_LAUNCH_HPP
