// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_LAYERS_BODIES_HPP
#define KINDRED_PYTHON_LAYERS_BODIES_HPP

// What is special of fused layers.
namespace Kindred::Python::Layers {

namespace {

using Types = std::initializer_list<DataType>;
using Shape = std::initializer_list<std::int64_t>;
constexpr Types elements{DataType::float32, DataType::float16, DataType::bfloat16};
constexpr std::int64_t any = -1;

/// \throws InvalidType, InvalidArgument for an array of another type or shape
template <class One>
auto checked(const One& one, Types types, Shape shape) {
  one.require_type(types);
  const auto fits = [](std::int64_t wanted, std::int64_t extent) {
    return wanted == any || wanted == extent;
  };
  if (!std::equal(shape.begin(), shape.end(), one.shape().begin(), one.shape().end(), fits)) {
    std::string text;
    for (const std::int64_t extent : shape)
      text += (text.empty() ? "[" : ", ") + (extent == any ? "any" : std::to_string(extent));
    refuse(std::string(one.name()) + " is " + one.text() + "; it must be " + text + "]");
  }
  return one.array();
}

/// One float32 per column; none for None.
std::span<const float> column(ArrayCall& call, nb::handle given, const char* name,
                              std::int64_t count) {
  if (given.is_none()) return {};
  const auto array = checked(call.input(given, name, Layout::dense), {DataType::float32}, {count});
  return {static_cast<const float*>(array.data()), static_cast<std::size_t>(count)};
}

/// The results of a call, of which each may be missing.
class Results {
 public:
  /// \param makes whether those that are not given are made
  Results(ArrayCall& call, std::array<nb::object, 3> given, bool makes)
      : m_call(call), m_all(std::move(given)), m_makes(makes) {}

  /// \brief The next one. \param made the type of a new array \param types that it may have
  Array matrix(const char* name, DataType made, Types types, Shape shape, bool makes = false) {
    nb::object& one = m_all[m_count++];
    if (one.is_none() && (makes || m_makes)) one = m_call.made(made, shape);
    return one.is_none() ? Array() : checked(m_call.output(one, name), types, shape);
  }
  std::span<float> column(const char* name, std::int64_t count) {
    const Array array = matrix(name, DataType::float32, {DataType::float32}, {count});
    return {static_cast<float*>(array.data()), static_cast<std::size_t>(array.size())};
  }
  const nb::object& first() const { return m_all[0]; }
  nb::object all() const { return nb::make_tuple(m_all[0], m_all[1], m_all[2]); }

 private:
  ArrayCall& m_call;
  std::array<nb::object, 3> m_all;
  bool m_makes;
  std::size_t m_count = 0;
};

/// Runs \p layer, on a device with a workspace from the library of x, or prepares it.
template <class Layer>
std::optional<Prepared> finish(ArrayCall& call, const Layer& layer, bool reproducible = false) {
  Context& context = call.context();
  const std::span layers(&layer, 1);
  LayerOptions options{call.space(), reproducible, call.stream()};
  if (call.prepares()) return unlocked([&] { return prepare_layers(context, layers, options); });
  if (layer.x.on_device()) {
    if (!options.stream) options.stream = Stream::cuda(nullptr);
    options.workspace = call.workspace(layers_workspace(context, layers, options));
  }
  unlocked([&] { run_layers(context, layers, options); });
  return {};
}

template <class Body>
nb::object on_arrays(nb::handle space, nb::handle context, nb::handle stream, nb::handle copy,
                     const Body& body) {
  return run_or_prepare("PreparedLayer", context_of(context), space, stream, copy, body);
}

/// What a norm layer and its gradient have in common.
template <class Layer>
Layer norm_layer(ArrayCall& call, nb::handle x, nb::handle weight, nb::handle bias, nb::handle eps,
                 nb::handle activation) {
  Layer layer;
  layer.x = checked(call.input(x, "x"), elements, {any, any});
  layer.gamma = column(call, weight, "weight", layer.x.extent(1));
  layer.beta = column(call, bias, "bias", layer.x.extent(1));
  layer.epsilon = static_cast<float>(number_of(eps, "eps"));
  layer.activation = value_of(activation, "activation", layer_activation_names);
  return layer;
}

/// What a linear layer and its gradient have in common.
template <class Layer>
Layer linear_layer(ArrayCall& call, nb::handle x, nb::handle weight, nb::handle bias,
                   nb::handle activation) {
  Layer layer;
  layer.x = checked(call.input(x, "x"), elements, {any, any});
  layer.w = checked(call.input(weight, "weight"), {layer.x.type()}, {any, layer.x.extent(1)});
  layer.bias = column(call, bias, "bias", layer.w.extent(0));
  layer.activation = value_of(activation, "activation", layer_activation_names);
  return layer;
}

nb::object layer_norm_act(nb::handle x, nb::handle weight, nb::handle bias, nb::handle eps,
                          nb::handle activation, nb::handle statistics, nb::handle space,
                          nb::handle out, nb::handle context, nb::handle stream, nb::handle copy) {
  return on_arrays(space, context, stream, copy, [&](ArrayCall& call) {
    const bool has_statistics = flag_of(statistics, "statistics");
    auto layer = norm_layer<NormLayer>(call, x, weight, bias, eps, activation);
    const std::int64_t rows = layer.x.extent(0);
    Results results(call, {nb::borrow(out), nb::none(), nb::none()}, has_statistics);
    layer.y = results.matrix("out", layer.x.type(), elements, {rows, layer.x.extent(1)}, true);
    layer.mean = results.column("mean", rows);
    layer.variance = results.column("variance", rows);
    call.results = has_statistics ? results.all() : results.first();
    return finish(call, layer);
  });
}

nb::object layer_norm_act_backward(nb::handle x, nb::handle gradient, nb::handle weight,
                                   nb::handle bias, nb::handle eps, nb::handle activation,
                                   nb::handle space, nb::handle out, nb::handle context,
                                   nb::handle stream, nb::handle copy) {
  return on_arrays(space, context, stream, copy, [&](ArrayCall& call) {
    Results results(call, three_of(out, "out", "(dx, dweight, dbias)"), out.is_none());
    auto layer = norm_layer<NormGradient>(call, x, weight, bias, eps, activation);
    const auto [type, rows, columns] =
        std::tuple(layer.x.type(), layer.x.extent(0), layer.x.extent(1));
    layer.gradient = checked(call.input(gradient, "gradient"), elements, {rows, columns});
    layer.dx = results.matrix("dx", type, {type}, {rows, columns}, true);
    layer.dgamma = results.column("dweight", columns);
    layer.dbeta = results.column("dbias", columns);
    call.results = results.all();
    return finish(call, layer);
  });
}

nb::object linear_act(nb::handle x, nb::handle weight, nb::handle bias, nb::handle activation,
                      nb::handle reproducible, nb::handle space, nb::handle out, nb::handle context,
                      nb::handle stream, nb::handle copy) {
  return on_arrays(space, context, stream, copy, [&](ArrayCall& call) {
    const bool is_reproducible = flag_of(reproducible, "reproducible");
    auto layer = linear_layer<LinearLayer>(call, x, weight, bias, activation);
    Results results(call, {nb::borrow(out), nb::none(), nb::none()}, true);
    layer.y =
        results.matrix("out", layer.x.type(), elements, {layer.x.extent(0), layer.w.extent(0)});
    call.results = results.first();
    return finish(call, layer, is_reproducible);
  });
}

nb::object linear_act_backward(nb::handle x, nb::handle gradient, nb::handle weight,
                               nb::handle bias, nb::handle activation, nb::handle reproducible,
                               nb::handle space, nb::handle out, nb::handle context,
                               nb::handle stream, nb::handle copy) {
  return on_arrays(space, context, stream, copy, [&](ArrayCall& call) {
    const bool is_reproducible = flag_of(reproducible, "reproducible");
    Results results(call, three_of(out, "out", "(dx, dweight, dbias)"), out.is_none());
    auto layer = linear_layer<LinearGradient>(call, x, weight, bias, activation);
    const auto [type, rows, inputs, outputs] =
        std::tuple(layer.x.type(), layer.x.extent(0), layer.x.extent(1), layer.w.extent(0));
    layer.gradient = checked(call.input(gradient, "gradient"), elements, {rows, outputs});
    layer.dx = results.matrix("dx", type, elements, {rows, inputs});
    layer.dw = results.matrix("dweight", type, elements, {outputs, inputs});
    layer.dbias = results.column("dbias", outputs);
    call.results = results.all();
    return finish(call, layer, is_reproducible);
  });
}

}  // namespace

}  // namespace Kindred::Python::Layers

#endif  // KINDRED_PYTHON_LAYERS_BODIES_HPP
