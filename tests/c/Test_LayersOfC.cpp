// SPDX-License-Identifier: Apache-2.0
// Layers and their gradients: the structs of a call are those of C++, and each call, also prepared,
// computes what C++ does with them.
#include "CppArguments.hpp"
#include "Given.hpp"
#include "Members.hpp"

#include <Support.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace LayersOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr std::size_t rows = 33;
constexpr std::size_t columns = 31;
constexpr std::size_t outputs = 5;

/// The tensors of all kinds of layers, and the structs of C that refer to them.
struct Layers {
  Layers() {
    norm = {sizeof(norm), &x, &y, &gamma, &beta, &mean, &variance, 1e-3F, KINDRED_ACTIVATION_RELU};
    linear = {sizeof(linear), &x, &w, &bias, &y5, KINDRED_ACTIVATION_RELU, 0};
    norm_gradient = {sizeof(norm_gradient),  &x, &above, &dx, &gamma, &beta, &dgamma, &dbeta, 1e-3F,
                     KINDRED_ACTIVATION_RELU};
    linear_gradient = {sizeof(linear_gradient), &x, &w, &bias, &above5, &dx, &dw, &dbias,
                       KINDRED_ACTIVATION_RELU, 0};
  }
  std::vector<std::vector<float>> results() const {
    return {y.values,      mean.values,  variance.values, y5.values,   dx.values,
            dgamma.values, dbeta.values, dw.values,       dbias.values};
  }
  void clear() {
    for (auto* const one : {&y.values, &mean.values, &variance.values, &y5.values, &dx.values,
                            &dgamma.values, &dbeta.values, &dw.values, &dbias.values})
      one->assign(one->size(), 0);
  }
  Floats x{random_rows("CLayers x", rows* columns), columns};
  Floats w{random_rows("CLayers w", outputs* columns), columns};
  Floats above{random_rows("CLayers above", rows* columns), columns};
  Floats above5{random_rows("CLayers above 5", rows* outputs), outputs};
  Floats gamma{random_rows("CLayers gamma", columns)};
  Floats beta{random_rows("CLayers beta", columns)};
  Floats bias{random_rows("CLayers bias", outputs)};
  Floats y = Floats(rows, columns);
  Floats mean = Floats(std::vector<float>(rows));
  Floats variance = Floats(std::vector<float>(rows));
  Floats y5 = Floats(rows, outputs);
  Floats dx = Floats(rows, columns);
  Floats dgamma = Floats(std::vector<float>(columns));
  Floats dbeta = Floats(1, columns);
  Floats dw = Floats(outputs, columns);
  Floats dbias = Floats(std::vector<float>(outputs));
  kindred_norm_layer norm;
  kindred_linear_layer linear;
  kindred_norm_gradient norm_gradient;
  kindred_linear_gradient linear_gradient;
};

/// \brief Calls \p run of C, also prepared, and C++ with the layer that becomes of \p given.
template <class Layer, class Struct, class Run>
void expect_call(Layers& of, const Struct& given, const Struct& defaults, const Run& run) {
  const Struct* const list[] = {&given};
  const std::vector<Layer> layers =
      C::LayerCall().layers<Layer>(std::span<const Struct* const>(list), defaults);
  expect_members(given, layers[0]);
  for (const std::int32_t space : c_spaces()) {
    if (space == KINDRED_SPACE_CUDA) continue;  // for tensors there
    const kindred_layer_options options = Given::layer_options{.reproducible = 1, .space = space};
    of.clear();
    run_layers(context(), std::span(layers), cpp_of(options));
    const auto expected = of.results();
    of.clear();
    ok(run(c_context(), list, 1, &options, nullptr, nullptr));
    EXPECT_EQ(of.results(), expected);
    const auto prepared = result_of(run, c_context(), list, 1, &options);
    of.clear();
    run_prepared(prepared);
    EXPECT_EQ(of.results(), expected);
    EXPECT_EQ(result_of(run, c_context(), list, 1, nullptr, nullptr), 0U)
        << "on the host, no call uses the workspace";
  }
}

TEST(CLayers, CallsAndPreparedCallsAreThoseOfCpp) {
  Layers of;
  expect_call<NormLayer>(of, of.norm, KINDRED_NORM_LAYER_INIT, &kindred_norm_layers);
  expect_call<LinearLayer>(of, of.linear, KINDRED_LINEAR_LAYER_INIT, &kindred_linear_layers);
  expect_call<NormGradient>(of, of.norm_gradient, KINDRED_NORM_GRADIENT_INIT,
                            &kindred_norm_gradients);
  expect_call<LinearGradient>(of, of.linear_gradient, KINDRED_LINEAR_GRADIENT_INIT,
                              &kindred_linear_gradients);
  // Rows may have gaps, and outputs may be missing.
  std::int64_t strides[] = {columns, 1};
  of.x.tensor.shape[1] = of.y.tensor.shape[1] = 2;
  of.x.tensor.tensor.strides = of.y.tensor.tensor.strides = strides;
  of.norm.gamma = of.norm.beta = nullptr;
  of.norm.mean = of.norm.variance = nullptr;
  expect_call<NormLayer>(of, of.norm, KINDRED_NORM_LAYER_INIT, &kindred_norm_layers);
  of.linear_gradient.dx = of.linear_gradient.dw = nullptr;
  of.x.tensor.shape[1] = columns;
  expect_call<LinearGradient>(of, of.linear_gradient, KINDRED_LINEAR_GRADIENT_INIT,
                              &kindred_linear_gradients);
  ok(kindred_norm_layers(c_context(), nullptr, 0, nullptr, nullptr, nullptr));
}

TEST(CLayers, WrongTensorsAndOptionsAreRefusedAndChangeNothing) {
  struct Refusal {
    const char* words;
    void (*spoil)(Layers& of, const kindred_norm_layer*& layer, kindred_layer_options& options);
  };
  const Refusal refusals[] = {
      {"layers[0].x is NULL", [](auto& of, auto&, auto&) { of.norm.x = nullptr; }},
      {"layers[0].gamma", [](auto& of, auto&, auto&) { of.norm.gamma = &of.w; }},
      {"layers[0] is NULL", [](auto&, auto& layer, auto&) { layer = nullptr; }},
      {"layers[0].struct_size", [](auto& of, auto&, auto&) { of.norm.struct_size = 3; }},
      {"", [](auto& of, auto&, auto&) { of.x.tensor.tensor.device.device_type = kDLCUDA; }},
      {"stream", [](auto&, auto&, auto& options) { options.has_stream = 1; }},
      {"without a stream", [](auto& of, auto&, auto& options) { options.workspace = &of.y; }}};
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.words);
    Layers of;
    const kindred_norm_layer* layer = &of.norm;
    kindred_layer_options options = KINDRED_LAYER_OPTIONS_INIT;
    refusal.spoil(of, layer, options);
    kindred_prepared* prepared = nullptr;
    for (kindred_prepared** const to : {static_cast<kindred_prepared**>(nullptr), &prepared}) {
      EXPECT_NE(kindred_norm_layers(c_context(), &layer, 1, &options, to, nullptr), KINDRED_OK);
      EXPECT_TRUE(contains(kindred_last_error(), refusal.words)) << kindred_last_error();
    }
    EXPECT_EQ(prepared, nullptr);
    EXPECT_EQ(of.results(), Layers().results());
  }
}

}  // namespace LayersOfCTest
