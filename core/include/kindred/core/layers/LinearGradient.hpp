// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_LINEAR_GRADIENT_HPP
#define KINDRED_CORE_LAYERS_LINEAR_GRADIENT_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/layers/LayerActivation.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// Rows and columns of the operands that these kernels write are padded to a multiple of this.
inline constexpr std::uint64_t linear_gradient_padding = 8;
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t padded_to_linear_gradient(std::uint64_t count) {
  return quotient_up(count, linear_gradient_padding) * linear_gradient_padding;
}

/// \brief The gradient of a linear layer with respect to the argument z of its activation: act′(z)
/// · gradient, rounded to the element type of x.
struct LinearDerivative {
  const std::byte* gradient = nullptr;  ///< of y: rows × outputs
  const float* z = nullptr;             ///< rows × outputs; null without an activation
  std::byte* dz = nullptr;              ///< rows × padded outputs, 0 in the padding
  std::byte* transposed = nullptr;  ///< dzᵀ: outputs × padded rows, 0 in the padding; or null
  std::uint64_t rows = 0;
  std::uint64_t outputs = 0;
  std::uint64_t gradient_stride = 0;  ///< elements from one row to the next
  std::uint64_t z_stride = 0;
  DataType output = DataType::float32;  ///< of the gradient
  DataType input = DataType::float32;   ///< of dz
  LayerActivation activation = LayerActivation::none;
};

/// \brief Computes dz in double, rounded to float32 and then to its element type; NaN is canonical.
/// Bit-identical on every space for the same z. Does not fence, allocates nothing; one launch.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void linear_derivatives(const ExecutionSpace& exec_space, const LinearDerivative& layer);

/// \brief Writes the transposed matrix of \p rows × \p columns elements: columns × padded rows, 0
/// in the padding. Does not fence; one launch.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void transpose_padded(const ExecutionSpace& exec_space, DataType element, const std::byte* matrix,
                      std::uint64_t rows, std::uint64_t columns, std::uint64_t stride,
                      std::byte* transposed);

/// Bytes of workspace of `column_sums`.
std::size_t column_sums_workspace(std::uint64_t rows, std::uint64_t columns);
/// \brief The sums of the columns of a matrix in double, \see ColumnSums, rounded to float32; NaN
/// is canonical. Does not fence; two launches.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void column_sums(const ExecutionSpace& exec_space, DataType element, const std::byte* matrix,
                 std::uint64_t rows, std::uint64_t columns, std::uint64_t stride, float* sums,
                 std::byte* workspace);

}  // namespace Kindred

#endif  // KINDRED_CORE_LAYERS_LINEAR_GRADIENT_HPP
