// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/layers/LinearGradient.hpp>

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/layers/impl/Activation.hpp>
#include <kindred/core/layers/impl/ColumnSums.hpp>
#include <kindred/core/layers/impl/StoreElement.hpp>

namespace Kindred {

namespace {

constexpr std::uint64_t strip = linear_gradient_padding;

/// An index: eight rows of one column, so that threads read adjacent elements of a row and write
/// adjacent elements of the transposed matrix.
template <class In, class Out>
struct Derivatives {
  LinearDerivative layer;
  std::uint64_t columns;  ///< padded outputs

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    const std::uint64_t column = i % columns;
    const std::uint64_t first = i / columns * strip;
    const bool exists = column < layer.outputs;
    const auto* gradient = reinterpret_cast<const Out*>(layer.gradient);
    auto* dz = reinterpret_cast<In*>(layer.dz);
    In* across = nullptr;
    if (layer.transposed != nullptr && exists)
      across = reinterpret_cast<In*>(layer.transposed) +
               column * padded_to_linear_gradient(layer.rows) + first;
    for (std::uint64_t j = 0; j < strip; ++j) {
      const std::uint64_t row = first + j;
      In value{};
      if (row < layer.rows && exists) {
        const float z = layer.z == nullptr ? 0.0F : layer.z[row * layer.z_stride + column];
        const float g = Arch::to_float(gradient[row * layer.gradient_stride + column]);
        value = Arch::round_canonical<In>(
            static_cast<float>(Impl::activation_gradient(layer.activation, z, g)));
      }
      if (row < layer.rows) dz[row * columns + column] = value;
      if (across != nullptr) across[j] = value;
    }
  }
};

/// An index: eight rows of one column.
template <class Element>
struct Transposed {
  const Element* matrix;
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t stride;
  Element* out;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    const std::uint64_t column = i % columns;
    const std::uint64_t first = i / columns * strip;
    Element* to = out + column * padded_to_linear_gradient(rows) + first;
    for (std::uint64_t j = 0; j < strip; ++j)
      to[j] = first + j < rows ? matrix[(first + j) * stride + column] : Element{};
  }
};

template <class Element>
struct MatrixElement {
  const Element* matrix;
  std::uint64_t stride;

  KOKKOS_INLINE_FUNCTION double operator()(std::uint64_t row, std::uint64_t column) const {
    return static_cast<double>(Arch::to_float(matrix[row * stride + column]));
  }
};
struct RoundedSum {
  float* sums;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t column, double sum) const {
    sums[column] = Arch::round_canonical<float>(static_cast<float>(sum));
  }
};

}  // namespace

template <class ExecutionSpace>
void linear_derivatives(const ExecutionSpace& exec_space, const LinearDerivative& layer) {
  const Impl::ArgumentCheck check("linear_derivatives");
  const std::uint64_t elements = Impl::extent_of(layer.rows, layer.outputs);
  check.is_float("layer.input", layer.input);
  check.is_float("layer.output", layer.output);
  check.is_array("layer.gradient", layer.gradient, elements, size_of(layer.output));
  check.is_array("layer.z", layer.z, layer.activation == LayerActivation::none ? 0 : elements,
                 alignof(float));
  check.is_array("layer.dz", layer.dz, elements, size_of(layer.input));
  check.is_aligned("layer.transposed", layer.transposed, size_of(layer.input));
  const std::uint64_t columns = padded_to_linear_gradient(layer.outputs);
  const std::uint64_t strips = padded_to_linear_gradient(layer.rows) / strip;
  Impl::with_float_type_here(layer.input, [&](auto in) {
    Impl::with_float_type_here(layer.output, [&](auto out) {
      Launch::for_each_index(exec_space, "Kindred::Layers::linear_gradients::derivatives",
                             strips * columns,
                             Derivatives<decltype(in), decltype(out)>{layer, columns});
    });
  });
}

template <class ExecutionSpace>
void transpose_padded(const ExecutionSpace& exec_space, DataType element, const std::byte* matrix,
                      std::uint64_t rows, std::uint64_t columns, std::uint64_t stride,
                      std::byte* transposed) {
  const Impl::ArgumentCheck check("transpose_padded");
  check.is_float("element", element);
  check.is_array("matrix", matrix, Impl::extent_of(rows, columns), size_of(element));
  check.is_array("transposed", transposed, Impl::extent_of(rows, columns), size_of(element));
  const std::uint64_t strips = padded_to_linear_gradient(rows) / strip;
  Impl::with_float_type_here(element, [&](auto type) {
    using Element = decltype(type);
    Launch::for_each_index(
        exec_space, "Kindred::Layers::linear_gradients::transpose", strips * columns,
        Transposed<Element>{reinterpret_cast<const Element*>(matrix), rows, columns, stride,
                            reinterpret_cast<Element*>(transposed)});
  });
}

std::size_t column_sums_workspace(std::uint64_t rows, std::uint64_t columns) {
  return Impl::ColumnSums::of(rows).segments * columns * sizeof(double);
}

template <class ExecutionSpace>
void column_sums(const ExecutionSpace& exec_space, DataType element, const std::byte* matrix,
                 std::uint64_t rows, std::uint64_t columns, std::uint64_t stride, float* sums,
                 std::byte* workspace) {
  const Impl::ArgumentCheck check("column_sums");
  check.is_float("element", element);
  check.is_array("matrix", matrix, Impl::extent_of(rows, columns), size_of(element));
  check.is_array("sums", sums, columns);
  check.is_array("workspace", workspace, columns, alignof(double));
  Impl::with_float_type_here(element, [&](auto type) {
    using Element = decltype(type);
    Impl::sum_columns(exec_space,
                      {"Kindred::Layers::linear_gradients::segments",
                       "Kindred::Layers::linear_gradients::columns"},
                      rows, columns,
                      MatrixElement<Element>{reinterpret_cast<const Element*>(matrix), stride},
                      reinterpret_cast<double*>(workspace), RoundedSum{sums});
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(linear_derivatives);
KINDRED_INSTANTIATE_FOR_SPACES(transpose_padded);
KINDRED_INSTANTIATE_FOR_SPACES(column_sums);

}  // namespace Kindred
