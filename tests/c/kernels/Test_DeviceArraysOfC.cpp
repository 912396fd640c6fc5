// SPDX-License-Identifier: Apache-2.0
// Layers, lists of arrays and passes of seeds on tensors of a device.
#include "DeviceTensor.hpp"

#include <Support.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace DeviceArraysOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

class CDeviceArrays : public OnDevice {};

TEST_F(CDeviceArrays, LayersAndTheirGradientsAreThoseOnTheHost) {
  constexpr std::size_t rows = 33;
  constexpr std::size_t columns = 31;
  constexpr std::size_t outputs = 5;
  Floats x(random_rows("CDeviceArrays x", rows * columns), columns);
  Floats w(random_rows("CDeviceArrays w", outputs * columns), columns);
  Floats above(random_rows("CDeviceArrays above", rows * outputs), outputs);
  Floats gamma(random_rows("CDeviceArrays gamma", columns));
  Floats y(rows, columns), product(rows, outputs), dx(rows, columns),
      dgamma{std::vector<float>(columns)}, linear_dx(rows, columns), dw(outputs, columns);
  const auto norm_gradient = [&](Place& at) {
    kindred_norm_gradient out = KINDRED_NORM_GRADIENT_INIT;
    out.x = out.gradient = at(x);
    out.dx = at(dx);
    out.gamma = at(gamma);
    out.dgamma = at(dgamma);
    return out;
  };
  for (const bool is_prepared : {false, true})
    expect_same_on_device(std::tie(y, product, dx, dgamma, linear_dx, dw), [&](Place& at) {
      kindred_layer_options options = at.set(kindred_layer_options KINDRED_LAYER_OPTIONS_INIT);
      options.reproducible = 1;
      const auto run = [&]<class Layer>(auto& call, const Layer& layer) {
        const Layer* const layers[] = {&layer};
        if (!is_prepared) {
          ok(call(c_context(), layers, 1, &options, nullptr, nullptr));
          return;
        }
        run_prepared(result_of(call, c_context(), layers, 1, &options));
      };
      kindred_norm_layer norm = KINDRED_NORM_LAYER_INIT;
      norm.x = at(x);
      norm.y = at(y);
      norm.gamma = at(gamma);
      kindred_linear_layer linear = KINDRED_LINEAR_LAYER_INIT;
      linear.x = at(x);
      linear.w = at(w);
      linear.y = at(product);
      linear.activation = KINDRED_ACTIVATION_RELU;
      kindred_linear_gradient linear_gradient = KINDRED_LINEAR_GRADIENT_INIT;
      linear_gradient.x = at(x);
      linear_gradient.w = at(w);
      linear_gradient.gradient = at(above);
      linear_gradient.dx = at(linear_dx);
      linear_gradient.dw = at(dw);
      run(kindred_norm_layers, norm);
      run(kindred_linear_layers, linear);
      run(kindred_norm_gradients, norm_gradient(at));
      run(kindred_linear_gradients, linear_gradient);
    });

  // The workspace of a caller.
  const auto expected = std::tuple(dx.values, dgamma.values);
  for (auto* const output : {&dx.values, &dgamma.values}) std::ranges::fill(*output, 7);
  Place device(true, true);
  const kindred_norm_gradient gradient = norm_gradient(device);
  const kindred_norm_gradient* gradients[] = {&gradient};
  kindred_layer_options options = device.set(kindred_layer_options KINDRED_LAYER_OPTIONS_INIT);
  options.reproducible = 1;
  const std::size_t bytes =
      result_of(kindred_norm_gradients, c_context(), gradients, 1, &options, nullptr);
  EXPECT_GT(bytes, 0);
  Numbers<std::uint8_t> memory(std::vector<std::uint8_t>(bytes + 256));
  DeviceTensor<std::uint8_t> workspace(memory);
  options.workspace = &workspace.tensor;
  options.workspace->byte_offset =
      256 - reinterpret_cast<std::uintptr_t>(options.workspace->data) % 256;
  options.workspace->shape[0] -= static_cast<std::int64_t>(options.workspace->byte_offset);
  ok(kindred_norm_gradients(c_context(), gradients, 1, &options, nullptr, nullptr));
  own_stream().wait();
  device.download();
  EXPECT_TRUE(std::tie(dx.values, dgamma.values) == expected);
  options.workspace->byte_offset += 8;
  options.workspace->shape[0] -= 8;
  expect_refused(kindred_norm_gradients(c_context(), gradients, 1, &options, nullptr, nullptr));
  options.workspace = nullptr;
  // Tensors in different memories.
  kindred_norm_layer norm = KINDRED_NORM_LAYER_INIT;
  norm.x = device(x);
  norm.y = &y;
  const kindred_norm_layer* norms[] = {&norm};
  expect_refused(kindred_norm_layers(c_context(), norms, 1, nullptr, nullptr, nullptr));
  norm.y = device(y);
  options.space = KINDRED_SPACE_SERIAL;
  expect_refused(kindred_norm_layers(c_context(), norms, 1, &options, nullptr, nullptr));
}

TEST_F(CDeviceArrays, BulkOperationsAreThoseOnTheHost) {
  Floats a(random_rows("CDeviceArrays a", 12), 4);
  Floats b(random_rows("CDeviceArrays b", 12), 4);
  Floats right(b.values, 3);
  Floats out(3, 4), second(3, 4), third(3, 4), sums(std::vector<float>(3)), product(3, 3);
  kindred_prepared* refused = nullptr;
  Place other(true);
  expect_same_on_device(std::tie(out, second, third, sums, product), [&](Place& at) {
    const DLTensor* as[] = {at(a), at(b)};
    const DLTensor* bs[] = {at(b), at(a)};
    const DLTensor* rights[] = {at(right)};
    DLTensor* outs[] = {at(out)};
    DLTensor* products[] = {at(product)};
    DLTensor* both[] = {at(second), at(third)};
    kindred_bulk_options options = at.set(kindred_bulk_options KINDRED_BULK_OPTIONS_INIT);
    options.reproducible = 1;
    const auto add = [&](DLTensor* const* to, std::size_t count, kindred_prepared** prepared) {
      return kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, bs, 0, to, count,
                                       &options, prepared, nullptr, nullptr);
    };
    ok(add(outs, 1, nullptr));
    ok(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, as, 1, at(sums), &options, nullptr,
                           nullptr, nullptr));
    ok(kindred_bulk_multiply(c_context(), as, rights, products, 1, &options, nullptr, nullptr,
                             nullptr));
    Owned<kindred_prepared> prepared;  // a list
    ok(add(both, 2, &prepared));
    run_prepared(prepared);
    both[0] = at.on_device ? &out : other(out);
    expect_refused(add(both, 2, &refused));
  });
}

TEST_F(CDeviceArrays, PassesOfSeedsAndSequencesAreThoseOnTheHost) {
  constexpr std::size_t rows = 40;
  constexpr std::size_t hidden = 64;
  Numbers<std::int32_t> lifecycle({0, KINDRED_SEED_GRAFTING, 0, KINDRED_SEED_FOSSILIZED});
  Numbers<std::int32_t> blueprint({-1, 1, 0, 0});
  Numbers<std::int32_t> mode({0, 0, 0, KINDRED_APPLY_ADDITIVE});
  Floats alpha({0, 0.25F, 0, 1});
  Floats weights(random_rows("CDeviceArrays weights", 2 * hidden), hidden);
  Floats x(random_rows("CDeviceArrays rows", rows * hidden), hidden);
  Floats y(rows, hidden), dx(rows, hidden), dweights(2, hidden), dalpha(std::vector<float>(4));
  Numbers<double> sum(std::vector<double>(4));
  expect_same_on_device(std::tie(y, dx, dweights, dalpha, sum), [&](Place& at) {
    kindred_seed_arrays seeds = KINDRED_SEED_ARRAYS_INIT;
    seeds.lifecycle = at(lifecycle);
    seeds.blueprint = at(blueprint);
    seeds.mode = at(mode);
    seeds.alpha = at(alpha);
    seeds.weights = at(weights);
    kindred_seed_sums sums = KINDRED_SEED_SUMS_INIT;
    sums.sum = at(sum);
    kindred_seed_pass_options options =
        at.set(kindred_seed_pass_options KINDRED_SEED_PASS_OPTIONS_INIT);
    const auto forward = [&] {
      return kindred_forward_seeds(c_context(), &seeds, at(x), at(y), &sums, &options, nullptr);
    };
    const auto backward = [&] {
      return kindred_backward_seeds(c_context(), &seeds, at(x), at(y), at(dx), at(dweights),
                                    at(dalpha), &options, nullptr);
    };
    std::uint64_t needed[2] = {};
    options.workspace_bytes = &needed[0];
    ok(forward());
    options.workspace_bytes = &needed[1];
    ok(backward());
    options.workspace_bytes = nullptr;
    EXPECT_EQ(needed[0] + needed[1] > 0, at.on_device);
    const Numbers<std::uint8_t> memory(std::vector<std::uint8_t>(std::max(needed[0], needed[1])));
    std::optional<DeviceTensor<std::uint8_t>> workspace;
    if (at.on_device) options.workspace = &workspace.emplace(memory).tensor;
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
      result_of(kindred_seeds_add_blueprint, seeds, "a", 1, weights.values.data(), hidden);
  const kindred_seed_update update{1,
                                   KINDRED_FIELD_LIFECYCLE | KINDRED_FIELD_BLUEPRINT,
                                   {KINDRED_SEED_FOSSILIZED, 0, id, -1, 0, 0, 0, 0, 0, 0}};
  ok(kindred_seeds_update(seeds, &update, 1));
  expect_same_on_device(std::tie(y, dx), [&](Place& at) {
    const kindred_seeds_call call = at.set(kindred_seeds_call KINDRED_SEEDS_CALL_INIT);
    kindred_record record = KINDRED_RECORD_INIT;
    ok(kindred_seeds_forward(seeds, at(x), at(y), &call, &record));
    EXPECT_EQ(record.space == KINDRED_SPACE_CUDA, at.on_device);
    ok(kindred_seeds_forward(seeds, at(y), at(dx), &call, nullptr));
    if (at.on_device) expect_refused(kindred_seeds_forward(seeds, at(x), &y, &call, nullptr));
  });
  expect_same_on_device(std::tie(y, dx), [&](Place& at) {
    kindred_seeds_call call = at.set(kindred_seeds_call KINDRED_SEEDS_CALL_INIT);
    call.space = at.on_device ? KINDRED_SPACE_CUDA : KINDRED_SPACE_SERIAL;
    const auto sequence = result_of(kindred_seed_sequence_create, c_context(), &call);
    ok(kindred_seed_sequence_add(sequence, seeds, at(x), at(y), KINDRED_TELEMETRY_NONE));
    ok(kindred_seed_sequence_add(sequence, seeds, at(y), at(dx), KINDRED_TELEMETRY_LAST));
    for (int run = 0; run < 2; ++run) run_prepared(sequence);
    if (at.on_device) expect_refused(kindred_seed_sequence_add(sequence, seeds, &x, &y, 0));
  });
}

}  // namespace DeviceArraysOfCTest
