// SPDX-License-Identifier: Apache-2.0
// The results of the C interface are those of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/FusedLayers.hpp>

#include <Support.hpp>

#include <string>
#include <utility>
#include <vector>

namespace Kindred::Testing {
namespace {

/// The arrays of a norm layer or a linear layer and of their gradients.
struct Numbers {
  Numbers(std::int64_t rows_, std::int64_t columns_)
      : rows(rows_),
        columns(columns_),
        x(random_rows("CLayers x", size(rows * columns))),
        w(random_rows("CLayers w", size(outputs * columns))),
        gradient(random_rows("CLayers gradient", size(rows * columns))),
        above(random_rows("CLayers above", size(rows * outputs))),
        gamma(random_rows("CLayers gamma", size(columns))),
        beta(random_rows("CLayers beta", size(columns))),
        bias(random_rows("CLayers bias", size(outputs))) {}

  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }
  static constexpr std::int64_t outputs = 5;
  std::int64_t rows;
  std::int64_t columns;
  std::vector<float> x, w, gradient, above, gamma, beta, bias;
};

/// The outputs of the four calls.
struct Computed {
  explicit Computed(const Numbers& numbers)
      : y(numbers.x.size()),
        mean(Numbers::size(numbers.rows)),
        variance(mean.size()),
        product(numbers.above.size()),
        dx(numbers.x.size()),
        dgamma(numbers.gamma.size()),
        dbeta(numbers.gamma.size()),
        linear_dx(numbers.x.size()),
        dw(numbers.w.size()),
        dbias(numbers.bias.size()) {}
  friend bool operator==(const Computed&, const Computed&) = default;
  std::vector<float> y, mean, variance, product, dx, dgamma, dbeta, linear_dx, dw, dbias;
};

Computed expected_of(const Numbers& numbers) {
  Computed out(numbers);
  const auto in = [&](const std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
    return matrix_array(std::span<const float>(values), Numbers::size(rows),
                        Numbers::size(columns));
  };
  const auto to = [&](std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
    return matrix_array(std::span<float>(values), Numbers::size(rows), Numbers::size(columns));
  };
  const std::int64_t n = numbers.rows;
  const std::int64_t m = numbers.columns;
  NormLayer norm;
  norm.x = in(numbers.x, n, m);
  norm.y = to(out.y, n, m);
  norm.gamma = numbers.gamma;
  norm.beta = numbers.beta;
  norm.mean = out.mean;
  norm.variance = out.variance;
  run_layers(context(), std::span(&norm, 1));
  LinearLayer linear;
  linear.x = norm.x;
  linear.w = in(numbers.w, Numbers::outputs, m);
  linear.bias = numbers.bias;
  linear.y = to(out.product, n, Numbers::outputs);
  linear.activation = LayerActivation::relu;
  run_layers(context(), std::span(&linear, 1), {.reproducible = true});
  NormGradient norm_gradient;
  norm_gradient.x = norm.x;
  norm_gradient.gradient = in(numbers.gradient, n, m);
  norm_gradient.dx = to(out.dx, n, m);
  norm_gradient.gamma = numbers.gamma;
  norm_gradient.beta = numbers.beta;
  norm_gradient.dgamma = out.dgamma;
  norm_gradient.dbeta = out.dbeta;
  run_layers(context(), std::span(&norm_gradient, 1));
  LinearGradient linear_gradient;
  linear_gradient.x = norm.x;
  linear_gradient.w = linear.w;
  linear_gradient.bias = numbers.bias;
  linear_gradient.gradient = in(numbers.above, n, Numbers::outputs);
  linear_gradient.dx = to(out.linear_dx, n, m);
  linear_gradient.dw = to(out.dw, Numbers::outputs, m);
  linear_gradient.dbias = out.dbias;
  linear_gradient.activation = LayerActivation::relu;
  run_layers(context(), std::span(&linear_gradient, 1), {.reproducible = true});
  return out;
}

/// The structs of C for the same calls.
struct Structs {
  Structs(const Numbers& numbers, Computed& out)
      : x(numbers.x.data(), KINDRED_FLOAT32, numbers.rows, numbers.columns),
        y(out.y.data(), KINDRED_FLOAT32, numbers.rows, numbers.columns),
        w(numbers.w.data(), KINDRED_FLOAT32, Numbers::outputs, numbers.columns),
        gradient_tensor(numbers.gradient.data(), KINDRED_FLOAT32, numbers.rows, numbers.columns),
        above(numbers.above.data(), KINDRED_FLOAT32, numbers.rows, Numbers::outputs),
        gamma(numbers.gamma.data(), KINDRED_FLOAT32, numbers.columns),
        beta(numbers.beta.data(), KINDRED_FLOAT32, numbers.columns),
        bias(numbers.bias.data(), KINDRED_FLOAT32, Numbers::outputs),
        mean(out.mean.data(), KINDRED_FLOAT32, numbers.rows),
        variance(out.variance.data(), KINDRED_FLOAT32, numbers.rows),
        product(out.product.data(), KINDRED_FLOAT32, numbers.rows, Numbers::outputs),
        dx(out.dx.data(), KINDRED_FLOAT32, numbers.rows, numbers.columns),
        dgamma(out.dgamma.data(), KINDRED_FLOAT32, numbers.columns),
        dbeta(out.dbeta.data(), KINDRED_FLOAT32, 1, numbers.columns),
        linear_dx(out.linear_dx.data(), KINDRED_FLOAT32, numbers.rows, numbers.columns),
        dw(out.dw.data(), KINDRED_FLOAT32, Numbers::outputs, numbers.columns),
        dbias(out.dbias.data(), KINDRED_FLOAT32, Numbers::outputs) {
    norm.x = norm_gradient.x = linear.x = linear_gradient.x = &x;
    norm.y = &y;
    norm.gamma = norm_gradient.gamma = &gamma;
    norm.beta = norm_gradient.beta = &beta;
    norm.mean = &mean;
    norm.variance = &variance;
    linear.w = linear_gradient.w = &w;
    linear.bias = linear_gradient.bias = &bias;
    linear.y = &product;
    linear.activation = linear_gradient.activation = KINDRED_ACTIVATION_RELU;
    norm_gradient.gradient = &gradient_tensor;
    norm_gradient.dx = &dx;
    norm_gradient.dgamma = &dgamma;
    norm_gradient.dbeta = &dbeta;
    linear_gradient.gradient = &above;
    linear_gradient.dx = &linear_dx;
    linear_gradient.dw = &dw;
    linear_gradient.dbias = &dbias;
  }
  Tensor x, y, w, gradient_tensor, above, gamma, beta, bias, mean, variance, product, dx, dgamma,
      dbeta, linear_dx, dw, dbias;
  kindred_norm_layer norm = KINDRED_NORM_LAYER_INIT;
  kindred_linear_layer linear = KINDRED_LINEAR_LAYER_INIT;
  kindred_norm_gradient norm_gradient = KINDRED_NORM_GRADIENT_INIT;
  kindred_linear_gradient linear_gradient = KINDRED_LINEAR_GRADIENT_INIT;
  const kindred_norm_layer* norms[1] = {&norm};
  const kindred_linear_layer* linears[1] = {&linear};
  const kindred_norm_gradient* norm_gradients[1] = {&norm_gradient};
  const kindred_linear_gradient* linear_gradients[1] = {&linear_gradient};
};

TEST(CLayers, AndTheirGradientsAreThoseOfCpp) {
  for (const std::int64_t rows : {0, 1, 2, 33})
    for (const std::int64_t columns : {1, 31, 64}) {
      const Numbers numbers(rows, columns);
      const Computed expected = expected_of(numbers);
      for (const std::int32_t space : c_spaces()) {
        SCOPED_TRACE(space);
        Computed found(numbers);
        const Structs structs(numbers, found);
        kindred_layer_options options = KINDRED_LAYER_OPTIONS_INIT;
        options.space = space;
        options.reproducible = 1;
        KINDRED_ASSERT_OK(
            kindred_norm_layers(c_context(), structs.norms, 1, &options, nullptr, nullptr));
        KINDRED_ASSERT_OK(
            kindred_linear_layers(c_context(), structs.linears, 1, &options, nullptr, nullptr));
        KINDRED_ASSERT_OK(kindred_norm_gradients(c_context(), structs.norm_gradients, 1, &options,
                                                 nullptr, nullptr));
        KINDRED_ASSERT_OK(kindred_linear_gradients(c_context(), structs.linear_gradients, 1,
                                                   &options, nullptr, nullptr));
        EXPECT_EQ(found, expected);
      }
    }
}

TEST(CLayers, PreparedCallsComputeTheCurrentContents) {
  Numbers numbers(33, 31);
  for (const std::int32_t space : {KINDRED_SPACE_SERIAL, KINDRED_SPACE_OPENMP, KINDRED_SPACE_ANY}) {
    Computed found(numbers);
    const Structs structs(numbers, found);
    kindred_layer_options options = KINDRED_LAYER_OPTIONS_INIT;
    options.space = space;
    options.reproducible = 1;
    Owned<kindred_prepared> norms;
    Owned<kindred_prepared> linears;
    Owned<kindred_prepared> norm_gradients;
    Owned<kindred_prepared> linear_gradients;
    KINDRED_ASSERT_OK(
        kindred_norm_layers(c_context(), structs.norms, 1, &options, &norms, nullptr));
    KINDRED_ASSERT_OK(
        kindred_linear_layers(c_context(), structs.linears, 1, &options, &linears, nullptr));
    KINDRED_ASSERT_OK(kindred_norm_gradients(c_context(), structs.norm_gradients, 1, &options,
                                             &norm_gradients, nullptr));
    KINDRED_ASSERT_OK(kindred_linear_gradients(c_context(), structs.linear_gradients, 1, &options,
                                               &linear_gradients, nullptr));
    for (int time = 0; time < 2; ++time) {
      for (float& value : numbers.x) value += 1;
      for (kindred_prepared* const prepared :
           {norms.handle, linears.handle, norm_gradients.handle, linear_gradients.handle}) {
        KINDRED_ASSERT_OK(kindred_run(prepared));
        KINDRED_ASSERT_OK(kindred_wait(prepared));
      }
      EXPECT_EQ(found, expected_of(numbers));
    }
  }
}

TEST(CLayers, RowsMayHaveGapsAndOutputsMayBeMissing) {
  const std::vector<float> x{1, 2, 9, 3, 5, 9};
  std::vector<float> y(4);
  Tensor x_tensor(x.data(), KINDRED_FLOAT32, 2, 2);
  std::int64_t strides[] = {3, 1};
  x_tensor.tensor.strides = strides;
  Tensor y_tensor(y.data(), KINDRED_FLOAT32, 2, 2);
  kindred_norm_layer norm = KINDRED_NORM_LAYER_INIT;
  norm.x = &x_tensor;
  norm.y = &y_tensor;
  norm.activation = KINDRED_ACTIVATION_NONE;
  const kindred_norm_layer* layers[] = {&norm};
  KINDRED_ASSERT_OK(kindred_norm_layers(c_context(), layers, 1, nullptr, nullptr, nullptr));
  for (const std::size_t row : {0, 1}) {
    EXPECT_LT(y[2 * row], 0);
    EXPECT_FLOAT_EQ(y[2 * row], -y[2 * row + 1]);
  }
  KINDRED_EXPECT_OK(kindred_norm_layers(c_context(), nullptr, 0, nullptr, nullptr, nullptr));
  const Numbers numbers(3, 4);
  Computed found(numbers);
  Structs structs(numbers, found);
  structs.linear_gradient.dx = nullptr;
  structs.linear_gradient.dw = nullptr;
  structs.norm_gradient.dgamma = nullptr;
  KINDRED_EXPECT_OK(kindred_linear_gradients(c_context(), structs.linear_gradients, 1, nullptr,
                                             nullptr, nullptr));
  KINDRED_EXPECT_OK(
      kindred_norm_gradients(c_context(), structs.norm_gradients, 1, nullptr, nullptr, nullptr));
  EXPECT_EQ(found.dw, std::vector<float>(found.dw.size()));
  EXPECT_EQ(found.dgamma, std::vector<float>(found.dgamma.size()));
}

TEST(CLayers, WrongTensorsAreRefusedAndChangeNothing) {
  const Numbers numbers(3, 4);
  Computed found(numbers);
  const Computed before = found;
  Structs structs(numbers, found);
  const auto refused = [&](const char* what) {
    EXPECT_EQ(kindred_norm_layers(c_context(), structs.norms, 1, nullptr, nullptr, nullptr),
              KINDRED_INVALID);
    EXPECT_NE(std::string(kindred_last_error()).find(what), std::string::npos)
        << kindred_last_error();
  };
  structs.norm.x = nullptr;
  refused("layers[0].x is NULL");
  structs.norm.x = &structs.x;
  structs.norm.activation = 3;
  refused("layers[0].activation is 3");
  structs.norm.activation = 0;
  structs.norm.epsilon = -1;
  refused("epsilon");
  structs.norm.epsilon = 1e-5F;
  structs.norm.gamma = &structs.mean;
  refused("gamma");
  structs.norm.gamma = &structs.w;
  refused("layers[0].gamma");
  structs.norm.gamma = nullptr;
  structs.norms[0] = nullptr;
  refused("layers[0] is NULL");
  structs.norms[0] = &structs.norm;
  structs.norm.struct_size = 3;
  refused("layers[0].struct_size");
  structs.norm.struct_size = sizeof(structs.norm);
  kindred_layer_options options = KINDRED_LAYER_OPTIONS_INIT;
  options.has_stream = 1;
  EXPECT_EQ(kindred_norm_layers(c_context(), structs.norms, 1, &options, nullptr, nullptr),
            KINDRED_INVALID);
  options = kindred_layer_options KINDRED_LAYER_OPTIONS_INIT;
  options.workspace = &structs.y;
  EXPECT_EQ(
      kindred_norm_gradients(c_context(), structs.norm_gradients, 1, &options, nullptr, nullptr),
      KINDRED_INVALID);
  EXPECT_NE(std::string(kindred_last_error()).find("without a stream"), std::string::npos);
  options = kindred_layer_options KINDRED_LAYER_OPTIONS_INIT;
  options.reserved = 1;
  EXPECT_EQ(kindred_norm_layers(c_context(), structs.norms, 1, &options, nullptr, nullptr),
            KINDRED_INVALID);
  options = kindred_layer_options KINDRED_LAYER_OPTIONS_INIT;
  kindred_prepared* prepared = nullptr;
  options.space = KINDRED_SPACE_CUDA;
  EXPECT_NE(kindred_norm_layers(c_context(), structs.norms, 1, &options, &prepared, nullptr),
            KINDRED_OK);
  EXPECT_EQ(prepared, nullptr);
  structs.linear.w = &structs.gamma;
  EXPECT_EQ(kindred_linear_layers(c_context(), structs.linears, 1, nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(found, before);
  // On the host, no call uses the workspace.
  std::size_t bytes = 1;
  structs.linear.w = &structs.w;
  KINDRED_EXPECT_OK(
      kindred_linear_layers(c_context(), structs.linears, 1, nullptr, nullptr, &bytes));
  EXPECT_EQ(std::exchange(bytes, 1), 0);
  KINDRED_EXPECT_OK(
      kindred_norm_gradients(c_context(), structs.norm_gradients, 1, nullptr, nullptr, &bytes));
  EXPECT_EQ(std::exchange(bytes, 1), 0);
  KINDRED_EXPECT_OK(
      kindred_linear_gradients(c_context(), structs.linear_gradients, 1, nullptr, nullptr, &bytes));
  EXPECT_EQ(bytes, 0);
  // Tensors in different memories.
  structs.x.tensor.device.device_type = kDLCUDA;
  EXPECT_NE(kindred_norm_layers(c_context(), structs.norms, 1, nullptr, nullptr, nullptr),
            KINDRED_OK);
  EXPECT_EQ(found, before);
}

}  // namespace
}  // namespace Kindred::Testing
