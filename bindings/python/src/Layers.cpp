// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/FusedLayers.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"

#include <array>
#include <optional>
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

/// A matrix in host memory, whose rows may lie apart. \tparam Byte const for an input
template <class Byte, class Given>
MatrixSpan<Byte> matrix_of(const Borrowed& given, const Given& array) {
  if (given.on_device())
    refuse(std::string(given.name()) + " is " + given.text() + "; it must lie on the host");
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

void require_matrix(const Input& given) {
  given.require_type({DataType::float32, DataType::float16, DataType::bfloat16});
  given.require_rank(2, 2);
}

/// \throws InvalidArgument, InvalidType for what is no matrix of that shape
void require_output(const Output& given, std::int64_t rows, std::int64_t columns) {
  if (given.type() != DataType::float32 && given.type() != DataType::float16 &&
      given.type() != DataType::bfloat16)
    refuse_type("out is " + given.text() + "; its elements must be float32, float16 or bfloat16");
  if (given.rank() != 2 || given.extent(0) != rows || given.extent(1) != columns)
    refuse("out is " + given.text() + "; it must be [" + std::to_string(rows) + ", " +
           std::to_string(columns) + "]");
}

/// float32 values, one per column; none for None.
class Column {
 public:
  Column(nb::handle given, const char* name, std::int64_t columns) {
    if (given.is_none()) return;
    m_array.emplace(given, name, nullptr, Copying::if_needed, Layout::dense);
    m_array->require_rank(1, 1);
    m_array->require_columns(static_cast<std::size_t>(columns));
    m_values = m_array->host_values<float>();
  }
  std::span<const float> values() const noexcept { return m_values; }

 private:
  std::optional<Input> m_array;
  std::span<const float> m_values;
};

/// `(y, mean, variance)`; the latter are None unless \p statistics
nb::object layer_norm_act(nb::handle x, nb::handle gamma, nb::handle beta, nb::handle epsilon,
                          nb::handle activation, nb::handle statistics, nb::handle space,
                          nb::handle out, nb::handle context) {
  NormLayer layer;
  layer.epsilon = static_cast<float>(number_of(epsilon, "epsilon"));
  layer.activation = value_of(activation, "activation", activations);
  const bool has_statistics = flag_of(statistics, "statistics");
  const NormOptions options{space_of(space)};
  const SharedContext shared = context_of(context);
  const Input given(x, "x");
  require_matrix(given);
  layer.x = matrix_of<const std::byte>(given, given.array());
  const std::int64_t rows = given.extent(0);
  const Column scale(gamma, "gamma", given.extent(1));
  const Column shift(beta, "beta", given.extent(1));
  layer.gamma = scale.values();
  layer.beta = shift.values();
  if (out.is_none() && given.type() == DataType::bfloat16)
    refuse("x is " + given.text() + ", and NumPy has no bfloat16: give out");
  const nb::object made =
      out.is_none() ? empty_array(given.type(), {rows, given.extent(1)}) : nb::borrow(out);
  const Output output(made, "out");
  require_output(output, rows, given.extent(1));
  layer.y = matrix_of<std::byte>(output, output.array());
  nb::object mean = nb::none();
  nb::object variance = nb::none();
  std::optional<Output> mean_out;
  std::optional<Output> variance_out;
  if (has_statistics) {
    mean = empty_array(DataType::float32, {rows});
    variance = empty_array(DataType::float32, {rows});
    mean_out.emplace(mean, "mean");
    variance_out.emplace(variance, "variance");
    layer.mean = mean_out->array().host_values<float>();
    layer.variance = variance_out->array().host_values<float>();
  }
  unlocked([&] { run_norm_layers(*shared, {&layer, 1}, options); });
  return nb::make_tuple(made, mean, variance);
}

nb::object linear_act(nb::handle x, nb::handle w, nb::handle bias, nb::handle activation,
                      nb::handle reproducible, nb::handle space, nb::handle out,
                      nb::handle context) {
  LinearLayer layer;
  layer.activation = value_of(activation, "activation", activations);
  const LinearOptions options{flag_of(reproducible, "reproducible"), space_of(space)};
  const SharedContext shared = context_of(context);
  const Input given(x, "x");
  require_matrix(given);
  const Input weights(w, "w");
  weights.require_type({given.type()});
  weights.require_rank(2, 2);
  weights.require_columns(static_cast<std::size_t>(given.extent(1)));
  layer.x = matrix_of<const std::byte>(given, given.array());
  layer.w = matrix_of<const std::byte>(weights, weights.array());
  const std::int64_t rows = given.extent(0);
  const std::int64_t outputs = weights.extent(0);
  const Column shift(bias, "bias", outputs);
  layer.bias = shift.values();
  if (out.is_none()) {
    if (given.type() == DataType::bfloat16)
      refuse("x is " + given.text() + ", and NumPy has no bfloat16: give out");
    check_free_memory(*shared, static_cast<double>(rows) * static_cast<double>(outputs) *
                                   static_cast<double>(size_of(given.type())));
  }
  const nb::object made =
      out.is_none() ? empty_array(given.type(), {rows, outputs}) : nb::borrow(out);
  const Output output(made, "out");
  require_output(output, rows, outputs);
  layer.y = matrix_of<std::byte>(output, output.array());
  unlocked([&] { run_linear_layers(*shared, {&layer, 1}, options); });
  return made;
}

}  // namespace

}  // namespace Layers

void register_layers(nb::module_& module) {
  using namespace Layers;
  module.def("layer_norm_act", layer_norm_act, nb::arg("x").none(), nb::arg("gamma").none(),
             nb::arg("beta").none(), nb::arg("epsilon").none(), nb::arg("activation").none(),
             nb::arg("statistics").none(), nb::arg("space").none(), nb::arg("out").none(),
             nb::arg("context").none());
  module.def("linear_act", linear_act, nb::arg("x").none(), nb::arg("w").none(),
             nb::arg("bias").none(), nb::arg("activation").none(), nb::arg("reproducible").none(),
             nb::arg("space").none(), nb::arg("out").none(), nb::arg("context").none());
}

}  // namespace Kindred::Python
