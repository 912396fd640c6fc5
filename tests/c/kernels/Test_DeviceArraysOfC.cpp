// SPDX-License-Identifier: Apache-2.0
// Layers, lists of arrays and passes of seeds on tensors of a device.
#include "DeviceTensor.hpp"

#include <Support.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace Kindred::Testing {
namespace {

using FloatTensor = DeviceTensor<float>;

class CDeviceArrays : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  }
};

TEST_F(CDeviceArrays, LayersAndTheirGradientsAreThoseOnTheHost) {
  constexpr std::int64_t rows = 33;
  constexpr std::int64_t columns = 31;
  constexpr std::int64_t outputs = 5;
  const auto numbers = [](const char* name, std::int64_t count) {
    return random_rows(name, static_cast<std::size_t>(count));
  };
  const std::vector<float> x = numbers("CDeviceArrays x", rows * columns);
  const std::vector<float> w = numbers("CDeviceArrays w", outputs * columns);
  const std::vector<float> above = numbers("CDeviceArrays above", rows * outputs);
  const std::vector<float> gamma = numbers("CDeviceArrays gamma", columns);
  std::vector<float> y(x.size()), product(above.size()), dx(x.size()), dgamma(gamma.size()),
      linear_dx(x.size()), dw(w.size());
  // The host's results.
  Tensor hx(x.data(), KINDRED_FLOAT32, rows, columns);
  Tensor hw(w.data(), KINDRED_FLOAT32, outputs, columns);
  Tensor habove(above.data(), KINDRED_FLOAT32, rows, outputs);
  Tensor hgamma(gamma.data(), KINDRED_FLOAT32, columns);
  Tensor hy(y.data(), KINDRED_FLOAT32, rows, columns);
  Tensor hproduct(product.data(), KINDRED_FLOAT32, rows, outputs);
  Tensor hdx(dx.data(), KINDRED_FLOAT32, rows, columns);
  Tensor hdgamma(dgamma.data(), KINDRED_FLOAT32, columns);
  Tensor hlinear_dx(linear_dx.data(), KINDRED_FLOAT32, rows, columns);
  Tensor hdw(dw.data(), KINDRED_FLOAT32, outputs, columns);
  const std::vector<float> zero(x.size());
  FloatTensor gx(x, KINDRED_FLOAT32, {rows, columns});
  FloatTensor gw(w, KINDRED_FLOAT32, {outputs, columns});
  FloatTensor gabove(above, KINDRED_FLOAT32, {rows, outputs});
  FloatTensor ggamma(gamma, KINDRED_FLOAT32, {columns});
  FloatTensor gy(zero, KINDRED_FLOAT32, {rows, columns});
  FloatTensor gproduct(std::vector<float>(product.size()), KINDRED_FLOAT32, {rows, outputs});
  FloatTensor gdx(zero, KINDRED_FLOAT32, {rows, columns});
  FloatTensor gdgamma(std::vector<float>(gamma.size()), KINDRED_FLOAT32, {columns});
  FloatTensor glinear_dx(zero, KINDRED_FLOAT32, {rows, columns});
  FloatTensor gdw(std::vector<float>(w.size()), KINDRED_FLOAT32, {outputs, columns});

  const auto run = [](const kindred_layer_options& options, bool is_prepared, const auto& norm,
                      const auto& linear, const auto& norm_gradient, const auto& linear_gradient,
                      const auto& wait) {
    const kindred_norm_layer* norms[] = {&norm};
    const kindred_linear_layer* linears[] = {&linear};
    const kindred_norm_gradient* norm_gradients[] = {&norm_gradient};
    const kindred_linear_gradient* linear_gradients[] = {&linear_gradient};
    if (!is_prepared) {
      KINDRED_ASSERT_OK(kindred_norm_layers(c_context(), norms, 1, &options, nullptr, nullptr));
      KINDRED_ASSERT_OK(kindred_linear_layers(c_context(), linears, 1, &options, nullptr, nullptr));
      KINDRED_ASSERT_OK(
          kindred_norm_gradients(c_context(), norm_gradients, 1, &options, nullptr, nullptr));
      KINDRED_ASSERT_OK(
          kindred_linear_gradients(c_context(), linear_gradients, 1, &options, nullptr, nullptr));
      wait();
      return;
    }
    Owned<kindred_prepared> prepared[4];
    KINDRED_ASSERT_OK(kindred_norm_layers(c_context(), norms, 1, &options, &prepared[0], nullptr));
    KINDRED_ASSERT_OK(
        kindred_linear_layers(c_context(), linears, 1, &options, &prepared[1], nullptr));
    KINDRED_ASSERT_OK(
        kindred_norm_gradients(c_context(), norm_gradients, 1, &options, &prepared[2], nullptr));
    KINDRED_ASSERT_OK(kindred_linear_gradients(c_context(), linear_gradients, 1, &options,
                                               &prepared[3], nullptr));
    for (const auto& call : prepared) KINDRED_ASSERT_OK(kindred_run(call));
    wait();
    for (const auto& call : prepared) KINDRED_ASSERT_OK(kindred_wait(call));
  };
  const auto call_with = [&](const kindred_layer_options& options, bool is_prepared, auto& tx,
                             auto& tw, auto& tabove, auto& tgamma, auto& ty, auto& tproduct,
                             auto& tdx, auto& tdgamma, auto& tlinear_dx, auto& tdw,
                             const auto& wait) {
    kindred_norm_layer norm = KINDRED_NORM_LAYER_INIT;
    norm.x = &tx;
    norm.y = &ty;
    norm.gamma = &tgamma;
    kindred_linear_layer linear = KINDRED_LINEAR_LAYER_INIT;
    linear.x = &tx;
    linear.w = &tw;
    linear.y = &tproduct;
    linear.activation = KINDRED_ACTIVATION_RELU;
    kindred_norm_gradient norm_gradient = KINDRED_NORM_GRADIENT_INIT;
    norm_gradient.x = &tx;
    norm_gradient.gradient = &tx;
    norm_gradient.dx = &tdx;
    norm_gradient.gamma = &tgamma;
    norm_gradient.dgamma = &tdgamma;
    kindred_linear_gradient linear_gradient = KINDRED_LINEAR_GRADIENT_INIT;
    linear_gradient.x = &tx;
    linear_gradient.w = &tw;
    linear_gradient.gradient = &tabove;
    linear_gradient.dx = &tlinear_dx;
    linear_gradient.dw = &tdw;
    run(options, is_prepared, norm, linear, norm_gradient, linear_gradient, wait);
  };
  const auto nothing = [] {};
  kindred_layer_options options = KINDRED_LAYER_OPTIONS_INIT;
  options.reproducible = 1;
  call_with(options, false, hx, hw, habove, hgamma, hy, hproduct, hdx, hdgamma, hlinear_dx, hdw,
            nothing);
  const auto expect_same = [&] {
    EXPECT_EQ(gy.values(), y);
    EXPECT_EQ(gproduct.values(), product);
    EXPECT_EQ(gdx.values(), dx);
    EXPECT_EQ(gdgamma.values(), dgamma);
    EXPECT_EQ(glinear_dx.values(), linear_dx);
    EXPECT_EQ(gdw.values(), dw);
  };
  call_with(options, false, gx, gw, gabove, ggamma, gy, gproduct, gdx, gdgamma, glinear_dx, gdw,
            nothing);
  expect_same();
  const DeviceStream stream(context());
  options.has_stream = 1;
  options.stream = stream.stream().handle();
  for (const bool is_prepared : {false, true}) {
    call_with(options, is_prepared, gx, gw, gabove, ggamma, gy, gproduct, gdx, gdgamma, glinear_dx,
              gdw, [&] { stream.wait(); });
    expect_same();
  }
  // The workspace of a caller.
  kindred_norm_gradient gradient = KINDRED_NORM_GRADIENT_INIT;
  gradient.x = gradient.gradient = &gx;
  gradient.dx = &gdx;
  gradient.gamma = &ggamma;
  gradient.dgamma = &gdgamma;
  const kindred_norm_gradient* gradients[] = {&gradient};
  std::size_t bytes = 0;
  KINDRED_ASSERT_OK(kindred_norm_gradients(c_context(), gradients, 1, &options, nullptr, &bytes));
  EXPECT_GT(bytes, 0);
  DeviceTensor<std::uint8_t> workspace(std::vector<std::uint8_t>(bytes + 256), KINDRED_UINT8,
                                       {static_cast<std::int64_t>(bytes) + 256});
  options.workspace = &workspace;
  options.workspace->byte_offset =
      256 - reinterpret_cast<std::uintptr_t>(options.workspace->data) % 256;
  options.workspace->shape[0] -= static_cast<std::int64_t>(options.workspace->byte_offset);
  KINDRED_ASSERT_OK(kindred_norm_gradients(c_context(), gradients, 1, &options, nullptr, nullptr));
  stream.wait();
  EXPECT_EQ(gdx.values(), dx);
  EXPECT_EQ(gdgamma.values(), dgamma);
  options.workspace->byte_offset += 8;
  options.workspace->shape[0] -= 8;
  EXPECT_EQ(kindred_norm_gradients(c_context(), gradients, 1, &options, nullptr, nullptr),
            KINDRED_INVALID);
  options.workspace = nullptr;
  // Tensors in different memories.
  kindred_norm_layer norm = KINDRED_NORM_LAYER_INIT;
  norm.x = &gx;
  norm.y = &hy;
  const kindred_norm_layer* norms[] = {&norm};
  EXPECT_EQ(kindred_norm_layers(c_context(), norms, 1, nullptr, nullptr, nullptr), KINDRED_INVALID);
  norm.y = &gy;
  options.space = KINDRED_SPACE_SERIAL;
  EXPECT_EQ(kindred_norm_layers(c_context(), norms, 1, &options, nullptr, nullptr),
            KINDRED_INVALID);
}

TEST_F(CDeviceArrays, BulkOperationsAreThoseOnTheHost) {
  const std::vector<float> a = random_rows("CDeviceArrays a", 12);
  const std::vector<float> b = random_rows("CDeviceArrays b", 12);
  std::vector<float> out(12), sums(3), product(9);
  Tensor ha(a.data(), KINDRED_FLOAT32, 3, 4), hb(b.data(), KINDRED_FLOAT32, 3, 4),
      hright(b.data(), KINDRED_FLOAT32, 4, 3), hout(out.data(), KINDRED_FLOAT32, 3, 4),
      hsums(sums.data(), KINDRED_FLOAT32, 3), hproduct(product.data(), KINDRED_FLOAT32, 3, 3);
  FloatTensor ga(a, KINDRED_FLOAT32, {3, 4}), gb(b, KINDRED_FLOAT32, {3, 4}),
      gright(b, KINDRED_FLOAT32, {4, 3}), gout(std::vector<float>(12), KINDRED_FLOAT32, {3, 4}),
      gsums(std::vector<float>(3), KINDRED_FLOAT32, {3}),
      gproduct(std::vector<float>(9), KINDRED_FLOAT32, {3, 3});
  kindred_bulk_options options = KINDRED_BULK_OPTIONS_INIT;
  options.reproducible = 1;
  const auto call_with = [&](auto& ta, auto& tb, auto& tright, auto& tout, auto& tsums,
                             auto& tproduct) {
    const DLTensor* as[] = {&ta};
    const DLTensor* bs[] = {&tb};
    const DLTensor* rights[] = {&tright};
    DLTensor* outs[] = {&tout};
    DLTensor* products[] = {&tproduct};
    KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, bs, 0, outs, 1,
                                                &options, nullptr, nullptr, nullptr));
    KINDRED_ASSERT_OK(kindred_bulk_reduce(c_context(), KINDRED_REDUCE_SUM, as, 1, &tsums, &options,
                                          nullptr, nullptr, nullptr));
    KINDRED_ASSERT_OK(kindred_bulk_multiply(c_context(), as, rights, products, 1, &options, nullptr,
                                            nullptr, nullptr));
  };
  call_with(ha, hb, hright, hout, hsums, hproduct);
  // The context keeps a workspace for each stream, which must outlive it.
  static const DeviceStream& stream = *new DeviceStream(context());
  for (const bool has_stream : {false, true}) {
    options.has_stream = has_stream ? 1 : 0;
    options.stream = has_stream ? stream.stream().handle() : nullptr;
    call_with(ga, gb, gright, gout, gsums, gproduct);
    if (has_stream) stream.wait();
    EXPECT_EQ(gout.values(), out);
    EXPECT_EQ(gsums.values(), sums);
    EXPECT_EQ(gproduct.values(), product);
    // A prepared list.
    FloatTensor gsecond(std::vector<float>(12), KINDRED_FLOAT32, {3, 4});
    FloatTensor gthird(std::vector<float>(12), KINDRED_FLOAT32, {3, 4});
    const DLTensor* as[] = {&ga, &gb};
    const DLTensor* bs[] = {&gb, &ga};
    DLTensor* outs[] = {&gsecond, &gthird};
    Owned<kindred_prepared> prepared;
    KINDRED_ASSERT_OK(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, bs, 0, outs, 2,
                                                &options, &prepared, nullptr, nullptr));
    KINDRED_ASSERT_OK(kindred_run(prepared));
    KINDRED_ASSERT_OK(kindred_wait(prepared));
    EXPECT_EQ(gsecond.values(), out);
    EXPECT_EQ(gthird.values(), out);
    outs[0] = &hout;
    kindred_prepared* refused = nullptr;
    EXPECT_EQ(kindred_bulk_element_wise(c_context(), KINDRED_BULK_ADD, as, bs, 0, outs, 2, &options,
                                        &refused, nullptr, nullptr),
              KINDRED_INVALID);
  }
}

TEST_F(CDeviceArrays, PassesOfSeedsAndSequencesAreThoseOnTheHost) {
  constexpr std::int64_t rows = 40;
  constexpr std::int64_t hidden = 64;
  const std::vector<std::int32_t> lifecycle{0, KINDRED_SEED_GRAFTING, 0, KINDRED_SEED_FOSSILIZED};
  const std::vector<std::int32_t> blueprint{-1, 1, 0, 0};
  const std::vector<std::int32_t> mode{0, 0, 0, KINDRED_APPLY_ADDITIVE};
  const std::vector<float> alpha{0, 0.25F, 0, 1};
  const std::vector<float> weights = random_rows("CDeviceArrays weights", 2 * hidden);
  const std::vector<float> x = random_rows("CDeviceArrays rows", rows * hidden);
  std::vector<float> y(x.size()), dx(x.size()), dweights(weights.size()), dalpha(4);
  std::vector<double> sum(4);
  Tensor hx(x.data(), KINDRED_FLOAT32, rows, hidden), hy(y.data(), KINDRED_FLOAT32, rows, hidden),
      hdx(dx.data(), KINDRED_FLOAT32, rows, hidden), hl(lifecycle.data(), KINDRED_INT32, 4),
      hb(blueprint.data(), KINDRED_INT32, 4), hm(mode.data(), KINDRED_INT32, 4),
      ha(alpha.data(), KINDRED_FLOAT32, 4), hw(weights.data(), KINDRED_FLOAT32, 2, hidden),
      hdw(dweights.data(), KINDRED_FLOAT32, 2, hidden), hda(dalpha.data(), KINDRED_FLOAT32, 4),
      hsum(sum.data(), KINDRED_FLOAT64, 4);
  FloatTensor gx(x, KINDRED_FLOAT32, {rows, hidden}),
      gy(std::vector<float>(x.size()), KINDRED_FLOAT32, {rows, hidden}),
      gdx(std::vector<float>(x.size()), KINDRED_FLOAT32, {rows, hidden}),
      ga(alpha, KINDRED_FLOAT32, {4}), gw(weights, KINDRED_FLOAT32, {2, hidden}),
      gdw(std::vector<float>(weights.size()), KINDRED_FLOAT32, {2, hidden}),
      gda(std::vector<float>(4), KINDRED_FLOAT32, {4});
  DeviceTensor<std::int32_t> gl(lifecycle, KINDRED_INT32, {4}), gb(blueprint, KINDRED_INT32, {4}),
      gm(mode, KINDRED_INT32, {4});
  DeviceTensor<double> gsum(std::vector<double>(4), KINDRED_FLOAT64, {4});
  const DeviceStream stream(context());  // outlives the sequence
  // The workspace is freed after the passes that use it.
  const auto stream_wait = [&] {
    stream.wait();
    on_device(context(),
              [&](const auto& exec_space) { Arch::fence(exec_space, "Kindred::Testing::wait"); });
  };
  const auto call_with = [&](kindred_seed_pass_options options, auto& tx, auto& ty, auto& tdx,
                             auto& tl, auto& tb, auto& tm, auto& ta, auto& tw, auto& tdw, auto& tda,
                             auto& tsum) {
    kindred_seed_arrays seeds = KINDRED_SEED_ARRAYS_INIT;
    seeds.lifecycle = &tl;
    seeds.blueprint = &tb;
    seeds.mode = &tm;
    seeds.alpha = &ta;
    seeds.weights = &tw;
    kindred_seed_sums sums = KINDRED_SEED_SUMS_INIT;
    sums.sum = &tsum;
    std::uint64_t forward = 0;
    std::uint64_t backward = 0;
    options.workspace_bytes = &forward;
    KINDRED_ASSERT_OK(
        kindred_forward_seeds(c_context(), &seeds, &tx, &ty, &sums, &options, nullptr));
    options.workspace_bytes = &backward;
    KINDRED_ASSERT_OK(
        kindred_backward_seeds(c_context(), &seeds, &tx, &ty, &tdx, &tdw, &tda, &options, nullptr));
    options.workspace_bytes = nullptr;
    std::unique_ptr<DeviceTensor<std::uint8_t>> workspace;
    const std::uint64_t bytes = std::max(forward, backward);
    if (bytes > 0) {
      workspace = std::make_unique<DeviceTensor<std::uint8_t>>(
          std::vector<std::uint8_t>(bytes), KINDRED_UINT8,
          std::vector<std::int64_t>{static_cast<std::int64_t>(bytes)});
      options.workspace = &*workspace;
    }
    KINDRED_ASSERT_OK(
        kindred_forward_seeds(c_context(), &seeds, &tx, &ty, &sums, &options, nullptr));
    KINDRED_ASSERT_OK(
        kindred_backward_seeds(c_context(), &seeds, &tx, &ty, &tdx, &tdw, &tda, &options, nullptr));
    stream_wait();
  };
  kindred_seed_pass_options options = KINDRED_SEED_PASS_OPTIONS_INIT;
  call_with(options, hx, hy, hdx, hl, hb, hm, ha, hw, hdw, hda, hsum);
  for (const bool has_stream : {false, true}) {
    options.has_stream = has_stream ? 1 : 0;
    options.stream = has_stream ? stream.stream().handle() : nullptr;
    call_with(options, gx, gy, gdx, gl, gb, gm, ga, gw, gdw, gda, gsum);
    EXPECT_EQ(gy.values(), y);
    EXPECT_EQ(gdx.values(), dx);
    EXPECT_EQ(gdw.values(), dweights);
    EXPECT_EQ(gda.values(), dalpha);
    EXPECT_EQ(gsum.values(), sum);
  }

  // A sequence of two passes of a layer.
  kindred_seeds_options layer = KINDRED_SEEDS_OPTIONS_INIT;
  layer.hidden = hidden;
  layer.seeds = 4;
  Owned<kindred_seeds> seeds;
  KINDRED_ASSERT_OK(kindred_seeds_create(c_context(), &layer, &seeds));
  std::int32_t id = -1;
  KINDRED_ASSERT_OK(kindred_seeds_add_blueprint(seeds, "a", 1, weights.data(), hidden, &id));
  const kindred_seed_update update{1,
                                   KINDRED_FIELD_LIFECYCLE | KINDRED_FIELD_BLUEPRINT,
                                   {KINDRED_SEED_FOSSILIZED, 0, id, -1, 0, 0, 0, 0, 0, 0}};
  KINDRED_ASSERT_OK(kindred_seeds_update(seeds, &update, 1));
  KINDRED_ASSERT_OK(kindred_seeds_forward(seeds, &hx, &hy, nullptr, nullptr));
  KINDRED_ASSERT_OK(kindred_seeds_forward(seeds, &hy, &hdx, nullptr, nullptr));
  kindred_seeds_call call = KINDRED_SEEDS_CALL_INIT;
  call.space = KINDRED_SPACE_CUDA;
  call.has_stream = 1;
  call.stream = stream.stream().handle();
  Owned<kindred_seed_sequence> sequence;
  KINDRED_ASSERT_OK(kindred_seed_sequence_create(c_context(), &call, &sequence));
  KINDRED_ASSERT_OK(kindred_seed_sequence_add(sequence, seeds, &gx, &gy, KINDRED_TELEMETRY_NONE));
  KINDRED_ASSERT_OK(kindred_seed_sequence_add(sequence, seeds, &gy, &gdx, KINDRED_TELEMETRY_LAST));
  for (int run = 0; run < 2; ++run) {
    KINDRED_ASSERT_OK(kindred_run(sequence));
    KINDRED_ASSERT_OK(kindred_wait(sequence));
    EXPECT_EQ(gy.values(), y);
    EXPECT_EQ(gdx.values(), dx);
  }
  EXPECT_EQ(kindred_seed_sequence_add(sequence, seeds, &hx, &hy, 0), KINDRED_INVALID);
}

}  // namespace
}  // namespace Kindred::Testing
