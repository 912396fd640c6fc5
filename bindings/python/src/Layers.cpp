// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/LayerGradients.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "DeviceArguments.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Layers {

namespace {

constexpr std::array<Choice<LayerActivation>, 3> activations{{{"none", LayerActivation::none},
                                                              {"relu", LayerActivation::relu},
                                                              {"gelu", LayerActivation::gelu}}};

VectorElement element_of(DataType type) {
  return type == DataType::float32   ? VectorElement::float32
         : type == DataType::float16 ? VectorElement::float16
                                     : VectorElement::bfloat16;
}

/// A matrix, whose rows may lie apart. \tparam Byte const for an input
template <class Byte, class Given>
MatrixSpan<Byte> matrix_of(const Borrowed& given, const Given& array) {
  const auto rows = static_cast<std::size_t>(given.extent(0));
  const auto columns = static_cast<std::size_t>(given.extent(1));
  const std::size_t stride = rows > 1 ? static_cast<std::size_t>(array.stride(0)) : columns;
  const std::size_t elements = rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns;
  return {element_of(given.type()),
          {static_cast<Byte*>(array.data()), elements * size_of(given.type())},
          rows,
          columns,
          stride};
}

/// What the calls of layers have in common: where their arrays lie, and what orders them.
class Call {
 public:
  Call(nb::handle x, nb::handle space, nb::handle stream, nb::handle copy, nb::handle context)
      : m_context(context_of(context)),
        m_order(stream),
        m_copying(copying_of(copy)),
        m_space(space_of(space)),
        m_like(x),
        m_x(x, "x", &m_order, m_copying) {
    require_matrix(m_x);
    Python::require_place(*m_context, m_x, m_space, !stream.is_none());
  }

  const Input& x() const { return m_x; }
  CallStream& order() { return m_order; }
  Copying copying() const { return m_copying; }
  ConstMatrix x_matrix() const { return matrix_of<const std::byte>(m_x, m_x.array()); }

  /// Another input of the shape [rows, columns]; −1 stands for any number of rows.
  ConstMatrix matrix(const Input& given, std::int64_t rows, std::int64_t columns) const {
    require_matrix(given);
    if ((rows >= 0 && given.extent(0) != rows) || given.extent(1) != columns)
      refuse(std::string(given.name()) + " is " + given.text() + "; it must be [" +
             (rows < 0 ? std::string("any") : std::to_string(rows)) + ", " +
             std::to_string(columns) + "]");
    require_place(given);
    return matrix_of<const std::byte>(given, given.array());
  }
  /// \throws InvalidArgument, InvalidType for what is no output of that shape
  MutableMatrix output(const Output& given, std::int64_t rows, std::int64_t columns) const {
    if (given.type() != DataType::float32 && given.type() != DataType::float16 &&
        given.type() != DataType::bfloat16)
      refuse_type(std::string(given.name()) + " is " + given.text() +
                  "; its elements must be float32, float16 or bfloat16");
    if (given.rank() != 2 || given.extent(0) != rows || given.extent(1) != columns)
      refuse(std::string(given.name()) + " is " + given.text() + "; it must be [" +
             std::to_string(rows) + ", " + std::to_string(columns) + "]");
    require_place(given);
    return matrix_of<std::byte>(given, given.array());
  }
  std::span<float> output(const Output& given, std::int64_t count) const {
    if (given.type() != DataType::float32)
      refuse_type(std::string(given.name()) + " is " + given.text() +
                  "; its elements must be float32");
    if (given.rank() != 1 || given.extent(0) != count)
      refuse(std::string(given.name()) + " is " + given.text() + "; it must be [" +
             std::to_string(count) + "]");
    require_place(given);
    return {static_cast<float*>(given.array().data()), static_cast<std::size_t>(count)};
  }
  /// A new array beside x.
  nb::object made(DataType type, std::initializer_list<std::int64_t> shape) const {
    if (m_x.on_device()) return empty_array(m_like, m_x, type, shape);
    if (type == DataType::bfloat16)
      refuse("x is " + m_x.text() + ", and NumPy has no bfloat16: give out");
    double bytes = static_cast<double>(size_of(type));
    for (const std::int64_t extent : shape) bytes *= static_cast<double>(extent);
    check_free_memory(*m_context, bytes);
    return empty_array(type, shape);
  }
  void require_place(const Borrowed& given) const { require_same_place(m_x, given); }

  /// \brief Runs \p layer by `run(context, layers, options)`: on a device, on the stream of the
  /// call, with a workspace of `bytes(context, layers, options)` from the library of x.
  template <class Layer, class Options, class Bytes, class Run>
  void run(const Layer& layer, Options options, const Bytes& bytes, const Run& run) {
    const std::span layers(&layer, 1);
    options.space = m_space;
    if (m_x.on_device()) {
      options.stream = m_order.stream().value_or(Stream::cuda(nullptr));
      set_workspace(bytes(*m_context, layers, options));
      if (m_workspace) options.workspace = m_workspace->array();
    }
    unlocked([&] { run(*m_context, layers, options); });
  }

 private:
  static void require_matrix(const Input& given) {
    given.require_type({DataType::float32, DataType::float16, DataType::bfloat16});
    given.require_rank(2, 2);
  }
  /// A library of which no array can be made here leaves the workspace to the context.
  void set_workspace(std::size_t bytes) {
    if (bytes == 0) return;
    try {
      m_workspace_object = workspace_array(m_like, m_x, bytes, m_order);
    } catch (const InvalidArgument&) {
      return;
    }
    m_workspace.emplace(m_workspace_object, "workspace", &m_order);
  }

  SharedContext m_context;
  CallStream m_order;
  Copying m_copying;
  std::optional<Space> m_space;
  nb::handle m_like;
  Input m_x;
  nb::object m_workspace_object;
  std::optional<Output> m_workspace;
};

/// The workspace of calls that need none.
constexpr auto no_bytes = [](const auto&...) { return std::size_t{0}; };

/// float32 values, one per column; none for None.
class Column {
 public:
  Column(nb::handle given, const char* name, std::int64_t columns, Call& call) {
    if (given.is_none()) return;
    m_array.emplace(given, name, &call.order(), call.copying(), Layout::dense);
    m_array->require_type({DataType::float32});
    m_array->require_rank(1, 1);
    m_array->require_columns(static_cast<std::size_t>(columns));
    call.require_place(*m_array);
    m_values = {static_cast<const float*>(m_array->array().data()),
                static_cast<std::size_t>(columns)};
  }
  std::span<const float> values() const noexcept { return m_values; }

 private:
  std::optional<Input> m_array;
  std::span<const float> m_values;
};

/// `(y, mean, variance)`; the latter are None unless \p statistics
nb::object layer_norm_act(nb::handle x, nb::handle gamma, nb::handle beta, nb::handle epsilon,
                          nb::handle activation, nb::handle statistics, nb::handle space,
                          nb::handle out, nb::handle stream, nb::handle copy, nb::handle context) {
  NormLayer layer;
  layer.epsilon = static_cast<float>(number_of(epsilon, "epsilon"));
  layer.activation = value_of(activation, "activation", activations);
  const bool has_statistics = flag_of(statistics, "statistics");
  Call call(x, space, stream, copy, context);
  layer.x = call.x_matrix();
  const std::int64_t rows = call.x().extent(0);
  const std::int64_t columns = call.x().extent(1);
  const Column scale(gamma, "gamma", columns, call);
  const Column shift(beta, "beta", columns, call);
  layer.gamma = scale.values();
  layer.beta = shift.values();
  const nb::object made =
      out.is_none() ? call.made(call.x().type(), {rows, columns}) : nb::borrow(out);
  const Output output(made, "out", &call.order());
  layer.y = call.output(output, rows, columns);
  nb::object mean = nb::none();
  nb::object variance = nb::none();
  std::optional<Output> mean_out;
  std::optional<Output> variance_out;
  if (has_statistics) {
    mean = call.made(DataType::float32, {rows});
    variance = call.made(DataType::float32, {rows});
    mean_out.emplace(mean, "mean", &call.order());
    variance_out.emplace(variance, "variance", &call.order());
    layer.mean = call.output(*mean_out, rows);
    layer.variance = call.output(*variance_out, rows);
  }
  call.run(layer, NormOptions(), no_bytes, run_norm_layers);
  return nb::make_tuple(made, mean, variance);
}

/// `(dx, dgamma, dbeta)`
nb::object layer_norm_act_backward(nb::handle x, nb::handle gradient, nb::handle gamma,
                                   nb::handle beta, nb::handle epsilon, nb::handle activation,
                                   nb::handle space, nb::handle out, nb::handle stream,
                                   nb::handle copy, nb::handle context) {
  NormGradient layer;
  layer.epsilon = static_cast<float>(number_of(epsilon, "epsilon"));
  layer.activation = value_of(activation, "activation", activations);
  Call call(x, space, stream, copy, context);
  layer.x = call.x_matrix();
  const std::int64_t rows = call.x().extent(0);
  const std::int64_t columns = call.x().extent(1);
  const Input of_y(gradient, "gradient", &call.order(), call.copying());
  layer.gradient = call.matrix(of_y, rows, columns);
  const Column scale(gamma, "gamma", columns, call);
  const Column shift(beta, "beta", columns, call);
  layer.gamma = scale.values();
  layer.beta = shift.values();
  auto results = three_of(out, "out", "(dx, dgamma, dbeta)");
  if (results[0].is_none()) results[0] = call.made(call.x().type(), {rows, columns});
  if (out.is_none())
    for (std::size_t i = 1; i < 3; ++i) results[i] = call.made(DataType::float32, {columns});
  const Output dx(results[0], "dx", &call.order());
  if (dx.type() != call.x().type())
    refuse_type("dx is " + dx.text() + "; it must have the element type of x, which is " +
                call.x().text());
  layer.dx = call.output(dx, rows, columns);
  std::optional<Output> dgamma;
  std::optional<Output> dbeta;
  if (!results[1].is_none())
    layer.dgamma = call.output(dgamma.emplace(results[1], "dgamma", &call.order()), columns);
  if (!results[2].is_none())
    layer.dbeta = call.output(dbeta.emplace(results[2], "dbeta", &call.order()), columns);
  call.run(layer, NormOptions(), norm_gradients_workspace, run_norm_gradients);
  return nb::make_tuple(results[0], results[1], results[2]);
}

nb::object linear_act(nb::handle x, nb::handle w, nb::handle bias, nb::handle activation,
                      nb::handle reproducible, nb::handle space, nb::handle out, nb::handle stream,
                      nb::handle copy, nb::handle context) {
  LinearLayer layer;
  layer.activation = value_of(activation, "activation", activations);
  Call call(x, space, stream, copy, context);
  const LinearOptions options{flag_of(reproducible, "reproducible")};
  const Input weights(w, "w", &call.order(), call.copying());
  weights.require_type({call.x().type()});
  layer.x = call.x_matrix();
  layer.w = call.matrix(weights, -1, call.x().extent(1));
  const std::int64_t rows = call.x().extent(0);
  const std::int64_t outputs = weights.extent(0);
  const Column shift(bias, "bias", outputs, call);
  layer.bias = shift.values();
  const nb::object made =
      out.is_none() ? call.made(call.x().type(), {rows, outputs}) : nb::borrow(out);
  const Output output(made, "out", &call.order());
  layer.y = call.output(output, rows, outputs);
  call.run(layer, options, linear_layers_workspace, run_linear_layers);
  return made;
}

/// `(dx, dw, dbias)`
nb::object linear_act_backward(nb::handle x, nb::handle gradient, nb::handle w, nb::handle bias,
                               nb::handle activation, nb::handle reproducible, nb::handle space,
                               nb::handle out, nb::handle stream, nb::handle copy,
                               nb::handle context) {
  LinearGradient layer;
  layer.activation = value_of(activation, "activation", activations);
  Call call(x, space, stream, copy, context);
  const LinearOptions options{flag_of(reproducible, "reproducible")};
  const Input weights(w, "w", &call.order(), call.copying());
  weights.require_type({call.x().type()});
  layer.x = call.x_matrix();
  const std::int64_t rows = call.x().extent(0);
  const std::int64_t inputs = call.x().extent(1);
  layer.w = call.matrix(weights, -1, inputs);
  const std::int64_t outputs = weights.extent(0);
  const Input of_y(gradient, "gradient", &call.order(), call.copying());
  layer.gradient = call.matrix(of_y, rows, outputs);
  const Column shift(bias, "bias", outputs, call);
  layer.bias = shift.values();
  auto results = three_of(out, "out", "(dx, dw, dbias)");
  if (out.is_none()) {
    results[0] = call.made(call.x().type(), {rows, inputs});
    results[1] = call.made(call.x().type(), {outputs, inputs});
    results[2] = call.made(DataType::float32, {outputs});
  }
  std::optional<Output> dx;
  std::optional<Output> dw;
  std::optional<Output> dbias;
  if (!results[0].is_none())
    layer.dx = call.output(dx.emplace(results[0], "dx", &call.order()), rows, inputs);
  if (!results[1].is_none())
    layer.dw = call.output(dw.emplace(results[1], "dw", &call.order()), outputs, inputs);
  if (!results[2].is_none())
    layer.dbias = call.output(dbias.emplace(results[2], "dbias", &call.order()), outputs);
  call.run(layer, options, linear_gradients_workspace, run_linear_gradients);
  return nb::make_tuple(results[0], results[1], results[2]);
}

}  // namespace

}  // namespace Layers

void register_layers(nb::module_& module) {
  using namespace Layers;
  module.def("layer_norm_act", layer_norm_act, nb::arg("x").none(), nb::arg("gamma").none(),
             nb::arg("beta").none(), nb::arg("epsilon").none(), nb::arg("activation").none(),
             nb::arg("statistics").none(), nb::arg("space").none(), nb::arg("out").none(),
             nb::arg("stream").none(), nb::arg("copy").none(), nb::arg("context").none());
  module.def("layer_norm_act_backward", layer_norm_act_backward, nb::arg("x").none(),
             nb::arg("gradient").none(), nb::arg("gamma").none(), nb::arg("beta").none(),
             nb::arg("epsilon").none(), nb::arg("activation").none(), nb::arg("space").none(),
             nb::arg("out").none(), nb::arg("stream").none(), nb::arg("copy").none(),
             nb::arg("context").none());
  module.def("linear_act", linear_act, nb::arg("x").none(), nb::arg("w").none(),
             nb::arg("bias").none(), nb::arg("activation").none(), nb::arg("reproducible").none(),
             nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
             nb::arg("copy").none(), nb::arg("context").none());
  module.def("linear_act_backward", linear_act_backward, nb::arg("x").none(),
             nb::arg("gradient").none(), nb::arg("w").none(), nb::arg("bias").none(),
             nb::arg("activation").none(), nb::arg("reproducible").none(), nb::arg("space").none(),
             nb::arg("out").none(), nb::arg("stream").none(), nb::arg("copy").none(),
             nb::arg("context").none());
}

}  // namespace Kindred::Python
