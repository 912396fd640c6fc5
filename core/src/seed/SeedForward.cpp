// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/SeedForward.hpp>

#include <kindred/core/seed/impl/SeedForwardLaunch.hpp>

#include <algorithm>
#include <bit>

namespace Kindred {

namespace {

std::uint32_t blocks_of(std::uint64_t rows) {
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, (rows + Impl::moment_block - 1) / Impl::moment_block));
}
std::uint32_t quotient_up(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>((a + b - 1) / b);
}

/// Whether stripes of \p step features, up to whole seeds, fit into \p width from a multiple of
/// four.
bool fits(const SeedChunks& chunks, std::uint32_t step, std::uint32_t width) {
  Impl::SeedStripes stripes{};
  stripes.step = step;
  stripes.stripes = quotient_up(chunks.hidden, step);
  stripes.groups = 1;
  const Impl::ChunkMap map = Impl::ChunkMap::of(chunks);
  for (std::uint32_t i = 0; i < stripes.stripes; ++i) {
    const Impl::SeedStripe stripe = stripes.stripe(map, i);
    if (stripe.end - (stripe.begin & ~3U) > width) return false;
  }
  return true;
}

}  // namespace

SeedForwardPlan Impl::plan_teams(const SeedForwardShape& shape, std::uint32_t columns,
                                 std::uint32_t threads, bool divides, std::uint32_t run) {
  const SeedChunks& chunks = shape.chunks;
  SeedForwardPlan plan;
  plan.width = 4 * columns;
  plan.splits_blocks = divides;
  // Chunks may begin anywhere in a thread's four features.
  const bool even = chunks.seeds == 0 ||
                    (chunks.hidden % chunks.seeds == 0 && chunks.hidden / chunks.seeds % 4 == 0);
  const std::uint32_t room = plan.width - (even ? 0 : 3);
  const std::uint32_t widest = std::max(1U, chunks.width_max());
  if (widest <= room) {
    plan.stripe_step = room - (widest - 1);
    // That fits wherever chunks begin; often a larger one does too.
    for (std::uint32_t step = plan.width; step > plan.stripe_step; --step) {
      if (fits(chunks, step, plan.width)) plan.stripe_step = step;
    }
    plan.stripes = std::max(1U, quotient_up(chunks.hidden, plan.stripe_step));
  } else {
    plan.part_width = std::bit_floor(room);
    plan.stripe_parts = quotient_up(widest, plan.part_width);
    plan.stripes = chunks.seeds * plan.stripe_parts;
  }
  const std::uint32_t blocks = blocks_of(shape.rows);
  const std::uint32_t most = threads / columns / (divides ? moment_lanes : 1);
  // A group that does not hold all rows has a thread a feature for the merge with the others.
  const std::uint32_t taken = blocks > most ? most : std::bit_ceil(blocks);
  plan.row_threads = taken * (divides ? moment_lanes : 1);
  plan.thread_blocks = blocks > taken * run ? run : 1;
  plan.group_rows = taken * plan.thread_blocks * moment_block;
  plan.groups = quotient_up(blocks, taken * plan.thread_blocks);
  std::size_t bytes =
      (std::size_t{plan.stripes} + chunks.seeds + 3) / 4 * 4 * sizeof(std::uint32_t);
  if (plan.groups > 1)
    bytes += std::size_t{plan.stripes} * plan.groups * plan.width * sizeof(ColumnMoments);
  if (plan.stripe_parts > 1)
    bytes += std::size_t{chunks.seeds} * plan.stripe_parts * sizeof(SeedMoments);
  plan.workspace = shape.telemetry ? bytes : 0;
  return plan;
}

namespace {

/// Threads that keep a device's memory busy.
constexpr std::uint64_t device_threads = 32768;
/// Teams of 128 threads that a device of 132 multiprocessors runs at once.
constexpr std::uint64_t device_teams = 528;

SeedForwardPlan plan_device(const SeedForwardShape& shape) {
  const std::uint64_t fours = quotient_up(std::max(1U, shape.chunks.hidden), 4);
  const std::uint64_t whole = fours * blocks_of(shape.rows);
  if (whole < device_threads) {
    // Few rows: stripes as narrow as a chunk allows, on as many multiprocessors.
    std::uint32_t columns = 8;
    while (columns < 32 && (shape.chunks.width_max() + 3 > 4 * columns ||
                            fours / columns * blocks_of(shape.rows) > 4096))
      columns *= 2;
    return Impl::plan_teams(shape, columns, 256, true);
  }
  // What a team does once for its moments, it does half as often with two blocks a thread; but
  // teams must be many.
  const SeedForwardPlan plan = Impl::plan_teams(shape, 32, 128, false);
  if (!shape.telemetry || std::uint64_t{plan.stripes} * plan.groups < device_teams) return plan;
  return Impl::plan_teams(shape, 32, 128, false, 2);
}

SeedForwardPlan plan_host(const SeedForwardShape& shape, std::uint32_t threads) {
  SeedForwardPlan plan;
  const std::uint32_t hidden = shape.chunks.hidden;
  const std::uint32_t blocks = blocks_of(shape.rows);
  // As wide as sums stay in the second cache, as narrow as gives every thread a unit.
  plan.width = std::min<std::uint32_t>(
      4096, static_cast<std::uint32_t>((std::max(hidden, 1U) + Impl::host_features - 1) /
                                       Impl::host_features * Impl::host_features));
  std::uint32_t group_blocks =
      std::bit_floor(std::clamp(blocks / threads, 1U, Impl::host_group_blocks));
  if (blocks < threads) {
    group_blocks = 1;
    const std::uint32_t fair = quotient_up(hidden, threads);
    plan.width = std::max<std::uint32_t>(
        Impl::host_features,
        std::min<std::uint32_t>(plan.width, quotient_up(fair, Impl::host_features) *
                                                static_cast<std::uint32_t>(Impl::host_features)));
  }
  plan.group_rows = group_blocks * Impl::moment_block;
  plan.groups = quotient_up(blocks, group_blocks);
  plan.stripes = quotient_up(std::max(hidden, 1U), plan.width);
  plan.row_threads = std::min(threads, plan.groups * plan.stripes);
  const std::uint32_t levels = static_cast<std::uint32_t>(std::bit_width(group_blocks));
  plan.workspace = plan.row_threads * Impl::SeedScratch<float>::bytes(plan.width, levels);
  if (shape.telemetry) {
    const std::size_t padded =
        (std::size_t{hidden} + Impl::host_features - 1) / Impl::host_features * Impl::host_features;
    plan.workspace += plan.groups * padded * Impl::ColumnArrays::bytes_each;
  }
  return plan;
}

}  // namespace

template <class ExecutionSpace>
SeedForwardPlan seed_forward_plan([[maybe_unused]] const ExecutionSpace& exec_space,
                                  const SeedForwardShape& call) {
  SeedForwardShape shape = call;
  if (shape.chunks.seeds == 0) {
    shape.chunks.seeds = 1;
    shape.telemetry = false;
  }
  if constexpr (Arch::is_device<ExecutionSpace>) {
    return plan_device(shape);
  } else {
    return plan_host(shape, static_cast<std::uint32_t>(exec_space.concurrency()));
  }
}

template <class ExecutionSpace>
void seed_forward(const ExecutionSpace& exec_space, const SeedForwardPlan& plan,
                  const SeedLayerView<ExecutionSpace>& given, std::uint64_t rows,
                  const SeedRows<const std::byte, ExecutionSpace>& x,
                  const SeedRows<std::byte, ExecutionSpace>& y,
                  const ArrayView<SeedMoments, ExecutionSpace>& moments,
                  const ArrayView<std::byte, ExecutionSpace>& workspace) {
  SeedLayerView<ExecutionSpace> layer = given;
  if (layer.chunks.seeds == 0) {  // one that owns all and changes nothing
    layer.chunks.seeds = 1;
    layer.weights.blueprints = 0;
  }
  Impl::with_elements(x.element, y.element, [&](auto in, auto out) {
    using In = typename decltype(in)::type;
    using Out = typename decltype(out)::type;
    Impl::launch_seed_forward<In, Out>(exec_space, plan, layer, rows, x, y, moments, workspace);
  });
}

#define KINDRED_INSTANTIATE(SPACE)                                                          \
  template SeedForwardPlan seed_forward_plan<SPACE>(const SPACE&, const SeedForwardShape&); \
  template void seed_forward<SPACE>(                                                        \
      const SPACE&, const SeedForwardPlan&, const SeedLayerView<SPACE>&, std::uint64_t,     \
      const SeedRows<const std::byte, SPACE>&, const SeedRows<std::byte, SPACE>&,           \
      const ArrayView<SeedMoments, SPACE>&, const ArrayView<std::byte, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
