// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_TASK_HPP
#define KINDRED_MATCHER_BULK_BULK_TASK_HPP

#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/bulk/ElementWise.hpp>
#include <kindred/core/bulk/MatrixProduct.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

/// The operation on the arrays of a list.
enum class BulkKind : std::uint8_t { bytes, element_wise, normalise, random_fill, reduce };

/// The 64 bits in which a reduction of elements of type T is computed.
template <class T>
using bulk_result = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

/// The type as which element-wise kernels process T: integers that wrap around are unsigned.
template <class T>
struct ElementOf {
  using type = std::make_unsigned_t<T>;
};
template <>
struct ElementOf<float> {
  using type = float;
};
template <>
struct ElementOf<double> {
  using type = double;
};
template <class T>
using element_of = typename ElementOf<T>::type;

/// \brief A checked call over a list.
template <class T>
struct BulkTask {
  BulkKind kind = BulkKind::bytes;
  Operation operation = Operations::transform;
  BytesOperation bytes = BytesOperation::exclusive_or;
  ElementWise op = ElementWise::add;
  Reduction reduction = Reduction::sum;
  T number = 0;
  std::uint64_t seed = 0;
  std::vector<BulkItem<T>> items;
  std::vector<std::uint64_t>
      offsets;  ///< for `random_fill`: stream offset of each item's first element

  std::uint64_t elements() const {
    std::uint64_t all = 0;
    for (const BulkItem<T>& item : items) all += item.count;
    return all;
  }
  /// Whether arrays may be split at any element.
  bool is_divisible() const { return kind != BulkKind::normalise && kind != BulkKind::reduce; }
  /// Number of arrays that an item reads.
  std::uint64_t reads() const {
    if (kind == BulkKind::random_fill) return 0;
    return !items.empty() && items.front().other != nullptr ? 2 : 1;
  }
};

/// Names of the lists in messages: `arrays`, and `keys` or `others`.
struct BulkNames {
  const char* arrays = "arrays";
  const char* others = "others";
};

/// \param others empty if \p needs_others is false \throws InvalidArgument
template <class T>
std::vector<BulkItem<T>> checked_items(BulkArrays<T> arrays, const BulkArrays<T>* others,
                                       const BulkResults<T>* results, Space space,
                                       const BulkNames& names = {});
/// \brief Checks that elements of \p bytes bytes from \p data on can be accessed on \p space and
/// are aligned. \throws InvalidArgument with \p name
void check_memory(const void* data, std::size_t bytes, Space space, const std::string& name);
/// \throws InvalidArgument if \p op does not take this number of operands
void check_operands(ElementWise op, bool takes_two);
/// \throws InvalidArgument for roots and exponentials
void check_integer_operation(ElementWise op);
/// \throws InvalidArgument for deviations
void check_integer_reduction(Reduction reduction);
void check_reducible(Reduction reduction, std::uint64_t count, std::size_t array);
/// \throws InvalidArgument unless there is one result per array
void check_results(std::size_t results, std::size_t arrays);

/// The same arrays, as element-wise kernels process them.
template <class T>
std::vector<BulkItem<element_of<T>>> as_elements(std::vector<BulkItem<T>> items) {
  using element = element_of<T>;
  if constexpr (std::is_same_v<T, element>) {
    return items;
  } else {
    std::vector<BulkItem<element>> out;
    out.reserve(items.size());
    for (const BulkItem<T>& item : items)
      out.push_back({reinterpret_cast<const element*>(item.input),
                     reinterpret_cast<const element*>(item.other),
                     reinterpret_cast<element*>(item.output), item.count, item.first_chunk});
    return out;
  }
}
/// \throws InvalidArgument for inconsistent shapes or arrays that are too short
template <class T>
void check_pairs(std::span<const MatrixPair<T>> pairs, Space space);

/// \throws InvalidArgument for positions beyond 2⁶⁴
template <class T>
BulkTask<T> random_task(BulkResults<T> results, std::uint64_t seed, std::uint64_t offset,
                        Space space);

/// Converts validated \p pairs to the form that kernels take.
template <class T>
std::vector<MatrixProduct<T>> products_of(std::span<const MatrixPair<T>> pairs) {
  std::vector<MatrixProduct<T>> products;
  products.reserve(pairs.size());
  for (const MatrixPair<T>& pair : pairs)
    products.push_back({pair.a.data(), pair.b.data(), pair.c.data(), pair.m, pair.n, pair.k, 0});
  return products;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_BULK_TASK_HPP
