// SPDX-License-Identifier: Apache-2.0
#include "LayerChecks.hpp"
#include "WorkspaceParts.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/common/CheckedSize.hpp>

#include <cmath>
#include <string>

namespace Kindred::Impl {

namespace {

/// Such as `layer 3: x`.
std::string named(std::size_t layer, const char* array) {
  return "layer " + std::to_string(layer) + ": " + array;
}

/// Requires a matrix of \p type and of that shape.
void check_matrix(const ConstArray& matrix, DataType type, std::int64_t rows, std::int64_t columns,
                  Space space, const std::string& name) {
  KINDRED_THROW_IF(
      !widens_to_float32(type),
      name + " is " + to_string(matrix) + "; its elements must be float32, float16 or bfloat16");
  const NamedArray given{name.c_str(), matrix};
  require_array(given, type, {rows, columns});
  (void)checked_bytes(given);
  if (matrix.size() > 0) require_memory(name, matrix.data(), space);
}
/// The same with any of the types.
void check_matrix(const ConstArray& matrix, std::int64_t rows, std::int64_t columns, Space space,
                  const std::string& name) {
  check_matrix(matrix, matrix.type(), rows, columns, space, name);
}

template <class T>
void check_vector(std::span<T> values, std::size_t count, Space space, const std::string& name) {
  KINDRED_THROW_IF(!values.empty() && values.size() != count,
                   name + " has " + std::to_string(values.size()) + " numbers; it must have " +
                       std::to_string(count) + " or none");
  if (values.empty()) return;
  require_aligned(name, values.data(), sizeof(T));
  require_memory(name, values.data(), space);
}

bool overlap(const ConstArray& a, const ConstArray& b) {
  return overlap(ByteRange(a), ByteRange(b));
}
std::uint64_t stride_of(const ConstArray& matrix) { return row_stride({"", matrix}); }
std::uint64_t rows_of(const ConstArray& matrix) {
  return static_cast<std::uint64_t>(matrix.extent(0));
}
std::uint64_t columns_of(const ConstArray& matrix) {
  return static_cast<std::uint64_t>(matrix.extent(1));
}
/// Whether \p result is \p read in place.
bool is_same(const ConstArray& read, const ConstArray& result) {
  return read.data() == result.data() && read.type() == result.type() &&
         stride_of(read) == stride_of(result);
}

/// What a norm layer and its backward pass have in common.
template <class Layer>
void check_norm(const Layer& layer, Space space, std::size_t i) {
  const std::size_t columns = columns_of(layer.x);
  KINDRED_THROW_IF(columns == 0 || columns > norm_columns_max,
                   named(i, "x") + " has " + std::to_string(columns) +
                       " columns; a row must have 1 … " + std::to_string(norm_columns_max));
  check_vector(layer.gamma, columns, space, named(i, "gamma"));
  check_vector(layer.beta, columns, space, named(i, "beta"));
  KINDRED_THROW_IF(!std::isnormal(layer.epsilon) || layer.epsilon < 0.0F,
                   named(i, "epsilon") + " is " + std::to_string(layer.epsilon) +
                       "; it must be a positive number of at least 2⁻¹²⁶");
}

template <class T>
T* data_of(std::span<T> values) {
  return values.empty() ? nullptr : values.data();
}
const std::byte* data_of(const ConstArray& matrix) {
  return static_cast<const std::byte*>(matrix.data());
}
std::byte* data_of(const Array& matrix) { return static_cast<std::byte*>(matrix.data()); }

/// What a linear layer and its backward pass have in common.
template <class Layer>
void check_linear(const Layer& layer, Space space, std::size_t i) {
  const ConstArray& x = layer.x;
  check_matrix(x, any_extent, any_extent, space, named(i, "x"));
  check_matrix(layer.w, x.type(), any_extent, x.extent(1), space, named(i, "w"));
  check_vector(layer.bias, rows_of(layer.w), space, named(i, "bias"));
}

/// What a norm layer and its backward pass pass to kernels alike.
template <class Data, class Layer>
Data norm_data(const Layer& layer) {
  Data data;
  data.x = data_of(layer.x);
  data.gamma = data_of(layer.gamma);
  data.beta = data_of(layer.beta);
  data.rows = rows_of(layer.x);
  data.columns = columns_of(layer.x);
  data.x_stride = stride_of(layer.x);
  data.epsilon = layer.epsilon;
  data.input = layer.x.type();
  data.activation = layer.activation;
  return data;
}
/// A linear layer, or that of a backward pass, without y.
template <class Layer>
LinearLayerData linear_data(const Layer& layer) {
  LinearLayerData data;
  data.x = data_of(layer.x);
  data.w = data_of(layer.w);
  data.bias = data_of(layer.bias);
  data.rows = rows_of(layer.x);
  data.inputs = columns_of(layer.x);
  data.outputs = rows_of(layer.w);
  data.x_stride = stride_of(layer.x);
  data.w_stride = stride_of(layer.w);
  data.input = layer.x.type();
  data.activation = layer.activation;
  return data;
}

}  // namespace

NormLayerData checked(const NormLayer& layer, Space space, std::size_t i) {
  const ConstArray& x = layer.x;
  check_matrix(x, any_extent, any_extent, space, named(i, "x"));
  check_matrix(layer.y, x.extent(0), x.extent(1), space, named(i, "y"));
  check_norm(layer, space, i);
  check_vector(layer.mean, rows_of(x), space, named(i, "mean"));
  check_vector(layer.variance, rows_of(x), space, named(i, "variance"));
  KINDRED_THROW_IF(
      !is_same(x, layer.y) && overlap(x, layer.y),
      named(i, "y") +
          " overlaps x; it must be separate, or x itself with the same element type and "
          "stride");
  auto data = norm_data<NormLayerData>(layer);
  data.y = data_of(layer.y);
  data.mean = data_of(layer.mean);
  data.variance = data_of(layer.variance);
  data.y_stride = stride_of(layer.y);
  data.output = layer.y.type();
  return data;
}

LinearLayerData checked(const LinearLayer& layer, Space space, std::size_t i) {
  check_linear(layer, space, i);
  check_matrix(layer.y, layer.x.extent(0), layer.w.extent(0), space, named(i, "y"));
  KINDRED_THROW_IF(overlap(layer.y, layer.x) || overlap(layer.y, layer.w),
                   named(i, "y") + " overlaps x or w; it must be in separate memory");
  LinearLayerData data = linear_data(layer);
  data.y = data_of(layer.y);
  data.y_stride = stride_of(layer.y);
  data.output = layer.y.type();
  return data;
}

NormGradientData checked(const NormGradient& layer, Space space, std::size_t i) {
  const ConstArray& x = layer.x;
  check_matrix(x, any_extent, any_extent, space, named(i, "x"));
  check_matrix(layer.gradient, x.extent(0), x.extent(1), space, named(i, "gradient"));
  check_matrix(layer.dx, x.type(), x.extent(0), x.extent(1), space, named(i, "dx"));
  check_norm(layer, space, i);
  check_vector(layer.dgamma, columns_of(x), space, named(i, "dgamma"));
  check_vector(layer.dbeta, columns_of(x), space, named(i, "dbeta"));
  KINDRED_THROW_IF(overlap(layer.dx, x) ||
                       (!is_same(layer.gradient, layer.dx) && overlap(layer.dx, layer.gradient)),
                   named(i, "dx") +
                       " overlaps x or the gradient; it must be separate, or the gradient itself "
                       "with the same element type and stride");
  auto data = norm_data<NormGradientData>(layer);
  data.gradient = data_of(layer.gradient);
  data.dx = data_of(layer.dx);
  data.dgamma = data_of(layer.dgamma);
  data.dbeta = data_of(layer.dbeta);
  data.gradient_stride = stride_of(layer.gradient);
  data.dx_stride = stride_of(layer.dx);
  data.output = layer.gradient.type();
  return data;
}

LinearGradientData checked(const LinearGradient& layer, Space space, std::size_t i) {
  const ConstArray& x = layer.x;
  const ConstArray& w = layer.w;
  check_linear(layer, space, i);
  check_matrix(layer.gradient, x.extent(0), w.extent(0), space, named(i, "gradient"));
  check_vector(layer.dbias, rows_of(w), space, named(i, "dbias"));
  const auto check_output = [&](const Array& matrix, std::int64_t rows, const std::string& name) {
    if (matrix.size() == 0) return;
    check_matrix(matrix, rows, x.extent(1), space, name);
    KINDRED_THROW_IF(overlap(matrix, x) || overlap(matrix, w) || overlap(matrix, layer.gradient),
                     name + " overlaps x, w or the gradient; it must be in separate memory");
  };
  check_output(layer.dx, x.extent(0), named(i, "dx"));
  check_output(layer.dw, w.extent(0), named(i, "dw"));
  KINDRED_THROW_IF(overlap(layer.dx, layer.dw), named(i, "dx") + " and dw overlap");
  LinearGradientData data;
  data.layer = linear_data(layer);
  data.gradient = data_of(layer.gradient);
  data.dbias = data_of(layer.dbias);
  data.gradient_stride = stride_of(layer.gradient);
  data.output = layer.gradient.type();
  const auto set_output = [](const Array& matrix, std::byte*& to, std::uint64_t& stride,
                             DataType& type) {
    if (matrix.size() == 0) return;
    to = data_of(matrix);
    stride = stride_of(matrix);
    type = matrix.type();
  };
  set_output(layer.dx, data.dx, data.dx_stride, data.dx_element);
  set_output(layer.dw, data.dw, data.dw_stride, data.dw_element);
  return data;
}

std::span<std::byte> checked_workspace(const Context& context, const Array& workspace) {
  if (workspace.size() == 0) return {};
  const NamedArray given{"the workspace", workspace};
  const bool is_bytes = workspace.type() == DataType::int8;
  require_array(given, is_bytes ? DataType::int8 : DataType::uint8, {any_extent});
  KINDRED_THROW_IF(!space_of(context, {given}) || !device_reaches(workspace.data()),
                   "the workspace is " + to_string(ConstArray(workspace)) +
                       ", which is not in device memory; a call on a stream needs it there");
  KINDRED_THROW_IF(
      reinterpret_cast<std::uintptr_t>(workspace.data()) % WorkspaceParts::alignment != 0,
      "the workspace is not aligned to " + std::to_string(WorkspaceParts::alignment) + " bytes");
  return {static_cast<std::byte*>(workspace.data()), static_cast<std::size_t>(workspace.size())};
}

}  // namespace Kindred::Impl
