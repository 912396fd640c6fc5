// SPDX-License-Identifier: Apache-2.0
// Layers, lists of arrays and passes of seeds on tensors of a device.
#include "DeviceTensor.hpp"

#include <Support.hpp>

#include <optional>
#include <vector>

namespace DeviceArraysOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

using Floats = TwoTensors<float>;
class CDeviceArrays : public OnDevice {};

std::vector<float> random(const char* name, std::int64_t count) {
  return random_rows(name, static_cast<std::size_t>(count));
}

TEST_F(CDeviceArrays, LayersAndTheirGradientsAreThoseOnTheHost) {
  constexpr std::int64_t rows = 33;
  constexpr std::int64_t columns = 31;
  constexpr std::int64_t outputs = 5;
  Floats x(random("CDeviceArrays x", rows * columns), {rows, columns});
  Floats w(random("CDeviceArrays w", outputs * columns), {outputs, columns});
  Floats above(random("CDeviceArrays above", rows * outputs), {rows, outputs});
  Floats gamma(random("CDeviceArrays gamma", columns), {columns});
  Floats y({rows, columns}), product({rows, outputs}), dx({rows, columns}), dgamma({columns}),
      linear_dx({rows, columns}), dw({outputs, columns});
  const auto norm_gradient = [&](const Place& at) {
    kindred_norm_gradient out = KINDRED_NORM_GRADIENT_INIT;
    out.x = out.gradient = x.at(at);
    out.dx = dx.at(at);
    out.gamma = gamma.at(at);
    out.dgamma = dgamma.at(at);
    return out;
  };
  for (const bool is_prepared : {false, true})
    expect_same_on_device({&y, &product, &dx, &dgamma, &linear_dx, &dw}, [&](const Place& at) {
      kindred_layer_options options = at.set(kindred_layer_options KINDRED_LAYER_OPTIONS_INIT);
      options.reproducible = 1;
      const auto run = [&]<class Layer>(auto& call, const Layer& layer) {
        const Layer* const layers[] = {&layer};
        if (!is_prepared) {
          ok(call(c_context(), layers, 1, &options, nullptr, nullptr));
          return;
        }
        const auto prepared = result_of(call, c_context(), layers, 1, &options);
        ok(kindred_run(prepared));
        ok(kindred_wait(prepared));
      };
      kindred_norm_layer norm = KINDRED_NORM_LAYER_INIT;
      norm.x = x.at(at);
      norm.y = y.at(at);
      norm.gamma = gamma.at(at);
      kindred_linear_layer linear = KINDRED_LINEAR_LAYER_INIT;
      linear.x = x.at(at);
      linear.w = w.at(at);
      linear.y = product.at(at);
      linear.activation = KINDRED_ACTIVATION_RELU;
      kindred_linear_gradient linear_gradient = KINDRED_LINEAR_GRADIENT_INIT;
      linear_gradient.x = x.at(at);
      linear_gradient.w = w.at(at);
      linear_gradient.gradient = above.at(at);
      linear_gradient.dx = linear_dx.at(at);
      linear_gradient.dw = dw.at(at);
      run(kindred_norm_layers, norm);
      run(kindred_linear_layers, linear);
      run(kindred_norm_gradients, norm_gradient(at));
      run(kindred_linear_gradients, linear_gradient);
    });

  // The workspace of a caller.
  const Place device{true, 1, own_stream().stream().handle()};
  const kindred_norm_gradient gradient = norm_gradient(device);
  const kindred_norm_gradient* gradients[] = {&gradient};
  kindred_layer_options options = device.set(kindred_layer_options KINDRED_LAYER_OPTIONS_INIT);
  options.reproducible = 1;
  const std::size_t bytes =
      result_of(kindred_norm_gradients, c_context(), gradients, 1, &options, nullptr);
  EXPECT_GT(bytes, 0);
  DeviceTensor<std::uint8_t> workspace(std::vector<std::uint8_t>(bytes + 256),
                                       {static_cast<std::int64_t>(bytes) + 256});
  options.workspace = &workspace;
  options.workspace->byte_offset =
      256 - reinterpret_cast<std::uintptr_t>(options.workspace->data) % 256;
  options.workspace->shape[0] -= static_cast<std::int64_t>(options.workspace->byte_offset);
  ok(kindred_norm_gradients(c_context(), gradients, 1, &options, nullptr, nullptr));
  own_stream().wait();
  dx.expect_same();
  dgamma.expect_same();
  options.workspace->byte_offset += 8;
  options.workspace->shape[0] -= 8;
  expect_refused(kindred_norm_gradients(c_context(), gradients, 1, &options, nullptr, nullptr));
  options.workspace = nullptr;
  // Tensors in different memories.
  kindred_norm_layer norm = KINDRED_NORM_LAYER_INIT;
  norm.x = x.at(device);
  norm.y = y.at(Place());
  const kindred_norm_layer* norms[] = {&norm};
  expect_refused(kindred_norm_layers(c_context(), norms, 1, nullptr, nullptr, nullptr));
  norm.y = y.at(device);
  options.space = KINDRED_SPACE_SERIAL;
  expect_refused(kindred_norm_layers(c_context(), norms, 1, &options, nullptr, nullptr));
}

TEST_F(CDeviceArrays, BulkOperationsAreThoseOnTheHost) {
  Floats a(random("CDeviceArrays a", 12), {3, 4});
  Floats b(random("CDeviceArrays b", 12), {3, 4});
  Floats right(b.values(), {4, 3});
  Floats out({3, 4}), second({3, 4}), third({3, 4}), sums({3}), product({3, 3});
  kindred_prepared* refused = nullptr;
  expect_same_on_device({&out, &second, &third, &sums, &product}, [&](const Place& at) {
    const DLTensor* as[] = {a.at(at), b.at(at)};
    const DLTensor* bs[] = {b.at(at), a.at(at)};
    const DLTensor* rights[] = {right.at(at)};
    DLTensor* outs[] = {out.at(at)};
    DLTensor* products[] = {product.at(at)};
    DLTensor* both[] = {second.at(at), third.at(at)};
    kindred_bulk_options options = at.set(kindred_bulk_options KINDRED_BULK_OPTIONS_INIT);
    options.reproducible = 1;
    const auto add = [&](DLTensor* const* to, std::size_t count, kindred_prepared** prepared) {
      return kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, bs, 0, to, count,
                                       &options, prepared, nullptr, nullptr);
    };
    ok(add(outs, 1, nullptr));
    ok(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, as, 1, sums.at(at), &options, nullptr,
                           nullptr, nullptr));
    ok(kindred_bulk_multiply(c_context(), as, rights, products, 1, &options, nullptr, nullptr,
                             nullptr));
    Owned<kindred_prepared> prepared;  // a list
    ok(add(both, 2, &prepared));
    ok(kindred_run(prepared));
    ok(kindred_wait(prepared));
    both[0] = out.at(Place{!at.on_device});
    expect_refused(add(both, 2, &refused));
  });
}

TEST_F(CDeviceArrays, PassesOfSeedsAndSequencesAreThoseOnTheHost) {
  constexpr std::int64_t rows = 40;
  constexpr std::int64_t hidden = 64;
  TwoTensors<std::int32_t> lifecycle({0, KINDRED_SEED_GRAFTING, 0, KINDRED_SEED_FOSSILIZED}, {4});
  TwoTensors<std::int32_t> blueprint({-1, 1, 0, 0}, {4});
  TwoTensors<std::int32_t> mode({0, 0, 0, KINDRED_APPLY_ADDITIVE}, {4});
  Floats alpha({0, 0.25F, 0, 1}, {4});
  Floats weights(random("CDeviceArrays weights", 2 * hidden), {2, hidden});
  Floats x(random("CDeviceArrays rows", rows * hidden), {rows, hidden});
  Floats y({rows, hidden}), dx({rows, hidden}), dweights({2, hidden}), dalpha({4});
  TwoTensors<double> sum({4});
  expect_same_on_device({&y, &dx, &dweights, &dalpha, &sum}, [&](const Place& at) {
    kindred_seed_arrays seeds = KINDRED_SEED_ARRAYS_INIT;
    seeds.lifecycle = lifecycle.at(at);
    seeds.blueprint = blueprint.at(at);
    seeds.mode = mode.at(at);
    seeds.alpha = alpha.at(at);
    seeds.weights = weights.at(at);
    kindred_seed_sums sums = KINDRED_SEED_SUMS_INIT;
    sums.sum = sum.at(at);
    kindred_seed_pass_options options =
        at.set(kindred_seed_pass_options KINDRED_SEED_PASS_OPTIONS_INIT);
    const auto forward = [&] {
      return kindred_forward_seeds(c_context(), &seeds, x.at(at), y.at(at), &sums, &options,
                                   nullptr);
    };
    const auto backward = [&] {
      return kindred_backward_seeds(c_context(), &seeds, x.at(at), y.at(at), dx.at(at),
                                    dweights.at(at), dalpha.at(at), &options, nullptr);
    };
    std::uint64_t needed[2] = {};
    options.workspace_bytes = &needed[0];
    ok(forward());
    options.workspace_bytes = &needed[1];
    ok(backward());
    options.workspace_bytes = nullptr;
    EXPECT_EQ(needed[0] + needed[1] > 0, at.on_device);
    const std::uint64_t bytes = std::max(needed[0], needed[1]);
    std::optional<DeviceTensor<std::uint8_t>> workspace;
    if (bytes > 0) {
      const auto size = static_cast<std::int64_t>(bytes);
      workspace.emplace(std::vector<std::uint8_t>(bytes), std::vector<std::int64_t>{size});
      options.workspace = &*workspace;
    }
    ok(forward());
    ok(backward());
    if (at.on_device) wait_for_device();  // the workspace is freed after the passes
  });

  // Passes of a layer, alone and as a sequence.
  kindred_seeds_options layer = KINDRED_SEEDS_OPTIONS_INIT;
  layer.hidden = hidden;
  layer.seeds = 4;
  const auto seeds = result_of(kindred_seeds_create, c_context(), &layer);
  const std::int32_t id =
      result_of(kindred_seeds_add_blueprint, seeds, "a", 1, weights.values().data(), hidden);
  const kindred_seed_update update{1,
                                   KINDRED_FIELD_LIFECYCLE | KINDRED_FIELD_BLUEPRINT,
                                   {KINDRED_SEED_FOSSILIZED, 0, id, -1, 0, 0, 0, 0, 0, 0}};
  ok(kindred_seeds_update(seeds, &update, 1));
  expect_same_on_device({&y, &dx}, [&](const Place& at) {
    const kindred_seeds_call call = at.set(kindred_seeds_call KINDRED_SEEDS_CALL_INIT);
    kindred_record record = KINDRED_RECORD_INIT;
    ok(kindred_seeds_forward(seeds, x.at(at), y.at(at), &call, &record));
    EXPECT_EQ(record.space == KINDRED_SPACE_CUDA, at.on_device);
    ok(kindred_seeds_forward(seeds, y.at(at), dx.at(at), &call, nullptr));
    if (at.on_device)
      expect_refused(kindred_seeds_forward(seeds, x.at(at), y.at(Place()), &call, nullptr));
  });
  expect_same_on_device({&y, &dx}, [&](const Place& at) {
    kindred_seeds_call call = at.set(kindred_seeds_call KINDRED_SEEDS_CALL_INIT);
    call.space = at.on_device ? KINDRED_SPACE_CUDA : KINDRED_SPACE_SERIAL;
    const auto sequence = result_of(kindred_seed_sequence_create, c_context(), &call);
    ok(kindred_seed_sequence_add(sequence, seeds, x.at(at), y.at(at), KINDRED_TELEMETRY_NONE));
    ok(kindred_seed_sequence_add(sequence, seeds, y.at(at), dx.at(at), KINDRED_TELEMETRY_LAST));
    for (int run = 0; run < 2; ++run) {
      ok(kindred_run(sequence));
      ok(kindred_wait(sequence));
    }
    const Place other{!at.on_device};
    if (at.on_device)
      expect_refused(kindred_seed_sequence_add(sequence, seeds, x.at(other), y.at(other), 0));
  });
}

}  // namespace DeviceArraysOfCTest
