// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/FusedLayers.hpp>

#include "Prepared.hpp"

namespace Kindred::C {

namespace {

LayerOptions layer_options_of(const kindred_layer_options* options) {
  const kindred_layer_options given =
      options_of(options, kindred_layer_options KINDRED_LAYER_OPTIONS_INIT, "options");
  check_reserved(given.reserved, "options");
  return {space_option(given.space), given.reproducible != 0,
          stream_option(given.has_stream, given.stream),
          optional_output_array_of(given.workspace, "options.workspace").value_or(Array())};
}

/// The tensors of one layer.
class LayerTensors {
 public:
  LayerTensors(TensorMemory& memory, std::string layer)
      : m_memory(memory), m_layer(std::move(layer)) {}

  /// A matrix whose rows may have gaps between them.
  ConstArray matrix(const DLTensor* tensor, const char* name) const {
    return added(array_of(tensor, named(name).c_str()), name);
  }
  Array output_matrix(const DLTensor* tensor, const char* name) const {
    return added(output_array_of(tensor, named(name).c_str()), name);
  }
  Array optional_output_matrix(const DLTensor* tensor, const char* name) const {
    return tensor == nullptr ? Array() : output_matrix(tensor, name);
  }
  /// A vector, which may be missing.
  std::span<const float> vector(const DLTensor* tensor, const char* name) const {
    if (tensor == nullptr) return {};
    const std::string full = named(name);
    return span_of_vector<const float>(array_of(tensor, full.c_str()), full);
  }
  std::span<float> output_vector(const DLTensor* tensor, const char* name) const {
    if (tensor == nullptr) return {};
    const std::string full = named(name);
    return span_of_vector<float>(output_array_of(tensor, full.c_str()), full);
  }
  LayerActivation activation(std::int32_t value) const {
    return enum_of<LayerActivation>(value, 3, named("activation").c_str());
  }

 private:
  std::string named(const char* name) const { return m_layer + "." + name; }

  template <class Void>
  BasicArray<Void> added(const BasicArray<Void>& array, const char* name) const {
    m_memory.add(array, named(name));
    return array;
  }
  template <class Float, class Void>
  std::span<Float> span_of_vector(const BasicArray<Void>& array, const std::string& name) const {
    m_memory.add(array, name);
    const bool is_row = array.rank() == 1 || (array.rank() == 2 && array.extent(0) == 1);
    KINDRED_C_REFUSE_IF(array.type() != DataType::float32 || !is_row || !array.is_contiguous(),
                        name + " is " + to_string(ConstArray(array)) +
                            "; it must be one row of contiguous elements of type float32");
    return {static_cast<Float*>(array.data()), static_cast<std::size_t>(array.size())};
  }

  TensorMemory& m_memory;
  std::string m_layer;
};

// The layers of C++ that correspond to those of C. \param name of the layer, for messages

NormLayer converted(const kindred_norm_layer* layer, const std::string& name,
                    TensorMemory& memory) {
  const kindred_norm_layer given =
      options_of(layer, kindred_norm_layer KINDRED_NORM_LAYER_INIT, name.c_str());
  const LayerTensors tensors(memory, name);
  NormLayer out;
  out.x = tensors.matrix(given.x, "x");
  out.y = tensors.output_matrix(given.y, "y");
  out.gamma = tensors.vector(given.gamma, "gamma");
  out.beta = tensors.vector(given.beta, "beta");
  out.mean = tensors.output_vector(given.mean, "mean");
  out.variance = tensors.output_vector(given.variance, "variance");
  out.epsilon = given.epsilon;
  out.activation = tensors.activation(given.activation);
  return out;
}

LinearLayer converted(const kindred_linear_layer* layer, const std::string& name,
                      TensorMemory& memory) {
  const kindred_linear_layer given =
      options_of(layer, kindred_linear_layer KINDRED_LINEAR_LAYER_INIT, name.c_str());
  check_reserved(given.reserved, name.c_str());
  const LayerTensors tensors(memory, name);
  LinearLayer out;
  out.x = tensors.matrix(given.x, "x");
  out.w = tensors.matrix(given.w, "w");
  out.bias = tensors.vector(given.bias, "bias");
  out.y = tensors.output_matrix(given.y, "y");
  out.activation = tensors.activation(given.activation);
  return out;
}

NormGradient converted(const kindred_norm_gradient* layer, const std::string& name,
                       TensorMemory& memory) {
  const kindred_norm_gradient given =
      options_of(layer, kindred_norm_gradient KINDRED_NORM_GRADIENT_INIT, name.c_str());
  const LayerTensors tensors(memory, name);
  NormGradient out;
  out.x = tensors.matrix(given.x, "x");
  out.gradient = tensors.matrix(given.gradient, "gradient");
  out.dx = tensors.output_matrix(given.dx, "dx");
  out.gamma = tensors.vector(given.gamma, "gamma");
  out.beta = tensors.vector(given.beta, "beta");
  out.dgamma = tensors.output_vector(given.dgamma, "dgamma");
  out.dbeta = tensors.output_vector(given.dbeta, "dbeta");
  out.epsilon = given.epsilon;
  out.activation = tensors.activation(given.activation);
  return out;
}

LinearGradient converted(const kindred_linear_gradient* layer, const std::string& name,
                         TensorMemory& memory) {
  const kindred_linear_gradient given =
      options_of(layer, kindred_linear_gradient KINDRED_LINEAR_GRADIENT_INIT, name.c_str());
  check_reserved(given.reserved, name.c_str());
  const LayerTensors tensors(memory, name);
  LinearGradient out;
  out.x = tensors.matrix(given.x, "x");
  out.w = tensors.matrix(given.w, "w");
  out.bias = tensors.vector(given.bias, "bias");
  out.gradient = tensors.matrix(given.gradient, "gradient");
  out.dx = tensors.optional_output_matrix(given.dx, "dx");
  out.dw = tensors.optional_output_matrix(given.dw, "dw");
  out.dbias = tensors.output_vector(given.dbias, "dbias");
  out.activation = tensors.activation(given.activation);
  return out;
}

template <class Struct>
auto layers_of(std::span<const Struct* const> layers, TensorMemory& memory) {
  std::vector<decltype(converted(layers[0], {}, memory))> out;
  out.reserve(layers.size());
  for (const Struct* layer : layers) {
    const std::string name = "layers[" + std::to_string(out.size()) + "]";
    require(layer, name.c_str());
    out.push_back(converted(layer, name, memory));
  }
  return out;
}

void refuse_workspace(const LayerOptions& call) {
  KINDRED_C_REFUSE_IF(call.workspace.size() > 0,
                      "options.workspace is set; it is only for calls on a stream that are not "
                      "prepared");
}

template <class Struct>
kindred_status run_layers(kindred_context* context, const Struct* const* layers, std::size_t count,
                          const kindred_layer_options* options) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    LayerOptions call = layer_options_of(options);
    TensorMemory memory(*object);
    const auto given = layers_of(span_of(layers, count, "layers"), memory);
    memory.check_stream(call.stream);
    if (!memory.on_device() || call.stream) return Kindred::run_layers(*object, given, call);
    refuse_workspace(call);
    call.space = memory.space(call.space);
    const Kindred::Prepared prepared = Kindred::prepare_layers(*object, given, call);
    prepared.run();
    prepared.wait();
  });
}

template <class Struct>
kindred_status layers_workspace(const kindred_context* context, const Struct* const* layers,
                                std::size_t count, const kindred_layer_options* options,
                                std::size_t* bytes) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    LayerOptions call = layer_options_of(options);
    const auto list = span_of(layers, count, "layers");
    require(bytes, "bytes");
    TensorMemory memory(*object);
    const auto given = layers_of(list, memory);
    memory.check_stream(call.stream);
    *bytes = memory.on_device() ? Kindred::layers_workspace(*object, given, call) : 0;
  });
}

template <class Struct>
kindred_status prepare_layers(kindred_context* context, const Struct* const* layers,
                              std::size_t count, const kindred_layer_options* options,
                              kindred_prepared** prepared) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    LayerOptions call = layer_options_of(options);
    const auto list = span_of(layers, count, "layers");
    require(prepared, "prepared");
    TensorMemory memory(*object);
    const auto given = layers_of(list, memory);
    memory.check_stream(call.stream);
    refuse_workspace(call);
    call.space = memory.space(call.space);
    *prepared = make_prepared(object, Kindred::prepare_layers(*object, given, call));
  });
}

}  // namespace

kindred_status kindred_norm_layers(kindred_context* context,
                                   const kindred_norm_layer* const* layers, std::size_t count,
                                   const kindred_layer_options* options) noexcept {
  return run_layers(context, layers, count, options);
}
kindred_status kindred_linear_layers(kindred_context* context,
                                     const kindred_linear_layer* const* layers, std::size_t count,
                                     const kindred_layer_options* options) noexcept {
  return run_layers(context, layers, count, options);
}
kindred_status kindred_norm_gradients(kindred_context* context,
                                      const kindred_norm_gradient* const* layers, std::size_t count,
                                      const kindred_layer_options* options) noexcept {
  return run_layers(context, layers, count, options);
}
kindred_status kindred_linear_gradients(kindred_context* context,
                                        const kindred_linear_gradient* const* layers,
                                        std::size_t count,
                                        const kindred_layer_options* options) noexcept {
  return run_layers(context, layers, count, options);
}

kindred_status kindred_linear_layers_workspace(const kindred_context* context,
                                               const kindred_linear_layer* const* layers,
                                               std::size_t count,
                                               const kindred_layer_options* options,
                                               std::size_t* bytes) noexcept {
  return layers_workspace(context, layers, count, options, bytes);
}
kindred_status kindred_norm_gradients_workspace(const kindred_context* context,
                                                const kindred_norm_gradient* const* layers,
                                                std::size_t count,
                                                const kindred_layer_options* options,
                                                std::size_t* bytes) noexcept {
  return layers_workspace(context, layers, count, options, bytes);
}
kindred_status kindred_linear_gradients_workspace(const kindred_context* context,
                                                  const kindred_linear_gradient* const* layers,
                                                  std::size_t count,
                                                  const kindred_layer_options* options,
                                                  std::size_t* bytes) noexcept {
  return layers_workspace(context, layers, count, options, bytes);
}

kindred_status kindred_prepare_norm_layers(kindred_context* context,
                                           const kindred_norm_layer* const* layers,
                                           std::size_t count, const kindred_layer_options* options,
                                           kindred_prepared** prepared) noexcept {
  return prepare_layers(context, layers, count, options, prepared);
}
kindred_status kindred_prepare_linear_layers(kindred_context* context,
                                             const kindred_linear_layer* const* layers,
                                             std::size_t count,
                                             const kindred_layer_options* options,
                                             kindred_prepared** prepared) noexcept {
  return prepare_layers(context, layers, count, options, prepared);
}
kindred_status kindred_prepare_norm_gradients(kindred_context* context,
                                              const kindred_norm_gradient* const* layers,
                                              std::size_t count,
                                              const kindred_layer_options* options,
                                              kindred_prepared** prepared) noexcept {
  return prepare_layers(context, layers, count, options, prepared);
}
kindred_status kindred_prepare_linear_gradients(kindred_context* context,
                                                const kindred_linear_gradient* const* layers,
                                                std::size_t count,
                                                const kindred_layer_options* options,
                                                kindred_prepared** prepared) noexcept {
  return prepare_layers(context, layers, count, options, prepared);
}

}  // namespace Kindred::C
