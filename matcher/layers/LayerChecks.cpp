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

template <class Byte>
void check_matrix(const MatrixSpan<Byte>& matrix, Space space, const std::string& name) {
  const std::size_t size = size_of(matrix.element);
  KINDRED_THROW_IF(!widens_to_float32(matrix.element),
                   name + " is " + std::string(to_string(matrix.element)) +
                       "; it must be float32, float16 or bfloat16");
  KINDRED_THROW_IF(matrix.row_stride() < matrix.columns,
                   name + " has a stride of " + std::to_string(matrix.stride) +
                       "; it must be at least its columns, " + std::to_string(matrix.columns));
  if (matrix.rows == 0 || matrix.columns == 0) return;
  const auto required = checked_extent(matrix.rows, matrix.columns, matrix.row_stride(), size);
  KINDRED_THROW_IF(!required || matrix.values.size() < *required,
                   name + " has " + std::to_string(matrix.values.size()) + " bytes; " +
                       std::to_string(matrix.rows) + " rows of " + std::to_string(matrix.columns) +
                       " elements, " + std::to_string(matrix.row_stride()) +
                       " elements apart, need more");
  require_aligned(name, matrix.values.data(), size);
  require_memory(name, matrix.values.data(), space);
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

template <class First, class Second>
bool overlap(const MatrixSpan<First>& a, const MatrixSpan<Second>& b) {
  return overlap(ByteRange(a.values.data(), extent_bytes(a)),
                 ByteRange(b.values.data(), extent_bytes(b)));
}

template <class Byte>
void require_shape(const MatrixSpan<Byte>& matrix, std::size_t rows, std::size_t columns,
                   const std::string& name) {
  KINDRED_THROW_IF(matrix.rows != rows || matrix.columns != columns,
                   name + " is " + std::to_string(matrix.rows) + " × " +
                       std::to_string(matrix.columns) + "; it must be " + std::to_string(rows) +
                       " × " + std::to_string(columns));
}
void require_element(DataType element, DataType required, const std::string& name) {
  KINDRED_THROW_IF(element != required, name + " is " + std::string(to_string(element)) +
                                            "; it must have the element type of x, " +
                                            std::string(to_string(required)));
}

/// Whether \p result is \p read in place.
bool is_same(const ConstMatrix& read, const MutableMatrix& result) {
  return static_cast<const void*>(read.values.data()) == result.values.data() &&
         read.element == result.element && read.row_stride() == result.row_stride();
}
/// What a norm layer and its backward pass have in common.
template <class Layer>
void check_norm(const Layer& layer, Space space, std::size_t i) {
  const std::size_t columns = layer.x.columns;
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

/// What a norm layer and its backward pass pass to kernels alike.
template <class Data, class Layer>
Data norm_data(const Layer& layer) {
  Data data;
  data.x = layer.x.values.data();
  data.gamma = data_of(layer.gamma);
  data.beta = data_of(layer.beta);
  data.rows = layer.x.rows;
  data.columns = layer.x.columns;
  data.x_stride = layer.x.row_stride();
  data.epsilon = layer.epsilon;
  data.input = layer.x.element;
  data.activation = layer.activation;
  return data;
}
/// A linear layer, or that of a backward pass, without y.
template <class Layer>
LinearLayerData linear_data(const Layer& layer) {
  LinearLayerData data;
  data.x = layer.x.values.data();
  data.w = layer.w.values.data();
  data.bias = data_of(layer.bias);
  data.rows = layer.x.rows;
  data.inputs = layer.x.columns;
  data.outputs = layer.w.rows;
  data.x_stride = layer.x.row_stride();
  data.w_stride = layer.w.row_stride();
  data.input = layer.x.element;
  data.activation = layer.activation;
  return data;
}

}  // namespace

NormLayerData checked(const NormLayer& layer, Space space, std::size_t i) {
  const ConstMatrix& x = layer.x;
  const MutableMatrix& y = layer.y;
  check_matrix(x, space, named(i, "x"));
  check_matrix(y, space, named(i, "y"));
  KINDRED_THROW_IF(x.rows != y.rows || x.columns != y.columns,
                   named(i, "x") + " is " + std::to_string(x.rows) + " × " +
                       std::to_string(x.columns) + ", y " + std::to_string(y.rows) + " × " +
                       std::to_string(y.columns) + "; they must have the same shape");
  check_norm(layer, space, i);
  check_vector(layer.mean, x.rows, space, named(i, "mean"));
  check_vector(layer.variance, x.rows, space, named(i, "variance"));
  KINDRED_THROW_IF(
      !is_same(x, y) && overlap(x, y),
      named(i, "y") +
          " overlaps x; it must be separate, or x itself with the same element type and "
          "stride");
  auto data = norm_data<NormLayerData>(layer);
  data.y = y.values.data();
  data.mean = data_of(layer.mean);
  data.variance = data_of(layer.variance);
  data.y_stride = y.row_stride();
  data.output = y.element;
  return data;
}

LinearLayerData checked(const LinearLayer& layer, Space space, std::size_t i) {
  const auto expect_equal = [](std::size_t a, std::size_t b, const std::string& message) {
    KINDRED_THROW_IF(a != b, message + ": " + std::to_string(a) + " and " + std::to_string(b));
  };
  check_matrix(layer.x, space, named(i, "x"));
  check_matrix(layer.w, space, named(i, "w"));
  check_matrix(layer.y, space, named(i, "y"));
  require_element(layer.w.element, layer.x.element, named(i, "w"));
  expect_equal(layer.w.columns, layer.x.columns,
               named(i, "w and x must have the same number of columns"));
  expect_equal(layer.y.rows, layer.x.rows, named(i, "y and x must have the same number of rows"));
  expect_equal(layer.y.columns, layer.w.rows, named(i, "y must have one column per row of w"));
  check_vector(layer.bias, layer.w.rows, space, named(i, "bias"));
  KINDRED_THROW_IF(overlap(layer.y, layer.x) || overlap(layer.y, layer.w),
                   named(i, "y") + " overlaps x or w; it must be in separate memory");
  LinearLayerData data = linear_data(layer);
  data.y = layer.y.values.data();
  data.y_stride = layer.y.row_stride();
  data.output = layer.y.element;
  return data;
}

NormGradientData checked(const NormGradient& layer, Space space, std::size_t i) {
  const ConstMatrix& x = layer.x;
  check_matrix(x, space, named(i, "x"));
  check_matrix(layer.gradient, space, named(i, "gradient"));
  check_matrix(layer.dx, space, named(i, "dx"));
  require_shape(layer.gradient, x.rows, x.columns, named(i, "gradient"));
  require_shape(layer.dx, x.rows, x.columns, named(i, "dx"));
  require_element(layer.dx.element, x.element, named(i, "dx"));
  check_norm(layer, space, i);
  check_vector(layer.dgamma, x.columns, space, named(i, "dgamma"));
  check_vector(layer.dbeta, x.columns, space, named(i, "dbeta"));
  KINDRED_THROW_IF(overlap(layer.dx, x) ||
                       (!is_same(layer.gradient, layer.dx) && overlap(layer.dx, layer.gradient)),
                   named(i, "dx") +
                       " overlaps x or the gradient; it must be separate, or the gradient itself "
                       "with the same element type and stride");
  auto data = norm_data<NormGradientData>(layer);
  data.gradient = layer.gradient.values.data();
  data.dx = layer.dx.values.data();
  data.dgamma = data_of(layer.dgamma);
  data.dbeta = data_of(layer.dbeta);
  data.gradient_stride = layer.gradient.row_stride();
  data.dx_stride = layer.dx.row_stride();
  data.output = layer.gradient.element;
  return data;
}

LinearGradientData checked(const LinearGradient& layer, Space space, std::size_t i) {
  const ConstMatrix& x = layer.x;
  const ConstMatrix& w = layer.w;
  check_matrix(x, space, named(i, "x"));
  check_matrix(w, space, named(i, "w"));
  check_matrix(layer.gradient, space, named(i, "gradient"));
  require_element(w.element, x.element, named(i, "w"));
  require_shape(w, w.rows, x.columns, named(i, "w"));
  require_shape(layer.gradient, x.rows, w.rows, named(i, "gradient"));
  check_vector(layer.bias, w.rows, space, named(i, "bias"));
  check_vector(layer.dbias, w.rows, space, named(i, "dbias"));
  const auto check_output = [&](const MutableMatrix& matrix, std::size_t rows,
                                const std::string& name) {
    if (matrix.values.empty()) return;
    check_matrix(matrix, space, name);
    require_shape(matrix, rows, x.columns, name);
    KINDRED_THROW_IF(overlap(matrix, x) || overlap(matrix, w) || overlap(matrix, layer.gradient),
                     name + " overlaps x, w or the gradient; it must be in separate memory");
  };
  check_output(layer.dx, x.rows, named(i, "dx"));
  check_output(layer.dw, w.rows, named(i, "dw"));
  KINDRED_THROW_IF(overlap(layer.dx, layer.dw), named(i, "dx") + " and dw overlap");
  LinearGradientData data;
  data.layer = linear_data(layer);
  data.gradient = layer.gradient.values.data();
  data.dx = data_of(layer.dx.values);
  data.dw = data_of(layer.dw.values);
  data.dbias = data_of(layer.dbias);
  data.gradient_stride = layer.gradient.row_stride();
  data.dx_stride = layer.dx.row_stride();
  data.dw_stride = layer.dw.row_stride();
  data.output = layer.gradient.element;
  data.dx_element = layer.dx.element;
  data.dw_element = layer.dw.element;
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
