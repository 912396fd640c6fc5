// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/impl/SeedChecks.hpp>

#include <kindred/core/seed/impl/SeedForwardLaunch.hpp>

#include <algorithm>

namespace Kindred {

namespace {

std::uint32_t parts_of(std::uint64_t whole, std::uint64_t part) {
  return static_cast<std::uint32_t>(quotient_up(whole, part));
}

}  // namespace

SeedForwardPlan Impl::plan_teams(const SeedForwardShape& shape, std::uint32_t columns) {
  const SeedChunks& chunks = shape.chunks;
  SeedForwardPlan plan;
  plan.width = 4 * columns;
  plan.stripes = std::max(1U, parts_of(chunks.hidden, plan.width));
  plan.group_rows = moment_rows(shape.rows);
  if (!shape.telemetry) plan.group_rows = shape.input == DataType::float32 ? 128 : 256;
  plan.groups = std::max(1U, parts_of(shape.rows, plan.group_rows));
  // With one block of rows a team can process whole seeds and need not wait for another team.
  if (shape.telemetry && plan.groups == 1 && columns <= 16 && chunks.width_max() <= moment_fan)
    plan.extra_columns = moment_fan / 4;
  if (shape.telemetry) {
    const SeedWorkspace parts(plan, ChunkMap::of(chunks));
    plan.workspace = parts.size;
    plan.counters = parts.cells;
  }
  return plan;
}

namespace {

/// Teams that a device can hold.
constexpr std::uint64_t device_teams = 264;

[[maybe_unused]] SeedForwardPlan plan_device(const SeedForwardShape& shape) {
  // Few rows: narrow stripes, on as many multiprocessors as there are.
  SeedForwardPlan plan;
  for (std::uint32_t columns = 8; columns <= 32; columns *= 2) {
    plan = Impl::plan_teams(shape, columns);
    if (std::uint64_t{plan.stripes} * plan.groups <= device_teams) break;
  }
  return plan;
}

/// The shape of a call whose chunks cover all features, without telemetry if there are no seeds.
SeedForwardShape covering(const SeedForwardShape& call) {
  SeedForwardShape shape = call;
  if (shape.chunks.seeds == 0) shape.telemetry = false;
  shape.chunks = shape.chunks.covering();
  return shape;
}

}  // namespace

SeedForwardPlan seed_forward_host_plan(const SeedForwardShape& call, std::uint32_t threads) {
  const SeedForwardShape shape = covering(call);
  constexpr std::uint32_t step = Impl::host_features;
  const std::uint32_t hidden = std::max(shape.chunks.hidden, 1U);
  SeedForwardPlan plan;
  plan.group_rows = shape.telemetry ? Impl::moment_rows(shape.rows) : 512;
  plan.groups = std::max(1U, parts_of(shape.rows, plan.group_rows));
  // Wide, so that rows are read in long pieces, but narrow enough that every thread gets a work
  // item.
  const std::uint32_t fair = parts_of(hidden, parts_of(threads, plan.groups));
  plan.width = std::min(4096U, parts_of(fair, step) * step);
  plan.stripes = parts_of(hidden, plan.width);
  plan.threads = std::min(threads, plan.groups * plan.stripes);
  plan.workspace = plan.threads * Impl::SeedScratch<float>::bytes(plan.width + step);
  if (shape.telemetry)
    plan.workspace +=
        plan.groups * std::size_t{parts_of(hidden, step)} * step * Impl::ColumnArrays::bytes_each;
  return plan;
}

template <class ExecutionSpace>
SeedForwardPlan seed_forward_plan([[maybe_unused]] const ExecutionSpace& exec_space,
                                  const SeedForwardShape& shape) {
  if constexpr (Special::is_compiled<Special::Form::seed_forward_team, ExecutionSpace>) {
    return plan_device(covering(shape));
  } else {
    return seed_forward_host_plan(shape, static_cast<std::uint32_t>(Arch::concurrency(exec_space)));
  }
}

template <class ExecutionSpace>
void seed_forward(const ExecutionSpace& exec_space, const SeedForwardPlan& plan,
                  const SeedLayerView<ExecutionSpace>& layer, std::uint64_t rows,
                  const SeedRows<const std::byte, ExecutionSpace>& x,
                  const SeedRows<std::byte, ExecutionSpace>& y,
                  const ArrayView<SeedMoments, ExecutionSpace>& moments,
                  const ArrayView<std::byte, ExecutionSpace>& workspace, SeedOverlap overlap) {
  const Impl::ArgumentCheck check("seed_forward");
  Impl::check_layer(check, layer);
  Impl::check_seed_rows(check, "x", x, rows, layer.chunks.hidden);
  Impl::check_seed_rows(check, "y", y, rows, layer.chunks.hidden);
  if (rows > 1) check.is_at_least("y.stride", y.stride, layer.chunks.hidden);
  check.has_if_given("moments", moments, layer.chunks.covering().seeds);
  check.has("workspace", workspace, plan.workspace);
  if (plan.workspace != 0) check.is_aligned("workspace", workspace.data(), 64);
  Impl::with_elements(x.element, y.element, [&](auto in, auto out) {
    using In = typename decltype(in)::type;
    using Out = typename decltype(out)::type;
    Impl::launch_seed_forward<In, Out>(exec_space, plan, layer, rows, x, y, moments, workspace,
                                       overlap);
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(seed_forward_plan);
KINDRED_INSTANTIATE_FOR_SPACES(seed_forward);

}  // namespace Kindred
