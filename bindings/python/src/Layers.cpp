// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/FusedLayers.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "DeviceArguments.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Prepared.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Layers {

namespace {

constexpr std::array<Choice<LayerActivation>, 3> activations{{{"none", LayerActivation::none},
                                                              {"relu", LayerActivation::relu},
                                                              {"gelu", LayerActivation::gelu}}};

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

  const SharedContext& context() const { return m_context; }
  std::optional<Space> space() const { return m_space; }
  const Input& x() const { return m_x; }
  CallStream& order() { return m_order; }
  Copying copying() const { return m_copying; }

  /// Another input of the shape [rows, columns]; −1 stands for any number of rows.
  ConstArray matrix(const Input& given, std::int64_t rows, std::int64_t columns) const {
    require_matrix(given);
    if ((rows >= 0 && given.extent(0) != rows) || given.extent(1) != columns)
      refuse(std::string(given.name()) + " is " + given.text() + "; it must be [" +
             (rows < 0 ? std::string("any") : std::to_string(rows)) + ", " +
             std::to_string(columns) + "]");
    require_place(given);
    return given.array();
  }
  /// \throws InvalidArgument, InvalidType for what is no output of that shape
  Array output(const Output& given, std::int64_t rows, std::int64_t columns) const {
    given.require_widens_to_float32();
    if (given.rank() != 2 || given.extent(0) != rows || given.extent(1) != columns)
      refuse(std::string(given.name()) + " is " + given.text() + "; it must be [" +
             std::to_string(rows) + ", " + std::to_string(columns) + "]");
    require_place(given);
    return given.array();
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

  /// Runs \p layer: on a device, on the stream of the call, with a workspace from the library of x.
  template <class Layer>
  void run(const Layer& layer, bool reproducible = false) {
    const std::span layers(&layer, 1);
    LayerOptions options{m_space, reproducible};
    if (m_x.on_device()) {
      options.stream = m_order.stream().value_or(Stream::cuda(nullptr));
      set_workspace(layers_workspace(*m_context, layers, options));
      if (m_workspace) options.workspace = m_workspace->array();
    }
    unlocked([&] { run_layers(*m_context, layers, options); });
  }
  std::optional<Stream> stream() const { return m_order.stream(); }

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

// The arguments of each call, with the arrays that they name, and its results.

struct NormCall {
  NormCall(nb::handle x, nb::handle gamma, nb::handle beta, nb::handle epsilon,
           nb::handle activation, nb::handle statistics, nb::handle space, nb::handle out,
           nb::handle stream, nb::handle copy, nb::handle context)
      : has_statistics(flag_of(statistics, "statistics")),
        call(x, space, stream, copy, context),
        columns(call.x().extent(1)),
        scale(gamma, "gamma", columns, call),
        shift(beta, "beta", columns, call) {
    const std::int64_t rows = call.x().extent(0);
    layer.epsilon = static_cast<float>(number_of(epsilon, "epsilon"));
    layer.activation = value_of(activation, "activation", activations);
    layer.x = call.x().array();
    layer.gamma = scale.values();
    layer.beta = shift.values();
    made = out.is_none() ? call.made(call.x().type(), {rows, columns}) : nb::borrow(out);
    layer.y = call.output(y.emplace(made, "out", &call.order()), rows, columns);
    if (!has_statistics) return;
    mean_made = call.made(DataType::float32, {rows});
    variance_made = call.made(DataType::float32, {rows});
    layer.mean = call.output(mean.emplace(mean_made, "mean", &call.order()), rows);
    layer.variance = call.output(variance.emplace(variance_made, "variance", &call.order()), rows);
  }
  double elements() const { return static_cast<double>(layer.x.size()); }
  /// `(y, mean, variance)`; the latter are None unless `statistics`
  nb::object take_results() {
    return nb::make_tuple(std::move(made), std::move(mean_made), std::move(variance_made));
  }

  bool has_statistics;
  Call call;
  std::int64_t columns;
  Column scale;
  Column shift;
  nb::object made;
  nb::object mean_made = nb::none();
  nb::object variance_made = nb::none();
  std::optional<Output> y;
  std::optional<Output> mean;
  std::optional<Output> variance;
  NormLayer layer;
};

struct NormGradientCall {
  NormGradientCall(nb::handle x, nb::handle gradient, nb::handle gamma, nb::handle beta,
                   nb::handle epsilon, nb::handle activation, nb::handle space, nb::handle out,
                   nb::handle stream, nb::handle copy, nb::handle context)
      : call(x, space, stream, copy, context),
        columns(call.x().extent(1)),
        of_y(gradient, "gradient", &call.order(), call.copying()),
        scale(gamma, "gamma", columns, call),
        shift(beta, "beta", columns, call),
        made(three_of(out, "out", "(dx, dgamma, dbeta)")) {
    const std::int64_t rows = call.x().extent(0);
    layer.epsilon = static_cast<float>(number_of(epsilon, "epsilon"));
    layer.activation = value_of(activation, "activation", activations);
    layer.x = call.x().array();
    layer.gradient = call.matrix(of_y, rows, columns);
    layer.gamma = scale.values();
    layer.beta = shift.values();
    if (made[0].is_none()) made[0] = call.made(call.x().type(), {rows, columns});
    if (out.is_none())
      for (std::size_t i = 1; i < 3; ++i) made[i] = call.made(DataType::float32, {columns});
    dx.emplace(made[0], "dx", &call.order());
    if (dx->type() != call.x().type())
      refuse_type("dx is " + dx->text() + "; it must have the element type of x, which is " +
                  call.x().text());
    layer.dx = call.output(*dx, rows, columns);
    if (!made[1].is_none())
      layer.dgamma = call.output(dgamma.emplace(made[1], "dgamma", &call.order()), columns);
    if (!made[2].is_none())
      layer.dbeta = call.output(dbeta.emplace(made[2], "dbeta", &call.order()), columns);
  }
  double elements() const { return 2 * static_cast<double>(layer.x.size()); }
  /// `(dx, dgamma, dbeta)`
  nb::object take_results() {
    return nb::make_tuple(std::move(made[0]), std::move(made[1]), std::move(made[2]));
  }

  Call call;
  std::int64_t columns;
  Input of_y;
  Column scale;
  Column shift;
  std::array<nb::object, 3> made;
  std::optional<Output> dx;
  std::optional<Output> dgamma;
  std::optional<Output> dbeta;
  NormGradient layer;
};

struct LinearCall {
  LinearCall(nb::handle x, nb::handle w, nb::handle given_bias, nb::handle activation,
             nb::handle given_reproducible, nb::handle space, nb::handle out, nb::handle stream,
             nb::handle copy, nb::handle context)
      : call(x, space, stream, copy, context),
        reproducible(flag_of(given_reproducible, "reproducible")),
        weights(w, "w", &call.order(), call.copying()) {
    layer.activation = value_of(activation, "activation", activations);
    weights.require_type({call.x().type()});
    layer.x = call.x().array();
    layer.w = call.matrix(weights, -1, call.x().extent(1));
    const std::int64_t rows = call.x().extent(0);
    const std::int64_t outputs = weights.extent(0);
    layer.bias = bias.emplace(given_bias, "bias", outputs, call).values();
    made = out.is_none() ? call.made(call.x().type(), {rows, outputs}) : nb::borrow(out);
    layer.y = call.output(y.emplace(made, "out", &call.order()), rows, outputs);
  }
  double elements() const {
    return static_cast<double>(layer.x.size()) * static_cast<double>(layer.w.extent(0));
  }
  /// y
  nb::object take_results() { return std::move(made); }

  Call call;
  bool reproducible;
  Input weights;
  std::optional<Column> bias;
  nb::object made;
  std::optional<Output> y;
  LinearLayer layer;
};

struct LinearGradientCall {
  LinearGradientCall(nb::handle x, nb::handle gradient, nb::handle w, nb::handle given_bias,
                     nb::handle activation, nb::handle given_reproducible, nb::handle space,
                     nb::handle out, nb::handle stream, nb::handle copy, nb::handle context)
      : call(x, space, stream, copy, context),
        reproducible(flag_of(given_reproducible, "reproducible")),
        weights(w, "w", &call.order(), call.copying()),
        of_y(gradient, "gradient", &call.order(), call.copying()),
        made(three_of(out, "out", "(dx, dw, dbias)")) {
    layer.activation = value_of(activation, "activation", activations);
    weights.require_type({call.x().type()});
    layer.x = call.x().array();
    const std::int64_t rows = call.x().extent(0);
    const std::int64_t inputs = call.x().extent(1);
    layer.w = call.matrix(weights, -1, inputs);
    const std::int64_t outputs = weights.extent(0);
    layer.gradient = call.matrix(of_y, rows, outputs);
    layer.bias = bias.emplace(given_bias, "bias", outputs, call).values();
    if (out.is_none()) {
      made[0] = call.made(call.x().type(), {rows, inputs});
      made[1] = call.made(call.x().type(), {outputs, inputs});
      made[2] = call.made(DataType::float32, {outputs});
    }
    if (!made[0].is_none())
      layer.dx = call.output(dx.emplace(made[0], "dx", &call.order()), rows, inputs);
    if (!made[1].is_none())
      layer.dw = call.output(dw.emplace(made[1], "dw", &call.order()), outputs, inputs);
    if (!made[2].is_none())
      layer.dbias = call.output(dbias.emplace(made[2], "dbias", &call.order()), outputs);
  }
  double elements() const {
    return 2 * static_cast<double>(layer.x.size()) * static_cast<double>(layer.w.extent(0));
  }
  /// `(dx, dw, dbias)`
  nb::object take_results() {
    return nb::make_tuple(std::move(made[0]), std::move(made[1]), std::move(made[2]));
  }

  Call call;
  bool reproducible;
  Input weights;
  Input of_y;
  std::optional<Column> bias;
  std::array<nb::object, 3> made;
  std::optional<Output> dx;
  std::optional<Output> dw;
  std::optional<Output> dbias;
  LinearGradient layer;
};

nb::object layer_norm_act(nb::handle x, nb::handle gamma, nb::handle beta, nb::handle epsilon,
                          nb::handle activation, nb::handle statistics, nb::handle space,
                          nb::handle out, nb::handle stream, nb::handle copy, nb::handle context) {
  NormCall of(x, gamma, beta, epsilon, activation, statistics, space, out, stream, copy, context);
  of.call.run(of.layer);
  return of.take_results();
}

nb::object layer_norm_act_backward(nb::handle x, nb::handle gradient, nb::handle gamma,
                                   nb::handle beta, nb::handle epsilon, nb::handle activation,
                                   nb::handle space, nb::handle out, nb::handle stream,
                                   nb::handle copy, nb::handle context) {
  NormGradientCall of(x, gradient, gamma, beta, epsilon, activation, space, out, stream, copy,
                      context);
  of.call.run(of.layer);
  return of.take_results();
}

nb::object linear_act(nb::handle x, nb::handle w, nb::handle bias, nb::handle activation,
                      nb::handle reproducible, nb::handle space, nb::handle out, nb::handle stream,
                      nb::handle copy, nb::handle context) {
  LinearCall of(x, w, bias, activation, reproducible, space, out, stream, copy, context);
  of.call.run(of.layer, of.reproducible);
  return of.take_results();
}

nb::object linear_act_backward(nb::handle x, nb::handle gradient, nb::handle w, nb::handle bias,
                               nb::handle activation, nb::handle reproducible, nb::handle space,
                               nb::handle out, nb::handle stream, nb::handle copy,
                               nb::handle context) {
  LinearGradientCall of(x, gradient, w, bias, activation, reproducible, space, out, stream, copy,
                        context);
  of.call.run(of.layer, of.reproducible);
  return of.take_results();
}

/// The arguments of a prepared call, and a list of the arrays that they keep.
template <class LayerCall>
struct KeptCall {
  template <class... Arguments>
  explicit KeptCall(const Arguments&... arguments) {
    const BorrowedArrays::Scope kept(borrowed);
    of.emplace(arguments...);
  }
  BorrowedArrays borrowed;
  std::optional<LayerCall> of;
};

/// `(prepared, results)`
template <class LayerCall>
nb::object prepared_layer(std::unique_ptr<KeptCall<LayerCall>> kept, bool reproducible = false) {
  LayerCall& of = *kept->of;
  const Call& call = of.call;
  const SharedContext context = call.context();
  const Space space = space_of_arrays(*context, call.x(), call.space(), of.elements());
  const nb::object results = of.take_results();
  const auto make = [&context, &layer = of.layer,
                     options = LayerOptions{space, reproducible, call.stream()}] {
    return prepare_layers(*context, std::span(&layer, 1), options);
  };
  return nb::make_tuple(prepared_call("PreparedLayer", space, context, std::move(kept), make),
                        results);
}

nb::object prepare_layer_norm_act(nb::handle x, nb::handle gamma, nb::handle beta,
                                  nb::handle epsilon, nb::handle activation, nb::handle statistics,
                                  nb::handle space, nb::handle out, nb::handle stream,
                                  nb::handle context) {
  return prepared_layer(std::make_unique<KeptCall<NormCall>>(x, gamma, beta, epsilon, activation,
                                                             statistics, space, out, stream,
                                                             nb::bool_(false), context));
}

nb::object prepare_layer_norm_act_backward(nb::handle x, nb::handle gradient, nb::handle gamma,
                                           nb::handle beta, nb::handle epsilon,
                                           nb::handle activation, nb::handle space, nb::handle out,
                                           nb::handle stream, nb::handle context) {
  return prepared_layer(
      std::make_unique<KeptCall<NormGradientCall>>(x, gradient, gamma, beta, epsilon, activation,
                                                   space, out, stream, nb::bool_(false), context));
}

nb::object prepare_linear_act(nb::handle x, nb::handle w, nb::handle bias, nb::handle activation,
                              nb::handle reproducible, nb::handle space, nb::handle out,
                              nb::handle stream, nb::handle context) {
  auto of = std::make_unique<KeptCall<LinearCall>>(x, w, bias, activation, reproducible, space, out,
                                                   stream, nb::bool_(false), context);
  const bool is_reproducible = of->of->reproducible;
  return prepared_layer(std::move(of), is_reproducible);
}

nb::object prepare_linear_act_backward(nb::handle x, nb::handle gradient, nb::handle w,
                                       nb::handle bias, nb::handle activation,
                                       nb::handle reproducible, nb::handle space, nb::handle out,
                                       nb::handle stream, nb::handle context) {
  auto of =
      std::make_unique<KeptCall<LinearGradientCall>>(x, gradient, w, bias, activation, reproducible,
                                                     space, out, stream, nb::bool_(false), context);
  const bool is_reproducible = of->of->reproducible;
  return prepared_layer(std::move(of), is_reproducible);
}

}  // namespace

}  // namespace Layers

void register_layers(Module& module) {
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
  module.def("prepare_layer_norm_act", prepare_layer_norm_act, nb::arg("x").none(),
             nb::arg("gamma").none(), nb::arg("beta").none(), nb::arg("epsilon").none(),
             nb::arg("activation").none(), nb::arg("statistics").none(), nb::arg("space").none(),
             nb::arg("out").none(), nb::arg("stream").none(), nb::arg("context").none());
  module.def("prepare_layer_norm_act_backward", prepare_layer_norm_act_backward,
             nb::arg("x").none(), nb::arg("gradient").none(), nb::arg("gamma").none(),
             nb::arg("beta").none(), nb::arg("epsilon").none(), nb::arg("activation").none(),
             nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
             nb::arg("context").none());
  module.def("prepare_linear_act", prepare_linear_act, nb::arg("x").none(), nb::arg("w").none(),
             nb::arg("bias").none(), nb::arg("activation").none(), nb::arg("reproducible").none(),
             nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
             nb::arg("context").none());
  module.def("prepare_linear_act_backward", prepare_linear_act_backward, nb::arg("x").none(),
             nb::arg("gradient").none(), nb::arg("w").none(), nb::arg("bias").none(),
             nb::arg("activation").none(), nb::arg("reproducible").none(), nb::arg("space").none(),
             nb::arg("out").none(), nb::arg("stream").none(), nb::arg("context").none());
}

}  // namespace Kindred::Python
