// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/FusedLayers.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

namespace Kindred::C {

namespace {

struct LayerOptions {
  float epsilon;
  LayerActivation activation;
  bool reproducible;
  std::optional<Space> space;
};

LayerOptions layer_options(const kindred_layer_options* options) {
  const kindred_layer_options given =
      options_of(options, kindred_layer_options KINDRED_LAYER_OPTIONS_INIT, "options");
  return {given.epsilon, enum_of<LayerActivation>(given.activation, 3, "activation"),
          given.reproducible != 0, space_option(given.space)};
}

/// A matrix whose rows may have gaps between them.
template <class Byte, class Void>
MatrixSpan<Byte> layer_matrix(const BasicArray<Void>& array, const char* name) {
  const auto refuse = [&](const std::string& what) {
    C::refuse(std::string(name) + " is " + to_string(ConstArray(array)) + what);
  };
  MatrixSpan<Byte> out;
  switch (array.type()) {
    case DataType::float32:
      out.element = VectorElement::float32;
      break;
    case DataType::float16:
      out.element = VectorElement::float16;
      break;
    case DataType::bfloat16:
      out.element = VectorElement::bfloat16;
      break;
    default:
      refuse("; it must have elements of type float32, float16 or bfloat16");
  }
  if (array.on_device()) refuse("; it must be in host memory");
  if (array.rank() != 2) refuse("; it must be a matrix");
  out.rows = static_cast<std::size_t>(array.extent(0));
  out.columns = static_cast<std::size_t>(array.extent(1));
  if (out.columns > 1 && array.stride(1) != 1) refuse("; the elements of a row must be contiguous");
  if (out.rows > 1) {
    if (array.stride(0) < array.extent(1)) refuse("; its rows must not overlap");
    out.stride = static_cast<std::size_t>(array.stride(0));
  }
  const std::uint64_t elements =
      out.rows == 0 ? 0 : (out.rows - 1) * out.row_stride() + out.columns;
  out.values = {static_cast<Byte*>(array.data()),
                static_cast<std::size_t>(elements * size_of(array.type()))};
  return out;
}

}  // namespace

kindred_status kindred_norm_layer(kindred_context* context, const DLTensor* x,
                                  const DLTensor* gamma, const DLTensor* beta,
                                  const kindred_layer_options* options, DLTensor* y, DLTensor* mean,
                                  DLTensor* variance) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    const LayerOptions given = layer_options(options);
    require(x, "x");
    require(y, "y");
    NormLayer layer;
    layer.x = layer_matrix<const std::byte>(array_of(x, "x"), "x");
    layer.y = layer_matrix<std::byte>(output_array_of(y, "y"), "y");
    if (gamma != nullptr) layer.gamma = matrix_of<float>(gamma, "gamma", layer.x.columns);
    if (beta != nullptr) layer.beta = matrix_of<float>(beta, "beta", layer.x.columns);
    if (mean != nullptr) layer.mean = output_matrix_of<float>(mean, "mean", 1, layer.x.rows);
    if (variance != nullptr)
      layer.variance = output_matrix_of<float>(variance, "variance", 1, layer.x.rows);
    layer.epsilon = given.epsilon;
    layer.activation = given.activation;
    run_norm_layers(*object, {&layer, 1}, {.space = given.space});
  });
}

kindred_status kindred_linear_layer(kindred_context* context, const DLTensor* x, const DLTensor* w,
                                    const DLTensor* bias, const kindred_layer_options* options,
                                    DLTensor* y) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    const LayerOptions given = layer_options(options);
    require(x, "x");
    require(w, "w");
    require(y, "y");
    LinearLayer layer;
    layer.x = layer_matrix<const std::byte>(array_of(x, "x"), "x");
    layer.w = layer_matrix<const std::byte>(array_of(w, "w"), "w");
    layer.y = layer_matrix<std::byte>(output_array_of(y, "y"), "y");
    if (bias != nullptr) layer.bias = matrix_of<float>(bias, "bias", layer.w.rows);
    layer.activation = given.activation;
    run_linear_layers(*object, {&layer, 1},
                      {.reproducible = given.reproducible, .space = given.space});
  });
}

}  // namespace Kindred::C
