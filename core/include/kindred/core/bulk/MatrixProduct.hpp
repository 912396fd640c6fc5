// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_MATRIX_PRODUCT_HPP
#define KINDRED_CORE_BULK_MATRIX_PRODUCT_HPP

#include <kindred/core/common/ArrayView.hpp>

#include <cstdint>
#include <span>

namespace Kindred {

/// C = A · B for contiguous row-major matrices in the memory of a space.
template <class T>
struct MatrixProduct {
  const T* a = nullptr;  ///< m × k
  const T* b = nullptr;  ///< k × n
  T* c = nullptr;        ///< m × n
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  std::uint64_t first_work_item = 0;  ///< set by `plan_products`
};

/// Distributes \p products over work items; returns their number.
template <class ExecutionSpace, class T>
std::uint64_t plan_products(std::span<MatrixProduct<T>> products);

/// \brief Computes all \p products in one launch, bit-identical on every space: reproducible sums
/// in double with fused multiply–adds (exact products for float32), rounded once; NaN is canonical.
/// Does not fence, allocates nothing. Complexity O(m · n · k), in double.
/// \param work_items from `plan_products`
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace, class T>
void reproducible_products(const ExecutionSpace& exec_space, std::uint64_t work_items,
                           const ArrayView<const MatrixProduct<T>, ExecutionSpace>& products);

}  // namespace Kindred

#endif  // KINDRED_CORE_BULK_MATRIX_PRODUCT_HPP
