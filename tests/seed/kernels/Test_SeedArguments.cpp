// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/seed/ReduceMoments.hpp>
#include <kindred/core/seed/SeedBackward.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/SeedSums.hpp>
#include <kindred/core/seed/SeedTableGradients.hpp>
#include <kindred/core/seed/UpdateSeeds.hpp>

#include "CheckedCalls.hpp"

namespace Kindred::Testing::SeedArgumentsTest {

constexpr std::uint32_t hidden = 8;
constexpr std::uint32_t seeds = 2;
constexpr std::uint64_t rows = 3;

/// Dormant seeds and two blueprints.
SeedLayerView<HostSpace> layer_of(Arguments& a, bool has_slots = false) {
  SeedLayerView<HostSpace> layer;
  layer.chunks = {hidden, seeds};
  layer.state.lifecycle = a.plain<std::int8_t>(seeds);
  layer.state.mode = a.plain<std::int8_t>(seeds);
  layer.state.blueprint = a.array<std::int32_t>("layer.state.blueprint", seeds);
  layer.state.alpha = a.array<float>("layer.state.alpha", seeds);
  layer.weights.blueprints = 2;
  layer.weights.stride = hidden;
  if (has_slots) {
    layer.weights.slots = a.array<std::int32_t>("layer.weights.slots", 2);
    layer.weights.values = a.sizing<float>("layer.weights.values", hidden);
  } else {
    layer.weights.values = a.array<float>("layer.weights.values", 2 * hidden);
  }
  return layer;
}
template <class Byte>
SeedRows<Byte, HostSpace> rows_of(Arguments& a, const char* name) {
  SeedRows<Byte, HostSpace> out;
  out.bytes = a.array<std::byte>(name, rows * hidden * sizeof(float), {}, 4);
  out.stride = hidden;
  return out;
}

const std::vector<CheckedCall> calls{
    {"seed_forward",
     [](const HostSpace& on, Arguments& a) {
       const SeedForwardPlan plan = seed_forward_plan(on, {{hidden, seeds}, rows});
       seed_forward<HostSpace>(on, plan, layer_of(a), rows, rows_of<const std::byte>(a, "x"),
                               rows_of<std::byte>(a, "y"), a.array<SeedMoments>("moments", seeds),
                               a.array<std::byte>("workspace", plan.workspace, {}, 64));
     }},
    {"seed_backward",
     [](const HostSpace& on, Arguments& a) {
       const std::size_t bytes = seed_backward_workspace(on, {hidden, seeds}, rows);
       seed_backward<HostSpace>(on, layer_of(a, true), rows, rows_of<const std::byte>(a, "x"),
                                rows_of<const std::byte>(a, "gradient"),
                                rows_of<std::byte>(a, "dx"), a.array<float>("dw", hidden),
                                a.array<std::byte>("workspace", bytes, {}, 16),
                                a.array<double>("feature_sums", hidden));
     }},
    {"reduce_moments",
     [](const HostSpace& on, Arguments& a) {
       const auto ring = a.array<SeedMoments>("ring", 3 * seeds);
       reduce_moments<HostSpace>(on, ring, seeds, a.number<std::uint32_t>("slots", 3, 0), 2, 2,
                                 a.number<std::uint32_t>("first_seed + the size of each", 0, 1),
                                 a.sizing<SeedMoments>("each", seeds),
                                 a.array<SeedMoments>("whole", 1));
     }},
    {"seed_sums",
     [](const HostSpace& on, Arguments& a) {
       SeedSumArrays sums;
       sums.sum.values = a.sizing<double>("sums.sum", seeds).data();
       sums.sum_of_squares = {a.sizing<float>("sums.sum_of_squares", seeds).data(),
                              DataType::float32};
       sums.count = {a.sizing<std::int64_t>("sums.count", seeds).data(),
                     a.number<DataType>("sums", DataType::int64, DataType::float16)};
       seed_sums<HostSpace>(on, seeds, a.array<SeedMoments>("moments", seeds), sums);
     }},
    {"seed_table_gradients",
     [](const HostSpace& on, Arguments& a) {
       seed_table_gradients<HostSpace>(on, layer_of(a), a.array<double>("feature_sums", hidden),
                                       a.array<float>("table", 2 * hidden), hidden,
                                       a.array<float>("dalpha", seeds));
     }},
    {"update_seeds",
     [](const HostSpace& on, Arguments& a) {
       SeedStateView<HostSpace> state;
       state.lifecycle = a.plain<std::int8_t>(seeds);
       state.blueprint = a.array<std::int32_t>("state.blueprint", seeds);
       state.epochs = a.array<std::int16_t>("state.epochs", seeds);
       state.mode = a.array<std::int8_t>("state.mode", seeds);
       state.schedule = a.array<std::int8_t>("state.schedule", seeds);
       state.alpha = a.array<float>("state.alpha", seeds);
       state.parent = a.array<std::int8_t>("state.parent", seeds);
       state.checkpoint = a.array<std::int32_t>("state.checkpoint", seeds);
       state.evaluation = a.array<float>("state.evaluation", seeds);
       state.errors = a.array<std::int16_t>("state.errors", seeds);
       state.from = a.array<std::int8_t>("state.from", seeds * seed_history);
       state.to = a.array<std::int8_t>("state.to", seeds * seed_history);
       state.cursor = a.array<std::uint8_t>("state.cursor", seeds);
       state.transitions = a.array<std::uint8_t>("state.transitions", seeds);
       update_seeds<HostSpace>(on, state, a.sizing<SeedUpdate>("updates", 1),
                               a.array<std::uint32_t>("winners", seed_fields * seeds));
     }},
};

TEST(SeedArguments, AreCheckedBeforeALaunch) {
  for (const CheckedCall& call : calls) expect_checked(call);
}

}  // namespace Kindred::Testing::SeedArgumentsTest
